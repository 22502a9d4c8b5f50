"""A section for each claim, with its rule and the printed numbers behind it."""

from __future__ import annotations

import re
from collections.abc import Sequence

import pandas as pd

from ..answers import NAMES, Answer, effect_text
from ..claims import PAPERS, Claim, of_paper
from ..reported import read_reported, select

KEYS = {
    "biocom": "ujiie2021biocom",
    "krissbert": "zhang2022krissbert",
    "dual_encoder": "bhowmik2021dual",
    "cosines": "yuan2023cosines",
    "pel": "wiatrak2022pel",
}
MOST = 12  # printed numbers listed with a claim; the file has the rest
_MARKUP = re.compile(r"([\\`*_{}\[\]<>$|~#])")


def sections(claims: Sequence[Claim], answers: Sequence[Answer]) -> str:
    """Markdown with a heading per paper and per claim."""
    rows = read_reported()
    lines: list[str] = []
    for paper in PAPERS:
        source = f"{{cite:t}}`{KEYS[paper]}`" if paper in KEYS else "more than one paper"
        lines += [f"## {NAMES[paper]}", "", f"From {source}.", ""]
        for claim, answer in zip(claims, answers, strict=True):
            if claim.paper == paper:
                lines += [*_section(claim, answer, rows), ""]
    return "\n".join(lines)


def _section(claim: Claim, answer: Answer, rows: pd.DataFrame) -> list[str]:
    effect = effect_text(answer)
    measured = f"{effect} ({answer.corpus}, n = {answer.n:,})" if effect else ""
    facts = {
        "Stands in": ", ".join(claim.where),
        "Printed numbers bear it out": f"{answer.printed}: {claim.printed.note}",
        "Rule": str(claim.rule) if claim.rule else "the arithmetic on the printed numbers",
        "Why this rule": claim.rule.why if claim.rule else "",
        "Measured": measured,
        "Systems": answer.systems,
        "Verdict": answer.verdict,
        "Because": answer.reason if answer.reason != str(claim.rule) else "",
    }
    lines = [f"(claim-{claim.id.lower()})=", f"### {claim.id}", "", _text(claim.wording), ""]
    lines += [f"- **{name}**: {_text(value)}" for name, value in facts.items() if value]
    if "#" in claim.page:
        page, _, anchor = claim.page.partition("#")
        lines.append(f'- **Treated in**: <a href="../{page}.html#{anchor}">{page}</a>')
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
    lines = [f":::{{dropdown}} The printed numbers behind {claim.id}", ""]
    lines += ["| " + " | ".join(used) + " |", "|" + " --- |" * len(used)]
    lines += [
        "| " + " | ".join(_text(value) for value in row) + " |" for row in head[used].itertuples(index=False)
    ]
    more = len(found) - len(head)
    return [*lines, "", *([f"And {more} more in `data/reported`.", ""] if more else []), ":::"]


def _text(value: object) -> str:
    return _MARKUP.sub(r"\\\1", " ".join(str(value).split())) or " "
