"""At a glance: for every item of a paper what it prints, what came out here, and what that means."""

from collections.abc import Iterable, Iterator, Mapping

import pandas as pd

from benchlib.linkers import linker
from benchlib.scoring import Estimate, Scoring, over_seeds

from .. import reported
from ..answers import Answer, effect_text
from ..chapter import HeadlineEntry, ItemEntry, listed
from ..formats import NOT_RUN, percent
from ..page import Page
from ..show import Markup, linked, table_from
from ..systems import find, stratum
from .accuracy import ceiling

REPRODUCED, DIFFERS, BEYOND, UNDECIDED = "reproduced", "differs", "not comparable", "undecided"
DRAWN, UNCOMPARED = "drawn", "shown, not compared"
HOLDS, FAILS = "holds in print", "fails in print"
STATUSES = {
    REPRODUCED: "the printed value lies in our 95 % interval, or the claim is supported by its test",
    DIFFERS: "the printed value lies outside our interval, or the claim is contradicted by its test",
    BEYOND: (
        "the printed value lies above our ceiling, since golds have no name in the dictionary at hand; or it "
        "is of another knowledge base"
    ),
    UNDECIDED: "the claim was tested, and neither it nor its contrary could be shown",
    HOLDS: "the claim is about the paper's own numbers, which bear it out",
    FAILS: "the claim is about the paper's own numbers, which do not bear it out",
    DRAWN: "an explanatory drawing of ours",
    UNCOMPARED: "it stands in its section, and no number in print is set against it here",
    NOT_RUN: "there is no run here, and the row says why",
}
_OF_VERDICT = {"supported": REPRODUCED, "contradicted": DIFFERS, "inconclusive": UNDECIDED}
_IN_PRINT = {"supported": HOLDS, "contradicted": FAILS}
_HEADS = ("the paper's", "what", "printed", "ours", "difference", "ceiling", "status")


def legend(names: Iterable[str]) -> str:
    """What the statuses in a column of the table mean, as a list in Markdown."""
    return "\n".join(
        f"- **{status}**: {what}." for status, what in STATUSES.items() if any(status in n for n in names)
    )


def glance(page: Page, answers: Iterable[Answer]) -> pd.DataFrame:
    """A row or more for every item of the chapter: its headline numbers in percent, differences in points,
    and the claims that it stands for."""
    by_id = {answer.id: answer for answer in answers}
    rows = [
        {"the paper's": Markup(f'<a href="#{entry.anchor}">{item}</a>'), **row}
        for item, entry in page.plan.chapter.items.items()
        for row in _rows(page, entry, by_id)
    ]
    return table_from(rows).reindex(columns=list(_HEADS), fill_value="")


def _rows(page: Page, entry: ItemEntry, answers: Mapping[str, Answer]) -> Iterator[dict[str, object]]:
    if entry.drawing or entry.reason:
        yield {"status": DRAWN if entry.drawing else f"{NOT_RUN}: {entry.reason}"}
    elif not (entry.headlines or entry.claims):
        yield {"status": UNCOMPARED}
    printed = page.printed(entry.reported) if entry.reported else None
    for headline in entry.headlines:
        yield from (_counts if headline.measured else _scores)(page, headline, printed)
    yield from _claims(answers[id] for id in entry.claims)


def _scores(page: Page, of: HeadlineEntry, printed: pd.DataFrame) -> Iterator[dict[str, object]]:
    every = page.runs(of.runs)
    mentions = stratum(every, of.stratum) if of.stratum else None
    for runs in find(every, of.system):
        data = [runs.data] if len({one.data for one in every}) > 1 else []
        what = ", ".join([runs.label, "Recall@1", *data, *filter(None, [of.stratum, of.note])])
        where = {"metric": "recall_at_1", "system": runs.system.printed, **of.printed}
        if name := _named(page, of, runs.data):
            where["dataset"] = name
        there = reported.only(printed, **where)
        kept = runs.among(mentions) if runs.made else None
        if kept is None:
            yield {"what": what, "printed": there, "status": runs.system.reason or NOT_RUN}
            continue
        ours = over_seeds(list(runs.credits(1, Scoring.parse(of.protocol))[:, kept]), runs.clusters[kept])
        top = ceiling(runs, kept)
        yield {
            "what": what,
            "printed": there,
            "ours": linked(percent(ours), runs.record),
            "difference": f"{100 * ours.value - float(there):+.1f}" if there else "",
            "ceiling": "" if top is None else f"{100 * top:.1f}",
            "status": _status(there, ours, top, runs.data in page.plan.chapter.other_knowledge_base),
        }


