"""The dictionary name nearest to the mention, by TF-IDF or by an untuned encoder."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from benchlib import encoders
from benchlib.benchmark import Benchmark
from benchlib.encoders import TfidfEncoder
from benchlib.linker import name_candidates

from ..encoders import encoder_folder
from ..settings import require_choice
from .by_name import NameSystem

ANALYZERS = ("char", "char_wb")


@dataclass
class TfidfLinker(NameSystem):
    """Nearest name by character n-gram TF-IDF, fitted on the distinct names (BioCoM, appendix D).

    ``ngrams`` is their least and greatest length, ``analyzer`` as of :class:`TfidfEncoder`. Raises
    ValueError for others.
    """

    ngrams: str = "1-2"
    analyzer: str = "char"
    base = "tfidf"

    def __post_init__(self) -> None:
        if not re.fullmatch(r"[1-9]\d*-[1-9]\d*", self.ngrams) or self._lengths[0] > self._lengths[1]:
            raise ValueError(f"ngrams is {self.ngrams!r}; expected two lengths such as 2-4")
        require_choice(self, analyzer=ANALYZERS)

    @property
    def _lengths(self) -> tuple[int, int]:
        least, greatest = self.ngrams.split("-")
        return int(least), int(greatest)

    def fit(self, benchmark: Benchmark, seed: int = 0) -> TfidfLinker:
        """Raises ValueError for an ontology without a name."""
        names = [candidate.name for candidate in name_candidates(benchmark.ontology)]
        self._index(benchmark.ontology, TfidfEncoder(self._lengths, self.analyzer).fit(names))
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
        backbone = encoders.Backbone.load(encoder_folder(self.model), self.layers)
        how = (self.pooling, self.max_length, self.precision, self.progress)
        encoder = encoders.NameEncoder(backbone, *how)
        self._index(benchmark.ontology, encoder)
        self.weights = encoder.fingerprint()
        return self


@dataclass
class ExactLinker(NameSystem):
    """Answers with the name equal to the mention, or not at all (KRISSBERT, table 4, "Mention As-is")."""

    base = "exact"

    def fit(self, benchmark: Benchmark, seed: int = 0) -> ExactLinker:
        """Raises ValueError for an ontology without a name."""
        self._index(benchmark.ontology)
        return self
