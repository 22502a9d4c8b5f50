"""What the page that scores a reader's own predictions shows."""

from __future__ import annotations

import re
from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from ..datasets import load
from ..datasets.benchmark import Benchmark
from ..linkers import linker
from ..readers.predictions_writing import write_predictions
from ..score import Scored
from ..scoring import CLASSES, STRATA, Scoring, recall
from ..scoring.outcomes import ORDERS
from .show import Markup, table_from

EXAMPLE = ("tfidf-char_wb-2-4", "exact")
_CONTEXT = 45  # characters on each side of a mention


def files(page: Any, folder: Path) -> tuple[Benchmark, dict[str, str]]:
    """The benchmark and the predictions files that a page's parameters name.

    Keys are the parameters ``predictions``, ``dev``, ``against``, ``against_dev``; those not given are not
    there. Without ``predictions``, and at scale mini, an example is made in ``folder`` on the embedded
    corpus: two simple linkers. Raises ValueError for files given without predictions to compare them with.
    """
    names = ("predictions", "dev", "against", "against_dev")
    given = {name: getattr(page, name) for name in names if getattr(page, name)}
    if given and "predictions" not in given:
        raise ValueError(f"{', '.join(given)} without predictions; expected a predictions file to be scored")
    if not given or page.scale == "mini":
        return load("mini"), dict(zip(names, _example(folder), strict=True))
    return load(page.dataset, ontology=page.ontology or None), given


def _example(folder: Path) -> list[str]:
    mini, made = load("mini"), []
    folder.mkdir(parents=True, exist_ok=True)
    for name in EXAMPLE:
        fitted = linker(name).fit(mini.visible())
        for split in ("test", "dev"):
            path = folder / f"{name}.{split}.jsonl"
            write_predictions(fitted.link(mini.split(split).hidden().documents, 10), path)
            made.append(str(path))
    return made


def head(path: str, rows: int = 3) -> str:
    """The first rows of a text file, as a block of Markdown."""
    with open(path, encoding="utf-8") as file:
        lines = [line.rstrip("\n") for _, line in zip(range(rows), file, strict=False)]
    return "```text\n" + "\n".join(lines) + "\n```"


def warnings(scored: Sequence[Scored]) -> str:
    """What reading the files found odd, as a list in Markdown; one sentence where there was nothing."""
    found = [warning for one in scored for warning in one.warnings]
    return "\n".join(f"- {_plain(warning)}" for warning in found) or "Nothing odd was found in the files."


def _plain(text: str) -> str:
    """Text from files on a page: no markup, and no folder of this machine."""
    path, _, rest = text.partition(": ")
    return f"`{Path(path).name}`: " + escape(rest.replace("`", "'"))


def published_table(frame: pd.DataFrame) -> pd.DataFrame:
    """Rows of :func:`benchlib.scoring.by_preset` in percent."""
    rows = []
    for row in frame.to_dict("records"):
        worst, best = row.get("worst"), row.get("best")
        rows.append(
            {
                "protocol": row["protocol"],
                "measure": row["measure"],
                "score": _percent(row),
                "if ties fall": "" if pd.isna(worst) else f"{100 * worst:.1f} to {100 * best:.1f}",
                "n": f"{row['n']:,}",
                "counts as right": row["scoring"],
            }
        )
    return table_from(rows)


def grid_table(
    frame: pd.DataFrame, measures: Sequence[str] = ("recall@1", "recall@5", "mrr")
) -> pd.DataFrame:
    """Rows of :func:`benchlib.scoring.by_protocol` in percent: a row a protocol, a column a measure."""
    rows: dict[str, dict[str, str]] = {}
    for row in frame.to_dict("records"):
        if row["measure"] in measures:
            rows.setdefault(row["scoring"], {"protocol": row["scoring"]})[row["measure"]] = _percent(row)
    return table_from(list(rows.values()))


def kinds_table(frame: pd.DataFrame) -> pd.DataFrame:
    """Rows of :func:`benchlib.scoring.by_kind` in percent."""
    return table_from(
        [
            {
                "kind": row["kind"],
                "is": row["is"],
                "n": f"{row['n']:,}",
                "accuracy": _percent(row),
                "gold not listed": f"{100 * row['not_listed']:.1f}",
                "gold ranked below another": f"{100 * row['misranked']:.1f}",
            }
            for row in frame.to_dict("records")
        ]
    )


