"""The head of a chapter: its box, and for every item of the paper what it prints and what came out here."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import fields
from html import escape

import numpy as np
import pandas as pd

from ..chapters.chapter import ItemEntry
from ..claims.answers import Answer, effect_text, lacked
from ..claims.printed_numbers import PrintedNumber, as_before, by_item
from ..claims.verdicts import FAILS, HOLDS, MIXED, NOT_COMPARABLE, NOT_RUN, TOO_SMALL, verdict_counts
from ..pages.numbers import percent
from ..pages.page import Page
from ..pages.show import Markup, linked, table_from
from ..systems import linker
from .rows import Row

DRAWN, UNCOMPARED, AS_PRINTED = "drawn", "shown, not compared", "as printed"
STATUSES = {
    HOLDS: (
        "a printed number lies within 2 points of ours, whose interval is no wider than ± 3, zero updates "
        "lie further off, and the training is at a plateau; or the interval of a claim and every seed lie on "
        "the claimed side"
    ),
    FAILS: (
        "our interval lies more than 2 points from the printed number, and the training is at a plateau; or "
        "the interval of a claim and every seed lie on the other side"
    ),
    MIXED: "seeds, corpora or two fair comparisons oppose each other",
    TOO_SMALL: (
        "the corpora are too small, a training is too short or no better than none, or a record is missing; "
        "the number is shown"
    ),
    NOT_COMPARABLE: "the task differs, for the reason given",
    DRAWN: "an explanatory drawing of ours",
    AS_PRINTED: "the paper's numbers alone; nothing was run",
    UNCOMPARED: "shown in its section; no printed number is compared with it here",
    NOT_RUN: "there is no number; the row gives the reason",
}
_HEADS = ("the paper's", "what", "printed", "ours", "status", "difference", "zero updates", "training")
_SCALE = ("encoder", "length", "epochs", "hardware")  # settings


def legend(names: Iterable[str]) -> str:
    """What the statuses in a column of the table mean, as a list in Markdown."""
    there = tuple(names)
    shown = (status for status in STATUSES if any(name.startswith(status) for name in there))
    return "\n".join(f"- **{status}**: {STATUSES[status]}." for status in shown)


def summary_table(page: Page, answers: Iterable[Answer]) -> pd.DataFrame:
    """A row or more for every item of the chapter: its headline numbers in percent, differences in points,
    and the claims that it stands for."""
    by_id = {answer.id: answer for answer in answers}
    numbers = by_item(page)
    rows = [
        {"the paper's": Markup(f'<a href="#{entry.anchor}">{item}</a>'), **row}
        for item, entry in page.plan.chapter.items.items()
        for row in _rows(page, entry, numbers[item], by_id)
    ]
    return table_from(rows).reindex(columns=[*_HEADS, "ceiling"], fill_value="")


def _rows(
    page: Page, entry: ItemEntry, numbers: Sequence[PrintedNumber], answers: Mapping[str, Answer]
) -> Iterator[Row]:
    if entry.drawing or entry.as_printed:
        yield {"status": DRAWN if entry.drawing else AS_PRINTED}
    elif entry.reason:
        yield {"status": f"{NOT_RUN}: {entry.reason}"}
    elif not (entry.headlines or entry.claims):
        yield {"status": UNCOMPARED}
    several = len({number.runs.data for number in numbers}) > 1
    yield from (_number(number, several) for number in numbers)
    yield from (_claim(page.plan.chapter.name, answers[id]) for id in entry.claims)


def _number(number: PrintedNumber, several: bool) -> Row:
    """The row of a printed number; ``several`` data sets have their names in it."""
    runs, ours = number.runs, number.ours
    what = [runs.label, number.measure, runs.data if several else "", number.headline.stratum]
    status = f"{number.verdict}: {number.reason}" if number.reason else number.verdict or UNCOMPARED
    status += f"; before a change of what is compared: {number.before}" if number.before else ""
    row: Row = {"what": ", ".join(filter(None, what)), "printed": number.value, "status": status}
    if ours is None:
        return row
    row["ours"] = linked(percent(ours), runs.record)
    row |= {"difference": f"{number.difference:+.1f}"} if number.value else {}
    row |= {"ceiling": f"{100 * number.ceiling:.1f}"} if number.ceiling is not None else {}
    row |= {"training": number.state} if number.trained else {}
    if number.control is not None:
        row["zero updates"] = linked(percent(number.control), runs.control.record)
    return row


def _claim(summary: str, answer: Answer) -> Row:
    link = f'<a href="{summary}.html#claim-{answer.id.lower()}">{answer.id}</a>'
    status = f"{NOT_RUN}: {answer.reason}" if answer.verdict == NOT_RUN else answer.verdict
    status += ", as printed" if answer.basis == "printed" else ""
    return {"what": Markup(f"claim {link}"), "ours": effect_text(answer), "status": status}


def setup_table(page: Page) -> pd.DataFrame:
    """The settings of the paper's main system beside ours, and whether they differ from its text; where they
    do, or the text is silent, the released script may agree."""
    entry = page.plan.chapter.setup
    values = {
        name: ", ".join(map(str, value)) if isinstance(value, tuple) else value
        for name, value in page.plan.values.items()
    }
    main = linker(page.plan.system(entry.of, entry.runs).linker)
    values["n_seeds"] = str(len(page.plan.values["seeds"]))
    # Its config has no settings that came later and are as they are by default.
    config = {**values, **{of.name: getattr(main, of.name) for of in fields(main)}, **main.config}
    rows = []
    for name, setting in entry.settings.items():
        row = {"setting": name, "the paper": setting.paper, "here": setting.here.format_map(config)}
        rows.append(row | {"differs": _apart(setting.paper, row["here"])})
    return table_from(rows)


def _apart(paper: str, here: str) -> str:
    if here == paper:
        return ""
    if any("script" in clause and here in clause for clause in paper.split(";")):
        return "as the script"
    return paper if paper == "not stated" else "yes"


def in_short(page: Page, numbers: Iterable[PrintedNumber], answers: Iterable[Answer], advice: str) -> str:
    """The box as HTML. ``numbers`` are the printed ones of the chapter, ``answers`` those to its claims, and
    ``advice`` says what a practitioner should do."""
    compared = [one for one in numbers if one.value and one.ours]
    measured = [one for one in answers if one.basis == "measured"]
    setup = setup_table(page).set_index("setting")
    said = [name for name in _SCALE if name in setup.index]
    here, paper = (
        "; ".join(_in_words(name, setup[of][name]) for name in said) for of in ("here", "the paper")
    )
    told = verdict_counts(compared, lambda one: escape(one.system))
    lack = f" Lacking most: {undecided.partition(', ')[0]}." if (undecided := lacked(measured)) else ""
    lines = {
        "What reproduced": f"Of {len(compared)} printed numbers {told or 'none'}"
        f"{as_before(compared)}. "
        f"Of {len(measured)} measured claims {verdict_counts(measured, _link) or 'none'}.{lack}",
        "By how much": _distance(compared),
        "On what scale": escape(f"Here: {here}. The paper: {paper}."),
        "What to do": escape(advice),
    }
    rows = "".join(f"<dt>{name}</dt><dd>{html}</dd>" for name, html in lines.items())
    return f'<aside class="in-short"><dl>{rows}</dl></aside>'


def _link(answer: Answer) -> str:
    return f'<a href="#claim-{answer.id.lower()}" title="{escape(answer.wording)}">{answer.id}</a>'


def _in_words(name: str, value: str) -> str:
    """A setting as it reads without the head of its row."""
    if value.startswith("not stated"):
        return f"{name} {value}"
    return f"{value} epochs" if name == "epochs" else value


def findings(answers: Iterable[Answer], sentences: Mapping[str, str]) -> str:
    """A Markdown list: a sentence for each claim, its measured effect in the braces, with its seeds where
    these oppose each other, then the verdict."""
    by_id = {one.id: one for one in answers}

    def effect(answer: Answer) -> str:
        opposed = {seed[:1] for seed in answer.seeds.split(", ")} >= {"+", "-"}
        seeds = f" (single runs: {answer.seeds})" if opposed else ""
        return f"{effect_text(answer)}{seeds}" or NOT_RUN

    return "\n".join(
        f"- {text.format(effect(by_id[id]))} "
        f'<a href="#claim-{id.lower()}">Claim {id}</a>: {by_id[id].verdict}.'
        for id, text in sentences.items()
    )


def _distance(compared: Sequence[PrintedNumber]) -> str:
    """How far ours lie from the printed numbers, and of those of trained systems from their controls."""
    if not compared:
        return "No printed number has a number of ours to compare."
    comparable = [one for one in compared if one.verdict != NOT_COMPARABLE]
    which = f"{len(comparable)} comparable" if comparable else "none comparable"
    text = f"Ours minus printed, {which}: {_middle([one.difference for one in comparable or compared])}."
    gains = [100 * (one.ours.value - one.control.value) for one in compared if one.control]
    return f"{text} Ours minus the same system with zero updates: {_middle(gains)}." if gains else text


def _middle(points: Sequence[float]) -> str:
    if len(points) == 1:
        return f"{points[0]:+.1f} points"
    return f"median {np.median(points):+.1f} points, from {min(points):+.1f} to {max(points):+.1f}"
