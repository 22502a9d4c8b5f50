"""The papers' claims as data: ``data/claims/<paper>.yaml`` has each with the rule and test that decide it."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, Literal

import pandas as pd
from pydantic import Field, model_validator

from ..chapters.chapter import Chapter, read_chapter
from ..places import ROOT
from ..printed import reported
from ..printed import tests as printed
from ..yaml_file import YamlModel, read_yaml, validated
from .claim_tests import PerCorpus, Test, read_test
from .verdicts import Rule

PAPERS = ("biocom", "krissbert", "dual_encoder", "cosines", "pel", "shared")
FOLDER = ROOT / "data" / "claims"


class PrintedTest(YamlModel):
    """A named test over the paper's cells; ``test`` is None where they cannot tell, ``note`` says why."""

    note: str
    test: str | None = None
    arguments: dict[str, Any] = {}


class Beside(YamlModel):
    """A second test that is shown with the first, and decides nothing by itself: ``what`` differs in it.

    It is about ``corpora``, those of the rule unless some are named. Where it ``opposes`` the first, one
    holding and the other not on the same corpora, the claim is mixed. Without a test, ``reason`` says why
    there is none yet.
    """

    what: str
    test: Test | None = None
    reason: str = ""
    corpora: tuple[str, ...] = ()
    opposes: bool = False

    @model_validator(mode="after")
    def _test_or_reason(self) -> Beside:
        if (self.test is None) != bool(self.reason):
            raise ValueError("either a test or a reason why there is none")
        return self


class Claim(YamlModel):
    """A claim in our words, what stands behind it, and how it is decided.

    A measured one is decided by ``rule`` and ``test``, unless a ``reason`` says why there is no test, or why
    what it shows is too small to decide. One without a rule is about printed numbers, whose arithmetic is its
    verdict. ``beside`` are tests that are shown with the first. ``size`` says why the printed size of an
    effect is not comparable where the direction is tested. ``page`` is the page of the book that treats it,
    with the anchor there: that of its paper unless it is said. One that is ``ours`` is a question of this
    study to printed numbers, which no paper claims.
    """

    id: str
    paper: str
    wording: str
    where: tuple[str, ...]
    numbers: tuple[dict[str, Any], ...]
    printed: PrintedTest
    rule: Rule | None = None
    test: Test | None = None
    beside: tuple[Beside, ...] = ()
    size: str = ""
    reason: str | None = None
    page: str = Field(pattern=r"^notebooks/\w+#claim-\w+$")
    ours: bool = False

    @property
    def basis(self) -> Literal["measured", "printed"]:
        return "printed" if self.rule is None else "measured"

    @model_validator(mode="after")
    def _can_be_decided(self) -> Claim:
        if self.rule is None and (self.test or self.reason or self.printed.test is None):
            raise ValueError("a printed test, and neither test nor reason, of a claim without a rule")
        if self.rule is not None and self.test is None and self.reason is None:
            raise ValueError("a test of a claim with a rule, or a reason why there is none")
        if isinstance(self.test, PerCorpus) and set(self.test.tests) != set(self.rule.corpora):
            raise ValueError(f"a test for each corpus of the rule, {', '.join(self.rule.corpora)}")
        for beside in self.beside:
            if self.test is None or not set(beside.corpora) <= set(self.rule.corpora):
                raise ValueError("beside: a test of the claim, and corpora of its rule")
        return self


def read_claims(folder: Path = FOLDER) -> list[Claim]:
    """The claims of all papers, in the order of ``PAPERS`` and of each file.

    Raises ValueError of one sentence, which names file, claim and key, for what is not as described here, an
    id given twice, and a data set, system, run set, printed test or printed number that there is not.
    """
    rows, chapters = reported.read_reported(), cache(read_chapter)
    claims, seen = [], {}
    for paper in PAPERS:
        path = folder / f"{paper}.yaml"
        entries = read_yaml(path)
        if not isinstance(entries, list):
            raise ValueError(f"{path.name}: expected a list of claims, found {type(entries).__name__}")
        for position, entry in enumerate(entries, 1):
            name = entry.get("id", f"number {position}") if isinstance(entry, dict) else f"number {position}"
            where = f"{path.name}: claim {name}"
            if isinstance(entry, dict):
                entry = {"page": f"notebooks/{paper}#claim-{str(name).lower()}"} | entry
                if entry.get("test") is not None:
                    entry |= {"test": read_test(entry["test"], paper, f"{where}: test", chapters)}
                if isinstance(entry.get("beside"), list):
                    entry |= {"beside": [_beside(one, paper, where, chapters) for one in entry["beside"]]}
            claims.append(_claim(entry, paper, of_paper(rows, paper), where))
            if name in seen:
                raise ValueError(
                    f"{where}: id: expected one of its own, found that of a claim in {seen[name]}"
                )
            seen[name] = path.name
    return claims


def of_paper(rows: pd.DataFrame, paper: str) -> pd.DataFrame:
    """The reported numbers that a claim of a paper is about; ``shared`` ones are about all."""
    return rows if paper == "shared" else reported.select(rows, paper=paper)


def _beside(entry: Any, paper: str, where: str, chapters: Callable[[str], Chapter]) -> Any:
    if isinstance(entry, dict) and entry.get("test") is not None:
        return entry | {"test": read_test(entry["test"], paper, f"{where}: beside: test", chapters)}
    return entry


def _claim(entry: Any, paper: str, rows: pd.DataFrame, where: str) -> Claim:
    claim = validated(Claim, entry, where, paper=paper)
    try:
        if claim.printed.test is not None:
            printed.check(claim.printed.test, claim.printed.arguments)
        for selector in claim.numbers:
            if reported.select(rows, **selector).empty:
                raise ValueError(f"numbers: no reported number matches {selector}")
    except ValueError as error:
        raise ValueError(f"{where}: {error}") from None
    return claim