def legend() -> str:
    """What the kinds of mention mean, as a list in Markdown."""
    return "\n".join(f"- **{name}**: {what}" for name, what in (STRATA | CLASSES).items())


def against_table(frame: pd.DataFrame) -> pd.DataFrame:
    """Rows of :meth:`benchlib.score.Scored.against` in percentage points."""
    return table_from(
        [
            {
                "protocol": row["protocol"],
                "measure": row["measure"],
                "difference": _percent(row, signed=True),
                "p": "" if pd.isna(row["p"]) else f"{row['p']:.4f}",
                "p (Holm)": f"{row['p_holm']:.4f}",
                "gained": f"{row['gained']:.1f}",
                "lost": f"{row['lost']:.1f}",
                "detectable": f"{100 * row['detectable']:.1f}",
                "n": f"{row['n']:,}",
            }
            for row in frame.to_dict("records")
        ]
    )


def _percent(row: dict, signed: bool = False) -> str:
    if pd.isna(row["value"]):
        return "no mention left"
    sign = "+" if signed else ""
    value, low, high = (f"{100 * row[name]:{sign}.1f}" for name in ("value", "low", "high"))
    return f"{value} [{low}, {high}]"


def errors_table(scored: Scored, limit: int) -> pd.DataFrame:
    """The first ``limit`` scored mentions that strict accuracy does not count in full, in corpus order."""
    outcomes, benchmark = scored.outcomes, scored.benchmark
    mentions = list(benchmark.test.mentions())
    credit = recall(outcomes, 1, Scoring())
    above = outcomes.above[outcomes.whole][:, ORDERS.index("concepts")]
    row_of = {query: row for row, query in enumerate(scored.predictions.queries) if not query.part}
    rows = []
    for place in np.flatnonzero(credit < 1 - 1e-9)[:limit]:
        document, mention = mentions[outcomes.scored[place]]
        kinds = scored.strata.iloc[outcomes.scored[place]]
        rows.append(
            {
                "document": document.id,
                "mention": Markup(_in_context(document.text, mention.start, mention.end)),
                "gold": _named(benchmark, sorted(mention.gold.ids)),
                "predicted": _answer(scored, row_of.get((document.id, mention.start, mention.end, 0))),
                "credit": f"{credit[place]:.2f}",
                "rank of gold": str(above[place] + 1) if above[place] >= 0 else "not listed",
                "kinds": ", ".join(name for name in STRATA if kinds[name]),
            }
        )
    return table_from(rows)


def _in_context(text: str, start: int, end: int) -> str:
    before, after = text[max(0, start - _CONTEXT) : start], text[end : end + _CONTEXT]
    cut = "…" if start > _CONTEXT else "", "…" if end + _CONTEXT < len(text) else ""
    left, middle, right = (_cell(part) for part in (cut[0] + before, text[start:end], after + cut[1]))
    return f"{left}<mark>{middle}</mark>{right}"


def _cell(text: str) -> str:
    """Text inside HTML inside a Markdown table."""
    text = escape(re.sub(r"\s", " ", text))
    return "".join(f"&#{ord(c)};" if c in "|\\`*_[]$~{}" else c for c in text)


def _answer(scored: Scored, row: int | None) -> str:
    index = scored.predictions.index
    if row is None or not index.shape[1] or index[row, 0] < 0:
        return "(no answer)"
    best = scored.predictions.candidates[index[row, 0]]
    owners = _named(scored.benchmark, best.ids) if best.ids else "NIL"
    return f"“{best.name}”: {owners}" if best.name else owners


def _named(benchmark: Benchmark, ids: Sequence[str]) -> str:
    concepts, shown = benchmark.ontology.concepts, []
    for id in ids:
        known = [concepts[one] for one in benchmark.ontology.resolve(id) or () if one in concepts]
        shown.append(f"{id} {known[0].names[0]}" if known and known[0].names else id)
    return "; ".join(shown)
