"""What a run set gives: a system on one data set with its records, and what is read off them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from benchlib.scoring import Estimate, Outcomes, Scoring, SpanOutcomes, mrr, nil_or_linkable, recall
from benchlib.scoring.statistics import resampled_means
from benchlib.scoring.summary import by_protocol

from ..records import Record
from ..records.outcomes import table_of_outcomes
from .chapter import MATCHED
from .templates import System
from .training_states import StateRecords


@dataclass(frozen=True, eq=False)
class SystemResult:
    """A system on one data set: its records, seeds × folds, None where there is none, and the kinds of its
    mentions; whether the data set has a ``train`` corpus; the ``states`` of a trained one where they are
    looked at. A system that is not run has no seeds."""

    system: System
    data: str
    records: tuple[tuple[Record | None, ...], ...]
    kinds: Record | None = None
    train: bool = True
    states: StateRecords | None = None

    @property
    def label(self) -> str:
        return self.system.label

    @property
    def in_words(self) -> str:
        return self.system.in_words

    @property
    def name(self) -> str:
        """The data set with what was done to it."""
        return " ".join((self.data, *self.system.changes))

    @property
    def recounted(self) -> bool:
        """Whether it is the answers that the authors of a system published."""
        return self.system.linker.startswith("published,")

    @property
    def made(self) -> bool:
        """Whether every seed and fold has a record."""
        return bool(self.records) and all(
            record is not None for of_seed in self.records for record in of_seed
        )

    @property
    def there(self) -> list[Record]:
        """The records that there are, seed by seed."""
        return [record for of_seed in self.records for record in of_seed if record is not None]

    @property
    def record(self) -> Record | None:
        """The first record, for a link."""
        return self.records[0][0] if self.records else None

    @property
    def outcomes(self) -> list[Outcomes]:
        """Those of each seed, of the first fold where there are several."""
        return [of_seed[0].outcomes for of_seed in self.records]

    @property
    def spans(self) -> list[SpanOutcomes]:
        """Those of each seed of a linker that finds its mentions."""
        return [record.spans for record in self.there]

    @property
    def nil_or_linkable(self) -> list[Outcomes] | None:
        """The outcomes of each seed of the mentions that NIL is scored on, those of
        :func:`benchlib.scoring.nil_or_linkable`; None without a record, or without that of the kinds."""
        if not self.made or self.kinds is None:
            return None
        return [nil_or_linkable(outcomes, self.kinds.strata) for outcomes in self.outcomes]

    @property
    def control(self) -> SystemResult | None:
        """The same with zero updates, None where it was not run."""
        records = self.states.control if self.states else ()
        return replace(self, records=(records,), states=None) if records and None not in records else None

    @property
    def folds(self) -> int:
        return len(self.records[0]) if self.records else 0

    def credits(self, k: int, scoring: Scoring) -> np.ndarray:
        """Recall@k of every counted mention, seeds × mentions, fold after fold; raises ValueError for a
        protocol that leaves mentions out, which here a stratum does."""
        return self._each(scoring, lambda outcomes: recall(outcomes, k, scoring))

    def reciprocal(self, scoring: Scoring) -> np.ndarray:
        """The reciprocal rank of the gold of every counted mention, as :meth:`credits`."""
        return self._each(scoring, lambda outcomes: mrr(outcomes, scoring))

    def _each(self, scoring: Scoring, credit: Callable[[Outcomes], np.ndarray]) -> np.ndarray:
        chosen = (scoring.among, scoring.names, scoring.nil) != ("unnormalized", "all-names", "without-nil")
        if chosen or scoring.composite == "no-composites":
            raise ValueError(f"{self.label}: expected a protocol of all mentions, found {scoring}")
        return np.stack(
            [np.concatenate([credit(record.outcomes) for record in of_seed]) for of_seed in self.records]
        )

    def by_fold(self, values: np.ndarray) -> list[np.ndarray]:
        """Values of every counted mention, fold by fold."""
        return np.split(values, np.cumsum([len(of.outcomes.clusters) for of in self.records[0]])[:-1])

    @property
    def clusters(self) -> np.ndarray:
        """The cluster of every counted mention, fold after fold; one that several folds share is one."""
        return np.concatenate([record.outcomes.clusters for record in self.records[0]])

    def among(self, mentions: Mapping[str, np.ndarray] | None) -> np.ndarray | None:
        """Which counted mentions are looked at: all, or those of a mask by data set, None without one."""
        if mentions is None:
            return np.ones(len(self.clusters), dtype=bool)
        return mentions[self.data][self.outcomes[0].scored] if self.data in mentions else None

    def in_stratum(self, name: str) -> np.ndarray:
        """Which counted mentions are in a stratum (:func:`in_stratum`); ValueError for several folds."""
        if self.folds > 1:
            raise ValueError(f"{self.label}: expected one fold where only some mentions count")
        return in_stratum(self.kinds, name)[self.outcomes[0].scored]


def in_stratum(kinds: Record, name: str) -> np.ndarray:
    """Which mentions of a record of kinds are in a stratum of ``STRATA`` or ``MATCHED``."""
    if name not in MATCHED:
        return kinds.strata[name].to_numpy()
    ambiguous = (kinds.strata["no name"] | kinds.strata["several concepts"]).to_numpy()
    return ambiguous == (name == "ambiguous")


def stratum(results: Iterable[SystemResult], name: str, holds: bool = True) -> dict[str, np.ndarray]:
    """The mentions in a stratum (:func:`in_stratum`), or those not in it: a mask by data set, for all runs on
    it.

    Where runs with other transforms come together, the mask is of those with the fewest: transforms that a
    system has alone leave the mentions as they are. Where these lack their kinds, there is no mask.
    """
    kinds: dict[str, Record] = {}
    fewest: dict[str, int] = {}
    for runs in sorted(results, key=lambda runs: len(runs.system.changes)):
        changes = len(runs.system.changes)
        if runs.records and changes == fewest.setdefault(runs.data, changes) and runs.kinds is not None:
            kinds.setdefault(runs.data, runs.kinds)
    return {data: in_stratum(of, name) == holds for data, of in kinds.items()}


def within(results: Iterable[SystemResult], mentions: Mapping[str, np.ndarray]) -> list[SystemResult]:
    """The results on the mentions of a mask by data set alone, with metrics and counts of these; those on
    other data sets are left out."""

    def kept(record: Record | None, data: str) -> Record | None:
        if record is None:
            return None
        outcomes = record.outcomes.among(mentions[data])
        n, dropped = int(outcomes.whole.sum()), dict(record.counts["dropped"])
        dropped["left out"] = record.counts["n_scored"] - n
        counts = {**record.counts, "dropped": dropped, "n_scored": n}
        metrics = partial(by_protocol, outcomes)
        return replace(record, table=table_of_outcomes(outcomes), counts=counts, metrics=metrics)

    return [
        replace(runs, records=tuple(tuple(kept(one, runs.data) for one in seed) for seed in runs.records))
        for runs in results
        if runs.data in mentions
    ]


def ceiling(runs: SystemResult, kept: np.ndarray) -> float | None:
    """The share of the mentions ``kept`` of whose gold a concept has a name in the dictionary that the system
    searches; None without the kinds of its mentions."""
    reachable = runs.among(stratum([runs], "reachable"))
    return None if reachable is None else float(reachable[kept].mean())


def shared_stratum(results: Iterable[SystemResult], name: str) -> dict[str, np.ndarray]:
    """The mentions in a stratum (:func:`in_stratum`) for every one of the runs, each after its own
    transforms: a mask by data set.

    Over dictionaries of several sizes accuracies are compared on what is reachable in all. A data set where
    a run lacks the kinds of its mentions has no mask; a system that is not run at all asks for none.
    """
    there = [runs for runs in results if runs.records]
    unknown = {runs.data for runs in there if runs.kinds is None}
    masks: dict[str, np.ndarray] = {}
    for runs in there:
        if runs.data not in unknown:
            masks[runs.data] = in_stratum(runs.kinds, name) & masks.get(runs.data, True)
    return masks


def share_of(part: np.ndarray, whole: np.ndarray, clusters: np.ndarray) -> Estimate:
    """The sum of ``part`` over that of ``whole`` (both one value a mention), clusters resampled."""
    parts, wholes = resampled_means(np.stack([part, whole], axis=1), clusters).T
    shares = np.divide(parts, wholes, out=np.full_like(parts, np.nan), where=wholes > 0)
    return Estimate.of(part.sum() / whole.sum(), shares, len(whole))


def by_key(results: Sequence[SystemResult], *keys: str) -> list[SystemResult]:
    """Those of the systems with these keys, in the order of the keys; a key that is dropped finds none."""
    return list(dict.fromkeys(runs for key in keys for runs in results if key in runs.system.keys))


def listed(records: Mapping[str, Record | None], key: str) -> dict[str, np.ndarray]:
    """The test mentions whose numbers a measurement lists under ``key``: a mask by data set."""
    return {
        data: np.isin(np.arange(record.values["test.mentions"]), record.values[key])
        for data, record in records.items()
        if record is not None
    }
