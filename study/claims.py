"""The papers' claims, each with two answers: do its printed numbers bear it out, and do our records?"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path

import pandas as pd
import yaml

from ..datasets import registry
from . import printed, reported
from .verdicts import CONTRADICTED, NOT_RUN, SUPPORTED, Effect, Rule, decide

PAPERS = ("biocom", "krissbert", "dual_encoder", "cosines", "pel", "shared")
FOLDER = Path(__file__).resolve().parents[2] / "data" / "claims"
NOT_CHECKABLE = "not checkable"

Measure = Callable[..., list[Effect]]


@dataclass(frozen=True)
class Printed:
    """A named test over the paper's cells; ``test`` is None where they cannot tell, ``note`` says why."""

    test: str | None
    arguments: dict
    note: str


@dataclass(frozen=True)
class Measured:
    """A named function over records; the rule's corpora are added to its arguments."""

    name: str
    arguments: dict


@dataclass(frozen=True)
class Claim:
    """A claim in our words, what stands behind it, and how it is decided.

    ``basis`` is ``measured`` (``rule`` and ``test`` decide, or ``reason`` says why nothing does yet) or
    ``printed``: the claim is about printed numbers, so their arithmetic is the verdict. ``page`` is a page
    of the book, with an anchor once the claim is treated there.
    """

    id: str
    paper: str
    wording: str
    where: tuple[str, ...]
    numbers: tuple[dict, ...]
    rule: Rule | None
    basis: str
    printed: Printed
    test: Measured | None
    reason: str | None
    page: str


# ---------------------------------------------------------------- reading


class _UniqueKeys(yaml.SafeLoader):
    """YAML silently keeps the last of two equal keys; here they are an error."""

    def construct_mapping(self, node, deep=False):
        keys = [self.construct_object(key, deep=True) for key, _ in node.value]
        for key in keys:
            if keys.count(key) > 1:
                raise yaml.constructor.ConstructorError(None, None, f"key {key!r} twice", node.start_mark)
        return super().construct_mapping(node, deep)


def _exact_keys(kind: type, values: object, what: str, but: tuple[str, ...] = ()) -> dict:
    names = [field.name for field in fields(kind) if field.name not in but]
    if not isinstance(values, dict) or set(values) != set(names):
        found = sorted(map(str, values)) if isinstance(values, dict) else values
        raise ValueError(f"{what}: expected the keys {', '.join(names)}, found {found}")
    return values


def _claim(entry: object, paper: str, rows: pd.DataFrame) -> Claim:
    raw = dict(_exact_keys(Claim, entry, "claim", but=("paper",)))
    if raw["basis"] not in ("measured", "printed"):
        raise ValueError(f"basis is {raw['basis']!r}; expected measured or printed")
    if raw["rule"] is not None:
        rule = _exact_keys(Rule, raw["rule"], "rule")
        for corpus in rule["corpora"]:
            registry.benchmark(corpus)
        raw["rule"] = Rule(**rule | {"corpora": tuple(rule["corpora"])})
    raw["printed"] = Printed(**_exact_keys(Printed, raw["printed"], "printed"))
    if raw["printed"].test is not None:
        printed.check(raw["printed"].test, raw["printed"].arguments)
    if raw["test"] is not None:
        raw["test"] = Measured(**_exact_keys(Measured, raw["test"], "test"))
    if (raw["basis"] == "measured") != (raw["rule"] is not None):
        raise ValueError("a measured claim has a rule, a printed one has none (its printed test decides)")
    if raw["basis"] == "printed" and (raw["test"] is not None or raw["printed"].test is None):
        raise ValueError("a claim on a printed basis needs a printed test and no other")
    if (raw["basis"] == "measured" and raw["test"] is None) != (raw["reason"] is not None):
        raise ValueError("a reason stands where, and only where, a measured claim has no test")
    for selector in raw["numbers"]:
        if reported.select(rows, **selector).empty:
            raise ValueError(f"no reported number matches {selector}")
    return Claim(paper=paper, **raw | {"where": tuple(raw["where"]), "numbers": tuple(raw["numbers"])})


def _rows_of(paper: str, rows: pd.DataFrame) -> pd.DataFrame:
    return rows if paper == "shared" else rows[rows["paper"] == paper]


