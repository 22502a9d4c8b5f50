"""What names alone can tell: the memory of a string where there is one, else the nearest known name."""

from __future__ import annotations

import numpy as np
from pydantic.dataclasses import dataclass

from benchlib.benchmark import Benchmark

from ...corpora.names import add_mention_names
from ..ranking import first_k
from ..training_names import Learns, training_splits
from .by_name import StringSystem
from .names import EncoderLinker, TfidfLinker
from .prior import PriorLinker
from .tuned import TunedLinker

NEAREST = {one.base: one for one in (TfidfLinker, EncoderLinker, TunedLinker)}
_ABOVE = 2.0  # what is remembered comes before what is near: no cosine is larger than 1


@dataclass
class NameMemoryLinker(StringSystem):
    """Links without any context, from everything that training mentions and the dictionary say of a name: the
    control for a linker that reads it and learns from the same mentions.

    First the concepts that :class:`PriorLinker` gives: what the string most often meant in the splits it
    ``learns`` from, then those that carry it as a name. After them, and alone for a string that neither
    knows, the names of the dictionary and of training mentions by their nearness, as the ``nearest`` linker
    ranks them: the name that one of :data:`NEAREST` prints, with ``;`` where that has a comma.
    """

    learns: Learns = "train"
    nearest: str = "tfidf"
    base, nested = "name-memory", {"nearest": NEAREST}

    def fit(self, benchmark: Benchmark, seed: int = 0) -> NameMemoryLinker:
        """Raises what ``nearest`` raises."""
        self._memory = PriorLinker(self.learns).fit(benchmark, seed)
        self._names = self._nested("nearest").fit(
            add_mention_names(benchmark, training_splits(self.learns)), seed
        )
        self._candidates = (*self._memory._candidates, *self._names._candidates)
        self.weights, self.trace = getattr(self._names, "weights", ""), getattr(self._names, "trace", ())
        return self

    def _rank(self, strings: list[str], k: int) -> tuple[np.ndarray, np.ndarray]:
        known, counts = self._memory._rank(strings, k)
        near, cosines = self._names._rank(strings, k)
        index = np.hstack([known, near + len(self._memory._candidates)])
        scores = np.hstack([np.where(known >= 0, _ABOVE + counts, -np.inf), cosines])
        return first_k(index, scores, k)
