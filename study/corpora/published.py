"""Answers that authors published: what systems of others answered to the test mentions of BELB.

The authors of BELB (Garda et al. 2023) and BELHD (Garda and Leser 2024) committed them with their code, in
ids of BELB. Where a mention of BELB is one of the corpus here, by document and offsets, its gold is the same
concept under two ids: that is the translation. An id that is gold of no such mention stays foreign, with
``BELB:`` before it, and can only be wrong.
"""

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from benchlib.corpus import Corpus, Mention
from benchlib.predictions import Candidate, Predictions, Query

from . import registry
from .files import locator

CORPORA = {
    "ncbi-disease": "ncbi_disease",
    "bc5cdr-disease": "bc5cdr_disease",
    "bc5cdr-chemical": "bc5cdr_chemical",
    "bc2gn": "gnormplus",
}
"""What BELB calls the data sets."""
SOURCES = ("published-belhd", "published-belb")
END_TO_END = ("bc7t2w", "gnormplus", "taggerone")
"""Systems that found the spans themselves and answered those alone."""
FOREIGN = "BELB:"
_GOLD = "published_predictions/belhd/gold/belb_gold.json"
_NIL = "NIL"


class Answer(NamedTuple):
    """What a system answered to a mention of BELB: in ``ranked``, best first, the ids that own each answered
    name, none for NIL. ``gold`` are BELB's ids, any of them right by the authors' count."""

    span: Query
    gold: frozenset[str]
    ranked: tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class Translation:
    """BELB's ids in those of a corpus. ``ids`` has one id for each concept of BELB that is gold of an aligned
    mention, ``spans`` the aligned mentions, and ``merged`` those where BELB's gold is another: an id that
    stands for several and is not translated to the gold of this mention, or another number of concepts."""

    ids: Mapping[str, str]
    spans: frozenset[Query]
    merged: frozenset[Query]

    def answer(self, owners: Iterable[str]) -> tuple[str, ...]:
        """The owners of an answered name in the corpus's ids."""
        return tuple(dict.fromkeys(self.ids.get(id, f"{FOREIGN}{id}") for id in owners))


def systems(dataset: str) -> tuple[str, ...]:
    """The systems whose answers to a data set are published, files of the same content once.

    Raises ValueError for a data set without any.
    """
    return tuple(_files(dataset))


def answers(dataset: str, system: str, every_span: bool = False) -> list[Answer]:
    """The answers of a system to the mentions of BELB, in the order of its file; with ``every_span`` those of
    a system of :data:`END_TO_END` to all spans that it found, without gold where BELB has no mention.

    Raises ValueError for a data set or system that is not published, MissingFile saying how to get a file,
    and WrongContent for another content.
    """
    files = _files(dataset)
    if system not in files:
        raise ValueError(f"{dataset}: no answers of {system!r}; expected one of {', '.join(files)}")
    gold, places = _gold(dataset), _places(dataset)
    found: dict[Query, Answer] = {}
    for row in _read(files[system]):
        key, ranked = row["hexdigest"], row["y_pred"]
        if key in gold or every_span:
            span = places[key] if key in gold else _span(row)
            owners = (tuple(dict.fromkeys(str(id) for id in one if id != _NIL)) for one in ranked)
            found[span] = Answer(span, gold.get(key, frozenset()), tuple(dict.fromkeys(owners)))
    return list(found.values())


def gold_mentions(dataset: str) -> dict[Query, frozenset[str]]:
    """The gold of every test mention of BELB by its span, in BELB's ids; raises as :func:`answers`."""
    places = _places(dataset)
    return {places[key]: ids for key, ids in _gold(dataset).items()}


