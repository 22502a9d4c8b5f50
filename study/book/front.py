"""What the front page shows of the records: the scale, five findings, two figures, and where to begin."""

import re
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
from ..claims.answers import Answer, effect_text, lacked
from ..claims.effect import LEVEL, Effect
from ..claims.printed_numbers import PrintedNumber, as_before, by_item
from ..claims.verdicts import HOLDS, TOO_SMALL, margin, verdict_counts
from ..corpora import registry
from ..pages.numbers import between
from ..pages.page import Page
from ..pages.show import escaped, myst_figure
from ..papers import papers
from ..places import ROOT
from ..printed.reported import read_reported, select
from ..records import Record
from ..tables.published_systems import against_best, reach, where_alike
from ..tables.rows import recall_at_1
from .reading import documents, link

COUNTS = (
    "Accuracy of published systems and of the name linker on the same mentions, strict and lenient over "
    "concepts. The line between two marks is the effect of the rule alone. Bars are 95 % intervals."
)
FOREST = (
    "The {} claims that are {}, with an effect in points. Lines are 95 % intervals; a claim holds in the "
    "shaded range. [Every claim](claims.md) has the rules and the numbers."
)
FINDINGS = ROOT / "book" / "_templates" / "findings.md"
_FIELD = re.compile(r"{(\w+)}")
_COUNTED = ("pessimistic", "strict", "lenient")


def scale(records: Iterable[Record]) -> str:
    """The machine, the encoder and the lengths of the trainings, in one sentence."""
    trained = [record for record in records if record.trace]
    steps = [record.trace[-1]["step"] for record in trained]
    cores = max(record.made["hardware"]["cores"] for record in trained)
    layers = [record.inputs["config"].get("layers") or 0 for record in trained]
    fewer = sum(0 < of < max(layers) for of in layers)
    return (
        f"All trainings of this study ran on {cores} processor cores with an encoder of {max(layers)} layers "
        f"(of fewer in {fewer:,} of {len(trained):,} trained runs); the median training has "
        f"{median(steps):,.0f} updates, the longest {max(steps):,}.\n"
    )


def compared() -> list[SystemResult]:
    """The name linker and the published answers, on the mentions that align."""
    page = Page.published("side_by_side")
    recounted = page.measured("recount")
    found = [runs for runs in where_alike(page.runs("all"), recounted, every=True) if runs.data in recounted]
    return [runs for runs in found if runs.made and ("names" in runs.system.keys or runs.recounted)]


def counts(runs: Sequence[SystemResult]) -> str:
    """The figure of the accuracies under two scoring rules."""
    alt = "For every corpus and system a mark for strict and one for lenient accuracy, joined by a line."
    return myst_figure(figures.gaps(runs, least=0), "fig-counts", COUNTS, alt) + "\n"


def found(claims: Sequence[Claim], answers: Sequence[Answer], runs: Sequence[SystemResult]) -> str:
    """The findings as a list: the lines of ``_templates/findings.md`` whose numbers there are."""
    numbers = {
        **names(runs),
        **widest(runs),
        **printed_apart(),
        **looked_up(claims, answers),
        **verdicts(claims, answers),
    }
    lines = FINDINGS.read_text(encoding="utf-8").splitlines(keepends=True)
    return "".join(line.format(**numbers) for line in lines if {*_FIELD.findall(line)} <= {*numbers})


def names(runs: Sequence[SystemResult]) -> dict[str, object]:
    """How the name linker does against the best published system of each corpus, after Holm's correction
    over them, with the corpora where it is furthest ahead and furthest behind."""
    gaps = against_best(runs, "names", Scoring())
    if not gaps:
        return {}
    adjusted = holm([gap.p for *_, gap in gaps])
    clear = [gap for p, (*_, gap) in zip(adjusted, gaps, strict=True) if p <= LEVEL]
    beaten, behind = sum(of.difference.low > 0 for of in clear), sum(of.difference.high < 0 for of in clear)
    most, least = (
        f"On {_title(own.data)} it is right on {_percent(own):.1f}\u00a0% of {gap.difference.n:,} mentions, "
        f"and {_name(other)}, the best of these, on {_percent(other):.1f}\u00a0%: {_ahead(gap)}."
        f"{reach(own)}"
        for own, other, gap in (of(gaps, key=lambda one: one[2].difference.value) for of in (max, min))
    )
    counts = {"corpora": len(gaps), "beaten": beaten, "behind": behind, "level": len(gaps) - beaten - behind}
    return {**counts, "furthest_ahead": most, "furthest_behind": least}


