"""The answers to the claims, as a table for files, pages and the terminal."""

from __future__ import annotations

import html as markup
import os
import tempfile
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd

if TYPE_CHECKING:
    from .claims import Claim


@dataclass(frozen=True)
class Answer:
    """One row of the claims table. The numbers are those of the deciding effect, None where there is none."""

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


def html(answers: Sequence[Answer], claims: Sequence[Claim], root: str = "") -> str:
    """The claims as a table that sorts and filters; ``root`` leads from the page to the book's front.

    Each row has the anchor ``claim-<id>``, in lower case; its id links to the page where the claim is treated.
    """
    by_id = {claim.id: claim for claim in claims}
    heads = ["Id", "Paper", "Claim", "Printed", "Verdict", "Effect", "n", "Corpus", "Reason"]
    lines = ['<table class="claims sortable filterable">', "<thead><tr>"]
    lines += [f'<th scope="col">{head}</th>' for head in heads] + ["</tr></thead>", "<tbody>"]
    for a in answers:
        claim = by_id[a.id]
        page, _, anchor = claim.page.partition("#")
        cell_id = markup.escape(a.id)
        if anchor:
            cell_id = f'<a href="{markup.escape(f"{root}{page}.html#{anchor}")}">{cell_id}</a>'
        texts = [
            a.paper, claim.wording, f"{a.printed}: {claim.printed.note}", a.verdict,
            effect_text(a, claim.rule.unit if claim.rule else ""), "" if a.n is None else f"{a.n}", a.corpus,
            a.reason,
        ]  # fmt: skip
        cells = "".join(f"<td>{text}</td>" for text in [cell_id, *map(markup.escape, texts)])
        lines.append(f'<tr id="claim-{markup.escape(a.id.lower())}">{cells}</tr>')
    return "\n".join([*lines, "</tbody>", "</table>"])


def aligned(answers: Sequence[Answer], claims: Sequence[Claim]) -> str:
    """The answers as aligned text, one line a claim."""
    units = {claim.id: claim.rule.unit if claim.rule else "" for claim in claims}
    rows = [("id", "verdict", "printed", "effect", "corpus", "reason")]
    rows += [(a.id, a.verdict, a.printed, effect_text(a, units[a.id]), a.corpus, a.reason) for a in answers]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join("  ".join(t.ljust(w) for t, w in zip(r, widths, strict=True)).rstrip() for r in rows)
