"""End to end: precision, recall and F1 of concepts that a linker claims at spans of its own finding.

A *claim* is the best candidate of a list, at the span of its query. A *gold* is one part of what a mention
asks for, any alternative of it, at the span of the mention: a composite mention is a gold for each part, and
the parts of a query answer it. Equal claims count once, as in a set, and so do equal golds. Where several
concepts share the first place, each is as likely to be picked, as everywhere under ``strict``.

NIL is no concept: a NIL mention is no gold and the answer NIL no claim, as in neleval's measures of links. A
concept that is claimed where the gold is NIL is wrong: the linker was not told that a mention is there.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ..corpus import Corpus, Document
from ..ontology import Ontology
from ..predictions import Predictions
from .comparison import holm, permutation_p_of
from .statistics import interval, resampled_means

MATCHES = ("strict", "partial", "overlap")
"""What a span is worth by another of the same concept; of several others the best counts.

- ``strict``: 1 where the two are equal (neleval: strong_link_match).
- ``partial``: the share of its characters that the other covers, a claim's for precision, a gold's for recall
  (neleval: overlap-maxmax::span+kbid, here on half-open spans). MedType is scored by it, and the dual encoder
  says that it follows MedType (section 4.5, Table 7).
- ``overlap``: 1 where they share a character, which is how that section words its partial match.
"""

MEASURES = ("precision", "recall", "f1")
_ARRAYS = ("claims", "golds", "right", "found")
Row = Mapping[str, object]


class Span(NamedTuple):
    """A claim or a gold: half-open offsets in a document, and concepts, any of which it may be."""

    start: int
    end: int
    concepts: frozenset[str]


@dataclass(frozen=True, eq=False, repr=False)
class SpanOutcomes:
    """What became of the claims and golds of each document, in corpus order: all that is kept of predictions.

    ``claims`` and ``golds`` (documents,) are how many there are; ``right`` and ``found`` (documents ×
    ``MATCHES``) what the claims and the golds are worth together, to six decimals. ``counts`` close for
    mentions, golds and claims: ``n_raw`` is ``n_scored`` and all ``dropped`` together.
    """

    claims: np.ndarray
    golds: np.ndarray
    right: np.ndarray
    found: np.ndarray
    counts: Mapping[str, object]

    def __repr__(self) -> str:
        sizes = {"documents": len(self.claims), "claims": self.claims.sum(), "golds": self.golds.sum()}
        return f"SpanOutcomes({', '.join(f'{n:,} {what}' for what, n in sizes.items())})"

    @property
    def sums(self) -> np.ndarray:
        """All four side by side: documents × 8."""
        return np.column_stack([self.claims, self.golds, self.right, self.found])

    @property
    def values(self) -> Mapping[str, object]:
        """What a record keeps: the outcomes, and the rows of :func:`by_match` by name."""
        scores = {f"{row['match']} {row['measure']}": row for row in by_match(self)}
        kept = {name: getattr(self, name).tolist() for name in _ARRAYS}
        return {**scores, "counts": self.counts, **kept}

    @classmethod
    def of_values(cls, values: Mapping[str, object]) -> SpanOutcomes:
        """The outcomes of :attr:`values`; raises KeyError for what is missing."""
        return cls(**{name: np.array(values[name]) for name in _ARRAYS}, counts=values["counts"])

    @classmethod
    def together(cls, several: Sequence[SpanOutcomes]) -> SpanOutcomes:
        """Of several seeds, each document with all that was claimed in it: precision and recall are micro
        averages over seeds as well. Counts are those of the first. Raises ValueError for other golds."""
        _check_golds(*several)
        sums = {name: sum(getattr(each, name) for each in several) for name in _ARRAYS}
        return cls(**sums, counts=several[0].counts)


def span_outcomes(predictions: Predictions, corpus: Corpus, ontology: Ontology) -> SpanOutcomes:
    """The outcomes of predictions at any spans of a corpus with gold.

    Ids that the ontology resolves to one concept are equal; golds outside the ontology stay, and are counted.
    Raises ValueError for a query that is no stretch of a document of the corpus, and for a corpus with a
    mention without gold, or without a mention that has a concept.
    """
    answers = _answers(predictions, corpus, ontology)
    sizes, worth = [], []
    for document in corpus.documents:
        listed, asked = answers[document.id], _asked(document, ontology)
        answered = [claim for claim in listed if claim.concepts]
        claims, golds = list(dict.fromkeys(answered)), list(dict.fromkeys(asked))
        outside = [gold for gold in golds if not any(c in ontology for c in gold.concepts)]
        sizes.append([len(each) for each in (claims, golds, listed, answered, asked, outside)])
        worth.append([credits.sum(axis=0) for credits in _worth(claims, golds)])
    table, credit = np.array(sizes).reshape(-1, 6), np.array(worth).reshape(-1, 2, len(MATCHES)).round(6)
    n_claims, n_golds, n_made, n_answered, n_asked, n_outside = map(int, table.sum(axis=0))
    if not n_golds:
        raise ValueError(f"corpus {corpus.name} has no mention with a concept: there is nothing to find")
    n_nil = sum(mention.gold.nil for _, mention in corpus.mentions())
    return SpanOutcomes(
        claims=table[:, 0],
        golds=table[:, 1],
        right=credit[:, 0],
        found=credit[:, 1],
        counts={
            "n_raw": corpus.n_raw,
            "dropped": {**corpus.dropped, "nil": n_nil + corpus.dropped.get("nil", 0)},
            "n_scored": corpus.n_mentions - n_nil,
            "golds": {"n_raw": n_asked, "dropped": {"repeated": n_asked - n_golds}, "n_scored": n_golds},
            "golds_outside_ontology": n_outside,
            "claims": {
                "n_raw": n_made,
                "dropped": {"nil": n_made - n_answered, "repeated": n_answered - n_claims},
                "n_scored": n_claims,
            },
        },
    )


def by_match(outcomes: SpanOutcomes) -> tuple[Row, ...]:
    """Micro precision, recall and F1 under each of ``MATCHES``, with 95 % intervals that resample documents.

    ``n`` is the number of claims, of golds, and of both. Precision is 0 without any claim; F1 is the harmonic
    mean of the two.
    """
    low, high = interval(_resampled(outcomes))
    n_claims, n_golds = int(outcomes.claims.sum()), int(outcomes.golds.sum())
    n = [n_claims, n_golds, n_claims + n_golds] * len(MATCHES)
    return _rows(value=_measures(outcomes.sums.sum(axis=0)), low=low, high=high, n=n)


def spans_against(first: SpanOutcomes, second: SpanOutcomes) -> tuple[Row, ...]:
    """First minus second, as in :func:`by_match`, on the same resamples; ``p`` is that of a permutation test
    which swaps the claims of whole documents, ``p_holm`` the same after Holm over these rows.

    Raises ValueError for outcomes of different golds.
    """
    _check_golds(first, second)
    both, apart = (first.sums + second.sums).sum(axis=0), first.sums - second.sums

    def difference(signs: np.ndarray) -> np.ndarray:
        moved = signs @ apart
        return (_measures((both + moved) / 2) - _measures((both - moved) / 2)).reshape(len(signs), -1)

    values = difference(np.ones((1, len(apart))))[0]
    low, high = interval(_resampled(first) - _resampled(second))
    p = permutation_p_of(lambda signs: np.abs(difference(signs)), len(apart))
    return _rows(value=values, low=low, high=high, p=p, p_holm=holm(p.tolist()))


def _check_golds(first: SpanOutcomes, *others: SpanOutcomes) -> None:
    if any(not np.array_equal(first.golds, other.golds) for other in others):
        sizes = ", ".join(f"{each.golds.sum()} in {len(each.golds)} documents" for each in (first, *others))
        raise ValueError(f"expected outcomes of the same golds, found {sizes}")


def _answers(predictions: Predictions, corpus: Corpus, ontology: Ontology) -> dict[str, list[Span]]:
    """By document the best of every list, without concepts where the answer is NIL or there is none."""
    lengths = {document.id: len(document.text) for document in corpus.documents}
    answers: dict[str, list[Span]] = {id: [] for id in lengths}
    for query, index, scores in zip(predictions.queries, predictions.index, predictions.scores, strict=True):
        if not 0 <= query.start < query.end <= lengths.get(query.document, 0):
            raise ValueError(f"{tuple(query)} is predicted; expected a stretch of a text of {corpus.name}")
        best = index[(index >= 0) & (scores == scores.max(initial=-np.inf))]
        ids = (id for i in best for id in predictions.candidates[i].answer_ids)
        claimed = frozenset(ontology.concepts_of(ids))
        answers[query.document].append(Span(query.start, query.end, claimed))
    return answers


def _asked(document: Document, ontology: Ontology) -> list[Span]:
    if any(mention.gold is None for mention in document.mentions):
        raise ValueError(f"document {document.id} has a mention without gold; expected gold for all")
    return [
        Span(mention.start, mention.end, frozenset(ontology.concepts_of(part)))
        for mention in document.mentions
        for part in mention.gold.parts
    ]


def _worth(claims: Sequence[Span], golds: Sequence[Span]) -> tuple[np.ndarray, np.ndarray]:
    """What each claim and each gold of a document is worth by the others: claims and golds × ``MATCHES``."""
    right, found = (np.zeros((len(each), len(MATCHES))) for each in (claims, golds))
    of = defaultdict(list)
    for place, gold in enumerate(golds):
        for concept in gold.concepts:
            of[concept].append(place)
    for i, claim in enumerate(claims):
        reached = np.zeros_like(found)
        for concept in claim.concepts:
            right[i] += np.max([_covered(claim, golds[g]) for g in of[concept]], axis=0, initial=0.0)
            for g in of[concept]:
                reached[g] += _covered(golds[g], claim)
        right[i] /= len(claim.concepts)
        found = np.maximum(found, reached / len(claim.concepts))
    return right, found


def _covered(span: Span, other: Span) -> tuple[float, ...]:
    """What a span is worth by another, under each of ``MATCHES``."""
    shared = max(0, min(span.end, other.end) - max(span.start, other.start))
    return float(span[:2] == other[:2]), shared / (span.end - span.start), float(shared > 0)


def _measures(sums: np.ndarray) -> np.ndarray:
    """From (..., 8) as in :attr:`SpanOutcomes.sums` to (..., ``MATCHES``, ``MEASURES``)."""
    claims, golds, right, found = np.split(sums, [1, 2, 2 + len(MATCHES)], axis=-1)
    precision = np.divide(right, claims, out=np.zeros_like(right), where=claims > 0)
    recall = np.divide(found, golds, out=np.full_like(found, np.nan), where=golds > 0)
    both = precision + recall
    f1 = np.divide(2 * precision * recall, both, out=np.zeros_like(both), where=both != 0)
    return np.stack([precision, recall, f1], axis=-1)


def _resampled(outcomes: SpanOutcomes) -> np.ndarray:
    """The measures on resamples of the documents, resamples × 9."""
    measures = _measures(resampled_means(outcomes.sums, np.arange(len(outcomes.sums))))
    return measures.reshape(len(measures), -1)


def _rows(**numbers: Sequence | np.ndarray) -> tuple[Row, ...]:
    """A row for each match and measure of the numbers, ``MATCHES`` × ``MEASURES`` each."""
    names = [{"match": match, "measure": measure} for match in MATCHES for measure in MEASURES]
    columns = {name: np.asarray(values).ravel().round(6).tolist() for name, values in numbers.items()}
    return tuple(row | {name: values[i] for name, values in columns.items()} for i, row in enumerate(names))
