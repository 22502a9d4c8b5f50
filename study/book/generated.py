"""The parts of pages that are made at build time: ``book/generated/*.md``, which the pages include."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ..claims import read_claims
from ..claims.answers import answer_all, write_csv
from ..claims.table import html
from ..places import ROOT
from ..records.store import published
from . import changed, front
from .claims import sections
from .pages import Outcome
from .status import status


def write(folder: Path, csv: Path, outcomes: Sequence[Outcome], made: Mapping[str, Any]) -> None:
    """Write every generated part into ``folder`` and the claims table to ``csv``; ``made`` is the provenance
    of the build."""
    folder.mkdir(parents=True, exist_ok=True)
    claims = read_claims()
    answers = answer_all(claims)
    for path in (csv, folder / "claims.csv"):
        write_csv(answers, path)
    runs = front.compared()
    table = html(answers, claims, "Every claim with both answers.")
    parts = {
        "scale": front.scale(published()),
        "found": front.found(claims, answers, runs),
        "counts": front.counts(runs),
        "forest": front.forest(claims, answers),
        "others": front.others(claims, answers),
        "begin": front.begin(ROOT),
        "claims": f"```{{raw}} html\n{table}\n```\n",
        "sections": sections(claims, answers),
        "changed": changed.section(claims, answers),
        "status": status(outcomes, made),
    }
    for name, text in parts.items():
        (folder / f"{name}.md").write_text(text, encoding="utf-8")
