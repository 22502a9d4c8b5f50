"""What the front page shows of the records: the scale, five findings, two figures, and where to begin."""

from collections.abc import Iterable, Sequence
from itertools import chain
from pathlib import Path
from statistics import median

from benchlib.scoring import Scoring
from benchlib.scoring.comparison import Comparison, holm

from .. import figures
from ..chapters.chapter import chapters, read_chapter
from ..chapters.results import SystemResult
from ..claims import Claim
from ..claims.answers import Answer, effect_text
from ..claims.effect import LEVEL
from ..claims.printed_numbers import PrintedNumber, by_item
from ..claims.verdicts import verdict_counts
from ..corpora import registry
from ..pages.numbers import between
from ..pages.page import Page
from ..pages.show import escaped, myst_figure
from ..papers import papers
from ..printed.reported import read_reported, select
from ..records import Record
from ..tables.published_systems import against_best, where_alike
from ..tables.rows import mean_credit
from .reading import documents, link

COUNTS = (
    "Accuracy of published systems and of the name linker on the same mentions, under a strict and a lenient "
    "scoring rule. The line between two marks is the effect of the rule alone. Bars are 95 % intervals."
)
FOREST = (
    "The {} claims that are {}, with their effects in points. Lines are 95 % intervals; the shade is what a "
    "claim asks for. [Every claim](claims.md) has the rules and the numbers."
)
TO_TRY = ("book/explorer", "book/scorer")  # pages that are linked as soon as the book has them
_COUNTED = ("pessimistic", "strict", "lenient")


def scale(records: Iterable[Record]) -> str:
    """The machine, the encoder and the lengths of the trainings, in one sentence."""
    trained = [record for record in records if record.trace]
    steps = [record.trace[-1]["step"] for record in trained]
    cores = max(record.made["hardware"]["cores"] for record in trained)
    layers = max(record.inputs["config"].get("layers") or 0 for record in trained)
    return (
        f"Everything ran on {cores} processor cores with an encoder of {layers} layers; a training has "
        f"{median(steps):,.0f} updates in the median and {max(steps):,} at most.\n"
    )


def compared() -> list[SystemResult]:
    """The name linker and the published answers, on the mentions that align."""
    page = Page.published("side_by_side")
    recounted = page.measured("recount")
    found = [runs for runs in where_alike(page.runs("all"), recounted, every=True) if runs.data in recounted]
    return [runs for runs in found if runs.made and ("names" in runs.system.keys or _published(runs))]


def counts(runs: Sequence[SystemResult]) -> str:
    """The figure of the accuracies under two scoring rules."""
    alt = "For every corpus and system a mark for strict and one for lenient accuracy, joined by a line."
    return myst_figure(figures.gaps(runs), "fig-counts", COUNTS, alt) + "\n"


def found(claims: Sequence[Claim], answers: Sequence[Answer], runs: Sequence[SystemResult]) -> str:
    """The findings as a list."""
    lines = [*names(runs), *widest(runs), printed_apart(), *looked_up(answers), verdicts(claims, answers)]
    return "\n".join(f"1. {line}" for line in lines) + "\n"


def names(runs: Sequence[SystemResult]) -> list[str]:
    """How the name linker does against the best published system of each corpus, after Holm's correction
    over them; told of where it is furthest ahead and where it is furthest behind."""
    gaps = against_best(runs, "names", Scoring())
    if not gaps:
        return []
    adjusted = holm([gap.p for *_, gap in gaps])
    beaten = sum(p <= LEVEL and gap.difference.low > 0 for p, (*_, gap) in zip(adjusted, gaps, strict=True))
    told = [
        f"On {_title(own.data)} it is right on {_percent(own):.1f}\u00a0% of {gap.difference.n:,} mentions, "
        f"and {_name(other)}, the best of the others, on {_percent(other):.1f}\u00a0%: {_ahead(gap)}."
        for own, other, gap in (of(gaps, key=lambda one: one[2].difference.value) for of in (max, min))
    ]
    return [
        f"**A list of names beats the best published system on {beaten} of {len(gaps)} corpora.** The *name "
        "linker* compares a mention with the names of a dictionary and of the training mentions, writes "
        f"abbreviations out, and trains nothing. {' '.join(told)} "
        '<a href="../notebooks/side_by_side.html#side-by-side-table">Side by side</a>'
    ]


def widest(runs: Sequence[SystemResult]) -> list[str]:
    """The largest difference that counting alone makes to published answers."""
    scores = {of: [_percent(of, match) for match in _COUNTED] for of in runs if _published(of)}
    if not scores:
        return []
    of, (wrong, random, right) = max(scores.items(), key=lambda one: one[1][-1] - one[1][0])
    return [
        f"**The scoring rule alone moves a score by {right - wrong:.0f} points.** {_name(of)} on "
        f"{_title(of.data)} is right on {wrong:.1f}\u00a0% of the mentions if a name that several concepts "
        f"share counts as wrong, on {random:.1f}\u00a0% if one of them is picked at random, and on "
        f"{right:.1f}\u00a0% if the name counts as right for each of them. "
        '<a href="../notebooks/published.html#published-exhibit">One file, two scores</a>'
    ]


