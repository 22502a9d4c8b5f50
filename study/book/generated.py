"""The parts of pages that are made at build time: ``book/generated/*.md``, which the pages include."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from benchlib.runs import published

from .. import answers as shown
from .. import claims as claimed
from ..effects import TESTS
from . import claims as sections
from . import front
from .pages import Outcome
from .status import status


def write(
    folder: Path, csv: Path, checks: Sequence[Outcome], renders: Sequence[Outcome], made: Mapping[str, Any]
) -> None:
    """Write every generated part into ``folder`` and the claims table to ``csv``."""
    folder.mkdir(parents=True, exist_ok=True)
    claims = claimed.load()
    answers = claimed.answer_all(published(), TESTS, claims)
    front.write(folder, claims, answers)
    shown.write_csv(answers, csv)
    shown.write_csv(answers, folder / "claims.csv")
    table = shown.html(answers, claims, "Every claim with its two answers.")
    parts = {
        "claims.md": f"```{{raw}} html\n{table}\n```\n",
        "sections.md": sections.sections(claims, answers),
        "status.md": status(checks, renders, made),
    }
    for name, text in parts.items():
        (folder / name).write_text(text, encoding="utf-8")
