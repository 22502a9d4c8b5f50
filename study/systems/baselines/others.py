"""What systems of others answered, by files of their authors or of benchmarks/peers; nothing is learnt."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from pydantic.dataclasses import dataclass

from benchlib.benchmark import Benchmark
from benchlib.corpus import Corpus, Document
from benchlib.formats.predictions import read_predictions
from benchlib.predictions import Predictions, spans

from ...corpora import loaded
from ...corpora.published import CORPORA, systems, translated
from ...places import data_dir
from ..settings import Settings

ANSWERS = data_dir() / "peers"


def answers_of(system: str, dataset: str) -> Path:
    """The predictions file of a system for the test split of a data set, there or not."""
    return ANSWERS / system / f"{dataset}.jsonl.gz"


def _require_untouched(linker: Settings, benchmark: Benchmark) -> None:
    if benchmark.transforms:
        changed = ", ".join(benchmark.transforms)
        raise ValueError(f"{linker.name}: it answered {benchmark.name} as it is, not after {changed}")


@dataclass
class PeerLinker(Settings):
    """Answers as ``system`` did, a name and a version: by the predictions file that benchmarks/peers wrote
    (:func:`answers_of`). Once fitted, ``predictions`` is the SHA-256 of that file."""

    system: str = ""
    base = "peer"

    def fit(self, benchmark: Benchmark, seed: int = 0) -> PeerLinker:
        """Nothing is learnt. Raises ValueError for no system and for a benchmark that was transformed, and
        FileNotFoundError saying how to make the answers where there are none."""
        if not self.system or Path(self.system).name != self.system:
            raise ValueError(f"system is {self.system!r}; expected a name and a version, such as gilda-1.6.1")
        _require_untouched(self, benchmark)
        self._path, self._benchmark = answers_of(self.system, benchmark.name), benchmark
        if not self._path.exists():
            peer = self.system.rpartition("-")[0]
            raise FileNotFoundError(
                f"there are no answers of {self.system} to {benchmark.name}; "
                f"`python benchmarks/peers/peers.py {peer} {benchmark.name}` makes them"
            )
        self.predictions = hashlib.sha256(self._path.read_bytes()).hexdigest()
        return self

    def link(self, documents: Sequence[Document], k: int = 64) -> Predictions:
        """Raises ValueError (path:line) for a file that cannot be read or that answers other spans."""
        corpus = Corpus(self._benchmark.name, tuple(documents))
        found, _ = read_predictions(self._path, corpus, self._benchmark.ontology)
        return Predictions(found.queries, found.candidates, found.index[:, :k], found.scores[:, :k])


@dataclass
class PublishedLinker(Settings):
    """Answers as ``system`` did, by the files of :mod:`study.corpora.published`: the mentions of BELB that
    align with the test split, and no others."""

    system: str = ""
    base = "published"
    _every_span = False

    def answered(self, dataset: str) -> bool:
        """Whether the system's answers to a data set are published."""
        return dataset in CORPORA and self.system in systems(dataset)

    def fit(self, benchmark: Benchmark, seed: int = 0) -> PublishedLinker:
        """Read the answers. Raises ValueError for a benchmark that was transformed and for a system that did
        not answer it, and MissingFile saying how to get the file."""
        _require_untouched(self, benchmark)
        # The gold, by which ids are translated and which no linker is given: see the module of the answers.
        gold = loaded(benchmark.name).test
        self._answers = translated(benchmark.name, self.system, gold, every_span=self._every_span)
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
