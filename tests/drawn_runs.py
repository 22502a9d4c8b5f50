"""Trainings and answers worked out by hand, and what is read off a figure."""

from collections.abc import Mapping, Sequence
from io import StringIO
from types import SimpleNamespace

import numpy as np
import pandas as pd
import ranked
from matplotlib.figure import Figure
from ranked import record

from study.claims import Claim
from study.claims.answers import Answer
from study.figures import Drawn
from study.records import Record


def kinds(ranks: Sequence[object]) -> SimpleNamespace:
    """The record of the kinds of mentions with these ranks: all but NIL can be linked."""
    nil = np.array([rank is None for rank in ranks])
    return ranked.kinds(nil=nil, reachable=~nil)


def trained(norms: Sequence[float]) -> Record:
    """A training with these gradient norms, one an update."""
    return record([1], trace=[{"step": i, "gradient_norm": norm} for i, norm in enumerate(norms, start=1)])


def evaluated(scores: Mapping[int, float]) -> Record:
    trace = [{"step": step, "loss": 1.0, "dev_score": score} for step, score in scores.items()]
    return record([1], trace=[*trace, {"step": 99, "loss": 0.5, "dev_score": None}])


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
