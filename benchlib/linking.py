"""Link mentions to a dictionary in one call."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pandas as pd

from .benchmark import Benchmark
from .corpus import Corpus, Document
from .datasets import find_benchmark, read_dictionary, warn_of
from .formats.lines import ending, numbered_lines
from .formats.own import DEFAULT_READING, ReadingOptions, reading_options
from .name_linker import NameLinker, Texts, documents_of
from .ontology import Ontology

_OF_CORPORA = ("train", "dev", "types", "strip_prefix", "any_of", "all_of")  # not of plain text
_PUBTATOR = re.compile(r"[^|\t]+\|[ta]\|")  # the beginning of a title or abstract


def link(
    mentions: Texts | str | Path,
    dictionary: str | Path | Ontology | None = None,
    how: str = "both",
    k: int = 10,
    encoder: Any = None,
    threshold: float | None = None,
    **reading: Any,
) -> pd.DataFrame:
    """Link mentions to the names of a dictionary: a row a candidate, up to k a mention, best first, with the
    columns of a predictions file (:data:`benchlib.predictions.COLUMNS`).

    ``mentions`` are texts, each linked as a whole (``document`` is its place, from 0), documents with mention
    spans or a Corpus of them, or a file (:func:`corpus_to_link`). ``dictionary`` is a file, an Ontology or a
    registered name. A registered data set is linked by its name alone: the mentions of test, with its own
    dictionary and the memory of its train split. ``how``, ``encoder`` and ``threshold`` are as of
    :class:`NameLinker`; ``reading``: fields of :class:`benchlib.formats.own.ReadingOptions`, such as
    ``synonyms``, but for ``train`` and ``dev``. What reading found odd is a Python warning. Raises ValueError
    for what cannot be read, FileNotFoundError for a file that is not there.
    """
    linker, reading = NameLinker(how=how, encoder=encoder, threshold=threshold), reading_options(**reading)
    if isinstance(mentions, str | Path):
        benchmark = corpus_to_link(mentions, dictionary, reading)
        warn_of(benchmark.notes if dictionary else ())  # those of a registered data set are not of reading
        return linker.fit(benchmark).link(benchmark.test.hidden().documents, k).frame()
    if dictionary is None:
        raise ValueError("mentions without a dictionary; expected its file, an Ontology or a registered name")
    reading.refuse(*_OF_CORPORA)
    documents = documents_of(mentions, whole=True)
    ontology, notes = read_dictionary(dictionary, reading)
    warn_of(notes)
    return linker.fit(ontology).link(documents, k).frame()


def corpus_to_link(
    corpus: str | Path, dictionary: str | Path | Ontology | None, reading: ReadingOptions = DEFAULT_READING
) -> Benchmark:
    """What :func:`benchlib.datasets.find_benchmark` reads, or plain text in a file ``.txt`` (also gzipped)
    that is not PubTator: each line that is not blank is a document of test, with the number of the line as
    its id. Raises ValueError as there, for a file without text, and for options of ``reading`` about a corpus
    with plain text."""
    path = Path(corpus)
    if dictionary is None or not (path.is_file() and ending(path) == ".txt"):
        return find_benchmark(corpus, dictionary, reading)
    documents = tuple(Document(str(number), line) for number, line in numbered_lines(path) if line.strip())
    if any(_PUBTATOR.match(document.text) for document in documents):
        return find_benchmark(corpus, dictionary, reading)
    if not documents:
        raise ValueError(f"{path}: expected PubTator, or a document a line, found no text")
    if unread := {*_OF_CORPORA} & {*reading.unusual()}:
        raise ValueError(f"{path} is plain text: {min(unread)} would be ignored; expected PubTator")
    none, test = Corpus("none", ()), Corpus(path.stem, documents)
    ontology, notes = read_dictionary(dictionary, reading)
    return Benchmark(path.stem, none, none, test, ontology, notes=notes)
