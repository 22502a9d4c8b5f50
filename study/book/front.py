"""What the front page shows of the records: what was found, verdicts, what each chapter has, one figure."""

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import chain
from pathlib import Path

from benchlib.scoring import Scoring

from .. import figures
from ..chapters.chapter import ItemEntry, as_tuple, chapters, read_chapter
from ..chapters.plan import Plan
from ..chapters.results import SystemResult, by_key
from ..chapters.run import plan_with
from ..claims import Claim
from ..claims.answers import Answer, effect_text
from ..claims.printed_numbers import PrintedNumber, by_item
from ..claims.verdicts import NOT_RUN, verdict_counts
from ..pages.page import Page
from ..pages.show import Markup, escaped, myst_figure, myst_table, table_from
from ..papers import papers, results_page
from ..tables.published_systems import where_alike
from .changed import decided_and_late
from .reading import documents, link

LIVE, DRAWN, AS_PRINTED = "live", "drawn", "as printed"
GAP = (
    "The same predictions under a strict and a lenient protocol. Bars are 95 % intervals; the line between "
    "two marks is the effect of the protocol alone. All systems are in "
    "[How scores are counted](../notebooks/protocols.ipynb)."
)
GAP_IN_WORDS = "For every corpus and system a mark for strict and one for lenient accuracy, joined by a line."


def baselines() -> list[SystemResult]:
    """The untrained linkers of *How scores are counted*, as far as they have run."""
    return by_key(Page.published("protocols").runs("baselines"), "exact", "mean")


def found(claims: Sequence[Claim], answers: Sequence[Answer], baselines: Sequence[SystemResult]) -> str:
    """What was found, as a list."""
    page = Page.published("side_by_side")
    systems = where_alike(page.runs("all"), page.measured("recount"))
    return "\n".join([*printed(all_printed()), *counted(claims, answers), *best(systems), *widest(baselines)])


def gap(baselines: Sequence[SystemResult]) -> str:
    """The figure of what the protocol alone is worth."""
    return myst_figure(figures.gaps(baselines), "fig-front", GAP, GAP_IN_WORDS) + "\n"


def printed(pages: Mapping[str, Sequence[PrintedNumber]]) -> list[str]:
    """What became of the printed numbers, each counted once: over the whole book those of systems that train
    and of others, then how many each paper has."""
    every = [number for numbers in pages.values() for number in numbers]
    trained, others = ([number for number in every if number.trained is of] for of in (True, False))
    lines = [
        f"- {len(every)} printed numbers are compared with ours: {len(trained)} of systems that are "
        f"trained ({verdict_counts(trained)}), {len(others)} of systems without training "
        f"({verdict_counts(others)})."
    ]
    by_paper = []
    for name, numbers in pages.items():
        glanced = f"{name.replace('_', '-')}-glance"  # Sphinx has no underscore in an id
        by_paper.append(
            f'<a href="../notebooks/{name}.html#{glanced}">{papers()[name].name}</a> {len(numbers)}'
        )
    return [*lines, f"- By paper: {', '.join(by_paper)}."]


def all_printed() -> dict[str, list[PrintedNumber]]:
    """The printed numbers that have a row of ours, by paper with a chapter."""
    found = {}
    for name in _papers():
        numbers = chain.from_iterable(by_item(Page.published(name)).values())
        found[name] = [number for number in numbers if number.value]
    return found


def counted(claims: Sequence[Claim], answers: Sequence[Answer]) -> list[str]:
    """How many claims have which verdict: those that are measured, and those that are about print alone; how
    many of the decided had their rule changed; and how many of the papers' own their print does not bear
    out."""
    measured, arithmetic = (
        [answer for answer in answers if answer.basis == basis] for basis in ("measured", "printed")
    )
    decided, late = decided_and_late(answers)
    papers = [answer for claim, answer in zip(claims, answers, strict=True) if not claim.ours]
    unborne = sum(answer.printed == "no" for answer in papers)
    lines = [f"- [{len(measured)} measured claims](#the-claims): {verdict_counts(measured)}."]
    if late:
        lines.append(
            f"- {late} of the {decided} decided claims have a rule that changed after a number was seen; "
            '<a href="claims.html#changed-rules">both answers</a> are shown.'
        )
    lines += [
        f"- {len(arithmetic)} claims about printed numbers, by arithmetic: {verdict_counts(arithmetic)}.",
        f"- By their own numbers {unborne} of the papers' {len(papers)} claims fail.",
    ]
    return lines


