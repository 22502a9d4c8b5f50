"""Named changes of a benchmark: each gives a new one whose ``transforms`` say what was done."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from ..ontology import Ontology
from .benchmark import Benchmark

_SEEN = ("train", "dev")


def add_mention_names(benchmark: Benchmark, splits: Iterable[str]) -> Benchmark:
    """The mention strings of the splits become further names of their gold concepts.

    A mention with one part names every concept of it; composite and NIL mentions name none. Raises
    ValueError for a split that is not train or dev: no test mention enters a dictionary.
    """
    return _named(benchmark, tuple(splits), "add-names", keep=True)


def only_mention_names(benchmark: Benchmark, splits: Iterable[str]) -> Benchmark:
    """As :func:`add_mention_names`, with every other name taken away; concepts without one stay."""
    return _named(benchmark, tuple(splits), "only-names", keep=False)


_TRANSFORMS = {"add-names": add_mention_names, "only-names": only_mention_names}


def apply(benchmark: Benchmark, names: Iterable[str]) -> Benchmark:
    """The transforms that print as ``names`` (``add-names:train+dev``), in order.

    Raises ValueError for a name that is none, listing those there are.
    """
    for name in names:
        kind, _, splits = name.partition(":")
        if kind not in _TRANSFORMS:
            raise ValueError(
                f"no transform {name!r}; expected for example {', '.join(f'{t}:train' for t in _TRANSFORMS)}"
            )
        benchmark = _TRANSFORMS[kind](benchmark, splits.split("+"))
    return benchmark


def _named(benchmark: Benchmark, splits: tuple[str, ...], kind: str, keep: bool) -> Benchmark:
    if wrong := [split for split in splits if split not in _SEEN]:
        raise ValueError(f"{kind} takes names from {' and '.join(_SEEN)} only, not from {', '.join(wrong)}")
    names: dict[str, dict[str, None]] = {}
    for split in splits:
        for _, mention in benchmark.split(split).mentions():
            if mention.gold is not None and len(mention.gold.parts) == 1:
                for id in sorted(mention.gold.ids):
                    for concept in benchmark.ontology.resolve(id):
                        names.setdefault(concept, {})[mention.text] = None
    concepts = (
        replace(concept, names=tuple(dict.fromkeys((*(concept.names if keep else ()), *names.get(id, ())))))
        for id, concept in benchmark.ontology.concepts.items()
    )
    done = f"{kind}:{'+'.join(splits)}"
    return replace(
        benchmark,
        ontology=Ontology(f"{benchmark.ontology.name} {done}", concepts),
        transforms=(*benchmark.transforms, done),
    )
