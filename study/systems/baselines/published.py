"""What authors published that their system answered, recounted; nothing is learnt from it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from pydantic.dataclasses import dataclass

from benchlib.benchmark import Benchmark
from benchlib.corpus import Document
from benchlib.predictions import Predictions, spans

from ...corpora import load
from ...corpora.published import CORPORA, systems, translated
from ..settings import Settings


@dataclass
class PublishedLinker(Settings):
    """Answers as ``system`` did (:mod:`study.corpora.published`) to the mentions that align with BELB's."""

    system: str = ""
    base = "published"
    _every_span = False

    def answered(self, dataset: str) -> bool:
        """Whether the system's answers to a data set are published."""
        return dataset in CORPORA and self.system in systems(dataset)

    def fit(self, benchmark: Benchmark, seed: int = 0) -> PublishedLinker:
        """Read the answers. Raises ValueError for a benchmark that was transformed and for a system that did
        not answer it, and MissingFile saying how to get the file."""
        if benchmark.transforms:
            changed = ", ".join(benchmark.transforms)
            raise ValueError(f"{self.name}: it answered {benchmark.name} as it is, not after {changed}")
        # The ids are translated by gold, which a linker is not given: see the module of the answers.
        test = load(benchmark.name).test
        self._answers = translated(benchmark.name, self.system, test, every_span=self._every_span)
        return self

    def link(self, documents: Sequence[Document], k: int = 64) -> Predictions:
        """The published answers to the mention spans of the documents; a span without any is left out."""
        place = {query: row for row, query in enumerate(self._answers.queries)}
        queries = tuple(query for query in spans(documents) if query in place)
        rows = np.array([place[query] for query in queries], dtype=np.int64)
        answers = self._answers
        return Predictions(queries, answers.candidates, answers.index[rows, :k], answers.scores[rows, :k])


@dataclass
class PublishedFinder(PublishedLinker):
    """The same of a system that found the mentions itself, with all the spans that it found."""

    base = "published-spans"
    chosen = ()
    _every_span = True

    def find(self, documents: Sequence[Document], k: int = 64) -> Predictions:
        """The published answers in the documents, at spans that the system found."""
        return self._answers
