"""Self-supervised mentions of a pool of unlabelled text: matched once on this machine, then found."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Collection, Iterator
from itertools import groupby, islice
from operator import itemgetter
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from tqdm import tqdm

from ..corpus import Document, Gold, Mention
from ..datasets import files, unlabelled
from .matcher import Matcher

MATCHED = Path(__file__).resolve().parents[2] / "_build" / "matched"
_TOGETHER = 1_000  # texts that are matched at a time


def mentions(
    corpus: Path | str,
    matcher: Matcher,
    excluded: Collection[str] = frozenset(),
    folder: Path = MATCHED,
    progress: bool = True,
) -> Iterator[Document]:
    """The texts of a registered source or of a folder of JSON lines that have matches, as documents, with the
    matches as mentions: the gold of one is any of the concepts that have its name.

    A document is named by its file and line, ``ohsumed_single_23:17``; those ``excluded`` (see
    :func:`benchlib.datasets.exclusion.exclude`) are left out. What was found in each file is kept in
    ``folder``, whole or not at all, and looked up there by the content of the file and the matcher's
    fingerprint, so that a run that was interrupted goes on. A thousand texts are in memory at a time. Raises
    as :func:`unlabelled.files`.
    """
    golds = [Gold((frozenset(ids),)) for ids in matcher.ids]
    for path in tqdm(unlabelled.files(corpus), "matching", unit="file", disable=not progress):
        texts = enumerate(unlabelled.read(path), start=1)
        for line, rows in groupby(_rows(_matched(path, matcher, folder)), key=itemgetter(0)):
            text = next(one.text for number, one in texts if number == line)
            if (id := unlabelled.text_id(path, line)) not in excluded:
                found = (Mention(start, end, text[start:end], gold=golds[n]) for _, start, end, n in rows)
                yield Document(id, text, tuple(found))


_SCHEMA = pa.schema([(name, pa.int32()) for name in ("line", "start", "end", "name")])


def _matched(path: Path, matcher: Matcher, folder: Path) -> Path:
    """The Parquet file of the matches in one file of a pool, made where it is missing."""
    found_in = f"{files.content(path)[1]} {matcher.fingerprint}"
    key = hashlib.sha256(found_in.encode()).hexdigest()[:16]
    target = folder / f"{unlabelled.source_of(path)}.{key}.parquet"
    if target.exists():
        return target
    folder.mkdir(parents=True, exist_ok=True)
    unfinished = folder / f".{target.name}.{os.getpid()}"
    try:
        with pq.ParquetWriter(unfinished, _SCHEMA) as writer:
            texts, first = unlabelled.read(path), 1
            while group := [one.text for one in islice(texts, _TOGETHER)]:
                found = matcher(group)
                columns = (found.text + first, found.start, found.end, found.name)
                writer.write_table(pa.table([column.astype("int32") for column in columns], schema=_SCHEMA))
                first += len(group)
        os.replace(unfinished, target)
    finally:
        unfinished.unlink(missing_ok=True)
    return target


def _rows(matched: Path) -> Iterator[tuple[int, int, int, int]]:
    for batch in pq.ParquetFile(matched).iter_batches():
        yield from zip(*(column.to_pylist() for column in batch.columns), strict=True)
