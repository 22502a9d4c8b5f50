"""How fast names are encoded, beside sentence-transformers' ``encode`` with the same weights.

Both get the same names in the same precision, in turns, on one thread (of two, a busy neighbour takes
one); the median of the repeats counts. The lists: distinct names, and dictionaries as they stand, where a
name that belongs to several concepts, or is spelt in capitals as well, is there again. A sample of a
dictionary keeps all spellings of the names drawn, so its share of repeats is that of the whole. Run with
``make bench``, with BENCHLIB_DATA where the corpora are.
"""

import random
import statistics
import time
from collections import defaultdict

import numpy as np
import torch
from sentence_transformers import SentenceTransformer

from benchlib.encoders import Backbone, NameEncoder, model_folder
from benchlib.ontology import fold_name
from study.corpora import load

NAMES, REPEATS = 300, 3
DISTINCT, DICTIONARY = 1.0, 1.5


def drawn(dataset: str) -> dict[str, list[str]]:
    """Some names of a benchmark's dictionary, each with all its occurrences."""
    spellings = defaultdict(list)
    for concept in load(dataset).ontology.concepts.values():
        for name in concept.names:
            spellings[fold_name(name)].append(name)
    return {name: spellings[name] for name in random.Random(0).sample(sorted(spellings), NAMES)}


def main() -> None:
    torch.set_num_threads(1)
    backbone = Backbone.load()
    theirs = SentenceTransformer(model_folder("minilm"), device="cpu")
    medic, umls = drawn("ncbi-disease"), drawn("medmentions-st21pv")
    lists = [
        ("distinct names of ncbi-disease", list(medic), DISTINCT),
        ("dictionary of ncbi-disease", sum(medic.values(), []), DICTIONARY),
        ("dictionary of medmentions-st21pv", sum(umls.values(), []), DICTIONARY),
    ]
    for precision in ("fp32", "bf16"):

        def ours(names, precision=precision):
            return NameEncoder(backbone, max_length=256, precision=precision).encode(names)

        def sentence_transformers(names, precision=precision):
            with torch.autocast("cpu", dtype=torch.bfloat16, enabled=precision == "bf16"):
                return theirs.encode(names, normalize_embeddings=True, show_progress_bar=False)

        for title, names, bar in lists:
            random.Random(1).shuffle(names)
            seconds, vectors = defaultdict(list), {}
            for _ in range(REPEATS):
                for system in (ours, sentence_transformers):
                    started = time.perf_counter()
                    vectors[system] = system(names)
                    seconds[system].append(time.perf_counter() - started)
            a, b = (len(names) / statistics.median(seconds[s]) for s in (ours, sentence_transformers))
            apart = np.abs(vectors[ours] - vectors[sentence_transformers].astype(np.float32)).max()
            print(
                f"{precision} {title}, {len(names)} texts: {a:.0f}/s, sentence-transformers {b:.0f}/s, "
                f"ratio {a / b:.2f} (bar in fp32: {bar}), vectors differ by {apart:.1e}"
            )


if __name__ == "__main__":
    main()