def _status(printed: str, ours: Estimate, ceiling: float | None, other: bool) -> str:
    if not printed:
        return UNCOMPARED
    if other:
        return f"{BEYOND}: another knowledge base"
    value = float(printed) / 100
    if ceiling is not None and value > ceiling:
        return BEYOND
    return REPRODUCED if ours.low <= value <= ours.high else DIFFERS


def _counts(page: Page, of: HeadlineEntry, printed: pd.DataFrame) -> Iterator[dict[str, object]]:
    for data, record in page.measured(of.measured).items():
        name = _named(page, of, data)
        there = reported.only(printed, **{**of.printed, **({"dataset": name} if name else {})})
        row: dict[str, object] = {"what": f"{of.key}, {data}", "printed": there}
        if record is None:
            yield row | {"status": NOT_RUN}
            continue
        ours = record.values[of.key]
        row |= {"ours": linked(f"{ours:,}", record)}
        if there:
            apart = ours - float(there)
            row |= {"difference": f"{apart:+,.0f}", "status": DIFFERS if apart else REPRODUCED}
        yield row | ({} if there else {"status": UNCOMPARED})


def _claims(answers: Iterable[Answer]) -> Iterator[dict[str, object]]:
    """A row for each claim with a number or a verdict, then one for all that wait for the same."""
    waiting: dict[str, list[str]] = {}
    for answer in answers:
        link, effect = f'<a href="#claim-{answer.id.lower()}">{answer.id}</a>', effect_text(answer)
        statuses = _IN_PRINT if answer.basis == "printed" else _OF_VERDICT
        status = statuses.get(answer.verdict, f"{NOT_RUN}: {answer.reason}")
        if effect or answer.verdict in _OF_VERDICT:
            yield {"what": Markup(f"claim {link}"), "ours": effect, "status": status}
        else:
            waiting.setdefault(status, []).append(link)
    for status, links in waiting.items():
        what = "claim" if len(links) == 1 else "claims"
        yield {"what": Markup(f"{what} {', '.join(links)}"), "status": status}


def _named(page: Page, of: HeadlineEntry, data: str) -> str:
    """What the paper calls a data set: in the table at hand, else in any other."""
    chapter = page.plan.chapter
    asked = chapter.runs[of.runs].data if of.runs else chapter.measured[of.measured].data
    groups = sorted(chapter.datasets, key=lambda group: group not in listed(asked))
    return next((chapter.datasets[group][data] for group in groups if data in chapter.datasets[group]), "")


def setup(page: Page) -> pd.DataFrame:
    """The settings of the paper's main system beside ours, and whether they differ from its text; where they
    do, or the text is silent, the released script may agree."""
    entry = page.plan.chapter.setup
    values = {
        name: ", ".join(map(str, value)) if isinstance(value, tuple) else value
        for name, value in page.plan.values.items()
    }
    config = {**values, **linker(page.plan.system(entry.of).linker).config}
    rows = []
    for name, setting in entry.settings.items():
        here = setting.here.format_map(config)
        rows.append(
            {
                "setting": name,
                "the paper": setting.paper,
                "here": here,
                "differs": _apart(setting.paper, here),
            }
        )
    return table_from(rows)


def _apart(paper: str, here: str) -> str:
    if here == paper:
        return ""
    if "script" in paper and here in paper:
        return "as the script"
    return paper if paper == "not stated" else "yes"
