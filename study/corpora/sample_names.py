"""A dictionary with fewer names for each concept (BioCoM, sections 4.1 and 5.1)."""

from dataclasses import replace
from fractions import Fraction

import numpy as np

from benchlib.benchmark import Benchmark
from benchlib.ontology import Concept, Ontology, fold_name


def sample_names(benchmark: Benchmark, what: str) -> Benchmark:
    """Of the n names of each concept ⌊share × n⌋ drawn at random: ``what`` is share and seed, as ``0.5:1``.

    Names that differ in case or white space alone are one, in its first spelling. No name is favoured, the
    first included, so that a concept with less than 1 / share of them is left without any, as in the released
    half of MEDIC: the ceiling falls with the share. What is drawn depends on the seed and the concept's id
    alone, and under one seed the names of a smaller share are among those of a larger.

    Raises ValueError for a share that is not between 0 and 1, and a seed that is no whole number from 0.
    """
    share, seed = _share_and_seed(what)
    done = f"sample-names:{what}"
    ontology = benchmark.ontology
    concepts = (replace(c, names=_drawn(c, share, seed)) for c in ontology.concepts.values())
    return replace(
        benchmark,
        ontology=Ontology(f"{ontology.name} {done}", concepts),
        transforms=(*benchmark.transforms, done),
    )


def _drawn(concept: Concept, share: Fraction, seed: int) -> tuple[str, ...]:
    spellings: dict[str, str] = {}
    for name in concept.names:
        spellings.setdefault(fold_name(name), name)
    names = list(spellings.values())
    order = np.random.default_rng([seed, *concept.id.encode()]).permutation(len(names))
    return tuple(names[i] for i in sorted(order[: int(share * len(names))]))


def _share_and_seed(what: str) -> tuple[Fraction, int]:
    share, _, seed = what.partition(":")
    try:
        # 0.29 of 100 names are 29; of floating-point numbers they would be 28.
        if 0 < Fraction(share) < 1 and seed.isdecimal():
            return Fraction(share), int(seed)
    except (ValueError, ZeroDivisionError):
        pass
    raise ValueError(
        f"sample-names {what!r}: expected a share between 0 and 1 and a seed, such as sample-names:0.5:1"
    )
