"""The concepts that are gold most often."""

from collections import Counter

from benchlib.benchmark import Benchmark

_LEAST = 1000


def frequent_golds(benchmark: Benchmark) -> dict[str, object]:
    """Test ``mentions``, NIL included, and in ``golds`` how many of them each concept is gold of, the most
    frequent first: concepts of at least one mention in a thousand.

    A composite mention counts for each of its concepts; an id outside the ontology counts for none.
    """
    ontology, n = benchmark.ontology, benchmark.test.n_mentions
    counts = Counter(
        concept
        for _, mention in benchmark.test.mentions()
        for concept in ontology.concepts_in(mention.gold.ids)
    )
    ordered = sorted(counts.items(), key=lambda of: (-of[1], of[0]))
    return {"mentions": n, "golds": {concept: count for concept, count in ordered if _LEAST * count >= n}}
