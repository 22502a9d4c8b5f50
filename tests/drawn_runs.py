"""Runs and records worked out by hand, in place of those of a chapter, and what is read off a figure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from io import StringIO
from types import SimpleNamespace

import numpy as np
import pandas as pd
import ranked
from matplotlib.figure import Figure

from benchlib.scoring import Outcomes, Scoring
from study.claims import Claim
from study.claims.answers import Answer
from study.figures import Drawn


@dataclass
class Record:
    trace: Sequence[Mapping] = ()
    outcomes: Outcomes | None = None
    values: Mapping = field(default_factory=dict)


@dataclass
class Runs:
    """A :class:`study.chapters.results.SystemResult` whose credits by protocol are given as they are."""

    label: str
    data: str = "toy"
    there: Sequence[Record] = ()
    given: Mapping[str, Sequence[Sequence[float]]] = field(default_factory=dict)
    settings: Mapping[str, float] = field(default_factory=dict)

    name = property(lambda self: self.data)
    made = property(lambda self: bool(self.there))
    system = property(lambda self: SimpleNamespace(values=self.settings))
    outcomes = nil_or_linkable = property(lambda self: [record.outcomes for record in self.there])
    clusters = property(lambda self: np.arange(len(next(iter(self.given.values()))[0])))

    def credits(self, k: int, scoring: Scoring) -> np.ndarray:
        return np.array(self.given[scoring.match], dtype=float)


def outcomes(scores: Sequence[float], nil: Sequence[bool], right: Sequence[bool]) -> Outcomes:
    """A mention a score; one that is right has its gold alone at the top, another has it second."""
    ranks = [None if of_nil else 1 if hit else 2 for of_nil, hit in zip(nil, right, strict=True)]
    return ranked.record(ranks, scores=scores).outcomes


def trained(norms: Sequence[float]) -> Record:
    """A training with these gradient norms, one an update."""
    return Record([{"step": step, "gradient_norm": norm} for step, norm in enumerate(norms, start=1)])


def evaluated(scores: Mapping[int, float]) -> Record:
    trace = [{"step": step, "loss": 1.0, "dev_score": score} for step, score in scores.items()]
    return Record((*trace, {"step": 99, "loss": 0.5, "dev_score": None}))


def answer(claim: Claim, verdict: str, effect: float) -> Answer:
    """The answer to a claim, its interval one point to either side."""
    numbers, unit = (effect, effect - 1, effect + 1, 9), claim.rule.unit
    said = ("toy", "", "measured", "yes", claim.wording, "", unit, "")
    return Answer(claim.id, claim.paper, verdict, *numbers, *said)


def texts(axes) -> list[str]:
    return [text.get_text() for text in axes.texts]


def legend(figure) -> list[str]:
    """The labels of the keys of a figure, or of its panels."""
    keys = figure.legends or [axes.get_legend() for axes in figure.axes if axes.get_legend()]
    return [text.get_text() for one in keys for text in one.get_texts()]


def lines(axes) -> dict[str, np.ndarray]:
    """By label x and y of the lines that have one, as points × 2."""
    return {
        line.get_label(): np.column_stack(line.get_data())
        for line in axes.get_lines()
        if not line.get_label().startswith("_")
    }


def drawn(found: Drawn) -> Figure:
    found.figure.draw_without_rendering()
    return found.figure


def data(found: Drawn) -> list[dict]:
    """The rows of its CSV, as pandas reads them; a cell that a row has not is left out."""
    rows = pd.read_csv(StringIO(found.csv)).to_dict("records")
    return [{name: value for name, value in row.items() if not pd.isna(value)} for row in rows]


def behind(found: Drawn) -> dict[str, int]:
    """How many records stand behind what is called so."""
    return {name: len(records) for name, records in found.records.items()}


def not_run(found: Drawn) -> bool:
    """Whether every panel says so, and the data has a head alone."""
    figure = drawn(found)
    return data(found) == [] and all(texts(axes) == ["NOT RUN: no record"] for axes in figure.axes)
