"""The parts of pages that are made at build time: ``book/generated/*.md``, which the pages include."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ..claims import read_claims
from ..claims.answers import answer_all, write_csv
from ..claims.table import html
from . import changed, front
from .claims import sections
from .pages import Outcome
from .status import status


def write(
    folder: Path, csv: Path, checks: Sequence[Outcome], renders: Sequence[Outcome], made: Mapping[str, Any]
) -> None:
    """Write every generated part into ``folder`` and the claims table to ``csv``."""
    folder.mkdir(parents=True, exist_ok=True)
    claims = read_claims()
    answers = answer_all(claims)
    front.write(folder, claims, answers)
    for path in (csv, folder / "claims.csv"):
        write_csv(answers, path)
    table = html(answers, claims, "Every claim with its two answers.")
    parts = {
        "claims.md": f"```{{raw}} html\n{table}\n```\n",
        "sections.md": sections(claims, answers),
        "changed.md": changed.section(claims, answers),
        "status.md": status(checks, renders, made),
    }
    for name, text in parts.items():
        (folder / name).write_text(text, encoding="utf-8")
