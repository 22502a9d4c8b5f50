"""How fast an index of prototypes is built from raw text, and how many mentions a minute it answers.

The names of MEDIC are found in the unlabelled pool, 100,000 of the mentions are encoded in their window of 64
word pieces by six layers of the default encoder, and the test mentions of BC5CDR are encoded, compared with
all of them and given their concepts. KRISSBERT (section 4.2) answers 5,461 mentions a minute on a P100, among
the prototypes of three million concepts and with its re-ranker. Run with ``make bench``, with BENCHLIB_DATA
where the corpora are; ``python benchmarks/prototypes.py 5000`` has fewer prototypes.
"""

import sys
import time

import numpy as np
import torch

from benchlib.encoders import Backbone
from benchlib.encoders.mention import MARKERS
from benchlib.predictions import spans
from benchlib.retrieval import search
from study.corpora import load
from study.corpora.transforms import apply
from study.systems.linked_text import matched_text
from study.systems.mention_vectors import MentionVectors
from study.systems.ranking import best_per_concept

PROTOTYPES, WINDOW, HITS, K = 100_000, 64, 512, 64
PRINTED = 5_461  # mentions a minute


def main(prototypes: int = PROTOTYPES) -> None:
    benchmark = apply(load("bc5cdr-disease"), ["unlabelled:unlabelled-pubmed"])
    documents = benchmark.test.hidden().documents
    queries, started = spans(documents), time.perf_counter()
    linked = matched_text(benchmark, progress=False)
    matched = time.perf_counter()
    drawn = np.random.default_rng(0).permutation(len(linked.concept))[:prototypes]
    vectors = MentionVectors(Backbone.load(markers=MARKERS), "mention", WINDOW, "bf16", progress=False)
    encoding = time.perf_counter()
    keys = vectors.text_vectors(linked, np.sort(drawn))
    built = time.perf_counter()
    asked = vectors.query_vectors(queries, documents)
    encoded = time.perf_counter()
    best_per_concept(*search(asked, keys, HITS), linked.concept[np.sort(drawn)], K)
    answered = time.perf_counter()

    place = "a GPU" if torch.cuda.is_available() else f"{torch.get_num_threads()} threads"
    print(f"{len(keys):,} prototypes of {len(linked.concept):,} mentions found, {place}")
    print(f"  found in {matched - started:.0f} s, less where they were found before")
    print(f"  encoded in {built - encoding:.0f} s, {len(keys) / (built - encoding):,.0f} a second")
    for what, seconds in (
        ("encoded", encoded - built),
        ("searched", answered - encoded),
        ("answered", answered - built),
    ):
        print(f"  {len(queries):,} mentions {what}: {60 * len(queries) / seconds:,.0f} a minute")
    print(f"  the paper's, answered on a P100: {PRINTED:,} a minute")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:2]))
