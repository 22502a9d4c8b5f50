"""The concept of the nearest training mention, both read in their context."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from ..corpus import Document
from ..datasets.benchmark import Benchmark
from ..encoders import Backbone, Encoded, encode, mention_inputs
from ..predictions import Candidate, Predictions, spans
from ..pretraining import encoder_folder
from ..retrieval import best_per_concept, search
from ..training import Training
from .settings import Settings
from .supervision import with_one_concept
from .tuning import tune

MARKERS = ("[ent]", "[/ent]")
_HITS = 512  # training mentions looked at for each mention


@dataclass
class InContextLinker(Settings):
    """Ranks concepts by their nearest training mention, encoded with its markers and context.

    The skeleton of the contextual systems: prototypes as in KRISSBERT (Zhang et al. 2022, section 3.4),
    with supervision from the training split alone. A concept without a training mention is never answered.
    ``checkpoints`` is as of :class:`TunedLinker`.
    """

    model: str = "minilm"
    layers: int | None = None
    loss: str = "info-nce"
    pooling: str = "start"
    window: int = 64
    steps: int = 300
    concepts: int = 16
    learning_rate: float = 5e-5
    precision: str = "bf16"
    progress: bool = field(default=True, repr=False, compare=False)
    checkpoints: Path | None = field(default=None, repr=False, compare=False)
    base = "in-context"

    def fit(self, benchmark: Benchmark, seed: int = 0) -> InContextLinker:
        """Raises ValueError when no concept has two training mentions."""
        seen = [
            ((document.text, mention.start, mention.end), concept)
            for document, mention, concept in with_one_concept(benchmark)
        ]
        self._concepts = sorted({concept for _, concept in seen})
        number = {concept: i for i, concept in enumerate(self._concepts)}
        self._concept_of = np.array([number[concept] for _, concept in seen])
        self.backbone = Backbone.load(encoder_folder(self.model), layers=self.layers, markers=MARKERS)
        settings = Training(
            self.learning_rate, steps=self.steps, warmup=0.06, precision=self.precision, seed=seed
        )
        inputs = self._inputs([place for place, _ in seen])
        trained = tune(
            self.backbone, inputs, self._concept_of, settings, loss=self.loss, pooling=self.pooling,
            concepts=self.concepts, folder=self.checkpoints, progress=self.progress,
        )  # fmt: skip
        self.trace, self.weights = trained.trace, self.backbone.fingerprint()
        self._vectors = self._encode(inputs)
        return self

    def link(self, documents: Sequence[Document], k: int = 64) -> Predictions:
        queries = spans(documents)
        texts = {document.id: document.text for document in documents}
        vectors = self._encode(self._inputs([(texts[q.document], q.start, q.end) for q in queries]))
        found = best_per_concept(*search(vectors, self._vectors, max(k, _HITS)), self._concept_of, k)
        candidates = tuple(Candidate("", (concept,)) for concept in self._concepts)
        return Predictions(tuple(queries), candidates, *found)

    def _inputs(self, mentions: Sequence[tuple[str, int, int]]) -> list[Encoded]:
        return mention_inputs(self.backbone, mentions, self.window).inputs

    def _encode(self, inputs: Sequence[Encoded]) -> np.ndarray:
        return encode(self.backbone, inputs, self.pooling, precision=self.precision, progress=self.progress)
