"""The mention as it is: the dictionary name equal to the mention, case aside."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from benchlib.benchmark import Benchmark

from .by_name import ByName, dictionary


@dataclass
class ExactLinker(ByName):
    """Answers with the name equal to the mention, or not at all (KRISSBERT, table 4, "Mention As-is")."""

    base = "exact"

    def fit(self, benchmark: Benchmark, seed: int = 0) -> ExactLinker:
        """Raises ValueError for an ontology without a name."""
        self._candidates = dictionary(benchmark.ontology)
        self._place = {candidate.name: i for i, candidate in enumerate(self._candidates)}
        return self

    def _rank(self, strings: list[str], k: int) -> tuple[np.ndarray, np.ndarray]:
        index = np.array([[self._place.get(string, -1)] for string in strings]).reshape(-1, 1)
        return index, np.ones(index.shape)
