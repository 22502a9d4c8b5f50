"""A predictions file held against a benchmark: what it is worth, as tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
import pandas as pd

from .benchmark import Benchmark
from .formats.predictions import read_predictions
from .predictions import Predictions
from .sanity import loud, option
from .scoring import (
    PRESETS,
    Outcomes,
    against,
    by_kind,
    by_preset,
    by_protocol,
    for_nil,
    outcomes,
    per_mention,
    strata,
    threshold_of,
)

NEEDS_TRAIN = "needs train"  # stands in the column ``note`` instead of a number
SEEN_KINDS = ("seen name", "seen concept", "refined", "frequency")  # the kinds that training mentions decide
SEEN_PROTOCOLS = tuple(name for name, preset in PRESETS.items() if preset.scoring.names != "all-names")
_NUMBERS = ("value", "low", "high", "worst", "best", "not_listed", "misranked")
_NUMBERS += ("p", "p_holm", "gained", "lost", "detectable")
_SHOWN = 3  # examples that a warning names


@dataclass(frozen=True)
class Scored:
    """A predictions file held against the test split of a benchmark.

    ``threshold`` is the top score up to which a mention is called NIL, chosen on dev; None without
    predictions for dev, or where dev has no NIL. ``warnings`` count and name what was odd in the files. What
    only training mentions can tell has no numbers where there are none, but a ``note`` in its rows.
    """

    benchmark: Benchmark
    predictions: Predictions
    outcomes: Outcomes
    threshold: float | None
    warnings: tuple[str, ...]

    @classmethod
    def read(
        cls,
        path: Path | str,
        benchmark: Benchmark,
        dev: Path | str | None = None,
        duplicates: str = "refused",
    ) -> Scored:
        """Read predictions of test and, where given, of dev; a candidate that a list has twice is
        ``refused``, or counts at its ``best``.

        Raises ValueError (path:line) for a file that cannot be read; see
        :func:`benchlib.formats.predictions.read_predictions`.
        """
        predictions, found, warnings = _outcomes(path, benchmark, "test", duplicates)
        threshold = None
        if dev is not None:
            _, tuned, more = _outcomes(dev, benchmark, "dev", duplicates)
            warnings += more
            threshold = threshold_of(tuned, strata(benchmark.dev, benchmark.ontology, (benchmark.train,)))
        return cls(benchmark, predictions, found, threshold, warnings)

    @cached_property
    def strata(self) -> pd.DataFrame:
        """Of which kind each test mention is."""
        return strata(
            self.benchmark.test, self.benchmark.ontology, (self.benchmark.train, self.benchmark.dev)
        )

    @cached_property
    def mentions(self) -> pd.DataFrame:
        """One row a mention: see :func:`benchlib.scoring.per_mention`. Kinds that only training mentions tell
        are missing where there are none."""
        table = per_mention(self.predictions, self.benchmark.test, self.outcomes, self.strata)
        if not self.benchmark.train.n_mentions:
            table[list(SEEN_KINDS)] = pd.NA
        return table

    @cached_property
    def published(self) -> pd.DataFrame:
        """One row a published protocol and measure."""
        rows = pd.DataFrame(by_preset(self.outcomes, self.strata, self.threshold))
        return self._blanked(rows, "protocol", SEEN_PROTOCOLS)

    @cached_property
    def grid(self) -> pd.DataFrame:
        """One row a protocol of the grid and measure."""
        return pd.DataFrame(by_protocol(self.outcomes))

    @cached_property
    def kinds(self) -> pd.DataFrame:
        """One row a kind of mention: strict accuracy and the two kinds of error."""
        rows = self._blanked(pd.DataFrame(by_kind(self.outcomes, self.strata)), "kind", SEEN_KINDS)
        return rows if "note" not in rows else rows[rows["note"].isna() | ~rows["kind"].duplicated()]

    @cached_property
    def nil(self) -> Mapping[str, object] | None:
        """NIL by the top score, None where the corpus has no NIL mention."""
        return for_nil(self.outcomes, self.strata, self.threshold)

    def against(self, other: Scored) -> pd.DataFrame:
        """One row a published protocol: this minus the other, paired, with p after Holm over the table."""
        both = (self.threshold, other.threshold)
        found = against(self.outcomes, other.outcomes, self.strata, None if None in both else both)
        rows = pd.DataFrame(
            [
                {
                    "protocol": str(preset),
                    "measure": preset.measures[0],
                    **{name: getattr(one.difference, name) for name in ("value", "low", "high", "n")},
                    "p": one.p,
                    "p_holm": p,
                    **{name: getattr(one, name) for name in ("gained", "lost", "detectable")},
                }
                for preset, one, p in found
            ]
        )
        return self._blanked(rows, "protocol", SEEN_PROTOCOLS)

    @cached_property
    def loud(self) -> tuple[str, ...]:
        """What nobody should miss: scores that are too bad or too good, and numbers that need train."""
        found = []
        if not self.benchmark.train.n_mentions:
            asked = ", ".join((*SEEN_KINDS, *SEEN_PROTOCOLS))
            found.append(
                loud("there is no train corpus", [f"Not given: {asked}. {option('train', 'FILE')} gives it."])
            )
        if len(np.unique(self.outcomes.clusters)) == 1:
            what = "It is resampled as one: each interval is the value itself, and says nothing."
            found.append(loud(f"there is one {self.benchmark.cluster}", [what]))
        every = pd.concat([self.published, self.grid.rename(columns={"scoring": "protocol"})])
        every = every[(every["n"] > 0) & every["value"].notna()]
        for value, reason in ((0.0, self._why_nothing), (1.0, self._why_all)):
            rows = every[every["value"] == value]
            if len(rows):
                first = [f"{row.protocol} {row.measure}" for row in rows.head(_SHOWN).itertuples()]
                many = f"{len(rows)} score{'s are' if len(rows) > 1 else ' is'} exactly {100 * value:.0f} %"
                found.append(loud(many, [f"Among them {', '.join(first)}.", reason()]))
        return tuple(found)

    def _why_nothing(self) -> str:
        ontology = self.benchmark.ontology
        answered = dict.fromkeys(id for one in self.predictions.candidates for id in one.ids)
        gold = dict.fromkeys(id for _, m in self.benchmark.test.mentions() for id in sorted(m.gold.ids))
        for whose, ids in (("gold", gold), ("answers", answered)):
            if ids and not any(id in ontology for id in ids):
                here, there = (", ".join(list(some)[:_SHOWN]) for some in (ids, ontology.concepts))
                return (
                    f"No id of the {whose} is in {ontology.name}: they are like {here}, its own like {there}."
                    f" For files of one's own, {option('strip_prefix', 'PREFIX')} takes off a prefix."
                )
        if not ontology.known(answered) & ontology.known(gold):
            return "No concept that is answered is the gold of any mention: they may be of another type."
        return "Few mentions may be averaged (column n), or the candidate lists may be short."

    def _why_all(self) -> str:
        return "Few mentions may be averaged (column n), or the linker may have seen the gold of these."

    def _blanked(self, rows: pd.DataFrame, column: str, names: Sequence[str]) -> pd.DataFrame:
        """The rows of these names without numbers, where there are no training mentions."""
        if len(rows) and not self.benchmark.train.n_mentions:
            blank = rows[column].isin(names)
            rows.loc[blank, [name for name in _NUMBERS if name in rows]] = np.nan
            rows.loc[blank, ["n", "note"]] = [0, NEEDS_TRAIN]
            if column == "kind":
                rows.loc[blank, "is"] = ""
        return rows


def _outcomes(
    path: Path | str, benchmark: Benchmark, split: str, duplicates: str
) -> tuple[Predictions, Outcomes, tuple[str, ...]]:
    corpus = benchmark.split(split)
    predictions, warnings = read_predictions(path, corpus, benchmark.ontology, duplicates)
    return predictions, outcomes(predictions, corpus, benchmark.ontology, benchmark.cluster), warnings
