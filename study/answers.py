"""The answers to the claims: found, and shown as a table in files, pages and the terminal.

``python -m study.answers`` prints it and writes ``_build/claims.csv``.
"""

from __future__ import annotations

import argparse
import html as markup
import os
import tempfile
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path

import pandas as pd

from benchlib.runs import MissingRecord

from . import printed
from .cells import stacked
from .claims import Claim, of_paper, read_claims
from .evidence import Evidence
from .formats import between
from .reported import read_reported
from .runs import command
from .verdicts import CONTRADICTED, INCONCLUSIVE, NOT_RUN, SUPPORTED, Effect, decide

NOT_CHECKABLE = "not checkable"
HEADS = ("Id", "Paper", "Claim", "Printed", "Verdict", "Effect")
DECISIVE = ("Claim", "Verdict")  # what a phone keeps in view beside the id
NAMES = {
    "biocom": "BioCoM",
    "krissbert": "KRISSBERT",
    "dual_encoder": "Dual encoder",
    "cosines": "CoSiNES",
    "pel": "PEL",
    "shared": "Several papers",
}


@dataclass(frozen=True)
class Answer:
    """One row of the claims table. The numbers are those of the deciding effect, None where there is none, in
    the rule's ``unit``; ``systems`` says what was set against what."""

    id: str
    paper: str
    verdict: str
    effect: float | None
    low: float | None
    high: float | None
    n: int | None
    corpus: str
    reason: str
    basis: str
    printed: str
    wording: str
    rule: str
    unit: str
    systems: str


def printed_answer(claim: Claim, rows: pd.DataFrame) -> str:
    """``yes``, ``no`` or ``not checkable``: what arithmetic on the paper's own numbers says.

    ``rows`` are the reported numbers of all papers. Raises ValueError, naming the claim, when a cell that
    the test needs is not there.
    """
    test = claim.printed.test
    if test is None:
        return NOT_CHECKABLE
    try:
        found = printed.finding(of_paper(rows, claim.paper), test, claim.printed.arguments)
    except (LookupError, ValueError) as error:
        raise ValueError(f"{claim.paper}.yaml: claim {claim.id}: printed test: {error}") from None
    return "yes" if found.holds else "no"


def answer(claim: Claim, says: str, evidence: Evidence) -> Answer:
    """The claim's two answers, of which ``says`` is the printed one; see :func:`answer_all`."""
    rule = claim.rule

    def row(verdict: str, reason: str, effect: Effect | None = None) -> Answer:
        numbers = (effect.value, effect.low, effect.high, effect.n) if effect else (None,) * 4
        corpus, systems = (effect.corpus, effect.systems) if effect else ("", "")
        decided = (str(rule), rule.unit) if rule else ("", "")
        asked = (claim.basis, says, claim.wording)
        return Answer(claim.id, claim.paper, verdict, *numbers, corpus, reason, *asked, *decided, systems)

    if claim.basis == "printed":
        return row(SUPPORTED if says == "yes" else CONTRADICTED, f"arithmetic on print: {claim.printed.note}")
    if claim.test is None:
        return row(NOT_RUN, claim.reason)
    try:
        effects = [claim.test.effect(evidence, corpus) for corpus in rule.corpora]
    except MissingRecord:
        return row(NOT_RUN, f"no record yet; make it with: {command(claim.test.chapter)}")
    except ValueError as error:
        raise ValueError(f"{claim.paper}.yaml: claim {claim.id}: test: {error}") from error
    verdict, effect = decide(rule, effects)
    if claim.reason is not None:  # shown, and yet it decides nothing
        return row(NOT_RUN, claim.reason, effect)
    return row(verdict, str(rule), effect)


def answer_all(claims: Sequence[Claim] | None = None, evidence: Evidence | None = None) -> list[Answer]:
    """One answer a claim, in order: of all claims where none are given.

    ``evidence`` is that of the published records unless another is given; records of ``mini`` decide nothing.
    A claim whose record is missing is not run. Raises ValueError, naming the claim, for one that its chapter
    cannot decide.
    """
    rows = read_reported()
    claims = read_claims() if claims is None else claims
    evidence = evidence or Evidence()
    return [answer(claim, printed_answer(claim, rows), evidence) for claim in claims]


def table(answers: Sequence[Answer]) -> pd.DataFrame:
    """One row a claim, the columns of ``claims.csv``."""
    frame = pd.DataFrame([asdict(a) for a in answers], columns=[field.name for field in fields(Answer)])
    return frame.astype({"n": "Int64"})


