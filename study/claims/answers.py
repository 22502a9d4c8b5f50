"""The answers to the claims: found, and shown as a table in files, pages and the terminal.

``study claims`` prints it and writes ``_build/claims.csv``.
"""

import argparse
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path

import pandas as pd

from benchlib.terminal import write

from ..pages.numbers import between
from ..printed import tests as printed
from ..printed.reported import read_reported
from ..records import MissingRecord
from . import Beside, Claim, changed_rules, of_paper, read_claims
from .claim_tests import Test
from .compared import ONE_TRAINING, kinds, with_states
from .effect import Effect
from .evidence import Evidence, Untrained
from .verdicts import FAILS, HOLDS, MIXED, NOT_RUN, TOO_SMALL, Rule, decide, fails_already, lacking

NOT_CHECKABLE = "not checkable"


@dataclass(frozen=True)
class Answer:
    """One row of the claims table. The numbers are those of the deciding effect, None where there is none, in
    the rule's ``unit``; ``systems`` says what was set against what, ``beside`` what further tests show, and
    ``changed`` whether its rule changed after a number was first stored
    (:mod:`study.claims.changed_rules`)."""

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
    wording: str
    rule: str
    unit: str
    systems: str
    beside: str = ""
    changed: bool = False

    @property
    def decided(self) -> bool:
        return self.verdict in (HOLDS, FAILS, MIXED)


def printed_answer(claim: Claim, rows: pd.DataFrame) -> str:
    """``yes``, ``no`` or ``not checkable``: what arithmetic on the paper's own numbers says.

    ``rows`` are the reported numbers of all papers. Raises ValueError, naming the claim, when a cell that
    the test needs is not there.
    """
    test = claim.printed.test
    if test is None:
        return NOT_CHECKABLE
    try:
        found = printed.printed_result(of_paper(rows, claim.paper), test, claim.printed.arguments)
    except (LookupError, ValueError) as error:
        raise ValueError(f"{claim.paper}.yaml: claim {claim.id}: printed test: {error}") from None
    return "yes" if found.holds else "no"


def answer(claim: Claim, says: str, evidence: Evidence) -> Answer:
    """The claim's two answers, of which ``says`` is the printed one; see :func:`answer_all`."""
    rule = claim.rule
    verdict, reason, effect, beside = _verdict(claim, says, evidence)
    numbers = (effect.value, effect.low, effect.high, effect.n) if effect else (None,) * 4
    corpus, systems = (effect.corpus, effect.systems) if effect else ("", "")
    decided = (str(rule), rule.unit) if rule else ("", "")
    asked = (claim.basis, says, claim.wording)
    more = (systems, "; ".join(beside), claim.id in changed_rules.ids())
    return Answer(claim.id, claim.paper, verdict, *numbers, corpus, reason, *asked, *decided, *more)


def _verdict(claim: Claim, says: str, evidence: Evidence) -> tuple[str, str, Effect | None, list[str]]:
    """The verdict with its reason, the effect that decided, and what stands beside it."""
    rule, test = claim.rule, claim.test
    if claim.basis == "printed":
        return HOLDS if says == "yes" else FAILS, f"arithmetic on print: {claim.printed.note}", None, []
    if test is None:
        return NOT_RUN, claim.reason, None, []
    try:
        effects, missing = _effects(test, rule, rule.corpora, evidence)
        if not effects:
            return NOT_RUN, f"no record yet; make it with: study run {test.chapter}", None, []
        told = [_told(beside, rule, effects, evidence) for beside in claim.beside]
        notes = [*_without_training(test, rule, effects, evidence), *(text for text, _ in told)]
    except ValueError as error:
        raise ValueError(f"{claim.paper}.yaml: claim {claim.id}: test: {error}") from error
    if missing:
        if claim.reason is None and (effect := fails_already(rule, effects)):
            return FAILS, f"{rule}; {', '.join(missing)}, not run yet, cannot change it", effect, notes
        _, effect = decide(_on(rule, effects), effects)
        return TOO_SMALL, claim.reason or f"no record yet on {', '.join(missing)}", effect, notes
    verdict, effect = decide(rule, effects)
    if claim.reason is not None:
        return TOO_SMALL, claim.reason, effect, notes
    if opposing := [beside.what for beside, (_, opposed) in zip(claim.beside, told, strict=True) if opposed]:
        return MIXED, f"opposed {', '.join(opposing)}; {rule}", effect, notes
    if verdict == TOO_SMALL:
        lacks = "; ".join(dict.fromkeys(one.lacks for one in effects if one.lacks)) or lacking(rule, effect)
        return verdict, f"{lacks}; {rule}" if lacks else str(rule), effect, notes
    return verdict, str(rule), effect, notes