def widest(runs: Sequence[SystemResult]) -> list[str]:
    """The largest difference between a strict and a lenient count of the same answers."""
    scores = [(_accuracy(of, "strict"), _accuracy(of, "lenient"), of.name) for of in runs if of.made]
    if not scores:
        return []
    strict, lenient, data = max(scores, key=lambda of: of[1] - of[0])
    page = '<a href="../notebooks/protocols.html">Counting alone</a>'
    return [
        f"- {page} takes the answers of one linker on {data} from {strict:.1f}\u00a0% right "
        f"(strict) to {lenient:.1f}\u00a0% (lenient)."
    ]


def best(runs: Sequence[SystemResult]) -> list[str]:
    """The most accurate system on each data set, of those that have run."""
    by_data: dict[str, list[tuple[float, str]]] = {}
    for of in runs:
        if of.made:
            by_data.setdefault(of.data, []).append((_accuracy(of), of.label))
    on: dict[str, list[str]] = {}
    for data, (accuracy, label) in ((data, max(scores)) for data, scores in by_data.items()):
        on.setdefault(label, []).append(f"{data} {accuracy:.1f}\u00a0%")
    told = "; ".join(f"{label} ({', '.join(of)})" for label, of in on.items())
    page = '<a href="../notebooks/side_by_side.html">Side by side</a>'
    return [f"- {page}, most accurate: {told}."] if told else []


def _accuracy(runs: SystemResult, match: str = "strict") -> float:
    """In percent."""
    return 100 * float(runs.credits(1, Scoring(match)).mean())


def begin(root: Path) -> str:
    """Where to begin: the first page of the contents, and the chapters of papers."""
    first = documents(root)[1]
    papers = ", ".join(link(root, f"notebooks/{name}") for name in _papers())
    return f"- **Read**: begin with {link(root, first)}, or go to a paper: {papers}.\n"


def verdicts(claims: Sequence[Claim], answers: Sequence[Answer]) -> str:
    """A line for every claim that is decided."""
    lines = []
    for claim, answer in zip(claims, answers, strict=True):
        if answer.decided:
            page, _, anchor = claim.page.partition("#")
            of = f" ({answer.systems})" if answer.systems else ""
            effect = effect_text(answer)
            told = f"{effect} on {answer.corpus}{of}" if effect else "by arithmetic on the printed numbers"
            told += f"; {answer.beside}" if answer.beside else ""
            lines.append(
                f'- <a href="../{page}.html#{anchor}">{claim.id}</a> ({papers()[claim.paper].name}) '
                f"**{answer.verdict}**: {escaped(told)}"
            )
    return "\n".join(lines) + "\n"


def items() -> str:
    """A table of the tables and figures of every paper."""
    rows, total = [], Counter()
    for name in _papers():
        plan, page = plan_with(name), f"../notebooks/{results_page(name)}.html"
        cells: dict[str, list[str]] = {LIVE: [], DRAWN: [], AS_PRINTED: [], NOT_RUN: []}
        for item, entry in plan.chapter.items.items():
            state, why = state_of(entry, plan)
            total[state] += 1
            place = f'<a href="{page}#{entry.anchor}">{item}</a>' if entry.anchor else item
            cells[state].append(f"{place} ({why})" if why else place)
        chapter = f"[{papers()[name].name}](../notebooks/{name}.ipynb)"
        joined = {state: Markup(", ".join(of)) for state, of in cells.items()}
        rows.append({"Paper": Markup(chapter), **joined})
    caption = (
        f"The papers' tables and figures: {total[LIVE]} live, shown from records, {total[DRAWN]} drawn anew, "
        f"{total[AS_PRINTED]} as printed alone, {total[NOT_RUN]} not run."
    )
    return myst_table(table_from(rows), "tab-items", caption) + "\n"


def state_of(item: ItemEntry, plan: Plan) -> tuple[str, str]:
    """Whether an item is live, drawn, the paper's numbers alone or not run, and why: what it lacks."""
    if item.drawing or item.as_printed:
        return DRAWN if item.drawing else AS_PRINTED, ""
    sets = [*as_tuple(item.runs), *as_tuple(item.measured)]
    jobs = plan.jobs(sets) if sets else []
    lacking = sum(not plan.store.has(job.inputs) for job in jobs)
    if lacking == len(jobs):
        return NOT_RUN, item.reason or "no record"
    return LIVE, f"{lacking} of {len(jobs)} records missing" if lacking else item.reason


def _papers() -> list[str]:
    """The papers with a chapter."""
    return [name for name in chapters() if read_chapter(name).items]
