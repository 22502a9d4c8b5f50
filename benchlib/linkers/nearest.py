"""The dictionary name nearest to the mention, by TF-IDF or by an untuned encoder."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass

from ..corpus import Document
from ..datasets.benchmark import Benchmark
from ..encoders import TfidfEncoder, TransformerEncoder
from ..predictions import Predictions
from ..pretraining import encoder_folder
from ..retrieval import search
from .by_name import dictionary, link_strings
from .linker import settings_of


class NearestName:
    """Ranks dictionary names by the inner product of their vector with that of the mention string."""

    def fit(self, benchmark: Benchmark, seed: int = 0):
        self._candidates = dictionary(benchmark.ontology)
        names = [candidate.name for candidate in self._candidates]
        self._encoder = self.encoder(names)
        self._vectors = self._encoder.encode(names)
        return self

    def link(self, documents: Sequence[Document], k: int = 64) -> Predictions:
        return link_strings(
            documents,
            self._candidates,
            lambda strings: search(self._encoder.encode(strings), self._vectors, k),
        )


@dataclass
class TfidfLinker(NearestName):
    """Nearest name by character n-gram TF-IDF, fitted on the distinct names (BioCoM, appendix D)."""

    ngrams: tuple[int, int] = (1, 2)
    analyzer: str = "char"
    version = "1"

    @property
    def name(self) -> str:
        return f"tfidf-{self.analyzer}-{self.ngrams[0]}-{self.ngrams[1]}"

    @property
    def config(self) -> Mapping[str, object]:
        return asdict(self)

    def encoder(self, names: Sequence[str]) -> TfidfEncoder:
        return TfidfEncoder(self.ngrams, self.analyzer).fit(names)


@dataclass
class EncoderLinker(NearestName):
    """Nearest name by a transformer used as it comes, without any training for the task.

    ``model`` is ``minilm``, a folder, a Hub id, or an adapted encoder such as ``minilm+pubmed``.
    """

    model: str = "minilm"
    pooling: str = "mean"
    max_length: int = 32
    precision: str = "bf16"
    version = "1"

    @property
    def name(self) -> str:
        return f"{self.model}-{self.pooling}"

    @property
    def config(self) -> Mapping[str, object]:
        return settings_of(self)

    def encoder(self, names: Sequence[str]) -> TransformerEncoder:
        return TransformerEncoder(encoder_folder(self.model), self.pooling, self.max_length, self.precision)

    @property
    def weights(self) -> str:
        """SHA-256 of the encoder's weights, for the record."""
        return self.encoder(()).checksum()