def _effects(
    test: Test, rule: Rule, corpora: Iterable[str], evidence: Evidence
) -> tuple[list[Effect], list[str]]:
    """The effects on corpora, with what the states of trainings forbid, and the corpora without a record."""
    effects, missing = [], []
    for corpus in corpora:
        try:
            effects.append(with_states(test.effect(evidence, corpus), test, rule, evidence))
        except MissingRecord:
            missing.append(corpus)
    return effects, missing


def _on(rule: Rule, effects: Sequence[Effect]) -> Rule:
    """The rule on the corpora of some effects alone."""
    return rule.model_copy(update={"corpora": tuple(effect.corpus for effect in effects)})


def _told(beside: Beside, rule: Rule, effects: Sequence[Effect], evidence: Evidence) -> tuple[str, bool]:
    """What a second test shows, in words, and whether it opposes the first on the corpora of both."""
    if beside.test is None:
        return f"{beside.what}: {NOT_RUN}, {beside.reason}", False
    corpora = beside.corpora or rule.corpora
    others, _ = _effects(beside.test, rule, corpora, evidence)
    if not others:
        return f"{beside.what}: {NOT_RUN}, no record yet", False
    _, effect = decide(_on(rule, others), others)
    both = {other.corpus for other in others} & {effect.corpus for effect in effects}
    first, second = ([one for one in of if one.corpus in both] for of in (effects, others))
    opposed = bool(both) and {decide(_on(rule, of), of)[0] for of in (first, second)} == {HOLDS, FAILS}
    return f"{beside.what}: {_numbers(effect, rule)}", beside.opposes and opposed


def _without_training(test: Test, rule: Rule, effects: Sequence[Effect], evidence: Evidence) -> list[str]:
    """The effect with zero updates, where a claim compares two indexes or inputs of one training."""
    if any(kinds(test, evidence, effect.corpus) != {ONE_TRAINING} for effect in effects):
        return []
    try:
        untrained = [test.effect(Untrained(evidence), effect.corpus) for effect in effects]
    except MissingRecord:
        return [f"with zero updates: {NOT_RUN}, no record yet"]
    return [f"with zero updates: {_numbers(decide(_on(rule, untrained), untrained)[1], rule)}"]


def _numbers(effect: Effect, rule: Rule) -> str:
    return f"{_between(effect.value, effect.low, effect.high, rule.unit)} ({effect.corpus})"


def answer_all(claims: Sequence[Claim] | None = None, evidence: Evidence | None = None) -> list[Answer]:
    """One answer a claim, in order: of all claims where none are given.

    ``evidence`` is that of the published records unless another is given; records of ``mini`` decide nothing.
    A claim without a number is not run. One whose record is missing on some corpus is too small to decide,
    unless it fails on the others already; what these say is shown. Raises ValueError, naming the claim, for
    one that its chapter cannot decide.
    """
    rows = read_reported()
    claims = read_claims() if claims is None else claims
    evidence = evidence or Evidence()
    return [answer(claim, printed_answer(claim, rows), evidence) for claim in claims]


def table(answers: Sequence[Answer]) -> pd.DataFrame:
    """One row a claim, the columns of ``claims.csv``."""
    frame = pd.DataFrame([asdict(a) for a in answers], columns=[field.name for field in fields(Answer)])
    return frame.astype({"n": "Int64"})


def write_csv(answers: Sequence[Answer], path: Path) -> None:
    """Write ``claims.csv`` whole or not at all."""
    write(path, table(answers).to_csv(index=False, lineterminator="\n"))


def effect_text(answer: Answer) -> str:
    """``17.0 [16.1, 17.9] points``; empty where nothing was measured."""
    if answer.effect is None:
        return ""
    return _between(answer.effect, answer.low, answer.high, answer.unit)


def _between(value: float, low: float, high: float, unit: str) -> str:
    if low == high:  # a count
        return f"{value:,g} {unit}"
    digits = 2 if unit == "x" and abs(value) < 10 else 1
    return f"{between(value, low, high, digits=digits)} {unit}".rstrip()


def of_chapter(name: str) -> list[Answer]:
    """The answers to the claims of a chapter's paper."""
    return answer_all([claim for claim in read_claims() if claim.paper == name])


def aligned(answers: Sequence[Answer]) -> str:
    """The answers as aligned text, one line a claim."""
    rows = [("id", "verdict", "printed", "effect", "corpus", "reason")]
    rows += [(a.id, a.verdict, a.printed, effect_text(a), a.corpus, a.reason) for a in answers]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join("  ".join(t.ljust(w) for t, w in zip(r, widths, strict=True)).rstrip() for r in rows)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="study claims", description=__doc__)
    file = Path("_build/claims.csv")
    parser.add_argument("--csv", type=Path, default=file, help="where to write the table")
    options = parser.parse_args(arguments)
    answers = answer_all()
    print(aligned(answers))
    write_csv(answers, options.csv)


if __name__ == "__main__":
    main()
