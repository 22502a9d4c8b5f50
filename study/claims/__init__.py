"""The papers' claims as data: ``data/claims/<paper>.yaml`` has each with the rule and test that decide it."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

import pandas as pd
from pydantic import Field, model_validator

from ..papers import papers
from ..places import ROOT
from ..printed import reported
from ..printed.tests import PrintedResult, printed_result
from ..yaml_file import YamlModel, read_yaml, validated
from .claim_tests import ClaimTest, read_test
from .verdicts import Rule

FOLDER = ROOT / "data" / "claims"


class Printed(YamlModel):
    """A named test over the paper's cells with its ``result``; without one, ``note`` says why they cannot
    tell."""

    note: str
    test: str | None = None
    arguments: dict[str, Any] = {}
    result: PrintedResult | None = None

    @property
    def answer(self) -> str:
        """What arithmetic on the paper's own numbers says: ``yes``, ``no`` or ``not checkable``."""
        return "not checkable" if self.result is None else "yes" if self.result.holds else "no"


class Beside(YamlModel):
    """A second test that is shown with the first, and decides nothing by itself: ``what`` differs in it.

    It is about ``corpora``, those of the rule unless some are named. Where it ``opposes`` the first, one
    holding and the other not on the same corpora, the claim is mixed.
    """

    what: str
    test: ClaimTest
    corpora: tuple[str, ...] = ()
    opposes: bool = False


class Claim(YamlModel):
    """A claim in our words, what stands behind it, and how it is decided.

    A measured one is decided by ``rule`` and ``test``, unless a ``reason`` says why there is no test, or why
    what it shows is too small to decide. One without a rule is about printed numbers, whose arithmetic is its
    verdict. ``beside`` are tests that are shown with the first. ``size`` says why the printed size of an
    effect is not comparable where the direction is tested. A ``late`` one got its first rule when its number
    was known. ``page`` is the page of the book that treats it, with the anchor there: that of its paper
    unless it is said. One that is ``ours`` is a question of this study to printed numbers, which no paper
    claims.
    """

    id: str
    paper: str
    wording: str
    where: tuple[str, ...]
    numbers: tuple[dict[str, Any], ...]
    printed: Printed
    rule: Rule | None = None
    test: ClaimTest | None = None
    beside: tuple[Beside, ...] = ()
    size: str = ""
    reason: str | None = None
    page: str = Field(pattern=r"^notebooks/\w+#claim-\w+$")
    ours: bool = False
    late: bool = False

    @property
    def basis(self) -> Literal["measured", "printed"]:
        return "printed" if self.rule is None else "measured"

    @model_validator(mode="after")
    def _can_be_decided(self) -> Claim:
        if self.rule is None and (self.test or self.reason or self.printed.test is None):
            raise ValueError("a printed test, and neither test nor reason, of a claim without a rule")
        if self.rule is not None and self.test is None and self.reason is None:
            raise ValueError("a test of a claim with a rule, or a reason why there is none")
        if self.test and set(self.test.parts) not in ({""}, set(self.rule.corpora)):
            raise ValueError(f"a test for each corpus of the rule, {', '.join(self.rule.corpora)}")
        for beside in self.beside:
            if self.test is None or not set(beside.corpora) <= set(self.rule.corpora):
                raise ValueError("`beside`: a test of the claim, and corpora of its rule")
            if set(beside.test.parts) not in ({""}, set(beside.corpora or self.rule.corpora)):
                raise ValueError("`beside`: a test for each of its corpora")
        return self


def read_claims(folder: Path = FOLDER) -> list[Claim]:
    """The claims of all papers, in the order of ``data/papers.yaml`` and of each file.

    Raises ValueError of one sentence, which names file, claim and key, for what is not as described here, an
    id given twice, and a data set, chapter, printed test or printed number that there is not.
    """
    rows, claims = reported.read_reported(), {}
    for paper in papers():
        path = folder / f"{paper}.yaml"
        entries = read_yaml(path)
        if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
            raise ValueError(f"{path.name}: expected a list of claims, each a mapping")
        for position, entry in enumerate(entries, 1):
            where = f"{path.name}: claim {entry.get('id', f'number {position}')}"
            claim = _claim(entry, paper, where, of_paper(rows, paper))
            if claim.id in claims:
                other = f"{claims[claim.id].paper}.yaml"
                raise ValueError(f"{where}: id: expected one of its own, found that of a claim in {other}")
            claims[claim.id] = claim
    return [*claims.values()]


def _claim(entry: dict[str, Any], paper: str, where: str, rows: pd.DataFrame) -> Claim:
    page = f"notebooks/{paper}#claim-{str(entry.get('id')).lower()}"
    entry = {"page": page} | _tests_read(entry, paper, where)
    if isinstance(entry.get("beside"), list):
        entry["beside"] = [_tests_read(beside, paper, f"{where}: beside") for beside in entry["beside"]]
    claim = validated(Claim, entry, where, paper=paper)
    try:
        for selector in claim.numbers:
            if reported.select(rows, **selector).empty:
                raise ValueError(f"numbers: no reported number matches {selector}")
        if claim.printed.test is None:
            return claim
        result = printed_result(rows, claim.printed.test, claim.printed.arguments)
    except ValueError as error:
        raise ValueError(f"{where}: {error}") from None
    return claim.model_copy(update={"printed": claim.printed.model_copy(update={"result": result})})


def _tests_read(entry: dict[str, Any], paper: str, where: str) -> dict[str, Any]:
    test = entry.get("test")
    return entry if test is None else entry | {"test": read_test(test, paper, f"{where}: test")}


def of_paper(rows: pd.DataFrame, paper: str) -> pd.DataFrame:
    """The reported numbers that a claim of a paper is about; ``shared`` ones are about all."""
    return rows if paper == "shared" else reported.select(rows, paper=paper)
