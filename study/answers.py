"""The answers to the claims: found, and shown as a table in files, pages and the terminal.

``python -m study.answers`` prints it and writes ``_build/claims.csv``.
"""

import argparse
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path

import pandas as pd

from benchlib.runs import MissingRecord
from benchlib.terminal import write

from . import printed
from .claims import Claim, of_paper, read_claims
from .evidence import Evidence
from .formats import between
from .reported import read_reported
from .runs import command
from .verdicts import CONTRADICTED, NOT_RUN, SUPPORTED, Effect, contradicted_already, decide

NOT_CHECKABLE = "not checkable"


@dataclass(frozen=True)
class Answer:
    """One row of the claims table. The numbers are those of the deciding effect, None where there is none, in
    the rule's ``unit``; ``systems`` says what was set against what."""

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


def printed_answer(claim: Claim, rows: pd.DataFrame) -> str:
    """``yes``, ``no`` or ``not checkable``: what arithmetic on the paper's own numbers says.

    ``rows`` are the reported numbers of all papers. Raises ValueError, naming the claim, when a cell that
    the test needs is not there.
    """
    test = claim.printed.test
    if test is None:
        return NOT_CHECKABLE
    try:
        found = printed.finding(of_paper(rows, claim.paper), test, claim.printed.arguments)
    except (LookupError, ValueError) as error:
        raise ValueError(f"{claim.paper}.yaml: claim {claim.id}: printed test: {error}") from None
    return "yes" if found.holds else "no"


def answer(claim: Claim, says: str, evidence: Evidence) -> Answer:
    """The claim's two answers, of which ``says`` is the printed one; see :func:`answer_all`."""
    rule = claim.rule

    def row(verdict: str, reason: str, effect: Effect | None = None) -> Answer:
        numbers = (effect.value, effect.low, effect.high, effect.n) if effect else (None,) * 4
        corpus, systems = (effect.corpus, effect.systems) if effect else ("", "")
        decided = (str(rule), rule.unit) if rule else ("", "")
        asked = (claim.basis, says, claim.wording)
        return Answer(claim.id, claim.paper, verdict, *numbers, corpus, reason, *asked, *decided, systems)

    if claim.basis == "printed":
        return row(SUPPORTED if says == "yes" else CONTRADICTED, f"arithmetic on print: {claim.printed.note}")
    if claim.test is None:
        return row(NOT_RUN, claim.reason)
    effects, missing = [], []
    for corpus in rule.corpora:
        try:
            effects.append(claim.test.effect(evidence, corpus))
        except MissingRecord:
            missing.append(corpus)
        except ValueError as error:
            raise ValueError(f"{claim.paper}.yaml: claim {claim.id}: test: {error}") from error
    if missing:
        if claim.reason is None and (effect := contradicted_already(rule, effects)):
            return row(CONTRADICTED, f"{rule}; {', '.join(missing)}, not run yet, cannot change it", effect)
        if not effects:
            return row(NOT_RUN, f"no record yet; make it with: {command(claim.test.chapter)}")
        those = rule.model_copy(update={"corpora": tuple(effect.corpus for effect in effects)})
        so_far = "decides nothing until all its corpora have records"
        return row(NOT_RUN, claim.reason or so_far, decide(those, effects)[1])
    verdict, effect = decide(rule, effects)
    if claim.reason is not None:  # shown, and yet it decides nothing
        return row(NOT_RUN, claim.reason, effect)
    return row(verdict, str(rule), effect)


def answer_all(claims: Sequence[Claim] | None = None, evidence: Evidence | None = None) -> list[Answer]:
    """One answer a claim, in order: of all claims where none are given.

    ``evidence`` is that of the published records unless another is given; records of ``mini`` decide nothing.
    A claim whose record is missing on some corpus is not run, unless the others contradict it already; what
    these say is shown. Raises ValueError, naming the claim, for one that its chapter cannot decide.
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
    digits = 2 if answer.unit == "x" and abs(answer.effect) < 10 else 1
    return f"{between(answer.effect, answer.low, answer.high, digits=digits)} {answer.unit}".rstrip()


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
    parser = argparse.ArgumentParser(prog="python -m study.answers", description=__doc__)
    file = Path("_build/claims.csv")
    parser.add_argument("--csv", type=Path, default=file, help="where to write the table")
    options = parser.parse_args(arguments)
    answers = answer_all()
    print(aligned(answers))
    write_csv(answers, options.csv)


if __name__ == "__main__":
    main()
