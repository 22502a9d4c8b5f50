"""The box at the head of a chapter: what reproduced, by how much, on what scale, and what to do."""

from collections.abc import Iterable, Mapping, Sequence
from html import escape

import numpy as np

from ..claims.answers import Answer, effect_text
from ..claims.printed_numbers import PrintedNumber
from ..claims.verdicts import NOT_RUN, verdict_counts
from ..pages.page import Page
from .glance import setup_table

_SCALE = ("encoder", "length", "epochs", "hardware")  # settings


def in_short(page: Page, numbers: Iterable[PrintedNumber], answers: Iterable[Answer], advice: str) -> str:
    """The box as HTML. ``numbers`` are the printed ones of the chapter, ``answers`` those to its claims, and
    ``advice`` says what a practitioner should do."""
    compared = [one for one in numbers if one.value and one.ours]
    measured = [one for one in answers if one.basis == "measured"]
    setup = setup_table(page).set_index("setting")
    said = [name for name in _SCALE if name in setup.index]
    here, paper = (
        "; ".join(f"{setup[of][name]} epochs" if name == "epochs" else setup[of][name] for name in said)
        for of in ("here", "the paper")
    )
    lines = {
        "What reproduced": f"Of {len(compared)} printed numbers {verdict_counts(compared) or 'none'}. "
        f"Of {len(measured)} measured claims {verdict_counts(measured) or 'none'}.",
        "By how much": _distance(compared),
        "On what scale": f"Here: {here}. The paper: {paper}.",
        "What to do": advice,
    }
    told = "".join(f"<dt>{name}</dt><dd>{escape(text)}</dd>" for name, text in lines.items())
    return f'<aside class="in-short"><dl>{told}</dl></aside>'


def findings(answers: Iterable[Answer], sentences: Mapping[str, str]) -> str:
    """A Markdown list: a sentence for each claim, its measured effect in the braces, then the verdict."""
    by_id = {one.id: one for one in answers}
    return "\n".join(
        f"- {text.format(effect_text(by_id[id]) or NOT_RUN)} "
        f'<a href="#claim-{id.lower()}">{by_id[id].verdict.capitalize()}</a>.'
        for id, text in sentences.items()
    )


def _distance(compared: Sequence[PrintedNumber]) -> str:
    """How far ours lie from the printed numbers, and of those of trained systems from their controls."""
    if not compared:
        return "No printed number has a number of ours to compare."
    gaps = [100 * one.ours.value - float(one.value) for one in compared]
    text = f"Ours minus printed, comparable or not: {_middle(gaps)}."
    gains = [100 * (one.ours.value - one.control.value) for one in compared if one.control]
    return f"{text} Ours minus the same system with zero updates: {_middle(gains)}." if gains else text


def _middle(points: Sequence[float]) -> str:
    if len(points) == 1:
        return f"{points[0]:+.1f} points"
    return f"median {np.median(points):+.1f} points, from {min(points):+.1f} to {max(points):+.1f}"
