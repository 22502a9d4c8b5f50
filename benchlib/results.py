"""The results of scoring predictions on a benchmark: tables of scores, and the paired comparison of two."""

from __future__ import annotations

import html
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np
import pandas as pd

from .benchmark import Benchmark
from .mends import mend_of_answers, option
from .predictions import Predictions
from .sanity import is_warning, warning_text
from .scoring import (
    NEIGHBOURS,
    PRESETS,
    Outcomes,
    SpanOutcomes,
    by_match,
    by_preset,
    by_protocol,
    by_stratum,
    holm,
    nil_summary,
    paired_by_preset,
    per_mention,
    spans_against,
    strata,
)

NEEDS_TRAIN = "needs train"  # stands in the column ``note`` instead of a number
NEEDS_NIL = "needs predictions for a dev with NIL"  # likewise
LISTS_OF_ONE = "lists of one"  # likewise: nothing is at a deeper place of any list
SEEN_KINDS = ("seen name", "seen concept", "refined", "frequency")  # the kinds that training mentions decide
SEEN_PROTOCOLS = tuple(name for name, preset in PRESETS.items() if preset.scoring.names != "all-names")
_SHARES = ("value", "low", "high", "worst", "best", "not_listed", "misranked", "detectable")
_OF_NIL = ("prevalence", "aupr", "aupr_low", "aupr_high", "precision", "recall", "f1")
_VOTES, _SHORT = f"up to {{}} votes, {NEIGHBOURS} in the paper", "lists of up to {}"
_NUMBERS = (*_SHARES, "p", "gained", "lost")
_SHOWN = 3  # examples that a warning names


@dataclass(frozen=True, repr=False)
class Result:
    """Predictions held against the test split of a benchmark. ``warnings`` count and name what reading found
    odd; ``alerts`` are those that nobody should miss."""

    benchmark: Benchmark
    predictions: Predictions
    outcomes: Outcomes | SpanOutcomes
    warnings: tuple[str, ...]
    tables: ClassVar[tuple[str, ...]]
    alerts: ClassVar[tuple[str, ...]] = ()

    def values(self, other: Result | None = None) -> dict[str, object]:
        """All tables as lists of rows, and ``against`` where there is another result; ``counts``, which
        close; ``notes`` and ``warnings``, sentences. Fit for JSON: None where there is no number."""
        tables, warnings = {name: getattr(self, name) for name in self.tables}, (*self.alerts, *self.warnings)
        if other is not None:
            more = (f"{text} This is of the second file." for text in other.alerts if text not in warnings)
            warnings += (*more, *other.warnings)
            tables["against"] = self.against(other)
        return {
            **{name: _rows(table) for name, table in tables.items()},
            "counts": dict(self.outcomes.counts),
            "notes": list(self.benchmark.notes),
            "warnings": list(warnings),
        }

    def __repr__(self) -> str:
        table = in_percent(getattr(self, self.tables[0])).to_string(index=False)
        return "\n".join([*self._head(), table])

    def _repr_html_(self) -> str:
        table = in_percent(getattr(self, self.tables[0])).to_html(index=False)
        return "\n".join([*(f"<p>{html.escape(line)}</p>" for line in self._head()), table])

    def _head(self) -> list[str]:
        """How many mentions and warnings there are, and those that nobody should miss."""
        alerts = [*filter(is_warning, self.benchmark.notes), *self.alerts]
        n, warnings = self.outcomes.counts["n_scored"], len(alerts) + len(self.warnings)
        return [f"{self.benchmark.name}: {n:,} mentions scored, in percent; {warnings} warnings", *alerts]

    def _suspect(self, scores: pd.DataFrame, n_units: int) -> Iterator[str]:
        """Warnings of a single unit of resampling, and of scores of exactly 0 or 1 with the likely reason."""
        if n_units == 1:
            what = "It is resampled as one: each interval is the value itself, and says nothing."
            yield warning_text(f"there is one {self.benchmark.cluster}", what)
        for value in (0.0, 1.0):
            rows = scores[(scores["n"] > 0) & (scores["value"] == value)]
            if len(rows):
                first = [f"{row.protocol} {row.measure}" for row in rows.head(_SHOWN).itertuples()]
                many = f"{len(rows)} score{'s are' if len(rows) > 1 else ' is'} exactly {100 * value:.0f} %"
                yield warning_text(many, f"Among them {', '.join(first)}.", self._why(value))

    def _why(self, value: float) -> str:
        """The likely reason for scores that are all 0, or all 1."""
        if value == 1:
            return "Few mentions may be averaged (column n), or the linker may have seen the gold of these."
        if advice := mend_of_answers(self.predictions, self.benchmark.test, self.benchmark.ontology):
            return advice
        ontology = self.benchmark.ontology
        answered = dict.fromkeys(id for candidate in self.predictions.candidates for id in candidate.ids)
        gold = dict.fromkeys(id for _, m in self.benchmark.test.mentions() for id in sorted(m.gold.ids))
        for whose, ids in (("gold", gold), ("answers", answered)):
            if ids and not any(id in ontology for id in ids):
                here, there = (", ".join(list(each)[:_SHOWN]) for each in (ids, ontology.concepts))
                like = f"they are like {here}, its own like {there}"
                return f"No id of the {whose} is in {ontology.name}: {like}."
        if not ontology.concepts_in(answered) & ontology.concepts_in(gold):
            return "No concept that is answered is the gold of any mention: they may be of another type."
        return (
            "Another concept may share the score of the gold, few mentions may be averaged (column n), or "
            "the candidate lists may be short."
        )