def widest(runs: Sequence[SystemResult]) -> dict[str, object]:
    """The largest difference that counting alone makes to published answers."""
    scores = {of: {match: _percent(of, match) for match in _COUNTED} for of in runs if of.recounted}
    if not scores:
        return {}
    of, counted = max(scores.items(), key=lambda one: one[1]["lenient"] - one[1]["pessimistic"])
    moved = [one["lenient"] - one["pessimistic"] for one in scores.values()]
    shown = {match: f"{percent:.1f}" for match, percent in counted.items()}
    shown |= {"moved": f"{max(moved):.0f}", "n_moved": sum(one > 1 for one in moved), "n_scores": len(moved)}
    return {"system": _name(of), "corpus": _title(of.data), **shown}


def printed_apart() -> dict[str, object]:
    """The accuracies that papers print of SapBERT on NCBI Disease."""
    rows = select(read_reported(), system="SapBERT", variant="", dataset=["NCBI", "NCBID"], metric="accuracy")
    *first, last = (
        f"{row.value}\u00a0% ({papers()[row.paper].name}: {row.protocol.partition(' (')[0]})"
        for row in rows.itertuples()
    )
    return {"n_printed": len(rows), "printed": f"{', '.join(first)} and {last}"}


def looked_up(claims: Sequence[Claim], answers: Sequence[Answer]) -> dict[str, object]:
    """What labelled examples add without training: the claim K9."""
    for claim, of in zip(claims, answers, strict=True):
        if of.id == "K9" and of.effect is not None:
            gain = {"least_gain": effect_text(of), "least_corpus": _title(of.corpus)}
            return {"looked_up": of.verdict, "tested": len(claim.rule.corpora), **gain}
    return {}


def verdicts(claims: Sequence[Claim], answers: Sequence[Answer]) -> dict[str, object]:
    """How many claims the papers' own numbers do not all bear out, what our measurements say of claims, of
    this study's questions and of printed numbers, and how many rules changed."""
    paired = [*zip(claims, answers, strict=True)]
    of_papers = [answer for claim, answer in paired if not claim.ours]
    measured, own = (
        [answer for claim, answer in paired if answer.basis == "measured" and claim.ours is ours]
        for ours in (False, True)
    )
    numbers = all_printed()
    excesses = [
        margin(claim.rule, Effect(of.corpus, of.effect, of.low, of.high, of.n))
        for claim, of in paired
        if of in measured and of.verdict == TOO_SMALL and of.effect is not None
    ]
    held = [one.system for one in numbers if one.verdict == HOLDS]
    changed = [answer for answer in answers if answer.changed]
    return {
        "fail": sum(answer.printed == "no" for answer in of_papers),
        "of_papers": len(of_papers),
        "measured": len(measured),
        "claim_verdicts": verdict_counts(measured),
        "toward": sum(excess.low > 0 for excess in excesses),
        "against": sum(excess.high < 0 for excess in excesses),
        "own": len(own),
        "own_verdicts": verdict_counts(own),
        "lacked": lacked(answers),
        "numbers": len(numbers),
        "number_verdicts": verdict_counts(numbers) + as_before(numbers),
        "held": "; ".join(dict.fromkeys(held)) or "none",
        "changed": len(changed),
        "changed_decided": sum(answer.decided for answer in changed),
        "decided": sum(answer.decided for answer in answers),
    }


def all_printed() -> list[PrintedNumber]:
    """The printed numbers of the papers with a chapter that have a row of ours, each once."""
    items = chain.from_iterable(by_item(Page.published(name)).values() for name in _papers())
    return [number for number in chain.from_iterable(items) if number.value]


def forest(claims: Sequence[Claim], answers: Sequence[Answer], decided: bool = True) -> str:
    """The figure of the effects in points of the claims that are decided, or of those that are not."""
    drawn = figures.forest([one for one in answers if one.decided is decided], claims)
    name, what = ("fig-claims", "decided") if decided else ("fig-claims-open", "too small to decide")
    alt = "For each claim a mark for its effect and a line for the interval, on one axis in points."
    return myst_figure(drawn, name, FOREST.format(len(drawn.data), what), alt) + "\n"


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
    """Where to begin: the first page of the contents, and the chapters of papers."""
    cited = (f"{link(root, f'notebooks/{name}')} {{cite}}`{papers()[name].cite}`" for name in _papers())
    chosen, first = ", ".join(cited), documents(root)[1]
    return f"- **Read**: begin with {link(root, first)}, or go to a paper: {chosen}.\n"


def _name(runs: SystemResult) -> str:
    return runs.label.removesuffix(", published")


def _percent(runs: SystemResult, match: str = "strict") -> float:
    return 100 * recall_at_1(runs, Scoring(match))


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
    return [name for name in chapters() if read_chapter(name).items]
