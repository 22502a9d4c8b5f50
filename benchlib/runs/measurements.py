"""The measurements that are no linking runs, by the name of their records."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module


@dataclass(frozen=True)
class Measurement:
    """A function of a benchmark and of named arguments, and its ``version``, bumped by hand when what it
    counts changes.

    ``linkers`` are those of its arguments that name a linker whose record is read: in place of them the
    function gets, after the benchmark, the outcomes of each on the same data. An argument of the same name
    with ``_changes`` behind it has the transforms that this linker's data had besides, if any.
    """

    function: Callable[..., Mapping[str, object]]
    version: str = "1"
    linkers: tuple[str, ...] = ()

    def version_with(self, arguments: Mapping[str, object]) -> str:
        """The version, with those of the linkers among the arguments; raises ValueError where one whose
        record is read is not there."""
        if lacking := [name for name in self.linkers if name not in arguments]:
            raise ValueError(f"arguments are {dict(arguments)}; expected a linker as {', '.join(lacking)}")
        if not (named := [name for name in self.linkers or ("linker",) if name in arguments]):
            return self.version
        from ..linkers import linker

        return ", ".join([self.version, *(f"linker {linker(arguments[name]).version}" for name in named)])


def _later(module: str, name: str) -> Callable[..., Mapping[str, object]]:
    """A function of this library, imported when it is called: some need torch, most are only looked up."""

    def function(benchmark, *outcomes, **arguments):
        return getattr(import_module(f"..{module}", __package__), name)(benchmark, *outcomes, **arguments)

    return function


MEASUREMENTS: Mapping[str, Measurement] = {
    "card": Measurement(_later("datasets.card", "card")),
    "strings": Measurement(_later("datasets.strings", "strings"), version="2"),
    "golds": Measurement(_later("datasets.golds", "frequent_golds")),
    "surface": Measurement(_later("runs.examples", "by_surface")),
    "perturbed": Measurement(_later("datasets.perturb", "perturbed")),
    "encoder-cost": Measurement(_later("encoders.cost", "cost")),
    "inference": Measurement(_later("linkers.inference", "inference")),
    "updates": Measurement(_later("linkers.updates", "updates")),
    "answers": Measurement(_later("linkers.answers", "answers")),
    "found-in-text": Measurement(_later("linkers.finding", "found_in_text")),
    "head-times": Measurement(_later("linkers.finding", "head_times")),
    "entity-lengths": Measurement(_later("linkers.entity_lengths", "entity_lengths")),
    "retrieval-exactness": Measurement(_later("retrieval.exactness", "exactness")),
    "held-out": Measurement(_later("datasets.hold_out", "held_out_counts")),
    "excluded": Measurement(_later("datasets.exclusion", "exclusion_counts")),
    "linked-text": Measurement(_later("linkers.linked_text", "linked_counts")),
    "matched": Measurement(_later("runs.matched", "matched_counts")),
    "explained": Measurement(_later("runs.explained", "explained")),
    "errors": Measurement(_later("runs.examples", "error_examples"), linkers=("linker",)),
    "differences": Measurement(_later("runs.examples", "differing_answers"), linkers=("linker", "other")),
}


def measurement(name: str) -> Measurement:
    """One of :data:`MEASUREMENTS`; raises ValueError listing them."""
    if name not in MEASUREMENTS:
        raise ValueError(f"no measurement {name!r}; expected one of {', '.join(MEASUREMENTS)}")
    return MEASUREMENTS[name]
