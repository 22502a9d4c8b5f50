"""The answers to the claims, and their table in files, pages and the terminal.

``study claims`` prints it and writes ``_build/claims.csv``.
"""

import argparse
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path

import pandas as pd

from benchlib.terminal import write

from ..chapters.training_states import AT_CHANCE, NO_BETTER, NOT_KNOWN, RISING
from ..pages.numbers import between
from ..places import ROOT
from ..records import MissingRecord
from . import Beside, Claim, read_claims
from .claim_tests import NOT_BETTER, ONE_TRAINING, ClaimTest, kinds, with_states
from .effect import Effect
from .evidence import Evidence, Untrained
from .history import read_changes
from .verdicts import FAILS, HOLDS, MIXED, NOT_RUN, TOO_SMALL, Rule, decide, lacking

_LACKED = {  # by the words of a reason; the first that are found count
    "runs": f"{NOT_KNOWN}|(record|verdict) yet|is not known",
    "a training better than none": f"{NO_BETTER}|{AT_CHANCE}|{NOT_BETTER}",
    "a training at a plateau": RISING,
    "what the paper used": "a stand-in",
    "mentions": "a test set",
    "something else": "",
}


@dataclass(frozen=True)
class Answer:
    """One row of the claims table. The numbers are those of the deciding effect, None where there is none, in
    the rule's ``unit``; ``seeds`` are those of single seeds where there are several, ``systems`` says what
    was set against what, ``beside`` what further tests show, and ``changed`` whether its rule changed after a
    number was first stored (:mod:`study.claims.history`)."""

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
    seeds: str = ""
    beside: str = ""
    changed: bool = False

    @property
    def decided(self) -> bool:
        return self.verdict in (HOLDS, FAILS, MIXED)


def answer(claim: Claim, evidence: Evidence) -> Answer:
    """The claim's two answers; see :func:`answer_all`."""
    rule, unit = (str(claim.rule), claim.rule.unit) if claim.rule else ("", "")
    verdict, reason, effect, beside = _verdict(claim, evidence)
    numbers = (effect.value, effect.low, effect.high, effect.n) if effect else (None,) * 4
    corpus, systems = (effect.corpus, effect.systems) if effect else ("", "")
    asked = (claim.basis, claim.printed.answer, claim.wording, rule, unit)
    form = "+.1f" if unit == "points" else ".2f"
    seeds = ", ".join(f"{seed:{form}}" for seed in effect.seeds) if effect else ""
    said = (systems, seeds, "; ".join(beside), claim.id in {change.id for change in read_changes()})
    return Answer(claim.id, claim.paper, verdict, *numbers, corpus, reason, *asked, *said)


def _verdict(claim: Claim, evidence: Evidence) -> tuple[str, str, Effect | None, list[str]]:
    """The verdict with its reason, the effect that decided, and what further tests show."""
    rule, test = claim.rule, claim.test
    if rule is None:
        verdict = HOLDS if claim.printed.result.holds else FAILS
        return verdict, f"reported numbers: {claim.printed.note}", None, []
    if test is None:
        return NOT_RUN, claim.reason, None, []
    try:
        effects, missing = _effects(test, rule, rule.corpora, evidence)
        if not effects:
            return NOT_RUN, f"no record yet; make it with: study run {test.chapter}", None, []
        further = [_further(beside, rule, effects, evidence) for beside in claim.beside]
        notes = [
            *([f"by corpus: {_each(effects, rule)}"] if len(effects) > 1 else []),
            *_without_training(test, rule, effects, evidence),
            *(text for text, _ in further),
        ]
        verdict, effect = decide(rule, effects)
    except ValueError as error:
        raise ValueError(f"{claim.paper}.yaml: claim {claim.id}: test: {error}") from error
    said = f"Rule: {rule}"
    if missing or claim.reason is not None:
        return TOO_SMALL, claim.reason or f"no record yet on {', '.join(missing)}", effect, notes
    asked = [(of.what, opposes) for of, (_, opposes) in zip(claim.beside, further, strict=True) if of.opposes]
    if opposing := [what for what, opposes in asked if opposes]:
        return MIXED, f"opposed {', '.join(opposing)}. {said}", effect, notes
    if verdict != TOO_SMALL and (unknown := [what for what, opposes in asked if opposes is None]):
        return TOO_SMALL, f"no verdict yet {', '.join(unknown)}, which may oppose it. {said}", effect, notes
    if verdict == TOO_SMALL:
        reasons = dict.fromkeys(reason for of_corpus in effects for reason in of_corpus.lacks)
        lacks = "; ".join(reasons) or lacking(rule, effect)
        return verdict, f"{lacks}. {said}" if lacks else str(rule), effect, notes
    return verdict, str(rule), effect, notes


def _effects(
    test: ClaimTest, rule: Rule, corpora: Iterable[str], evidence: Evidence
) -> tuple[list[Effect], list[str]]:
    """The effects on corpora, with what the states of trainings forbid, and the corpora without a record."""
    effects, missing = [], []
    for corpus in corpora:
        try:
            effects.append(with_states(test.effect(evidence, corpus), test, rule, evidence))
        except MissingRecord:
            missing.append(corpus)
    return effects, missing


