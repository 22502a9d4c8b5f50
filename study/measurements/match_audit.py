"""How right the matches of a dictionary are, beside the mentions of a corpus that people annotated."""

import numpy as np
import pandas as pd

from benchlib.benchmark import Benchmark
from benchlib.corpus import Corpus, Document
from benchlib.matching import NAMES, SHARED, Matcher
from benchlib.ontology import Ontology
from benchlib.scoring import Estimate, estimate

from ..systems.linked_text import Matching, name_matcher

PLACES = ("exact", "inside", "across", "around", "outside")
"""At the span of a mention, within that of one, over the edge of one, around one, away from all of them."""


def match_audit(matcher: Matcher, corpus: Corpus, ontology: Ontology) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The matches in a corpus, and its mentions.

    Of matches a row each, and one for each concept where a name has several: ``document``, ``start``,
    ``end``, ``concept``, ``place`` (the first of ``PLACES`` that holds) and ``right``, whether a mention at
    this very span has the concept in its gold, in whichever part. Of mentions that are not NIL a row each, in
    corpus order: ``document`` and ``found``, whether a match is right for it.
    """
    documents = corpus.documents
    found = matcher([document.text for document in documents])
    matches, mentions = [], []
    for document, in_text in zip(documents, found, strict=True):
        gold = [ontology.concepts_in(mention.gold.ids) for mention in document.mentions]
        at_span: dict[tuple[int, int], set[str]] = {}
        for mention, concepts in zip(document.mentions, gold, strict=True):
            at_span.setdefault((mention.start, mention.end), set()).update(concepts)
        here = [(start, end, id) for start, end, name in in_text for id in matcher.ids[name]]
        for start, end, id in here:
            right = id in at_span.get((start, end), ())
            matches.append((document.id, start, end, id, _place(document, start, end), right))
        for mention, concepts in zip(document.mentions, gold, strict=True):
            if not mention.gold.nil:
                own = {id for start, end, id in here if (start, end) == (mention.start, mention.end)}
                mentions.append((document.id, bool(own & concepts)))
    return (
        pd.DataFrame(matches, columns=["document", "start", "end", "concept", "place", "right"]),
        pd.DataFrame(mentions, columns=["document", "found"]),
    )


def _place(document: Document, start: int, end: int) -> str:
    spans = [(m.start, m.end) for m in document.mentions if m.start < end and start < m.end]
    if (start, end) in spans:
        return "exact"
    if any(first <= start and end <= last for first, last in spans):
        return "inside"
    if any(start < first < end < last or first < start < last < end for first, last in spans):
        return "across"
    return "around" if spans else "outside"


def match_precision(
    benchmark: Benchmark, names: str = NAMES[0], split: str = "test", matching: Matching = "cased"
) -> dict[str, int | float]:
    """Matches of the names of the benchmark's ontology in the texts of a split, under dotted names.

    ``skip.…`` are without the names that several concepts share, ``keep.…`` with them, one match for each of
    the concepts; for ``names`` and ``matching`` see :func:`name_matcher`. ``matches`` are all, ``exact``,
    ``inside``, ``across``, ``around`` and ``outside`` are where they stand beside the mentions (``PLACES``),
    ``right`` those at a mention that have its concept. Shares of 1, with 95 % intervals over documents
    (``_low``, ``_high``): ``precision_at_mentions`` of those at the very span of a mention, which flatters;
    ``precision`` of all, which is harsh, since a corpus leaves out what is of no interest to it; ``recall``
    of the mentions that are not NIL, ``mentions``. A share of nothing is NaN.
    """
    corpus = benchmark.split(split)
    values: dict[str, int | float] = {}
    for shared in SHARED:
        matcher = name_matcher(benchmark.ontology, names, matching, shared)
        matches, mentions = match_audit(matcher, corpus, benchmark.ontology)
        right, exact = matches["right"].to_numpy(float), (matches["place"] == "exact").to_numpy()
        documents, places = matches["document"].to_numpy(), matches["place"].value_counts()
        found = {"matches": len(matches), "mentions": len(mentions), "right": int(right.sum())}
        found |= {place: int(places.get(place, 0)) for place in PLACES}
        shares = {
            "precision_at_mentions": _share(right[exact], documents[exact]),
            "precision": _share(right, documents),
            "recall": _share(mentions["found"].to_numpy(float), mentions["document"].to_numpy()),
        }
        for name, share in shares.items():
            found |= {name: share.value, f"{name}_low": share.low, f"{name}_high": share.high}
        values |= {f"{shared}.{name}": value for name, value in found.items()}
    return values


def _share(of: np.ndarray, documents: np.ndarray) -> Estimate:
    if not len(of):
        return Estimate(np.nan, np.nan, np.nan, 0)
    [found] = estimate(of, documents)
    return found