def translation(gold: Mapping[Query, frozenset[str]], corpus: Corpus) -> Translation:
    """Translate BELB's ids by the mentions that the corpus has at the same place.

    Mentions with one concept on both sides count, and the translation is one to one: an id of BELB becomes
    the id that is gold of most mentions of both, of equally many the first in the alphabet; of alternative
    ids of one gold the first.
    """
    here = _single_mentions(corpus)
    spans = frozenset(here) & frozenset(gold)
    single = [span for span in spans if len(here[span].gold.parts) == len(gold[span]) == 1]
    votes = Counter((next(iter(gold[span])), min(here[span].gold.parts[0])) for span in single)
    ids: dict[str, str] = {}
    taken: set[str] = set()
    for (theirs, own), _ in sorted(votes.items(), key=lambda vote: (-vote[1], vote[0])):
        if theirs not in ids and own not in taken:
            ids[theirs] = own
            taken.add(own)
    alike = {span for span in single if ids.get(next(iter(gold[span]))) in here[span].gold.parts[0]}
    several = {span for span in spans if 1 < len(here[span].gold.parts) == len(gold[span])}
    return Translation(ids, spans, spans - alike - several)


def translated(dataset: str, system: str, corpus: Corpus, every_span: bool = False) -> Predictions:
    """The answers of a system to the aligned mentions of the test split, or to ``every_span`` that it found.
    A candidate is a rank: its owners in the ids of the corpus, without a name; the score is minus the rank.

    Raises as :func:`answers`.
    """
    known = translation(gold_mentions(dataset), corpus)
    ranked: dict[Query, tuple[Candidate, ...]] = {}
    for one in answers(dataset, system, every_span):
        if every_span or one.span in known.spans:
            owned = (known.answer(owners) for owners in one.ranked)
            ranked[one.span] = tuple(dict.fromkeys(Candidate("", ids) for ids in owned))
    distinct = dict.fromkeys(candidate for listed in ranked.values() for candidate in listed)
    candidates = {candidate: number for number, candidate in enumerate(distinct)}
    index = np.full((len(ranked), max(map(len, ranked.values()), default=1)), -1)
    for row, listed in zip(index, ranked.values(), strict=True):
        row[: len(listed)] = [candidates[candidate] for candidate in listed]
    scores = np.broadcast_to(-1.0 - np.arange(index.shape[1]), index.shape)
    return Predictions(tuple(ranked), tuple(candidates), index, scores)


def _single_mentions(corpus: Corpus) -> dict[Query, Mention]:
    """The mentions of a corpus by span, those that share one with another left out."""
    every = [(Query(d.id, m.start, m.end), m) for d, m in corpus.mentions()]
    times = Counter(span for span, _ in every)
    return {span: mention for span, mention in every if times[span] == 1}


def _files(dataset: str) -> dict[str, str]:
    """The file of each system that answered a data set."""
    if dataset not in CORPORA:
        raise ValueError(f"{dataset}: nothing is published; expected one of {', '.join(CORPORA)}")
    files: dict[str, str] = {}
    contents = set()
    for file in (file for source in SOURCES for file in registry.source(source).files):
        *_, corpus, system, _ = file.name.split("/")
        if corpus == CORPORA[dataset] and file.sha256 not in contents:
            contents.add(file.sha256)
            files[system] = file.name
    return files


def _read(name: str) -> Any:
    return json.loads(locator(SOURCES)(name).read_text(encoding="utf-8"))


@lru_cache(maxsize=len(CORPORA))
def _gold(dataset: str) -> Mapping[str, frozenset[str]]:
    return {key: frozenset(map(str, ids)) for key, ids in _read(_GOLD)[CORPORA[dataset]].items()}


@lru_cache(maxsize=len(CORPORA))
def _places(dataset: str) -> Mapping[str, Query]:
    """Where each mention of BELB stands: BELHD's rows do not say, arboEL answered every mention."""
    return {row["hexdigest"]: _span(row) for row in _read(_files(dataset)["arboel"])}


def _span(row: Mapping[str, object]) -> Query:
    return Query(row["eid"], row["start"], row["end"])
