"""How precise the matches of a dictionary are: two bounds, with and without the names of several concepts."""

import numpy as np

from benchlib.benchmark import Benchmark
from benchlib.matching import NAMES, SHARED, Matcher
from benchlib.scoring import Estimate, estimate

from .match_audit import PLACES, audit


def matched_counts(
    benchmark: Benchmark, names: str = NAMES[0], case: str = "acronyms", split: str = "test"
) -> dict[str, int | float]:
    """Matches of the names of the benchmark's ontology in the texts of a split, under dotted names.

    ``skip.…`` are without the names that several concepts share, ``keep.…`` with them, one match for each of
    the concepts; ``names`` and ``case`` are those of :class:`Matcher`. ``matches`` are all, ``exact``,
    ``inside``, ``across`` and ``outside`` are where they stand beside the mentions (``PLACES``), ``right``
    those at a mention that have its concept. Shares of 1, with 95 % intervals over documents (``_low``,
    ``_high``): ``precision_at_mentions`` of those at the very span of a mention, which flatters;
    ``precision`` of all, which is harsh, since a corpus leaves out what is of no interest to it; ``recall``
    of the mentions that are not NIL, ``mentions``. A share of nothing is NaN.
    """
    corpus = benchmark.split(split)
    values: dict[str, int | float] = {}
    for shared in SHARED:
        matches, mentions = audit(
            Matcher(benchmark.ontology, names, case, shared), corpus, benchmark.ontology
        )
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
