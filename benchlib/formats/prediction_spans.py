"""The spans that a predictions file answers: those of the mentions of a corpus, or of any text."""

from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import numpy as np
import pandas as pd

from ..corpus import Corpus
from .predictions_columns import read_error

SPAN = ["document", "start", "end"]
_LISTED = 3  # rows or mentions that a message names


def rows_at_spans(
    path: Path, rows: pd.DataFrame, corpus: Corpus, given: bool, warnings: dict[str, list]
) -> pd.DataFrame:
    """The rows at the spans of mentions, or, where these are not ``given``, within the text of documents; a
    document that is a number stored as a decimal (``12.0``) has its name. ``warnings`` gets odd rows."""
    known = {document.id for document in corpus.documents}
    names = {id: id[:-2] for id in set(rows["document"]) - known if id[-2:] == ".0" and id[:-2] in known}
    if names:
        decimal = rows["document"].isin(list(names))
        what = "rows whose document is a decimal number, read as a whole one"
        warnings[what] = rows.index[decimal].tolist()
        rows = rows.assign(document=rows["document"].replace(names))
    if given:
        return _at_mentions(path, _answered_once(rows, corpus, warnings), corpus, warnings)
    # A predicted span is where the linker saw it, whatever became of a mention there.
    lengths = {document.id: len(document.text) for document in corpus.documents}
    length = rows["document"].map(lengths).fillna(-1).to_numpy()
    refuse_rows(path, rows, length < 0, f"documents of {corpus.name}")
    outside = ((rows["start"] >= rows["end"]) | (rows["end"] > length)).to_numpy()
    refuse_rows(path, rows, outside, f"start below end, both within the text of a document of {corpus.name}")
    if moved := [span for span, places in corpus.moved_spans.items() if places]:
        spans = pd.MultiIndex.from_frame(rows[SPAN])
        mentions = spans.isin([(document.id, m.start, m.end) for document, m in corpus.mentions()])
        elsewhere = spans.isin(moved) & ~mentions
        if elsewhere.sum() > mentions.sum():
            what = f"rows at offsets of the file of {corpus.name}, whose texts have the mentions elsewhere"
            warnings[what] = rows.index[elsewhere].tolist()
    return rows


def _answered_once(rows: pd.DataFrame, corpus: Corpus, warnings: dict[str, list]) -> pd.DataFrame:
    """The rows without those that repeat one whose offsets are those of several mentions of the file."""
    times = Counter((document.id, m.start, m.end) for document, m in corpus.mentions())
    times |= Counter({key: sum(times[key[0], *s] for s in at) for key, at in corpus.moved_spans.items()})
    if not (shared := [span for span, n in times.items() if n > 1]):
        return rows
    among = rows[pd.MultiIndex.from_frame(rows[SPAN]).isin(shared)]
    again = among.index[among.duplicated()]
    warnings["rows of mentions with the same offsets that repeat another, left out"] = again.tolist()
    return rows.drop(again)


def _at_mentions(path: Path, rows: pd.DataFrame, corpus: Corpus, warnings: dict[str, list]) -> pd.DataFrame:
    """The rows at the spans that reading the corpus gave their mentions, without those that it left out.

    The offsets of a document are those of the corpus, or those of its file where these explain more rows.
    Where the file counts from each passage, a span may be that of several mentions: a row answers all of
    them if they have the same text, else it is refused.
    """
    if not (moved := corpus.moved_spans):
        return rows
    place, printed = distinct_rows(rows, SPAN)
    texts = {(d.id, m.start, m.end): m.text for d, m in corpus.mentions()}
    by_file = {key: moved.get(key, (key[1:],)) for key in printed}
    by_corpus = by_file | {key: (key[1:],) for key in printed if key in texts}
    for_corpus = Counter(key[0] for key in printed if key in texts)
    for_file = Counter(key[0] for key in printed if any((key[0], *span) in texts for span in by_file[key]))
    spans = [(by_file if for_file[key[0]] > for_corpus[key[0]] else by_corpus)[key] for key in printed]
    given = zip(printed, spans, strict=True)
    several = [len({texts.get((id, *span)) for span in at}) > 1 for (id, *_), at in given]
    expected = f"offsets as in {corpus.name}, where several passages have a mention at these offsets"
    refuse_rows(path, rows, np.array(several)[place], expected, texts)
    times = np.array([len(at) for at in spans])[place]
    if not times.any():
        expected = f"mentions of {corpus.name} that count"
        raise read_error(path, rows.index[0], expected, f"{len(rows)} rows of mentions that are left out")
    given = rows.iloc[np.repeat(np.arange(len(rows)), times)]
    start, end = np.array([span for at in place for span in spans[at]]).T
    changed = ((start != given["start"]) | (end != given["end"])).to_numpy()
    warnings[f"rows of mentions that {corpus.name} leaves out"] = rows.index[times == 0].tolist()
    what = f"rows of mentions that {corpus.name} has elsewhere, moved there"
    warnings[what] = given.index[changed].unique().tolist()
    return given.assign(start=start, end=end)


def refuse_rows(
    path: Path,
    rows: pd.DataFrame,
    wrong: np.ndarray,
    expected: str,
    spans: Iterable[tuple[str, int, int]] = (),
) -> None:
    """Raises ValueError where a row is wrong, with the ``spans`` nearest to the first of these."""
    if wrong.any():
        shown = rows.loc[wrong, [*SPAN, "part", "name", "ids"]].head(_LISTED).itertuples(name=None)
        first = "; ".join(f"{number} {tuple(cells)}" for number, *cells in shown)
        document, start, _ = rows.loc[wrong, SPAN].iloc[0]
        near = sorted(spans, key=lambda span: (span[0] != document, abs(span[1] - start)))
        expected += f", such as {listed(near)}" if near else ""
        raise read_error(path, rows.index[wrong][0], expected, f"{wrong.sum()} rows without: {first}")


def mention_parts(corpus: Corpus) -> dict[tuple[str, int, int], int]:
    """The spans of the mentions, each with the number of its gold's parts, 0 where that is a single one."""
    parts: dict[tuple[str, int, int], int] = {}
    for document, mention in corpus.mentions():
        n = len(mention.gold.parts) if mention.gold else 0
        span = document.id, mention.start, mention.end
        parts[span] = max(parts.get(span, 0), n if n > 1 else 0)
    return parts


def distinct_rows(rows: pd.DataFrame, columns: list[str]) -> tuple[np.ndarray, list[tuple]]:
    """By row the place of its cells in the distinct ones, which come in the order of the file."""
    place = rows.groupby(columns, sort=False).ngroup().to_numpy()
    _, first = np.unique(place, return_index=True)
    return place, list(rows[columns].iloc[first].itertuples(index=False, name=None))


def listed(items: list) -> str:
    return ", ".join(map(str, items[:_LISTED])) + (", ..." if len(items) > _LISTED else "")
