"""Claims with their answers as an HTML table."""

import html as markup
from collections.abc import Sequence

from ..pages.cells import stacked
from ..papers import papers
from . import Claim, read_claims
from .answers import Answer, answer_all, effect_text, lacked
from .verdicts import NOT_COMPARABLE, NOT_RUN, TOO_SMALL, VERDICTS, Rule

HEADS = ("Id", "Paper", "Claim", "Consistent", "Verdict", "Effect")
DECISIVE = ("Claim", "Verdict")  # what a phone keeps in view beside the id
DRAWN = "Lines are effects with 95 % intervals, from −40 to 40 points; a claim holds in the shaded range."
SCALE = 40  # points on either side of 0 in a drawn interval, which no effect here exceeds


def claims_section(ids: Sequence[str], answers: Sequence[Answer] | None = None) -> str:
    """The claims named, with their answers, as a page's HTML table; raises ValueError for an unknown id.

    ``answers`` has them where they were found already.
    """
    chosen = [claim for claim in read_claims() if claim.id in ids]
    if unknown := set(ids) - {claim.id for claim in chosen}:
        raise ValueError(f"no claim {', '.join(sorted(unknown))}")
    found = answer_all(chosen) if answers is None else [one for one in answers if one.id in ids]
    n, changed = sum(bool(one.rule) for one in found), sum(one.changed for one in found)
    late = ", ".join(claim.id for claim in chosen if claim.late)
    before = "first written before their runs" + (f", but for {late}" if late else "")
    rules = f"{n} rules, {before}; {changed} changed after a number was seen."
    rules += f" Those too small to decide lack {lack}." if (lack := lacked(found)) else ""
    return (f"<p>{rules}</p>" if n else "") + html(
        found, chosen, "The claims and their answers.", anchors=True
    )


def decided_first(answers: Sequence[Answer]) -> list[Answer]:
    """In the order of ``VERDICTS``; of one verdict in the order given."""
    return sorted(answers, key=lambda answer: VERDICTS.index(answer.verdict))


def pill(verdict: str) -> str:
    return f'<span class="verdict {verdict.replace(" ", "-")}">{verdict}</span>'


def html(answers: Sequence[Answer], claims: Sequence[Claim], caption: str, anchors: bool = False) -> str:
    """The claims as a table that sorts and filters, decided ones first; each id leads to the claim's section.
    Effects in points are drawn on one scale: together they are a forest plot.

    With ``anchors`` the table is that section: each row has the anchor ``claim-<id>``, in lower case, and the
    paper is left out where there is but one.
    """
    one_paper = anchors and len({answer.paper for answer in answers}) == 1
    heads = [head for head in HEADS if not (one_paper and head == "Paper")]
    kept = " ".join(f"keep-{heads.index(head) + 1}" for head in DECISIVE)
    name = "claims-of-page" if anchors else "claims-table"
    lines = [
        f'<table class="claims sortable download filterable {kept}" id="{name}" '
        'data-select="Paper,Consistent,Verdict">',
        f"<caption>{markup.escape(caption)} {DRAWN}</caption><thead><tr>",
        *(f'<th scope="col">{head}</th>' for head in heads),
        "</tr></thead><tbody>",
    ]
    by_id = {claim.id: claim for claim in claims}
    for answer in decided_first(answers):
        claim = by_id[answer.id]
        page, _, anchor = claim.page.partition("#")
        place = f' id="claim-{markup.escape(answer.id.lower())}"' if anchors else ""
        said = ["A question of this study."] if claim.ours else []
        said += ["Rule changed after a number was seen (see Changed rules)."] if answer.changed else []
        said += ["Rule first written when its number was known."] if claim.late else []
        said += [f"The printed size: {NOT_COMPARABLE}, {claim.size}."] if claim.size else []
        said += [answer.reason] if answer.verdict in (NOT_RUN, TOO_SMALL) or anchors else []
        note = claim.printed.note
        said += [f"Paper: {note}"] if anchors and note and note not in answer.reason else []
        cells = (
            f'<a href="{markup.escape(f"../{page}.html#{anchor}")}">{markup.escape(answer.id)}</a>',
            papers()[answer.paper].name,
            markup.escape(claim.wording) + _paragraphs(said),
            markup.escape(answer.printed),
            pill(answer.verdict),
            _drawn(answer, claim.rule) + _effect(answer),
        )
        shown = zip(HEADS, cells, strict=True)
        row = (f'<td class="{head.lower()}">{cell}</td>' for head, cell in shown if head in heads)
        lines.append(f"<tr{place}>{''.join(row)}</tr>")
    return "\n".join([*lines, "</tbody></table>"])


def _drawn(answer: Answer, rule: Rule | None) -> str:
    """An effect in points with its interval, from -``SCALE`` to ``SCALE``, before the range that the claim
    asks for, as SVG; empty for another unit."""
    if answer.effect is None or rule is None or rule.unit != "points":
        return ""
    first, last = rule.asked(-SCALE, SCALE)
    value, low, high = (max(-SCALE, min(SCALE, of)) for of in (answer.effect, answer.low, answer.high))
    return (
        f'<svg class="effect" viewBox="{-SCALE} -5 {2 * SCALE} 10" aria-hidden="true">'
        f'<rect x="{first:g}" y="-5" width="{last - first:g}" height="10"/><path class="zero" d="M0-5V5"/>'
        f'<path d="M{low:.1f} 0H{high:.1f}"/><circle cx="{value:.1f}" r="1.6"/></svg>'
    )


def _effect(answer: Answer) -> str:
    of = [f"{answer.corpus}, n = {answer.n:,}", answer.systems] if answer.n is not None else []
    of += [f"Single runs: {answer.seeds}"] if answer.seeds else []
    of += [f"Also: {answer.beside}"] if answer.beside else []
    return f"{stacked(effect_text(answer))}{_paragraphs(of)}"


def _paragraphs(texts: Sequence[str]) -> str:
    return "".join(f" <p>{markup.escape(text)}</p>" for text in texts if text)