def load(folder: Path = FOLDER) -> list[Claim]:
    """The claims of all papers, in the order of ``PAPERS`` and of each file.

    Raises ValueError, naming file and claim, for a missing or unknown key, a duplicate id, an unknown
    printed test, dataset or reported cell, and for YAML that does not parse.
    """
    rows, claims, seen = reported.load(), [], {}
    for paper in PAPERS:
        path = Path(folder) / f"{paper}.yaml"
        try:
            entries = yaml.load(path.read_text(encoding="utf-8"), Loader=_UniqueKeys)  # noqa: S506 - a SafeLoader
        except yaml.YAMLError as error:
            raise ValueError(f"{path}: {error}") from None
        if not isinstance(entries, list):
            raise ValueError(f"{path}: expected a list of claims, found {type(entries).__name__}")
        for position, entry in enumerate(entries, 1):
            name = entry.get("id", f"number {position}") if isinstance(entry, dict) else f"number {position}"
            try:
                claims.append(_claim(entry, paper, _rows_of(paper, rows)))
            except (ValueError, TypeError) as error:
                raise ValueError(f"{path}: claim {name}: {error}") from None
            if name in seen:
                raise ValueError(f"{path}: claim {name}: this id is taken in {seen[name]}")
            seen[name] = path
    return claims


# ---------------------------------------------------------------- answering


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


def printed_answer(claim: Claim, rows: pd.DataFrame) -> str:
    """``yes``, ``no`` or ``not checkable``: what arithmetic on the paper's own numbers says.

    ``rows`` are the reported numbers of all papers. Raises ValueError, naming the claim, when a cell that
    the test needs is not there.
    """
    if claim.printed.test is None:
        return NOT_CHECKABLE
    try:
        holds = printed.run(_rows_of(claim.paper, rows), claim.printed.test, claim.printed.arguments).holds
    except (LookupError, ValueError) as error:
        raise ValueError(f"claim {claim.id}: printed test: {error}") from None
    return "yes" if holds else "no"


def answer(claim: Claim, says: str, store: object, measured: Mapping[str, Measure]) -> Answer:
    """The claim's two answers, of which ``says`` is the printed one; see :func:`answer_all`."""

    def row(verdict: str, reason: str, effect: Effect | None = None) -> Answer:
        numbers = (effect.value, effect.low, effect.high, effect.n) if effect else (None,) * 4
        corpus = effect.corpus if effect else ""
        return Answer(claim.id, claim.paper, verdict, *numbers, corpus, reason, claim.basis, says)

    if claim.basis == "printed":
        return row(SUPPORTED if says == "yes" else CONTRADICTED, f"arithmetic on print: {claim.printed.note}")
    if claim.test is None:
        return row(NOT_RUN, claim.reason)
    if claim.test.name not in measured:
        raise ValueError(f"{claim.paper}.yaml: claim {claim.id}: unknown measured test {claim.test.name!r}")
    function, arguments = (
        measured[claim.test.name],
        {"corpora": list(claim.rule.corpora)} | claim.test.arguments,
    )
    try:
        inspect.signature(function).bind(store, **arguments)
    except TypeError as error:
        raise ValueError(f"{claim.paper}.yaml: claim {claim.id}: test {claim.test.name}: {error}") from None
    try:
        effects = function(store, **arguments)
    except (KeyError, IndexError):
        raise  # a mistake in the test, not a missing record
    except LookupError as error:
        return row(NOT_RUN, f"no record yet; make it with: {error}")
    verdict, effect = decide(claim.rule, effects)
    return row(verdict, str(claim.rule), effect)


def answer_all(
    store: object, measured: Mapping[str, Measure], claims: Sequence[Claim] | None = None
) -> list[Answer]:
    """One answer a claim, in file order.

    ``measured`` maps a test's name to ``f(store, corpora, **arguments)``, which returns one effect for
    each corpus, or raises LookupError with the command that makes a missing record: then the claim is
    not run. ``store`` must be that of the published records; records of ``mini`` decide nothing.
    Raises ValueError for a test that ``measured`` does not have.
    """
    rows = reported.load()
    claims = load() if claims is None else claims
    return [answer(claim, printed_answer(claim, rows), store, measured) for claim in claims]
