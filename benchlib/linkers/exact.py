"""The mention as it is: the dictionary name equal to the mention, case aside."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from ..corpus import Document
from ..datasets.benchmark import Benchmark
from ..predictions import Predictions
from .by_name import dictionary, link_strings


class ExactLinker:
    """Answers with the name equal to the mention, or not at all (KRISSBERT, table 4, "Mention As-is")."""

    name = "exact"
    version = "1"
    config: Mapping[str, object] = {}

    def fit(self, benchmark: Benchmark, seed: int = 0) -> ExactLinker:
        self._candidates = dictionary(benchmark.ontology)
        self._place = {candidate.name: i for i, candidate in enumerate(self._candidates)}
        return self

    def link(self, documents: Sequence[Document], k: int = 64) -> Predictions:
        return link_strings(documents, self._candidates, self._rank)

    def _rank(self, strings: list[str]) -> tuple[np.ndarray, np.ndarray]:
        index = np.array([[self._place.get(string, -1)] for string in strings]).reshape(-1, 1)
        return index, np.ones(index.shape)
