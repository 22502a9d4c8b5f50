"""How fast a batch of names gives its gradient, beside sentence-transformers with the same weights.

A batch is names as training draws them, in bf16 and on one thread: forward, mean pooling, backward. Theirs is
padded to its longest name, ours is read in runs of like length. In turns; the median of the repeats counts.
Run with ``make bench``, with BENCHLIB_DATA where the corpora are.
"""

import random
import statistics
import time
from collections.abc import Callable

import torch
from sentence_transformers import SentenceTransformer

from benchlib.encoders import Backbone, NameEncoder, model_folder
from study.corpora import load

BATCH, REPEATS, BAR = 160, 5, 1.2


def seconds(vectors: Callable[[], torch.Tensor]) -> float:
    started = time.perf_counter()
    with torch.autocast("cpu", dtype=torch.bfloat16):
        found = vectors()
    found.float().square().sum().backward()
    return time.perf_counter() - started


def main() -> None:
    torch.set_num_threads(1)
    ours = NameEncoder(Backbone.load(), max_length=32).train()
    theirs = SentenceTransformer(model_folder("minilm"), device="cpu").train()
    theirs.max_seq_length = 32
    for dataset in ("ncbi-disease", "bc5cdr-chemical", "esappmod"):
        ontology = load(dataset).ontology
        names = [name for concept in ontology.concepts.values() for name in concept.names]
        batch = random.Random(0).sample(names, BATCH)
        times = [
            (
                seconds(lambda batch=batch: ours(batch)),
                seconds(lambda batch=batch: theirs(theirs.tokenize(batch))["sentence_embedding"]),
            )
            for _ in range(REPEATS)
        ]
        mine, other = (statistics.median(one) for one in zip(*times, strict=True))
        print(
            f"{dataset}, {BATCH} names: {mine:.2f} s, sentence-transformers {other:.2f} s, "
            f"ratio {other / mine:.2f} (bar: {BAR})"
        )


if __name__ == "__main__":
    main()
