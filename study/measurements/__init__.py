"""The measurements that are no linking runs, by the name of their records."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pkgutil import resolve_name

from ..records.compute import Dataset, benchmark_of, data_inputs, linking_record, made_by, seconds_since
from ..records.obtain import load_or_compute
from ..records.provenance import provenance
from ..records.record import Record, to_json_types
from ..records.store import Store
from ..systems import linker


@dataclass(frozen=True)
class Measurement:
    """A function of a benchmark and of named arguments, by its place, since some need torch and most are only
    looked up, "" for times, which ``benchmarks/timings`` take; and its ``version``, bumped by hand when what
    it counts changes.

    ``linkers`` are those of its arguments that name a linker whose record is read: in place of them the
    function gets, after the benchmark, the outcomes of each on the same data. An argument of the same name
    with ``_changes`` behind it has the transforms that this linker's data had besides, if any.
    """

    function: str = ""
    version: str = "1"
    linkers: tuple[str, ...] = ()

    def version_with(self, arguments: Mapping[str, object]) -> str:
        """The version, with those of the linkers among the arguments; raises ValueError where one whose
        record is read is not there."""
        if lacking := [name for name in self.linkers if name not in arguments]:
            raise ValueError(f"arguments are {dict(arguments)}; expected a linker as {', '.join(lacking)}")
        if not (named := [name for name in self.linkers or ("linker",) if name in arguments]):
            return self.version
        return ", ".join([self.version, *(f"linker {linker(arguments[name]).version}" for name in named)])


TIMINGS = ("encoder-cost", "head-times", "inference", "retrieval-exactness", "updates")
MEASUREMENTS: Mapping[str, Measurement] = {
    "card": Measurement("study.measurements.card:card"),
    "strings": Measurement("study.measurements.strings:strings", version="3"),
    "golds": Measurement("study.measurements.golds:frequent_golds"),
    "surface": Measurement("study.measurements.examples:by_surface"),
    "perturbed": Measurement("study.corpora.perturb:perturbation_masks"),
    "answers": Measurement("study.measurements.answers:link_strings"),
    "found-in-text": Measurement("study.measurements.mention_detection:detect_in_text"),
    "entity-lengths": Measurement("study.measurements.entity_lengths:entity_lengths"),
    **dict.fromkeys(TIMINGS, Measurement()),
    "held-out": Measurement("study.corpora.hold_out:held_out_counts"),
    "excluded": Measurement("study.corpora.exclusion:exclusion_counts"),
    "linked-text": Measurement("study.systems.linked_text:match_counts"),
    "matched": Measurement("study.measurements.match_audit:match_precision", version="3"),
    "explained": Measurement("study.measurements.explanations:explanations"),
    "recount": Measurement("study.measurements.recount:recount"),
    "mention-kinds": Measurement("study.measurements.mention_kinds:mention_kinds"),
    "shared-names": Measurement("study.measurements.shared_names:shared_names"),
    "errors": Measurement("study.measurements.examples:error_examples", linkers=("linker",)),
    "differences": Measurement("study.measurements.examples:differing_answers", linkers=("linker", "other")),
}


def measurement(name: str) -> Measurement:
    """One of :data:`MEASUREMENTS`; raises ValueError listing them."""
    if name not in MEASUREMENTS:
        raise ValueError(f"no measurement {name!r}; expected one of {', '.join(MEASUREMENTS)}")
    return MEASUREMENTS[name]


def measurement_inputs(
    name: str,
    dataset: Dataset,
    *,
    changes: tuple[str, ...] = (),
    arguments: Mapping[str, object] | None = None,
) -> dict[str, object]:
    """What identifies a measurement; raises ValueError listing those there are."""
    version = measurement(name).version_with(arguments or {})
    identity = {"name": name, "version": version, "arguments": to_json_types(arguments or {})}
    return {**identity, **data_inputs(dataset, changes)}


def measure(
    name: str,
    dataset: Dataset,
    store: Store,
    *,
    changes: tuple[str, ...] = (),
    arguments: Mapping[str, object] | None = None,
    compute: str = "missing",
    function: Callable[..., Mapping[str, object]] | None = None,
) -> Record:
    """The record of one of :data:`MEASUREMENTS`, by its values; ``function`` takes those of :data:`TIMINGS`,
    which are only loaded without it.

    Raises what :func:`load_or_compute` raises; MissingRecord also without a record that a measurement reads:
    that of a linker in its arguments, on the same data, seed 0.
    """
    arguments = arguments or {}
    inputs = measurement_inputs(name, dataset, changes=changes, arguments=arguments)
    if not (function or measurement(name).function):
        compute = "never"

    def make() -> Record:
        before, given, found = provenance(), dict(arguments), []
        for argument in measurement(name).linkers:
            read, own = linker(given.pop(argument)), given.pop(f"{argument}_changes", ())
            record = linking_record(read, dataset, store, changes=(*own, *changes), compute="never")
            found.append(record.outcomes)
        benchmark = benchmark_of(dataset, changes)
        of = function or resolve_name(measurement(name).function)
        started = time.perf_counter()
        values = to_json_types(of(benchmark, *found, **given))
        return Record(inputs, made_by(before, {"measure": seconds_since(started)}), values=values)

    return load_or_compute(inputs, store, compute, make)
