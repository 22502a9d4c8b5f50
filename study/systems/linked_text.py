"""Mentions that the names of a dictionary have in raw text: what self-supervised linkers learn from."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import groupby, islice
from pathlib import Path
from typing import Literal

import numpy as np
from tqdm import tqdm

from benchlib import encoders
from benchlib.benchmark import Benchmark, Unlabelled
from benchlib.corpus import Corpus, Document, Gold, Mention
from benchlib.encoders import Encoded, mention_inputs
from benchlib.matching import Matcher
from benchlib.ontology import Ontology, fold_name

from ..corpora import unlabelled
from ..corpora.exclusion import TRAIN, with_unlabelled
from .sentences import sentences_of
from .training_names import single_concept_mentions

Tags = Literal["all", "one"]
Matching = Literal["cased", "released"]
FREQUENT_NAMES = 20
_TOGETHER = 1_000  # texts that are matched at a time, and in memory
PER_CONCEPT = 3  # mentions of a concept that a training is given (KRISSBERT, section 4.2)


def sample_prototypes(concepts: np.ndarray, m: int, seed: int) -> np.ndarray:
    """The mentions taken as prototypes, ascending: of each concept at most ``m``, drawn without
    replacement (KRISSBERT, section 4.2, takes 16). ``concepts`` (mentions,) is the concept of each.
    """
    drawn = np.random.default_rng(seed).permutation(len(concepts))
    drawn = drawn[np.argsort(concepts[drawn], kind="stable")]
    _, first, count = np.unique(concepts[drawn], return_index=True, return_counts=True)
    place = np.arange(len(drawn)) - np.repeat(first, count)
    return np.sort(drawn[place < m])


@dataclass(frozen=True, eq=False)
class MatchedText:
    """Mentions in ``texts``, in order: int64 arrays (mentions,) of the number of the text, where it starts
    and ends, and the numbers of its ``name`` among ``names``, folded, and of its ``concept`` among
    ``concepts``."""

    texts: Sequence[str]
    text: np.ndarray
    start: np.ndarray
    end: np.ndarray
    name: np.ndarray
    concept: np.ndarray
    names: tuple[str, ...]
    concepts: tuple[str, ...]

    def sample(self, per_name: int | None, seed: int, above: int = 0) -> np.ndarray:
        """The mentions of at most ``per_name`` for each name that has more than ``above``, drawn without
        replacement, ascending; all of them for None (BioCoM, appendix F)."""
        if per_name is None:
            return np.arange(len(self.name))
        rare = np.bincount(self.name)[self.name] <= above
        return np.union1d(sample_prototypes(self.name, per_name, seed), np.flatnonzero(rare))

    def in_sentences(self) -> "MatchedText":
        """The same mentions, each in its sentence (:func:`sentences_of`) in the place of its text."""
        place: dict[tuple[int, int, int], int] = {}  # of each sentence: its text, where it starts and ends
        text, first = [], []
        for number, own in groupby(range(len(self.text)), key=self.text.tolist().__getitem__):
            for start, end in sentences_of(self.texts[number], list(map(self._place, own))):
                text.append(place.setdefault((number, start, end), len(place)))
                first.append(start)
        texts = [self.texts[number][start:end] for number, start, end in place]
        shift = np.array(first, dtype=np.int64)
        numbers = np.array(text, dtype=np.int64)
        return replace(self, texts=texts, text=numbers, start=self.start - shift, end=self.end - shift)

    def sentence_pairs(self, per_name: int, seed: int) -> list[np.ndarray]:
        """The mentions of :meth:`sample`, a sentence once for each of its concepts, drawn into pairs of one
        concept; the odd one of a concept stands alone."""
        drawn = np.random.default_rng(seed).permutation(self.sample(per_name, seed))
        drawn = drawn[np.argsort(self.concept[drawn], kind="stable")]
        places = np.stack([self.concept[drawn], self.in_sentences().text[drawn]])
        drawn = drawn[np.sort(np.unique(places, axis=1, return_index=True)[1])]
        _, first, count = np.unique(self.concept[drawn], return_index=True, return_counts=True)
        place = np.arange(len(drawn)) - np.repeat(first, count)
        return np.split(drawn, np.flatnonzero(place % 2 == 0)[1:])

    def windows(
        self, backbone: "encoders.Backbone", which: Iterable[int], window: int, tags: Tags = "one"
    ) -> tuple[list[Encoded], list[np.ndarray]]:
        """The inputs of some mentions, and for each the concepts of its spans, that of the mention first.

        With ``tags`` ``all`` the other mentions of its text have markers too, with ``one`` it alone. Raises
        as :func:`mention_inputs`.
        """
        which = list(which)
        first = np.searchsorted(self.text, self.text[which], side="left")
        stop = np.searchsorted(self.text, self.text[which], side="right")
        beside = [
            [j for j in range(a, b) if j != i] if tags == "all" else []
            for i, a, b in zip(which, first.tolist(), stop.tolist(), strict=True)
        ]
        places = [list(map(self._place, others)) for others in beside]
        found = mention_inputs(backbone, [self.span(i) for i in which], window, places)
        spans = zip(which, beside, found.others, strict=True)
        return found.inputs, [self.concept[[i, *(others[j] for j in marked)]] for i, others, marked in spans]

    def span(self, i: int) -> tuple[str, int, int]:
        """The text of a mention, and where in it that starts and ends."""
        return self.texts[self.text[i]], *self._place(i)

    def documents(self, which: np.ndarray) -> tuple[Document, ...]:
        """The texts of some mentions, ascending, with these and the concept of each as their gold."""
        mentions: dict[int, list[Mention]] = {}
        for i in which.tolist():
            text, start, end = self.span(i)
            gold = Gold((frozenset([self.concepts[self.concept[i]]]),))
            mention = Mention(start, end, text[start:end], gold=gold)
            mentions.setdefault(int(self.text[i]), []).append(mention)
        return tuple(Document(str(n), self.texts[n], tuple(own)) for n, own in mentions.items())

    def _place(self, i: int) -> tuple[int, int]:
        return int(self.start[i]), int(self.end[i])


def annotated_text(benchmark: Benchmark) -> MatchedText:
    """The training documents with their labelled mentions, those that stand for one concept of the ontology.

    Raises ValueError where there is none.
    """
    number = {id: i for i, id in enumerate(benchmark.ontology.concepts)}
    place = {document.id: i for i, document in enumerate(benchmark.train.documents)}
    rows = [
        (place[document.id], mention.start, mention.end, mention.text, number[concept])
        for document, mention, concept in single_concept_mentions(benchmark)
    ]
    if not rows:
        raise ValueError(
            f"benchmark {benchmark.name}: expected a training mention of one concept, found none"
        )
    return _linked([document.text for document in benchmark.train.documents], rows, tuple(number))


def self_supervised(benchmark: Benchmark, most: int, seed: int, progress: bool = True) -> Benchmark:
    """The benchmark with what the names of its dictionary find in its unlabelled text in the place of its
    training documents: at most :data:`PER_CONCEPT` mentions of each concept and ``most`` in all, drawn by the
    seed. Raises as :func:`matched_text`."""
    linked = matched_text(benchmark, progress)
    drawn = np.random.default_rng(seed).permutation(sample_prototypes(linked.concept, PER_CONCEPT, seed))
    return replace(benchmark, train=Corpus("text", linked.documents(np.sort(drawn[:most]))))


def matched_text(
    benchmark: Benchmark, progress: bool = True, names: str = "all", matching: Matching = "cased"
) -> MatchedText:
    """The unlabelled text of a benchmark with what a :class:`Matcher` finds there of its ontology, of all
    ``names`` or the ``preferred`` ones; names of several concepts are passed over.

    For ``matching`` see :func:`name_matcher`.

    Raises ValueError for a benchmark without unlabelled text, and for text without a match.
    """
    given = benchmark.unlabelled
    if given is None:
        why = "expected unlabelled text, found none; a transform gives it, such as unlabelled:train"
        raise ValueError(f"{benchmark.name}: {why}")
    read: tuple = benchmark.train.documents
    if given.source != TRAIN:
        read = tuple((of.st_mtime_ns, of.st_size) for of in map(Path.stat, unlabelled.files(given.source)))
    return _matched(benchmark.ontology, given, read, progress, names, matching)


@lru_cache(maxsize=2)  # linkers that share a training read the same text, of all corpora and of their own
def _matched(
    ontology: Ontology, given: Unlabelled, read: tuple, progress: bool, names: str, matching: Matching
) -> MatchedText:
    """The matches in documents that are ``read``, or in the files of a source in the edition that is."""
    matcher = name_matcher(ontology, names, matching)
    texts: list[str] = []
    concepts = {id: i for i, id in enumerate(ontology.concepts)}
    rows: list[_Row] = []
    from_train, unmatched = given.source == TRAIN, _texts(read, given, progress)
    while group := list(islice(unmatched, _TOGETHER)):
        for text, matches in zip(group, matcher(group), strict=True):
            for start, end, name in matches:
                [id] = matcher.ids[name]
                rows.append((len(texts), start, end, text[start:end], concepts[id]))
            if matches or from_train:
                texts.append(text)
    if not rows:
        raise ValueError(f"unlabelled {given.source}: expected names of {ontology.name} in it, found none")
    return _linked(texts, rows, tuple(concepts))


def name_matcher(
    ontology: Ontology, names: str = "all", matching: Matching = "cased", shared: str = "skip"
) -> Matcher:
    """The :class:`Matcher` of a ``matching``: ``cased`` as it comes, ``released`` as in BioCoM's released
    script, which reads no case, takes the longest of matches that overlap, and passes over names that are
    stop words of English; these are here those of scikit-learn."""
    if matching == "cased":
        return Matcher(ontology, names, shared)
    concepts = (
        replace(of, names=tuple(name for name in of.names if not is_stop_word(name)))
        for of in ontology.concepts.values()
    )
    return Matcher(Ontology(ontology.name, concepts), names, shared, overlaps="longest", ignore_case=True)


def is_stop_word(name: str) -> bool:
    # It brings scikit-learn, which takes long to import and has no other part here.
    from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

    return fold_name(name) in ENGLISH_STOP_WORDS


def match_counts(
    benchmark: Benchmark, text: str, names: str = "all", matching: Matching = "cased"
) -> dict[str, object]:
    """What :func:`matched_text` finds of ``names`` in unlabelled text, ``text`` being the argument of the
    transform (:func:`with_unlabelled`): numbers of ``texts`` with a mention, ``mentions``, ``names`` and
    ``concepts`` found, and of all ``dictionary.names`` and ``dictionary.concepts`` with a name; the most
    ``frequent`` names, each with its number of mentions; and of the ``test.mentions`` the numbers of those
    with a concept ``found``. Raises as :func:`matched_text`.
    """
    benchmark = with_unlabelled(benchmark, text)
    linked = matched_text(benchmark, progress=False, names=names, matching=matching)
    often = np.bincount(linked.name)
    first = np.argsort(-often, kind="stable")[:FREQUENT_NAMES]
    there = {linked.concepts[i] for i in linked.concept.tolist()}
    ontology, tested = benchmark.ontology, [mention for _, mention in benchmark.test.mentions()]
    return {
        "texts": len(linked.texts),
        "mentions": len(linked.name),
        "names": len(linked.names),
        "concepts": len(there),
        "dictionary.names": len(ontology.owners()),
        "dictionary.concepts": sum(bool(one.names) for one in ontology.concepts.values()),
        "frequent": [[linked.names[i], int(often[i])] for i in first],
        "test.mentions": len(tested),
        "found": [n for n, mention in enumerate(tested) if ontology.concepts_in(mention.gold.ids) & there],
    }


_Row = tuple[int, int, int, str, int]  # number of the text, start, end, string, number of the concept


def _linked(texts: Sequence[str], rows: Sequence[_Row], concepts: tuple[str, ...]) -> MatchedText:
    text, start, end, strings, concept = zip(*rows, strict=True)
    names, name = np.unique([fold_name(string) for string in strings], return_inverse=True)
    numbers = (np.array(column, dtype=np.int64) for column in (text, start, end, name, concept))
    return MatchedText(texts, *numbers, tuple(names.tolist()), concepts)


def _texts(documents: Sequence[Document], given: Unlabelled, progress: bool) -> Iterator[str]:
    """The unlabelled texts that may be learnt from: those of the training ``documents``, or of a
    registered source or a folder of JSON lines without what is excluded for the sake of the test."""
    if given.source == TRAIN:
        yield from (document.text for document in documents)
        return
    for path in tqdm(unlabelled.files(given.source), "matching", unit="file", disable=not progress):
        for line, one in enumerate(unlabelled.read(path), start=1):
            if unlabelled.text_id(path, line) not in given.excluded:
                yield one.text
