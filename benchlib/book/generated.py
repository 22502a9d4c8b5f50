"""The parts of pages that are made at build time: ``book/generated/*.md``, which the pages include."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from ..report import answers as shown
from ..report import claims as claimed
from ..report.measured import TESTS
from ..runs import published
from . import claims as sections
from .pages import Outcome
from .status import status

FRONT = "benchlib.report.front"
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
    """Write every generated part into ``folder`` and the claims table to ``csv``.

    ``benchlib.report.front.write(folder)`` makes ``findings.md`` and ``gap.svg``; without it the findings
    are the count of the verdicts, and there is no figure.
    """
    folder.mkdir(parents=True, exist_ok=True)
    claims = claimed.load()
    answers = claimed.answer_all(published(), TESTS, claims)
    (folder / "findings.md").write_text(_findings(answers), encoding="utf-8")
    if find_spec(FRONT):
        import_module(FRONT).write(folder)
    shown.write_csv(answers, csv)
    shown.write_csv(answers, folder / "claims.csv")
    parts = {
        "figure.md": FIGURE if (folder / "gap.svg").exists() else "",
        "claims.md": f"```{{raw}} html\n{sections.table(claims, answers)}\n```\n",
        "sections.md": sections.sections(claims, answers),
        "status.md": status(checks, renders, made),
    }
    for name, text in parts.items():
        (folder / name).write_text(text, encoding="utf-8")


def _findings(answers: Sequence[shown.Answer]) -> str:
    verdicts = Counter(answer.verdict for answer in answers)
    counted = ", ".join(f"{n} {verdict}" for verdict, n in verdicts.most_common())
    unborne = sum(answer.printed == "no" for answer in answers)
    return (
        f"Of {len(answers)} claims: {counted}. In {unborne} of them the paper's own printed numbers do not "
        "bear out its wording.\n"
    )
