"""Both answers of the claims whose rule changed after their number was first stored."""

from __future__ import annotations

from collections.abc import Sequence

from ..claims import Claim
from ..claims.answers import Answer, answer_all, effect_text
from ..claims.claim_tests import read_test
from ..claims.evidence import Evidence
from ..claims.history import read_changes


def first_rule(claim: Claim, evidence: Evidence | None = None) -> Answer | None:
    """The answer that the first rule of a claim gives on the records of today; None where its systems, or
    what it asked, are no longer there."""
    change = next((change for change in read_changes() if change.id == claim.id), None)
    if change is None:
        return None
    try:
        test = read_test(change.test, claim.paper, f"the first test of {claim.id}")
        before = claim.model_copy(update={"rule": change.rule, "test": test, "beside": (), "reason": None})
        [answer] = answer_all([before], evidence)
    except ValueError:
        return None
    return answer


def section(claims: Sequence[Claim], answers: Sequence[Answer]) -> str:
    """Markdown with a line for each claim that has changed: what, when, and both answers."""
    by_id, changes, evidence = {answer.id: answer for answer in answers}, read_changes(), Evidence()
    changed = [claim for claim in claims if by_id[claim.id].changed]
    decided = [answer for answer in answers if answer.decided and answer.basis == "measured"]
    late = sum(answer.changed for answer in decided)
    lines = [
        f"The rule, corpora or test of {len(changed)} claims, {late} of the {len(decided)} decided measured "
        "ones among them, changed after their number was first stored. The first answer applies the first "
        "rule to today's records, or repeats the answer of that time if its systems no longer exist.",
        "",
    ]
    for claim in changed:
        of = [change for change in changes if change.id == claim.id]
        first = first_rule(claim, evidence)
        before = f"{of[0].then}, on {of[0].date}" if first is None else _told(first)
        what = "; ".join(
            f"{', '.join(change.changed)} on {change.date} ({change.commit[:7]})" for change in of
        )
        place = f'<a href="#claim-{claim.id.lower()}">{claim.id}</a>'
        lines.append(f"- {place}: {what}. First rule: {before}. Present rule: {_told(by_id[claim.id])}.")
    return "\n".join(lines) + "\n"


def _told(answer: Answer) -> str:
    effect = effect_text(answer)
    return f"**{answer.verdict}**" + (f", {effect} ({answer.corpus})" if effect else "")
