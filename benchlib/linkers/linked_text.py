"""Mentions that the names of a dictionary have in raw text: what self-supervised linkers learn from."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from ..corpus import Document, Gold, Mention
from ..datasets.benchmark import Benchmark, Unlabelled
from ..datasets.exclusion import TRAIN
from ..encoders import Backbone, Encoded, mention_inputs
from ..matching import Matcher, mentions
from ..ontology import fold_name
from ..retrieval import sample_prototypes

TAGS = ("all", "one")


@dataclass(frozen=True)
class LinkedText:
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

    def windows(
        self, backbone: Backbone, which: Iterable[int], window: int, tags: str = "one"
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
        found = mention_inputs(
            backbone,
            [(self.texts[self.text[i]], *self._place(i)) for i in which],
            window,
            [list(map(self._place, others)) for others in beside],
        )
        spans = zip(which, beside, found.others, strict=True)
        return found.inputs, [self.concept[[i, *(others[j] for j in marked)]] for i, others, marked in spans]

    def _place(self, i: int) -> tuple[int, int]:
        return int(self.start[i]), int(self.end[i])


def linked_text(benchmark: Benchmark, progress: bool = True) -> LinkedText:
    """The unlabelled text of a benchmark with what a :class:`Matcher` finds there of its ontology; names of
    several concepts are passed over.

    Raises ValueError for a benchmark without unlabelled text, and for text without a match.
    """
    given = benchmark.unlabelled
    if given is None:
        raise ValueError(
            f"{benchmark.name}: expected unlabelled text, found none; a transform gives it, such as "
            "unlabelled:unlabelled-pubmed"
        )
    matcher = Matcher(benchmark.ontology)
    texts: list[str] = []
    rows: list[tuple[int, int, int]] = []
    names, ids = [], []
    for document in _documents(benchmark, given, matcher, progress):
        for mention in document.mentions:
            rows.append((len(texts), mention.start, mention.end))
            names.append(fold_name(mention.text))
            ids += mention.gold.ids
        texts.append(document.text)
    if not rows:
        raise ValueError(
            f"unlabelled {given.source}: expected names of {benchmark.ontology.name} in it, found none"
        )
    concepts = tuple(benchmark.ontology.concepts)
    number = {id: i for i, id in enumerate(concepts)}
    place = np.array(rows, dtype=np.int64).T
    there, name = np.unique(names, return_inverse=True)
    concept = np.array([number[id] for id in ids])
    return LinkedText(texts, *place, name, concept, tuple(there.tolist()), concepts)


def _documents(
    benchmark: Benchmark, given: Unlabelled, matcher: Matcher, progress: bool
) -> Iterable[Document]:
    if given.source != TRAIN:
        return mentions(given.source, matcher, given.excluded, progress=progress)
    documents = benchmark.train.documents
    found = matcher([document.text for document in documents]).by_text(len(documents))
    golds = [Gold((frozenset(ids),)) for ids in matcher.ids]
    return [
        Document(d.id, d.text, tuple(Mention(a, b, d.text[a:b], gold=golds[name]) for a, b, name in own))
        for d, own in zip(documents, found, strict=True)
    ]
