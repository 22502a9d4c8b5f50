"""The concept that a name most often meant in the training mentions."""

from __future__ import annotations

from collections import Counter

import numpy as np
from pydantic.dataclasses import dataclass

from benchlib.benchmark import Benchmark
from benchlib.memory import meanings
from benchlib.predictions import Candidate

from ..ranking import padded
from ..training_names import Learns, training_splits
from .by_name import StringSystem


@dataclass
class PriorLinker(StringSystem):
    """Ranks the concepts of a string by how often mentions with that string meant them, in the splits that it
    ``learns`` from.

    A dictionary owner never seen with the string follows with count 0; a string that neither these splits
    nor the dictionary know gets no answer. Composite mentions do not count.
    """

    learns: Learns = "train"
    base = "prior"

    def fit(self, benchmark: Benchmark, seed: int = 0) -> PriorLinker:
        counts: dict[str, Counter[str]] = {
            name: Counter(dict.fromkeys(ids, 0)) for name, ids in benchmark.ontology.owners().items()
        }
        splits = training_splits(self.learns, benchmark.transforms)
        documents = (document for split in splits for document in benchmark.split(split).documents)
        for string, meant in meanings(benchmark.ontology, documents, written_out=False)[0].items():
            counts.setdefault(string, Counter()).update(meant)
        self._counts = counts
        self._candidates = tuple(
            dict.fromkeys(Candidate("", (id,)) for counter in counts.values() for id in counter)
        )
        self._place = {candidate.ids[0]: i for i, candidate in enumerate(self._candidates)}
        return self

    def _rank(self, strings: list[str], k: int) -> tuple[np.ndarray, np.ndarray]:
        ranked = (self._counts.get(string, Counter()).most_common(k) for string in strings)
        return padded([{self._place[id]: count for id, count in answers} for answers in ranked])
