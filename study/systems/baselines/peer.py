"""What a system of others answered, by its predictions file."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path

from pydantic.dataclasses import dataclass

from benchlib.benchmark import Benchmark
from benchlib.corpus import Corpus, Document
from benchlib.formats.predictions import read_predictions
from benchlib.predictions import Predictions

from ...places import data_dir
from ..settings import Settings

ANSWERS = data_dir() / "peers"


def answers_of(system: str, dataset: str) -> Path:
    """The predictions file of a system for the test split of a data set, there or not."""
    return ANSWERS / system / f"{dataset}.jsonl.gz"


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
        if benchmark.transforms:
            found = ", ".join(benchmark.transforms)
            raise ValueError(f"{self.name}: it answered {benchmark.name} as it is, not after {found}")
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
