"""What the front page shows of the records: verdicts, what each chapter has, and one figure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from .. import figures
from ..answers import NAMES, Answer, effect_text, linked
from ..chapter import ItemEntry, chapters, listed, read_chapter
from ..claims import PAPERS, Claim
from ..page import Page
from ..parameters import Parameters
from ..plan import Plan
from ..runs import plan_with
from ..show import Markup, escaped, myst_table, table_from
from ..systems import find
from ..verdicts import NOT_RUN

LIVE, DRAWN = "live", "drawn"
PRINTED = "by arithmetic on the printed numbers"


def write(folder: Path, claims: Sequence[Claim], answers: Sequence[Answer]) -> None:
    """Write ``verdicts.md``, ``items.md`` and ``gap.svg``."""
    (folder / "verdicts.md").write_text(verdicts(claims, answers), encoding="utf-8")
    (folder / "items.md").write_text(items(), encoding="utf-8")
    plan = plan_with("protocols")
    baselines = Page("protocols", Parameters(plan.values | {"compute": "never"}), plan).runs("baselines")
    figures.gaps(find(baselines, "exact", "mean")).savefig(folder / "gap.svg")


def verdicts(claims: Sequence[Claim], answers: Sequence[Answer]) -> str:
    """How many claims have which verdict, how many their own paper's print does not bear out, and a line for
    every claim that is decided."""
    counted = Counter(answer.verdict for answer in answers)
    told = ", ".join(f"{n} {verdict}" for verdict, n in counted.most_common())
    unborne = sum(answer.printed == "no" for answer in answers)
    lines = [
        f"**Of {len(answers)} claims: {told}.** The wording of {unborne} is not borne out by the printed "
        "numbers of their own paper. The decided ones:",
        "",
    ]
    for claim, answer in zip(linked(claims), answers, strict=True):
        if answer.verdict != NOT_RUN:
            page, _, anchor = claim.page.partition("#")
            of = f" ({answer.systems})" if answer.systems else ""
            told = f"{effect_text(answer)} on {answer.corpus}{of}" if effect_text(answer) else PRINTED
            lines.append(
                f'- <a href="../{page}.html#{anchor}">{claim.id}</a> ({NAMES[claim.paper]}) '
                f"**{answer.verdict}**: {escaped(told)}"
            )
    return "\n".join(lines) + "\n"


def items() -> str:
    """A table of the tables and figures of every paper that has a chapter, and the papers that have none."""
    rows, total = [], Counter()
    for name in (name for name in chapters() if read_chapter(name).items):
        plan = plan_with(name)
        cells: dict[str, list[str]] = {LIVE: [], DRAWN: [], NOT_RUN: []}
        for item, entry in plan.chapter.items.items():
            state, why = state_of(entry, plan)
            total[state] += 1
            place = f'<a href="../notebooks/{name}.html#{entry.anchor}">{item}</a>' if entry.anchor else item
            cells[state].append(f"{place} ({why})" if why else place)
        chapter = f"[{NAMES.get(name, name)}](../notebooks/{name}.ipynb)"
        joined = {state: Markup(", ".join(of)) for state, of in cells.items()}
        rows.append({"Paper": Markup(chapter), **joined})
    caption = (
        f"The papers' tables and figures: {total[LIVE]} live, shown from records, {total[DRAWN]} drawn anew, "
        f"{total[NOT_RUN]} not run."
    )
    without = [NAMES[paper] for paper in PAPERS if paper in NAMES and paper not in (*chapters(), "shared")]
    told = f"\n\nWithout a chapter: {', '.join(without)}." if without else ""
    return myst_table(table_from(rows), "tab-items", caption) + told + "\n"


def state_of(item: ItemEntry, plan: Plan) -> tuple[str, str]:
    """Whether an item is live, drawn or not run, and why: what it lacks."""
    if item.drawing:
        return DRAWN, ""
    sets = [*listed(item.runs), *listed(item.measured)]
    jobs = plan.jobs(sets) if sets else []
    lacking = sum(not plan.store.has(job.inputs) for job in jobs)
    if lacking == len(jobs):
        return NOT_RUN, item.reason or "no record"
    return LIVE, f"{lacking} of {len(jobs)} records missing" if lacking else item.reason
