"""The answers to the claims, as a table for files, pages and the terminal.

``python -m benchlib.report.answers`` prints it and writes ``_build/claims.csv``.
"""

from __future__ import annotations

import argparse
import html as markup
import os
import tempfile
from collections.abc import Sequence
from dataclasses import asdict, fields, replace
from pathlib import Path

import pandas as pd

from ..runs import published
from .claims import Answer, Claim, answer_all, load
from .measured import TESTS
from .verdicts import NOT_RUN

HEADS = ("Id", "Paper", "Claim", "Printed", "Verdict", "Effect")
FRONT_TABLE = ' id="claims-table" data-select="Paper,Printed,Verdict"'
NAMES = {
    "biocom": "BioCoM",
    "krissbert": "KRISSBERT",
    "dual_encoder": "Dual encoder",
    "cosines": "CoSiNES",
    "pel": "PEL",
    "shared": "Several papers",
}


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


def effect_text(answer: Answer, unit: str = "") -> str:
    """``17.0 [16.1, 17.9] points``; empty where nothing was measured."""
    if answer.effect is None:
        return ""
    return f"{answer.effect:.1f} [{answer.low:.1f}, {answer.high:.1f}] {unit}".rstrip()


def linked(claims: Sequence[Claim]) -> list[Claim]:
    """The claims with a section for each: that of its chapter, or else that of the page of all claims."""
    return [
        claim if "#" in claim.page else replace(claim, page=f"book/claims#claim-{claim.id.lower()}")
        for claim in claims
    ]


def html(
    answers: Sequence[Answer], claims: Sequence[Claim], caption: str, root: str = "../", anchors: bool = False
) -> str:
    """The claims as a table that sorts and filters; each id leads to the claim's section.

    ``root`` leads from the page to the book's root. With ``anchors`` the table is that section: each row
    has the anchor ``claim-<id>``, in lower case, and the paper is left out where there is but one.
    """
    one_paper = anchors and len({answer.paper for answer in answers}) == 1
    heads = [head for head in HEADS if not (one_paper and head == "Paper")]
    lines = [
        f'<table class="claims sortable filterable"{"" if anchors else FRONT_TABLE}>',
        f"<caption>{markup.escape(caption)}</caption><thead><tr>",
        *(f'<th scope="col">{head}</th>' for head in heads),
        "</tr></thead><tbody>",
    ]
    by_id = {claim.id: claim for claim in linked(claims)}
    for answer in answers:
        claim = by_id[answer.id]
        page, _, anchor = claim.page.partition("#")
        place = f' id="claim-{markup.escape(answer.id.lower())}"' if anchors else ""
        said = [answer.reason] if answer.verdict == NOT_RUN or anchors else []
        note = claim.printed.note
        said += [f"In print: {note}"] if anchors and note and note not in answer.reason else []
        effect = effect_text(answer, claim.rule.unit if claim.rule else "")
        cells = (
            f'<a href="{markup.escape(f"{root}{page}.html#{anchor}")}">{markup.escape(answer.id)}</a>',
            NAMES[answer.paper],
            markup.escape(claim.wording) + "".join(f"<p>{markup.escape(text)}</p>" for text in said),
            markup.escape(answer.printed),
            f'<span class="verdict {answer.verdict.replace(" ", "-")}">{answer.verdict}</span>',
            markup.escape(f"{effect}, {answer.corpus}, n = {answer.n:,}" if effect else ""),
        )
        shown = zip(HEADS, cells, strict=True)
        row = (f'<td class="{head.lower()}">{cell}</td>' for head, cell in shown if head in heads)
        lines.append(f"<tr{place}>{''.join(row)}</tr>")
    return "\n".join([*lines, "</tbody></table>"])


def aligned(answers: Sequence[Answer], claims: Sequence[Claim]) -> str:
    """The answers as aligned text, one line a claim."""
    units = {claim.id: claim.rule.unit if claim.rule else "" for claim in claims}
    rows = [("id", "verdict", "printed", "effect", "corpus", "reason")]
    rows += [(a.id, a.verdict, a.printed, effect_text(a, units[a.id]), a.corpus, a.reason) for a in answers]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join("  ".join(t.ljust(w) for t, w in zip(r, widths, strict=True)).rstrip() for r in rows)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchlib.report.answers", description=__doc__)
    parser.add_argument(
        "--csv", type=Path, default=Path("_build/claims.csv"), help="where to write the table"
    )
    options = parser.parse_args(arguments)
    claims = load()
    answers = answer_all(published(), TESTS, claims)
    print(aligned(answers, claims))
    write_csv(answers, options.csv)


if __name__ == "__main__":
    main()
