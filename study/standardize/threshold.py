"""Answers to mentions, given only from a score on that was right often enough on labelled ones."""

from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy.stats import binomtest

from benchlib.corpus import Corpus
from benchlib.ontology import Ontology
from benchlib.predictions import Predictions


@dataclass(frozen=True)
class Threshold:
    """The score from which mentions are answered, and what that is worth on ``n`` held-out mentions.

    ``precision`` is the share of right ones among the ``answered``, with its 95 % interval (Wilson).
    """

    score: float
    precision: float
    low: float
    high: float
    answered: int
    n: int


def answer_threshold(scores: np.ndarray, right: np.ndarray, precision: float) -> Threshold | None:
    """The lowest score with at least that precision among the mentions that reach it; None without one.

    ``scores`` (mentions,) are those of the best answers, -inf for one that is never given; ``right``
    (mentions,) is boolean. Equal scores are answered together.
    """
    distinct, group = np.unique(scores, return_inverse=True)
    answered = np.bincount(group)[::-1].cumsum()[::-1]
    hits = np.bincount(group, weights=right)[::-1].cumsum()[::-1]
    reached = np.flatnonzero((hits / answered >= precision) & np.isfinite(distinct))
    if not reached.size:
        return None
    place = reached[0]
    n_right, n = int(hits[place]), int(answered[place])
    interval = binomtest(n_right, n).proportion_ci(method="wilson")
    return Threshold(float(distinct[place]), n_right / n, interval.low, interval.high, n, len(scores))


def answers(
    predictions: Predictions, ontology: Ontology, corpus: Corpus, threshold: float | None
) -> pd.DataFrame:
    """One row a mention, in corpus order: ``mention``, ``id``, ``name``, ``score``, ``answered``,
    ``second_id``, ``second_name``. Names are canonical; a second may be missing.

    ``score`` has five decimals. ``answered`` is ``yes`` where it reaches the threshold and no other id ties
    with the first, else ``no``: two entries that share a name cannot be told apart by it. ``predictions``
    are of the documents of ``corpus``, one mention each.
    """
    rows = []
    for row, (_, mention) in enumerate(corpus.mentions()):
        (id, score), (second, follows) = _first_two(predictions, row)
        sure = threshold is not None and score >= threshold and score > follows
        name = ontology.concepts[id].names[0]
        second_name = ontology.concepts[second].names[0] if second else ""
        rows.append((mention.text, id, name, score, "yes" if sure else "no", second, second_name))
    columns = ("mention", "id", "name", "score", "answered", "second_id", "second_name")
    return pd.DataFrame(rows, columns=columns)


def _first_two(predictions: Predictions, row: int) -> list[tuple[str, float]]:
    """The best two ids of a row with their scores; "" and -inf for a second that was not listed."""
    found: dict[str, float] = {}
    for place, score in zip(predictions.index[row], predictions.scores[row], strict=True):
        if place < 0 or len(found) > 1:
            break
        for id in predictions.candidates[place].ids:
            # Equal strings differ in the sixth decimal when they were encoded in different batches.
            found.setdefault(id, round(float(score), 5))
    return [*found.items(), ("", -np.inf)][:2]
