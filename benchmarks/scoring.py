"""How long scoring takes: 40,000 mentions × 64 candidates of two systems, 10,000 paired resamples.

Times the phases apart: building the predictions and corpus (stands for loading), coding to integers, and
scoring: all published protocols of both systems with intervals, and their paired differences. Beside it, a
per-mention Python loop for one protocol, of the kind that evaluation scripts of this field use. Run with
``make bench``.
"""

import random
import resource
import time

import numpy as np
import pandas as pd

from benchlib.corpus import Corpus, Document, Gold, Mention
from benchlib.ontology import Concept, Ontology
from benchlib.predictions import Candidate, Predictions, spans
from benchlib.scoring import PRESETS, Scoring, by_preset, by_protocol, credits, recall
from benchlib.scoring.coding import code
from benchlib.scoring.outcomes import from_coded
from benchlib.scoring.statistics import resampled_differences
from benchlib.scoring.strata import STRATA

MENTIONS, CANDIDATES, CONCEPTS, NAMES, PER_DOCUMENT = 40_000, 64, 25_000, 60_000, 46


def megabytes() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000


def corpus_and_predictions(n_systems: int = 2) -> tuple[Corpus, Ontology, list[Predictions]]:
    rng, draw = np.random.default_rng(0), random.Random(0)
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
    corpus, queries = Corpus("random", tuple(documents)), tuple(spans(documents))
    systems = []
    for _ in range(n_systems):
        index = rng.integers(0, NAMES, (MENTIONS, CANDIDATES))
        systems.append(Predictions(queries, names, index, rng.random(index.shape).round(3)))
    return corpus, ontology, systems


def main() -> None:
    started = time.perf_counter()
    corpus, ontology, systems = corpus_and_predictions()
    kinds = pd.DataFrame({name: np.ones(MENTIONS, dtype=bool) for name in STRATA})
    built = time.perf_counter()
    tables = [code(predictions, corpus, ontology) for predictions in systems]
    coded_at, before = time.perf_counter(), megabytes()
    found = [from_coded(table) for table in tables]
    rows = [by_preset(one, kinds, 0.5) for one in found]
    presets = [p for p in PRESETS.values() if p.scoring.nil == "without-nil"]
    first, second = (
        [credits(one, preset.measures[0], preset.scoring, kinds) for preset in presets] for one in found
    )
    columns = [np.stack([one.values for one in side], axis=1) for side in (first, second)]
    masks = tuple(np.stack([one.counted for one in side], axis=1) for side in (first, second))
    paired = resampled_differences(*columns, found[0].clusters, masks)
    scored = time.perf_counter()
    grid = by_protocol(found[0])
    gridded = time.perf_counter()
    lenient = recall(found[0], 1, Scoring("lenient", "names"))
    one = time.perf_counter() - gridded

    loop_started = time.perf_counter()
    hits = 0
    for row, (_, mention) in enumerate(corpus.mentions()):
        hit = [
            int(any(id in mention.gold.ids for id in systems[0].candidates[i].ids))
            for i in systems[0].index[row]
        ]
        hits += hit[0]
    loop = time.perf_counter() - loop_started

    print(f"2 systems, {MENTIONS:,} mentions × {CANDIDATES} candidates, 10,000 resamples")
    print(f"  build {built - started:6.2f} s\n  code  {coded_at - built:6.2f} s")
    print(
        f"  score {scored - coded_at:6.2f} s: {len(rows[0])} measures of the published protocols for each, "
        f"{paired.shape[1]} paired differences (bar: 3 s)"
    )
    print(f"  memory {megabytes():.0f} MB at most, {before:.0f} MB of it before scoring (bar: 1,000 MB)")
    print(f"  grid  {gridded - scored:6.2f} s: {len(grid)} metrics of one system")
    print(f"  one protocol from outcomes {one:.4f} s; Python loop {loop:.2f} s; ratio {loop / one:,.0f}")
    print(f"  accuracies differ by ties only: {lenient.mean():.5f} and {hits / MENTIONS:.5f}")


if __name__ == "__main__":
    main()
