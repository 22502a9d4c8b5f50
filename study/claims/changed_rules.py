"""Claims whose rule changed after their number was first stored (``data/changed_rules.yaml``).

The file is written by ``python -m study.claims.history`` from the history of ``data/claims``, which a shallow
clone does not have.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

from ..places import ROOT
from ..yaml_file import YamlModel, read_yaml, validated
from .verdicts import Rule

FILE = ROOT / "data" / "changed_rules.yaml"


class Change(YamlModel):
    """What a commit ``changed`` of a claim (rule, corpora, test) whose number was there: ``rule`` and
    ``test`` are those before it, ``then`` the answer of that day, in the words of today."""

    id: str
    date: str
    commit: str
    changed: tuple[str, ...]
    then: str
    rule: Rule
    test: dict[str, Any]


@cache
def read_changes(path: Path = FILE) -> tuple[Change, ...]:
    """Raises ValueError, naming file and line, for what is not as described."""
    return tuple(
        validated(Change, entry, f"{path.name}: change {number}")
        for number, entry in enumerate(read_yaml(path), 1)
    )


def ids() -> set[str]:
    """The claims that have changed."""
    return {change.id for change in read_changes()}
