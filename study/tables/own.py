"""What a predictions file is worth: the rows of :class:`benchlib.results.Evaluation` as tables."""

from collections.abc import Mapping, Sequence

import pandas as pd

from benchlib.benchmark import Benchmark
from benchlib.results import SEEN_KINDS, Evaluation
from benchlib.scoring import CLASSES, STRATA

from ..measurements.examples import first_name
from ..pages.numbers import NONE_LEFT, percent, points
from ..pages.show import table_from
from .rows import in_context

_CONTEXT = 45  # characters on each side of a mention
_COLUMNS = {  # of frames of the library: the head here, the factor and the format
    "not_listed": ("gold not listed", 100, ".1f"),
    "misranked": ("gold ranked below another", 100, ".1f"),
    "p": ("p", 1, ".4f"),
    "p_holm": ("p (Holm)", 1, ".4f"),
    "gained": ("gained", 1, ".1f"),
    "lost": ("lost", 1, ".1f"),
    "detectable": ("detectable", 100, ".1f"),
}


def files_summary(systems: Mapping[str, Evaluation]) -> pd.DataFrame:
    """What each system answers for the first mention, candidate by candidate, with the concepts of each."""
    rows = []
    for system, scored in systems.items():
        found = scored.predictions
        for rank, (place, score) in enumerate(zip(found.index[0], found.scores[0], strict=True), start=1):
            candidate = found.candidates[place]
            row = {"linker": system, "rank": rank, "name": candidate.name, "score": f"{score:g}"}
            rows.append(row | {"concepts": ", ".join(candidate.ids)})
    return table_from(rows)


def listed(frame: pd.DataFrame, value: str) -> pd.DataFrame:
    """Rows of :func:`benchlib.scoring.by_preset` or :func:`benchlib.scoring.by_stratum` in percent under the
    head ``value``; as a ``difference`` those of :meth:`benchlib.results.Evaluation.against` in points."""
    rows = []
    for of in frame.to_dict("records"):
        row = {name: of[name] for name in ("protocol", "measure", "kind", "is") if name in of}
        row |= {value: _shown(of, signed=value == "difference"), "n": f"{of['n']:,}"}
        for column, (head, factor, form) in _COLUMNS.items():
            if column in of:
                row[head] = "" if pd.isna(of[column]) else f"{factor * of[column]:{form}}"
        if "scoring" in of:
            worst, best = of.get("worst"), of.get("best")
            row["if ties fall"] = "" if pd.isna(worst) else f"{100 * worst:.1f} to {100 * best:.1f}"
            row["counts as right"] = of["scoring"]
        rows.append(row)
    return table_from(rows)


def grid(frame: pd.DataFrame, measures: Sequence[str] = ("recall@1", "recall@5", "mrr")) -> pd.DataFrame:
    """Rows of :func:`benchlib.scoring.by_protocol` in percent: a row a protocol, a column a measure."""
    rows: dict[str, dict[str, str]] = {}
    for row in frame.to_dict("records"):
        if row["measure"] in measures:
            rows.setdefault(row["scoring"], {"protocol": row["scoring"]})[row["measure"]] = _shown(row)
    return table_from([*rows.values()])


def legend() -> str:
    """What the kinds of mention mean, as a list in Markdown."""
    return "\n".join(f"- **{name}**: {what}" for name, what in (STRATA | CLASSES).items())


def _shown(row: dict, signed: bool = False) -> str:
    if pd.isna(row["value"]):
        return row["note"] if isinstance(row.get("note"), str) else NONE_LEFT
    return points(row) if signed else percent(row)


def errors(scored: Evaluation, limit: int) -> pd.DataFrame:
    """The first ``limit`` scored mentions that strict accuracy does not count in full, in corpus order."""
    benchmark, table = scored.benchmark, scored.mentions
    mentions = list(benchmark.test.mentions())
    told = [name for name in STRATA if benchmark.train.n_mentions or name not in SEEN_KINDS]
    rows = []
    for place, found in table[table["strict"] < 1 - 1e-9].head(limit).iterrows():
        document, mention = mentions[place]
        rows.append(
            {
                "document": document.id,
                "mention": in_context(document.text, mention.start, mention.end, _CONTEXT),
                "gold": _named(benchmark, sorted(mention.gold.ids)),
                "predicted": _answer(benchmark, found),
                "credit": f"{found['strict']:.2f}",
                "rank of gold": "not listed" if pd.isna(found["rank"]) else str(found["rank"]),
                "kinds": ", ".join(name for name in told if found[name]),
            }
        )
    return table_from(rows)


def _answer(benchmark: Benchmark, found: pd.Series) -> str:
    if pd.isna(found["score"]):
        return "(no answer)"
    owners = _named(benchmark, found["answer"].split("|")) if found["answer"] else ""
    return f"“{found['name']}”: {owners or 'no concept'}" if found["name"] else owners or "NIL"


def _named(benchmark: Benchmark, ids: Sequence[str]) -> str:
    names = ((id, first_name(benchmark, id)) for id in ids)
    return "; ".join(id if name == id else f"{id} {name}" for id, name in names)
