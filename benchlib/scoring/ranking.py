"""Recall@k and reciprocal rank from outcomes, with exact expectations under ties."""

from collections.abc import Callable
from math import comb

import numpy as np

from .coding import ALL, ANY, OWN
from .outcomes import Outcomes
from .protocol import Scoring


def recall(outcomes: Outcomes, k: int = 1, scoring: Scoring | None = None) -> np.ndarray:
    """Recall@k per scored mention, shape (n_scored,), values in [0, 1]; k = 1 is accuracy.

    What the entity-linking papers call Recall@k is 1 when a gold stands among the first k: information
    retrieval calls it Success@k. Every scored mention has a value: which of them a protocol averages,
    :func:`benchlib.scoring.counted` says. Raises ValueError for k < 1.
    """
    if k < 1:
        raise ValueError(f"Recall@k wants k >= 1, not {k}")
    scoring = scoring or Scoring()
    reached = _by_line(
        outcomes, scoring, lambda a, t, g, n: _reached(scoring, k - a, t, g, n) if a >= 0 else 0.0
    )
    return _per_mention(outcomes, scoring, reached)


def mrr(outcomes: Outcomes, scoring: Scoring | None = None) -> np.ndarray:
    """Reciprocal rank of the best gold per scored mention, 0 where none is listed, shape (n_scored,).

    With one gold concept this is also the average precision: it is what the papers call MAP. Raises
    ValueError for protocols that want several golds or lists, where the rank of one is not the question.
    """
    scoring = scoring or Scoring()
    if scoring.gold == "all-of" or scoring.composite in ("all-parts", "any-part"):
        raise ValueError(f"the rank is that of one gold in one list; expected any-of, not {scoring}")
    # Lines that want all parts count a gold for each.
    return _by_line(outcomes, scoring, lambda a, t, g, n: _reciprocal(scoring, a, t, g), outcomes.whole)


def _by_line(
    outcomes: Outcomes, scoring: Scoring, value: Callable[..., float], of: np.ndarray | slice = slice(None)
) -> np.ndarray:
    """``value(above, ties, golds, needed)`` of these lines in the order that the protocol ranks, computed
    once per distinct line."""
    rows = scoring.over == "names" and scoring.match != "lenient"
    lines, which = outcomes.distinct("rows" if rows else scoring.over)
    which = which[of]
    there = np.bincount(which, minlength=len(lines)) > 0
    values = np.zeros(len(lines))
    values[there] = [value(*line) for line in lines[there].tolist()]
    return values[which]


def _per_mention(outcomes: Outcomes, scoring: Scoring, reached: np.ndarray) -> np.ndarray:
    """From lines to mentions: a composite mention by its further lines, where the protocol wants them."""
    values = reached[outcomes.whole].copy()
    if scoring.gold == "all-of":
        whole = outcomes.line_type == ALL
        values[np.searchsorted(outcomes.scored, outcomes.mention[whole])] = reached[whole]
    if scoring.composite not in ("all-parts", "any-part"):
        return values
    own = scoring.gold == "all-of"
    lines = (outcomes.part > 0) & (outcomes.line_type == (OWN if own else ANY))
    row = np.searchsorted(outcomes.scored, outcomes.mention[lines])
    # The picks in two lists are independent.
    if scoring.composite == "all-parts":
        values[row] = 1.0
        np.multiply.at(values, row, reached[lines])
    else:
        missed = np.ones(len(values))
        np.multiply.at(missed, row, 1.0 - reached[lines])
        values[row] = 1.0 - missed[row]
    return values


def _reached(scoring: Scoring, places: int, ties: int, golds: int, needed: int) -> float:
    """The chance that ``places`` places of a tie hold the golds wanted of it.

    With ``needed`` > 1 one gold for each is assumed; where a wanted part has several golds in the tie, or one
    name of it is several golds, this is a lower bound.
    """
    if places <= 0:
        return 0.0
    if scoring.match == "unique":
        return float(ties == 1)
    if places >= ties:  # also where one concept is all that several parts want
        return 1.0
    if scoring.match == "optimistic" or (scoring.match == "lenient" and scoring.over == "concepts"):
        return float(places >= needed)
    if scoring.match == "pessimistic":
        return float(needed == 1 and places >= ties - golds + 1)
    if needed == 1:
        return 1.0 - comb(ties - golds, places) / comb(ties, places)
    return comb(ties - needed, places - needed) / comb(ties, places) if places >= needed else 0.0


def _reciprocal(scoring: Scoring, above: int, ties: int, golds: int) -> float:
    if above < 0 or (scoring.match == "unique" and ties > 1):
        return 0.0
    if scoring.match == "optimistic" or (scoring.match == "lenient" and scoring.over == "concepts"):
        return 1.0 / (above + 1)
    if scoring.match == "pessimistic":
        return 1.0 / (above + ties - golds + 1)
    # The first of the golds stands at place j of the tie when the other golds all come after it.
    orders = comb(ties, golds)
    return sum(comb(ties - j, golds - 1) / (above + j) for j in range(1, ties - golds + 2)) / orders
