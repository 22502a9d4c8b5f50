"""The parts of pages that are made at build time: ``book/generated/*.md``, which the pages include."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ..report import answers as shown
from ..report import claims as claimed
from ..report import front
from ..report.measured import TESTS
from ..runs import published
from . import claims as sections
from .pages import Outcome
from .status import status

FIGURE = """```{figure} generated/gap.svg
:name: fig-front
:alt: For every corpus and linker one dot for strict and one for lenient accuracy, joined by a line.
:figclass: plain

The same predictions under a strict and a lenient protocol. Bars are 95 % intervals; the line between two
dots is what the protocol alone is worth. The numbers are in
[How scores are counted](../notebooks/protocols.ipynb).
```
"""


def write(
    folder: Path, csv: Path, checks: Sequence[Outcome], renders: Sequence[Outcome], made: Mapping[str, Any]
) -> None:
    """Write every generated part into ``folder`` and the claims table to ``csv``."""
    folder.mkdir(parents=True, exist_ok=True)
    claims = claimed.load()
    answers = claimed.answer_all(published(), TESTS, claims)
    front.write(folder)
    shown.write_csv(answers, csv)
    shown.write_csv(answers, folder / "claims.csv")
    table = shown.html(answers, claims, "Every claim with its two answers.")
    parts = {
        "figure.md": FIGURE,
        "claims.md": f"```{{raw}} html\n{table}\n```\n",
        "sections.md": sections.sections(claims, answers),
        "status.md": status(checks, renders, made),
    }
    for name, text in parts.items():
        (folder / name).write_text(text, encoding="utf-8")