def _further(
    beside: Beside, rule: Rule, effects: Sequence[Effect], evidence: Evidence
) -> tuple[str, bool | None]:
    """What a second test shows, in words, and whether it opposes the first on the corpora of both: None while
    a record is missing, or its trainings allow no verdict."""
    others, missing = _effects(beside.test, rule, beside.corpora or rule.corpora, evidence)
    if not others:
        return f"{beside.what}: {NOT_RUN}, no record yet", None
    both = {other.corpus for other in others} & {effect.corpus for effect in effects}
    open_ = missing or any({HOLDS, FAILS} <= {*other.forbids} for other in others if other.corpus in both)
    opposes = None if open_ else False
    if beside.opposes and both:
        ours, theirs = ([one for one in of if one.corpus in both] for of in (effects, others))
        verdict, _ = decide(rule, ours)
        at_last, _ = decide(rule, [replace(other, forbids=()) for other in theirs])
        if {verdict, at_last} == {HOLDS, FAILS}:  # what its training forbids now, it may allow at a plateau
            opposes = True if decide(rule, theirs)[0] == at_last else None
    return f"{beside.what}: {_each(others, rule)}", opposes


def _without_training(
    test: ClaimTest, rule: Rule, effects: Sequence[Effect], evidence: Evidence
) -> list[str]:
    """The effect with zero updates, where a claim compares two indexes or inputs of one training."""
    if any(kinds(test, evidence, effect.corpus) != {ONE_TRAINING} for effect in effects):
        return []
    try:
        untrained = [test.effect(Untrained(evidence), effect.corpus) for effect in effects]
    except MissingRecord:
        return [f"with zero updates: {NOT_RUN}, no record yet"]
    return [f"with zero updates: {_each(untrained, rule)}"]


def _each(effects: Sequence[Effect], rule: Rule) -> str:
    return ", ".join(f"{_between(of.value, of.low, of.high, rule.unit)} ({of.corpus})" for of in effects)


def answer_all(claims: Sequence[Claim] | None = None, evidence: Evidence | None = None) -> list[Answer]:
    """One answer a claim, in order: of all claims where none are given.

    ``evidence`` is that of the published records unless another is given; records of ``mini`` decide nothing.
    A claim without a number is not run. One whose record is missing on some corpus is too small to decide;
    what the others say is shown. Raises ValueError, naming the claim, for one that its chapter cannot decide.
    """
    evidence = evidence or Evidence()
    return [answer(claim, evidence) for claim in (read_claims() if claims is None else claims)]


def write_csv(answers: Sequence[Answer], path: Path) -> None:
    """Write ``claims.csv``, one row a claim, whole or not at all."""
    frame = pd.DataFrame([asdict(a) for a in answers], columns=[field.name for field in fields(Answer)])
    write(path, frame.astype({"n": "Int64"}).to_csv(index=False, lineterminator="\n"))


def effect_text(answer: Answer) -> str:
    """``17.0 [16.1, 17.9] points``; empty where nothing was measured."""
    if answer.effect is None:
        return ""
    return _between(answer.effect, answer.low, answer.high, answer.unit)


def _between(value: float, low: float, high: float, unit: str) -> str:
    if low == high:  # a count, or the mean of counts over corpora
        return f"{value:,.1f}".removesuffix(".0") + f" {unit}"
    digits = 2 if unit == "x" and abs(value) < 10 else 1
    return f"{between(value, low, high, digits=digits)} {unit}".rstrip()


def lacked(answers: Iterable[Answer]) -> str:
    """What the claims that are too small to decide lack, most frequent first: ``runs (3), mentions (1)``."""
    reasons = [one.reason.partition("Rule: ")[0] for one in answers if one.verdict == TOO_SMALL]
    found = (next(what for what, words in _LACKED.items() if re.search(words, of)) for of in reasons)
    return ", ".join(f"{what} ({n})" for what, n in Counter(found).most_common())


def of_chapter(name: str) -> list[Answer]:
    return answer_all([claim for claim in read_claims() if claim.paper == name])


def aligned(answers: Sequence[Answer]) -> str:
    """The answers as aligned text, one line a claim."""
    rows = [("id", "verdict", "printed", "effect", "corpus", "reason")]
    rows += [(a.id, a.verdict, a.printed, effect_text(a), a.corpus, a.reason) for a in answers]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join("  ".join(t.ljust(w) for t, w in zip(r, widths, strict=True)).rstrip() for r in rows)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="study claims", description=__doc__.replace("``", ""))
    parser.add_argument(
        "--csv", type=Path, default=ROOT / "_build" / "claims.csv", help="where to write the table"
    )
    options = parser.parse_args(arguments)
    answers = answer_all()
    print(aligned(answers))
    write_csv(answers, options.csv)


if __name__ == "__main__":
    main()