def printed_apart() -> str:
    """The accuracies that papers print of one system on one corpus."""
    rows = select(read_reported(), system="SapBERT", variant="", dataset=["NCBI", "NCBID"], metric="accuracy")
    told = [
        f"{row.value}\u00a0% ({papers()[row.paper].name}: {row.protocol.partition(' (')[0]})"
        for row in rows.itertuples()
    ]
    return (
        f"**One system on one corpus has {len(told)} printed accuracies.** SapBERT on NCBI Disease is "
        f"printed as {', '.join(told[:-1])} and {told[-1]}. "
        '<a href="../notebooks/protocols.html#one-system-three-printed-numbers">Three printed numbers</a>'
    )


def looked_up(answers: Sequence[Answer]) -> list[str]:
    """What labelled examples add without training: the claim K9."""
    return [
        "**Labelled examples help without a single update.** KRISSBERT's claim that adding the training "
        f"mentions to the index improves every corpus **{of.verdict}**: the smallest gain is "
        f"{effect_text(of)}, on {_title(of.corpus)}. "
        '<a href="../notebooks/krissbert.html#claim-k9">KRISSBERT</a>'
        for of in answers
        if of.id == "K9" and of.effect is not None
    ]


def verdicts(claims: Sequence[Claim], answers: Sequence[Answer]) -> str:
    """How many claims fail by the papers' own numbers, and what our measurements say of claims and of printed
    numbers."""
    of_papers = [answer for claim, answer in zip(claims, answers, strict=True) if not claim.ours]
    fail = sum(answer.printed == "no" for answer in of_papers)
    measured = [answer for answer in answers if answer.basis == "measured"]
    numbers = all_printed()
    return (
        f"**{fail} of the papers' {len(of_papers)} claims fail by the numbers that the papers print.** Of "
        f"{len(measured)} claims about measurements, {verdict_counts(measured)}; of {len(numbers)} printed "
        f"accuracies, {verdict_counts(numbers)}. Most trainings here are too short to decide a claim. "
        '<a href="../book/claims.html">Every claim</a>'
    )


def all_printed() -> list[PrintedNumber]:
    """The printed numbers of the papers with a chapter that have a row of ours, each once."""
    items = chain.from_iterable(by_item(Page.published(name)).values() for name in _papers())
    return [number for number in chain.from_iterable(items) if number.value]


def forest(claims: Sequence[Claim], answers: Sequence[Answer], decided: bool = True) -> str:
    """The figure of the effects in points of the claims that are decided, or of those that are not."""
    shown = [one for one in answers if one.effect is not None and one.unit == "points"]
    shown = [one for one in shown if one.decided is decided]
    name, what = ("fig-claims", "decided") if decided else ("fig-claims-open", "too small to decide")
    alt = "For each claim a mark for its effect and a line for the interval, on one axis in points."
    return myst_figure(figures.forest(shown, claims), name, FOREST.format(len(shown), what), alt) + "\n"


def others(claims: Sequence[Claim], answers: Sequence[Answer]) -> str:
    """Folded: the figure of the claims that are not decided, and a line for each effect in another unit."""
    lines = [
        f"- {papers()[one.paper].name}: {escaped(one.wording)} **{one.verdict}**, {effect_text(one)} on "
        f"{escaped(one.corpus)}."
        for one in answers
        if one.effect is not None and one.unit != "points"
    ]
    head = "::::{dropdown} The claims that are too small to decide, and those in other units"
    return "\n".join([head, "", forest(claims, answers, decided=False), *lines, "::::", ""])


def begin(root: Path) -> str:
    """Where to begin: the first page of the contents, the chapters of papers, and what can be tried."""
    pages = documents(root)
    chosen = ", ".join(
        f"{link(root, f'notebooks/{name}')} {{cite}}`{papers()[name].cite}`" for name in _papers()
    )
    lines = [f"- **Read**: begin with {link(root, pages[1])}, or go to a paper: {chosen}."]
    if there := [link(root, page) for page in TO_TRY if page in pages]:
        lines.append(f"- **Try** in the browser: {', '.join(there)}.")
    return "\n".join(lines) + "\n"


def _published(runs: SystemResult) -> bool:
    return runs.system.linker.startswith("published,")


def _name(runs: SystemResult) -> str:
    return runs.label.removesuffix(", published")


def _percent(runs: SystemResult, match: str = "strict") -> float:
    return 100 * float(mean_credit(runs, Scoring(match)).mean())


def _ahead(gap: Comparison) -> str:
    """``2.9 [1.5, 4.3] points ahead``."""
    value, low, high = (100 * of for of in (gap.difference.value, gap.difference.low, gap.difference.high))
    if value < 0:
        return f"{between(-value, -high, -low)} points behind"
    return f"{between(value, low, high)} points ahead"


def _title(data: str) -> str:
    """The name of a corpus without that of its dictionary."""
    return registry.benchmarks()[data].title.partition(" × ")[0]


def _papers() -> list[str]:
    """The papers with a chapter."""
    return [name for name in chapters() if read_chapter(name).items]
