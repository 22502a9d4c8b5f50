"""Link mentions to a dictionary in one call."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from .corpus import Corpus, Document, Mention
from .datasets import find_benchmark
from .name_linker import NameLinker
from .ontology import Ontology


def link(
    mentions: Sequence[str] | Sequence[Document] | Corpus | str | Path,
    dictionary: str | Path | Ontology | None = None,
    how: str = "both",
    k: int = 10,
    encoder: Any = None,
    threshold: float | None = None,
) -> pd.DataFrame:
    """Link mentions to the names of a dictionary: a row a candidate, up to k a mention, best first, with the
    columns of a predictions file (:data:`benchlib.predictions.COLUMNS`).

    ``mentions`` are texts, each linked as a whole (``document`` is its place, from 0), documents with mention
    spans or a Corpus of them, or a PubTator file. ``dictionary`` is a file, an Ontology or a registered name.
    A registered data set is linked by its name alone: the mentions of test, with its own dictionary and the
    memory of its train split. ``how``, ``encoder`` and ``threshold`` are as of :class:`NameLinker`. Raises
    ValueError for what cannot be read.
    """
    linker = NameLinker(how=how, encoder=encoder, threshold=threshold)
    if isinstance(mentions, str | Path):
        benchmark = find_benchmark(mentions, dictionary)
        return linker.fit(benchmark).link(benchmark.test.hidden().documents, k).frame()
    if dictionary is None:
        raise ValueError("mentions without a dictionary; expected its file, an Ontology or a registered name")
    documents = mentions.documents if isinstance(mentions, Corpus) else mentions
    if documents and isinstance(documents[0], str):
        documents = [
            Document(str(i), text, (Mention(0, len(text), text),)) for i, text in enumerate(documents)
        ]
    return linker.fit(dictionary).link(documents, k).frame()
