"""How long scoring takes: 40,000 mentions × 64 candidates, all protocols, 10,000 resamples.

Times three phases apart: building the predictions and corpus (stands for loading), coding to integers,
and scoring. Beside it, a per-mention Python loop for one protocol, of the kind that evaluation scripts of
this field use. Run with ``make bench``.
"""

import random
import time

import numpy as np

from benchlib.corpus import Corpus, Document, Gold, Mention
from benchlib.ontology import Concept, Ontology
from benchlib.predictions import Candidate, Predictions, spans
from benchlib.runs.record import derive
from benchlib.scoring import Scoring, recall
from benchlib.scoring.coding import code
from benchlib.scoring.outcomes import from_coded

MENTIONS, CANDIDATES, CONCEPTS, NAMES, PER_DOCUMENT = 40_000, 64, 25_000, 60_000, 46


def main() -> None:
    rng, draw = np.random.default_rng(0), random.Random(0)
    started = time.perf_counter()
    ids = [f"C{i:07d}" for i in range(CONCEPTS)]
    ontology = Ontology("random", [Concept(id, (id,)) for id in ids])
    names = tuple(
        Candidate(f"name {i}", tuple(draw.sample(ids, 1 + (draw.random() < 0.1)))) for i in range(NAMES)
    )
    documents = []
    for first in range(0, MENTIONS, PER_DOCUMENT):
        n = min(PER_DOCUMENT, MENTIONS - first)
        mentions = tuple(
            Mention(5 * i, 5 * i + 4, "word", gold=Gold((frozenset([draw.choice(ids)]),))) for i in range(n)
        )
        documents.append(Document(str(first), "word " * n, mentions))
    corpus = Corpus("random", tuple(documents))
    queries = tuple(spans(documents))
    index = rng.integers(0, NAMES, (MENTIONS, CANDIDATES))
    predictions = Predictions(queries, names, index, rng.random(index.shape).round(3))
    built = time.perf_counter()
    coded = code(predictions, corpus, ontology)
    coded_at = time.perf_counter()
    outcomes = from_coded(coded)
    metrics = derive(outcomes)
    scored = time.perf_counter()
    lenient = recall(outcomes, 1, Scoring("lenient", "names"))
    one = time.perf_counter() - scored

    loop_started = time.perf_counter()
    hits = 0
    for row, (_, mention) in enumerate(corpus.mentions()):
        hit = [
            int(any(id in mention.gold.ids for id in predictions.candidates[i].ids))
            for i in predictions.index[row]
        ]
        hits += hit[0]
    loop = time.perf_counter() - loop_started

    print(f"{MENTIONS:,} mentions × {CANDIDATES} candidates, {len(metrics)} metrics, 10,000 resamples")
    print(f"  build {built - started:6.2f} s\n  code  {coded_at - built:6.2f} s")
    print(f"  score {scored - coded_at:6.2f} s, all protocols with intervals (bar: 5 s)")
    print(f"  one protocol from outcomes {one:.4f} s; Python loop {loop:.2f} s; ratio {loop / one:,.0f}")
    print(f"  accuracies differ by ties only: {lenient.mean():.5f} and {hits / MENTIONS:.5f}")


if __name__ == "__main__":
    main()
