"""The concept that a name most often meant in the training mentions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass

import numpy as np

from ..corpus import Document
from ..datasets.benchmark import Benchmark
from ..ontology import fold_name
from ..predictions import Candidate, Predictions
from .by_name import link_strings


@dataclass
class PriorLinker:
    """Ranks the concepts of a string by how often training mentions with that string meant them.

    A dictionary owner never seen with the string follows with count 0; a string that neither training
    nor dictionary knows gets no answer. Composite mentions do not count.
    """

    splits: tuple[str, ...] = ("train",)
    version = "1"

    @property
    def name(self) -> str:
        return "prior" if self.splits == ("train",) else f"prior-{'+'.join(self.splits)}"

    @property
    def config(self) -> Mapping[str, object]:
        return asdict(self)

    def fit(self, benchmark: Benchmark, seed: int = 0) -> PriorLinker:
        counts: dict[str, Counter[str]] = {
            name: Counter(dict.fromkeys(ids, 0)) for name, ids in benchmark.ontology.owners().items()
        }
        for split in self.splits:
            for _, mention in benchmark.split(split).mentions():
                if mention.gold is None or len(mention.gold.parts) != 1:
                    continue
                meant = {c for id in mention.gold.ids for c in benchmark.ontology.resolve(id)}
                counts.setdefault(fold_name(mention.text), Counter()).update(sorted(meant))
        self._counts = counts
        self._candidates = tuple(
            dict.fromkeys(Candidate("", (id,)) for counter in counts.values() for id in counter)
        )
        self._place = {candidate.ids[0]: i for i, candidate in enumerate(self._candidates)}
        return self

    def link(self, documents: Sequence[Document], k: int = 64) -> Predictions:
        return link_strings(documents, self._candidates, lambda strings: self._rank(strings, k))

    def _rank(self, strings: list[str], k: int) -> tuple[np.ndarray, np.ndarray]:
        ranked = [self._counts.get(string, Counter()).most_common() for string in strings]
        width = max(1, max(map(len, ranked), default=1))
        index = np.full((len(strings), width), -1, dtype=np.int32)
        scores = np.zeros(index.shape, dtype=np.float32)
        for row, answers in enumerate(ranked):
            for column, (id, count) in enumerate(answers):
                index[row, column], scores[row, column] = self._place[id], count
        return index, scores
