"""A section for each claim, with its rule and the printed numbers behind it."""

from collections.abc import Sequence

import pandas as pd

from ..claims import Claim, of_paper
from ..claims.answers import Answer, effect_text
from ..claims.table import decided_first, pill
from ..claims.verdicts import NOT_COMPARABLE
from ..pages.literal import in_markdown
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
        "The rule changed": "after a number was first stored; see above" if answer.changed else "",
        "The printed size": f"{NOT_COMPARABLE}: {claim.size}" if claim.size else "",
        "Reason": answer.reason if answer.reason != str(claim.rule) else "",
    }
    said = f"{pill(answer.verdict)} {_text(claim.wording)}"
    lines = [f"(claim-{claim.id.lower()})=", f"### {claim.id}", "", said, ""]
    lines += [f"- **{name}**: {_text(value)}" for name, value in facts.items() if value]
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
        "| " + " | ".join(_text(value) for value in row) + " |" for row in head[used].itertuples(index=False)
    ]
    more = len(found) - len(head)
    return [*lines, ":::", "", *([f"And {more} more in `data/reported`.", ""] if more else []), "::::"]


def _text(value: object) -> str:
    return in_markdown(value) or " "