@dataclass(frozen=True, repr=False)
class SpanEvaluation(Result):
    """Concepts at predicted spans, scored by how far spans must agree: precision, recall and F1."""

    outcomes: SpanOutcomes
    tables = ("spans",)

    @cached_property
    def spans(self) -> pd.DataFrame:
        """The rows of :func:`benchlib.scoring.by_match`."""
        return pd.DataFrame(by_match(self.outcomes))

    @cached_property
    def alerts(self) -> tuple[str, ...]:
        """What nobody should miss: scores that are too bad or too good, and a single document."""
        scores = self.spans.rename(columns={"match": "protocol"})
        return tuple(self._suspect(scores, len(self.outcomes.golds)))

    def _why(self, value: float) -> str:
        if value == 0 and not self.outcomes.claims.sum():
            return "No span is claimed."
        if value == 0 and self.outcomes.right.sum():
            return "Claims overlap their gold: the offsets may be off by one, or the ends inclusive."
        return super()._why(value)

    def against(self, other: SpanEvaluation) -> pd.DataFrame:
        """The rows of :func:`benchlib.scoring.spans_against`: this minus the other, paired."""
        return pd.DataFrame(spans_against(self.outcomes, other.outcomes))


@dataclass(frozen=True, repr=False)
class Evaluation(Result):
    """Predictions for given mentions: the tables ``published``, ``grid`` (every k of Recall@k), ``kinds`` and
    ``mentions``, and ``nil``, whose ``aupr`` is average precision.

    ``threshold`` is the top score up to which a mention is called NIL, chosen on dev. Without predictions for
    dev, or where dev has no NIL, it is minus infinity if the linker itself answers NIL, else None. What only
    training mentions can tell has no numbers where there are none, but a ``note`` in its rows; neither has
    Recall@k of k above 1 where every list is of one.
    """

    outcomes: Outcomes
    threshold: float | None = None
    tables = ("published", "grid", "kinds")

    def values(self, other: Evaluation | None = None) -> dict[str, object]:
        """As :meth:`Result.values`, with ``nil``, a row or None."""
        # JSON has no infinity: the threshold that calls only unanswered mentions NIL is a word.
        nil = self.nil and {k: v if np.isfinite(v) else str(v) for k, v in self.nil.items()}
        return {**super().values(other), "nil": nil}

    @cached_property
    def strata(self) -> pd.DataFrame:
        """Of which kind each test mention is."""
        of = self.benchmark
        return strata(of.test, of.ontology, (of.train, of.dev))

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
        if self.threshold is None and self.nil:
            with_nil = [(name, of) for name, of in PRESETS.items() if of.scoring.nil == "with-nil"]
            more = [
                {"protocol": name, "measure": measure, "scoring": str(of.scoring), "n": 0, "note": NEEDS_NIL}
                for name, of in with_nil
                for measure in of.measures
            ]
            rows = pd.concat([rows, pd.DataFrame(more)], ignore_index=True)
        return self._blanked(self._of_lists(rows), "protocol", SEEN_PROTOCOLS)

    @cached_property
    def grid(self) -> pd.DataFrame:
        """One row a protocol of the grid and measure."""
        return self._of_lists(pd.DataFrame(by_protocol(self.outcomes)))

    @cached_property
    def kinds(self) -> pd.DataFrame:
        """One row a kind of mention: strict accuracy and the two kinds of error."""
        rows = self._blanked(pd.DataFrame(by_stratum(self.outcomes, self.strata)), "kind", SEEN_KINDS)
        return rows if "note" not in rows else rows[rows["note"].isna() | ~rows["kind"].duplicated()]

    @cached_property
    def nil(self) -> Mapping[str, object] | None:
        """NIL by the top score, None where the corpus has no NIL mention."""
        return nil_summary(self.outcomes, self.strata, self.threshold)

    def against(self, other: Evaluation) -> pd.DataFrame:
        """One row a published protocol: this minus the other, paired. ``p_holm`` is p after Holm over the
        different tests with numbers: protocols with one scoring are one test."""
        both = (self.threshold, other.threshold)
        if {*both} == {None, -np.inf}:  # one answers NIL, and the other could
            both = (-np.inf, -np.inf)
        both = None if None in both else both
        rows = paired_by_preset(self.outcomes, other.outcomes, (self.strata, other.strata), both)
        fewer = min(self, other, key=lambda result: result.benchmark.train.n_mentions)
        rows = fewer._blanked(pd.DataFrame(rows), "protocol", SEEN_PROTOCOLS)
        scorings = [PRESETS[name].scoring for name in rows["protocol"]]
        p = dict(zip(scorings, rows["p"], strict=True))
        adjusted = dict(zip(p, holm([*p.values()]), strict=True))
        rows.insert(rows.columns.get_loc("p") + 1, "p_holm", [adjusted[scoring] for scoring in scorings])
        return rows

    @cached_property
    def alerts(self) -> tuple[str, ...]:
        """What nobody should miss: scores that are too bad or too good, and numbers that need train."""
        texts = []
        if not self.benchmark.train.n_mentions:
            missing = f"Not given: {', '.join((*SEEN_KINDS, *SEEN_PROTOCOLS))}."
            mend = f"{option('train', 'FILE')} gives it."
            texts.append(warning_text("there is no train corpus", missing, mend))
        if self.nil and len(np.unique(self.outcomes.top_scores)) == 1:
            texts.append(
                warning_text("all best scores are equal", "They do not tell NIL: ranks alone cannot.")
            )
        scores = pd.concat([self.published, self.grid.rename(columns={"scoring": "protocol"})])
        if "note" in scores:
            scores = scores[~scores["note"].fillna("").str.startswith(LISTS_OF_ONE)]
        texts += self._suspect(scores, len(np.unique(self.outcomes.clusters)))
        return tuple(texts)

    def _of_lists(self, rows: pd.DataFrame) -> pd.DataFrame:
        """The rows without what needs lists of several concepts, where every list is of one, and with a note
        where the lists are shorter than what is measured: longer lists may score otherwise."""
        index, ontology = self.predictions.index, self.benchmark.ontology
        depth = int((index >= 0).sum(axis=1).max(initial=0))
        if 1 < depth < NEIGHBOURS:
            rows.loc[rows["scoring"].str.contains("/votes/"), "note"] = _VOTES.format(depth)
        deep = rows["measure"].str.extract(r"recall@(\d+)", expand=False).astype(float) > depth
        rows.loc[deep & (rows["n"] > 0), "note"] = _SHORT.format(depth)
        answers = (self.predictions.candidates[i].ids for i in np.unique(index[index >= 0]))
        if depth == 1 and all(len(ontology.concepts_of(ids)) <= 1 for ids in answers):
            deeper = rows["measure"].str.fullmatch(r"recall@(?!1$).*")
            rows.loc[deeper, [name for name in _NUMBERS if name in rows]] = np.nan
            rows.loc[deeper, "note"] = LISTS_OF_ONE
            rows.loc[rows["scoring"].str.contains("/normalized"), "note"] = f"{LISTS_OF_ONE}: always 100 %"
        return rows

    def _blanked(self, rows: pd.DataFrame, column: str, names: Sequence[str]) -> pd.DataFrame:
        """The rows of these names without numbers, where there are no training mentions."""
        if not self.benchmark.train.n_mentions:
            blank = rows[column].isin(names)
            rows.loc[blank, [name for name in _NUMBERS if name in rows]] = np.nan
            rows.loc[blank, ["n", "note"]] = [0, NEEDS_TRAIN]
            if column == "kind":
                rows.loc[blank, "is"] = ""
        return rows


def in_percent(table: pd.DataFrame) -> pd.DataFrame:
    """A table to be read: shares in percent to two decimals, nothing where there is no number."""
    table = table.copy()
    shares = [name for name in (*_SHARES, *_OF_NIL) if name in table]
    table[shares] = (100 * table[shares].astype(float)).round(2)
    return table.astype(object).where(table.notna(), "")


def _rows(table: pd.DataFrame) -> list[dict[str, object]]:
    return table.astype(object).where(table.notna(), None).to_dict("records")
