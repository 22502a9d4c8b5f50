"""Texts of a pool that give away test documents: the same id, or a passage in common."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import daachorse

from benchlib.benchmark import Benchmark, Unlabelled
from benchlib.corpus import Document

from . import unlabelled
from .unlabelled import source_of, text_id

WINDOW = 50
"""Letters and digits, the same in both, that make a passage."""
COPIES = 3
"""A passage that stands in more texts of the pool is boilerplate, such as the name of a register of trials: a
pool without duplicates holds a document whole, in part and in sentences at most."""
TRAIN = "train"
_BLOCK = WINDOW // 2  # of a text cut into blocks, a window holds a whole one wherever it begins
_GAPS = re.compile(r"[\W_]+")


@dataclass(frozen=True)
class Exclusion:
    """The texts of a pool (:func:`.unlabelled.text_id`) that must not be learnt from, by reason, and beside
    them those that have only boilerplate in common with a test document. ``texts`` counts all, by file."""

    texts: dict[str, int]
    same_id: frozenset[str]
    shared_text: frozenset[str]
    boilerplate: frozenset[str]

    @property
    def excluded(self) -> frozenset[str]:
        return self.same_id | self.shared_text


def exclude(corpus: Path | str, documents: Iterable[Document]) -> Exclusion:
    """What a pool (a registered source or a folder of JSON lines) has of ``documents``.

    A text is excluded that has the id of a document, else one that has a window in common with one: 50
    letters or digits in a row, case and all between them aside, that stand in at most three
    different texts of the pool. Raises as :func:`unlabelled.files`.
    """
    tested = {document.id: _squeezed(document.text) for document in documents}
    with_block: dict[str, set[str]] = {}
    for id, text in tested.items():
        for start in range(0, len(text) - _BLOCK + 1, _BLOCK):
            with_block.setdefault(text[start : start + _BLOCK], set()).add(id)
    texts, same_id, shared, whole = Counter(), set(), {}, {}
    if not with_block:
        raise ValueError(f"expected documents of at least {_BLOCK} letters and digits, found none")
    automaton = daachorse.CharwiseDoubleArrayAhoCorasick(list(with_block))
    owners = [[tested[id] for id in ids] for ids in with_block.values()]
    for path in unlabelled.files(corpus):
        for line, one in enumerate(unlabelled.read(path), start=1):
            id, text = text_id(path, line), _squeezed(one.text)
            texts[source_of(path)] += 1
            if one.id in tested:
                same_id.add(id)
            elif windows := frozenset(_shared(text, automaton, owners)):
                shared[id] = windows
                whole[hash(text)] = windows
    # A text that the pool has several times is no boilerplate for that.
    copies = Counter(window for windows in whole.values() for window in windows)
    given_away = {id for id, windows in shared.items() if min(copies[w] for w in windows) <= COPIES}
    boilerplate = frozenset(shared.keys() - given_away)
    return Exclusion(dict(texts), frozenset(same_id), frozenset(given_away), boilerplate)


def with_unlabelled(benchmark: Benchmark, what: str) -> Benchmark:
    """With the text of a registered source or of a folder of JSON lines, without what :func:`exclude` leaves
    out for its test documents; or, for ``train``, with that of its training documents.

    ``what`` is the source, and after a colon further data sets, joined by ``+``, whose test documents are
    left out as well: then what is learnt from the text can serve them all. Raises as :func:`exclude`, and as
    :func:`load` for a data set that there is not.
    """
    source, others = source_and_others(what)
    excluded: frozenset[str] = frozenset()
    if source != TRAIN:
        excluded = _excluded(source, benchmark.test.documents)
        for name in others:
            if name != benchmark.name:
                # Reading benchmarks applies no transform, but is imported after them.
                from . import load

                excluded |= _excluded(source, load(name).test.documents)
    return replace(benchmark, unlabelled=Unlabelled(source, excluded))


def source_and_others(what: str) -> tuple[str, tuple[str, ...]]:
    """The source of unlabelled text, and the data sets whose test documents it must not have."""
    source, _, others = what.partition(":")
    return source, tuple(filter(None, others.split("+")))


@cache  # many runs of a process are on the same benchmark
def _excluded(source: str, documents: tuple[Document, ...]) -> frozenset[str]:
    return exclude(source, documents).excluded


def exclusion_counts(benchmark: Benchmark, corpus: str = "unlabelled-pubmed") -> dict[str, int]:
    """Of each file of a pool, and of all: its ``texts``, those excluded for the ``same_id`` as a test
    document or for ``shared_text``, those with ``boilerplate`` alone in common, and those ``kept``."""
    found = exclude(corpus, benchmark.test.documents)
    counts = {"test.documents": len(benchmark.test.documents)}
    for source in (*found.texts, "all"):
        of = {"texts": found.texts.get(source, sum(found.texts.values()))}
        for reason in ("same_id", "shared_text", "boilerplate"):
            ids = getattr(found, reason)
            of[reason] = sum(source in ("all", id.rpartition(":")[0]) for id in ids)
        of["kept"] = of["texts"] - of["same_id"] - of["shared_text"]
        counts |= {f"{source}.{name}": n for name, n in of.items()}
    return counts


def _shared(text: str, automaton, owners: list[list[str]]) -> Iterator[str]:
    """The windows of a text that stand in a document."""
    for start, _, block in automaton.find_overlapping(text):
        for first in range(max(0, start - _BLOCK), min(start, len(text) - WINDOW) + 1):
            window = text[first : first + WINDOW]
            if any(window in document for document in owners[block]):
                yield window


def _squeezed(text: str) -> str:
    return _GAPS.sub("", text.lower())
