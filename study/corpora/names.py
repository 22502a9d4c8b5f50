"""Dictionaries with other names for the same concepts: mention strings added, first names alone, a sample."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction

import numpy as np

from benchlib.benchmark import Benchmark
from benchlib.ontology import Concept, Ontology, fold_name

_SEEN = ("train", "dev")


def add_mention_names(benchmark: Benchmark, splits: Sequence[str], keep: bool = True) -> Benchmark:
    """The mention strings of the splits become further names of their gold concepts; without ``keep`` every
    other name is taken away, and concepts without one stay.

    A mention with one part names every concept of it; composite and NIL mentions name none. Raises
    ValueError for a split that is not train or dev: no test mention enters a dictionary; and as
    :func:`require_untouched`.
    """
    require_untouched(benchmark)
    if wrong := [split for split in splits if split not in _SEEN]:
        raise ValueError(f"names are taken from {' and '.join(_SEEN)} only, not from {', '.join(wrong)}")
    names: dict[str, dict[str, None]] = {}
    for split in splits:
        for _, mention in benchmark.split(split).mentions():
            if len(mention.gold.parts) == 1:
                for concept in benchmark.ontology.concepts_in(mention.gold.ids):
                    names.setdefault(concept, {})[mention.text] = None
    return _renamed(benchmark, lambda c: dict.fromkeys((*(c.names if keep else ()), *names.get(c.id, ()))))


def titles(benchmark: Benchmark) -> Benchmark:
    """Each concept with the first of its names alone; mentions and text stay."""
    return _renamed(benchmark, lambda concept: concept.names[:1])


def sample_names(benchmark: Benchmark, share: str, seed: str) -> Benchmark:
    """Of the n names of each concept ⌊share × n⌋ drawn at random (BioCoM, sections 4.1 and 5.1).

    Names that differ in case or white space alone are one, in its first spelling. No name is favoured, the
    first included, so that a concept with less than 1 / share of them is left without any, as in the released
    half of MEDIC: the ceiling falls with the share. What is drawn depends on the seed and the concept's id
    alone, and under one seed the names of a smaller share are among those of a larger.
    """

    def drawn(concept: Concept) -> list[str]:
        spellings: dict[str, str] = {}
        for name in concept.names:
            spellings.setdefault(fold_name(name), name)
        names = list(spellings.values())
        order = np.random.default_rng([int(seed), *concept.id.encode()]).permutation(len(names))
        # 0.29 of 100 names are 29; of floating-point numbers they would be 28.
        return [names[i] for i in sorted(order[: int(Fraction(share) * len(names))])]

    return _renamed(benchmark, drawn)


def require_untouched(benchmark: Benchmark) -> None:
    """Raises ValueError where test mentions, or such as were taken out of train, would come into train."""
    if before := [name for name in benchmark.transforms if name.startswith(("dev:test", "hold-out"))]:
        raise ValueError(f"what reads train and dev is expected before {before[0]}, found after it")


def _renamed(benchmark: Benchmark, names: Callable[[Concept], Sequence[str]]) -> Benchmark:
    ontology = benchmark.ontology
    concepts = (replace(concept, names=tuple(names(concept))) for concept in ontology.concepts.values())
    return replace(benchmark, ontology=Ontology(ontology.name, concepts))
