"""A section for each claim, with its rule and printed numbers, and what changed rules first answered."""

from collections.abc import Sequence

import pandas as pd

from ..claims import Claim, of_paper
from ..claims.answers import Answer, answer_all, effect_text
from ..claims.claim_tests import read_test
from ..claims.evidence import Evidence
from ..claims.history import Change, read_changes
from ..claims.table import decided_first, pill
from ..claims.verdicts import NOT_COMPARABLE
from ..pages.show import escaped
from ..papers import papers
from ..printed.reported import read_reported, select

MOST = 12  # printed numbers listed with a claim; the file has the rest


def sections(claims: Sequence[Claim], answers: Sequence[Answer]) -> str:
    """Markdown with a heading per paper and per claim, the decided ones of a paper first."""
    rows, by_id = read_reported(), {claim.id: claim for claim in claims}
    lines: list[str] = []
    for paper, of in papers().items():
        source = f"{{cite:t}}`{of.cite}`" if of.cite else "more than one paper"
        lines += [f"## {of.name}", "", f"From {source}.", ""]
        for answer in decided_first([answer for answer in answers if answer.paper == paper]):
            lines += [*_section(by_id[answer.id], answer, rows), ""]
    return "\n".join(lines)


def _section(claim: Claim, answer: Answer, rows: pd.DataFrame) -> list[str]:
    effect = effect_text(answer)
    measured = f"{effect} ({answer.corpus}, n = {answer.n:,})" if effect else ""
    facts = {
        "In the paper": ", ".join(claim.where),
        "Printed numbers support it": f"{answer.printed}: {claim.printed.note}",
        "Rule": str(claim.rule) if claim.rule else "the arithmetic on the printed numbers",
        "Why this rule": claim.rule.why if claim.rule else "",
        "Measured": measured,
        "Systems": answer.systems,
        "Also measured": answer.beside,
        "The rule was first written": "when its number was known" if claim.late else "",
        "The rule changed": "after a number was first stored; see above" if answer.changed else "",
        "The printed size": f"{NOT_COMPARABLE}: {claim.size}" if claim.size else "",
        "Reason": answer.reason if answer.reason != str(claim.rule) else "",
    }
    said = f"{pill(answer.verdict)} {escaped(claim.wording)}"
    lines = [f"(claim-{claim.id.lower()})=", f"### {claim.id}", "", said, ""]
    lines += [f"- **{name}**: {escaped(value)}" for name, value in facts.items() if value]
    page, _, anchor = claim.page.partition("#")
    lines.append(f'- **Discussed in**: <a href="../{page}.html#{anchor}">{page}</a>')
    return [*lines, "", *_numbers(claim, rows)]


def _numbers(claim: Claim, rows: pd.DataFrame) -> list[str]:
    among = of_paper(rows, claim.paper)
    found = pd.concat([select(among, **selector) for selector in claim.numbers] or [rows[:0]])
    if found.empty:
        return []
    columns = ["item", "system", "variant", "dataset", "split", "metric", "value", "protocol"]
    columns = (["paper"] if claim.paper == "shared" else []) + columns
    found = found.drop_duplicates()
    head = found[:MOST][columns].fillna("")
    used = [column for column in columns if (head[column] != "").any()]
    lines = [f"::::{{dropdown}} The printed numbers behind {claim.id}", "", ":::{table}"]
    lines += [f":class: sortable download keep-{used.index('value') + 1}", ""]
    lines += ["| " + " | ".join(used) + " |", "|" + " --- |" * len(used)]
    lines += [
        "| " + " | ".join(escaped(value) for value in row) + " |"
        for row in head[used].itertuples(index=False)
    ]
    more = len(found) - len(head)
    return [*lines, ":::", "", *([f"And {more} more in `data/reported`.", ""] if more else []), "::::"]


def first_rule(claim: Claim, change: Change, evidence: Evidence | None = None) -> Answer | None:
    """The answer that the rule of a claim before its first ``change`` gives on the records of today; None
    where its systems, or what it asked, are no longer there."""
    try:
        test = read_test(change.test, claim.paper, f"the first test of {claim.id}")
        before = claim.model_copy(update={"rule": change.rule, "test": test, "beside": (), "reason": None})
        return answer_all([before], evidence)[0]
    except ValueError:
        return None


def changed_rules(claims: Sequence[Claim], answers: Sequence[Answer]) -> str:
    """Markdown with a line for each claim that has changed: what, when, and both answers."""
    by_id, evidence = {answer.id: answer for answer in answers}, Evidence()
    changed = [claim for claim in claims if by_id[claim.id].changed]
    decided = [answer for answer in answers if answer.decided and answer.basis == "measured"]
    late = sum(answer.changed for answer in decided)
    lines = [
        f"{len(changed)} claims, among them {late} of the {len(decided)} decided by measurement, have "
        "another rule, corpora, test or test that may oppose it than when their number was first stored, or "
        "a reason why it decides nothing. Each change has the answer before it, on the records of that day. "
        "The first rule is then asked of today's records, if its systems still exist.",
        "",
    ]
    for claim in changed:
        of = [change for change in read_changes() if change.id == claim.id]
        first = first_rule(claim, of[0], evidence)
        what = "; ".join(
            f"{', '.join(change.changed)} on {change.date} ({change.commit[:7]}), before: {change.then}"
            for change in of
        )
        place = f'<a href="#claim-{claim.id.lower()}">{claim.id}</a>'
        today = f"First rule: {_told(first)}. " if first else ""
        lines.append(f"- {place}: {what}. {today}Present rule: {_told(by_id[claim.id])}.")
    return "\n".join(lines) + "\n"


def _told(answer: Answer) -> str:
    effect = effect_text(answer)
    return f"**{answer.verdict}**" + (f", {effect} ({answer.corpus})" if effect else "")
