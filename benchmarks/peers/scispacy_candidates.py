"""scispaCy's candidate generator: names by their cosine in TF-IDF of three characters.

``python scispacy_candidates.py FOLDER`` in an environment that has it; see peers.py. The 30 nearest names are
asked for, as its linker does, and ranked as there: a concept by the most similar of its names; the linker's
threshold of 0.7 is not applied. The search is exact in place of its approximate one, whose index takes
minutes for 20,000 names and is another one each time; over 8,000 names the two have the same first concepts
for 97 of 100 strings.
"""

import json
import sys
import time
from pathlib import Path

import numpy as np
from scispacy import candidate_generation
from scispacy.linking_utils import Entity, KnowledgeBase

NEIGHBOURS = 30
TOGETHER = 500  # strings: rows of a dense matrix of similarities


class Exact:
    """What scispaCy asks of an index; vectors have length 1."""

    def addDataPointBatch(self, vectors):  # noqa: N802, the name is theirs
        self._names = vectors.T.tocsr()

    def createIndex(self, *_, **__):  # noqa: N802
        pass

    def knnQueryBatch(self, vectors, k):  # noqa: N802
        """By vector the numbers of the ``k`` nearest names and their distances, ascending."""
        found = []
        for first in range(0, vectors.shape[0], TOGETHER):
            distances = 1 - (vectors[first : first + TOGETHER] @ self._names).toarray()
            nearest = np.argsort(distances, axis=1, kind="stable")[:, :k]
            found += zip(nearest, np.take_along_axis(distances, nearest, axis=1), strict=True)
        return found


def main(folder: Path) -> None:
    with (folder / "concepts.jsonl").open(encoding="utf-8") as file:
        rows = [json.loads(line) for line in file]
    knowledge = KnowledgeBase([Entity(row["id"], row["names"][0], row["names"][1:]) for row in rows])
    candidate_generation.nmslib.init = lambda **_: Exact()
    names, vectorizer, index = candidate_generation.create_tfidf_ann_index(None, knowledge)
    generate = candidate_generation.CandidateGenerator(index, vectorizer, names, knowledge)
    strings = json.loads((folder / "strings.json").read_text(encoding="utf-8"))
    started = time.process_time()
    ranked = [[best(one) for one in found] for found in generate(strings, NEIGHBOURS)]
    print(time.process_time() - started)
    (folder / "ranked.json").write_text(json.dumps(ranked), encoding="utf-8")


def best(candidate):
    similarity, name = max(zip(candidate.similarities, candidate.aliases, strict=True))
    return candidate.concept_id, name, float(similarity)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
