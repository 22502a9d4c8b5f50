"""The dictionary name nearest to the mention, by TF-IDF or by an untuned encoder."""

from __future__ import annotations

from dataclasses import field
from typing import Annotated, Literal

import numpy as np
from pydantic import Field
from pydantic.dataclasses import dataclass

from benchlib import encoders
from benchlib.benchmark import Benchmark
from benchlib.encoders import TfidfEncoder
from benchlib.linker import name_candidates

from ..encoders import load_backbone
from .by_name import NameSystem, StringSystem


@dataclass
class TfidfLinker(NameSystem):
    """Nearest name by character n-gram TF-IDF, fitted on the distinct names (BioCoM, appendix D).

    ``ngrams`` is their least and greatest length, ``analyzer`` as of :class:`TfidfEncoder`.
    """

    ngrams: Annotated[str, Field(pattern=r"^[1-9][0-9]*-[1-9][0-9]*$")] = "1-2"
    analyzer: Literal["char", "char_wb"] = "char"
    base = "tfidf"

    def __post_init__(self) -> None:
        if self._range[0] > self._range[1]:
            raise ValueError(f"ngrams is {self.ngrams!r}; expected the lesser length first, such as 2-4")

    @property
    def _range(self) -> tuple[int, int]:
        least, greatest = self.ngrams.split("-")
        return int(least), int(greatest)

    def fit(self, benchmark: Benchmark, seed: int = 0) -> TfidfLinker:
        """Raises ValueError for an ontology without a name."""
        names = [candidate.name for candidate in name_candidates(benchmark.ontology)]
        self._index(benchmark.ontology, TfidfEncoder(self._range, self.analyzer).fit(names))
        return self


@dataclass
class EncoderLinker(NameSystem):
    """Nearest name by a transformer used as it comes, without any training for the task.

    ``model`` is ``minilm``, a folder, a Hub id, or an adapted encoder such as ``minilm+pubmed``, of which
    the first ``layers`` are kept; the others are as of :class:`NameEncoder`.
    """

    model: str = "minilm"
    layers: int | None = None
    pooling: str = "mean"
    max_length: int = 32
    precision: str = "bf16"
    progress: bool = field(default=True, repr=False, compare=False)
    base, version = "encoder", "2"

    def fit(self, benchmark: Benchmark, seed: int = 0) -> EncoderLinker:
        """Raises ValueError for an ontology without a name, and for an encoder that cannot be used so."""
        how = (self.pooling, self.max_length, self.precision, self.progress)
        encoder = encoders.NameEncoder(load_backbone(self.model, self.layers), *how)
        self._index(benchmark.ontology, encoder)
        self.weights = encoder.fingerprint()
        return self


@dataclass
class ExactLinker(StringSystem):
    """Answers with the name equal to the mention, or not at all (KRISSBERT, table 4, "Mention As-is")."""

    base = "exact"

    def fit(self, benchmark: Benchmark, seed: int = 0) -> ExactLinker:
        """Raises ValueError for an ontology without a name."""
        self._candidates = name_candidates(benchmark.ontology)
        self._place = {candidate.name: i for i, candidate in enumerate(self._candidates)}
        return self

    def _rank(self, strings: list[str], k: int) -> tuple[np.ndarray, np.ndarray]:
        index = np.array([self._place.get(string, -1) for string in strings], dtype=int)[:, None]
        return index, np.ones(index.shape)