def write_csv(answers: Sequence[Answer], path: Path) -> None:
    """Write ``claims.csv`` whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile(
        "w", dir=path.parent, suffix=".csv", delete=False, encoding="utf-8", newline=""
    ) as file:
        try:
            table(answers).to_csv(file, index=False, lineterminator="\n")
        except BaseException:
            os.unlink(file.name)
            raise
    os.chmod(file.name, 0o644)
    os.replace(file.name, path)


def effect_text(answer: Answer) -> str:
    """``17.0 [16.1, 17.9] points``; empty where nothing was measured."""
    if answer.effect is None:
        return ""
    digits = 2 if answer.unit == "x" and abs(answer.effect) < 10 else 1
    return f"{between(answer.effect, answer.low, answer.high, digits=digits)} {answer.unit}".rstrip()


def linked(claims: Sequence[Claim]) -> list[Claim]:
    """The claims with a section for each: that of its chapter, or else that of the page of all claims."""
    return [
        claim
        if "#" in claim.page
        else claim.model_copy(update={"page": f"book/claims#claim-{claim.id.lower()}"})
        for claim in claims
    ]


def of_chapter(name: str) -> list[Answer]:
    """The answers to the claims of a chapter's paper."""
    return answer_all([claim for claim in read_claims() if claim.paper == name])


def claims_section(ids: Sequence[str], answers: Sequence[Answer] | None = None) -> str:
    """The claims named, with their answers, as a page's HTML table; raises ValueError for an unknown id.

    ``answers`` has them where they were found already.
    """
    chosen = [claim for claim in read_claims() if claim.id in ids]
    if unknown := set(ids) - {claim.id for claim in chosen}:
        raise ValueError(f"no claim {', '.join(sorted(unknown))}")
    found = answer_all(chosen) if answers is None else [one for one in answers if one.id in ids]
    return html(found, chosen, "What this page says about the claims.", anchors=True)


def decided_first(answers: Sequence[Answer]) -> list[Answer]:
    """Supported, contradicted, inconclusive, not run; of one verdict in the order given."""
    order = (SUPPORTED, CONTRADICTED, INCONCLUSIVE, NOT_RUN)
    return sorted(answers, key=lambda answer: order.index(answer.verdict))


def pill(verdict: str) -> str:
    """A verdict as HTML."""
    return f'<span class="verdict {verdict.replace(" ", "-")}">{verdict}</span>'


def html(answers: Sequence[Answer], claims: Sequence[Claim], caption: str, anchors: bool = False) -> str:
    """The claims as a table that sorts and filters, decided ones first; each id leads to the claim's section.

    With ``anchors`` the table is that section: each row has the anchor ``claim-<id>``, in lower case, and the
    paper is left out where there is but one.
    """
    one_paper = anchors and len({answer.paper for answer in answers}) == 1
    heads = [head for head in HEADS if not (one_paper and head == "Paper")]
    kept = " ".join(f"keep-{heads.index(head) + 1}" for head in DECISIVE)
    name = "claims-of-page" if anchors else "claims-table"
    lines = [
        f'<table class="claims sortable download filterable {kept}" id="{name}" '
        'data-select="Paper,Printed,Verdict">',
        f"<caption>{markup.escape(caption)}</caption><thead><tr>",
        *(f'<th scope="col">{head}</th>' for head in heads),
        "</tr></thead><tbody>",
    ]
    by_id = {claim.id: claim for claim in linked(claims)}
    for answer in decided_first(answers):
        claim = by_id[answer.id]
        page, _, anchor = claim.page.partition("#")
        place = f' id="claim-{markup.escape(answer.id.lower())}"' if anchors else ""
        said = [answer.reason] if answer.verdict == NOT_RUN or anchors else []
        note = claim.printed.note
        said += [f"In print: {note}"] if anchors and note and note not in answer.reason else []
        cells = (
            f'<a href="{markup.escape(f"../{page}.html#{anchor}")}">{markup.escape(answer.id)}</a>',
            NAMES[answer.paper],
            markup.escape(claim.wording) + _paragraphs(said),
            markup.escape(answer.printed),
            pill(answer.verdict),
            _effect(answer),
        )
        shown = zip(HEADS, cells, strict=True)
        row = (f'<td class="{head.lower()}">{cell}</td>' for head, cell in shown if head in heads)
        lines.append(f"<tr{place}>{''.join(row)}</tr>")
    return "\n".join([*lines, "</tbody></table>"])


def _effect(answer: Answer) -> str:
    of = [f"{answer.corpus}, n = {answer.n:,}", answer.systems] if answer.n is not None else []
    return f"{stacked(effect_text(answer))}{_paragraphs(of)}"


def _paragraphs(texts: Sequence[str]) -> str:
    return "".join(f" <p>{markup.escape(text)}</p>" for text in texts if text)


def aligned(answers: Sequence[Answer]) -> str:
    """The answers as aligned text, one line a claim."""
    rows = [("id", "verdict", "printed", "effect", "corpus", "reason")]
    rows += [(a.id, a.verdict, a.printed, effect_text(a), a.corpus, a.reason) for a in answers]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join("  ".join(t.ljust(w) for t, w in zip(r, widths, strict=True)).rstrip() for r in rows)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m study.answers", description=__doc__)
    file = Path("_build/claims.csv")
    parser.add_argument("--csv", type=Path, default=file, help="where to write the table")
    options = parser.parse_args(arguments)
    answers = answer_all()
    print(aligned(answers))
    write_csv(answers, options.csv)


if __name__ == "__main__":
    main()
