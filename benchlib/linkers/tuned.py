"""The dictionary name nearest to the mention, by an encoder tuned on the names of the dictionary."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from ..corpus import Document
from ..datasets.benchmark import Benchmark
from ..encoders import Backbone, encode_names, text_inputs
from ..ontology import fold_name
from ..predictions import Predictions
from ..pretraining import encoder_folder
from ..retrieval import search
from ..training import Trained, Training
from .by_name import dictionary, link_strings
from .linker import settings_of
from .resumable import resumable
from .tuning import tune


@dataclass
class TunedLinker:
    """Nearest name by a transformer tuned to bring the names of one concept together.

    The names are those of the dictionary and, of concepts that it knows, the strings of training mentions;
    the dictionary that is searched stays as it is. With ``multi-similarity`` this is what SapBERT (Liu et
    al. 2021) does to UMLS, here for one small dictionary. A fixed number of steps, nothing chosen on dev;
    with none the encoder stays as it comes.
    """

    model: str = "minilm"
    layers: int | None = None
    loss: str = "multi-similarity"
    pooling: str = "mean"
    steps: int = 300
    concepts: int = 32
    learning_rate: float = 5e-5
    max_length: int = 25
    precision: str = "bf16"
    version = "1"
    progress: bool = field(default=True, repr=False)

    @property
    def name(self) -> str:
        layers = f"-{self.layers}-layers" if self.layers else ""
        if not self.steps:
            return f"untuned-{self.model}{layers}"
        return f"tuned-{self.model}{layers}" + (f"-{self.loss}" if self.loss != "multi-similarity" else "")

    @property
    def config(self) -> Mapping[str, object]:
        return settings_of(self)

    def fit(self, benchmark: Benchmark, seed: int = 0) -> TunedLinker:
        """Raises ValueError for a dictionary in which no concept has two names."""
        self._candidates = dictionary(benchmark.ontology)
        names = [candidate.name for candidate in self._candidates]
        self.backbone = Backbone.load(encoder_folder(self.model), layers=self.layers)
        self.trace = self._tune(benchmark, seed).trace if self.steps else ()
        self.weights = self.backbone.fingerprint()
        self._vectors = self._encode(names)
        return self

    def link(self, documents: Sequence[Document], k: int = 64) -> Predictions:
        return link_strings(
            documents, self._candidates, lambda strings: search(self._encode(strings), self._vectors, k)
        )

    def _tune(self, benchmark: Benchmark, seed: int) -> Trained:
        texts, labels = zip(*named_concepts(benchmark), strict=True)
        inputs = text_inputs(self.backbone, texts, self.max_length)
        settings = Training(
            self.learning_rate, steps=self.steps, warmup=0.06, precision=self.precision, seed=seed
        )
        with resumable(self, benchmark, seed) as folder:
            return tune(
                self.backbone,
                inputs,
                labels,
                settings,
                loss=self.loss,
                pooling=self.pooling,
                concepts=self.concepts,
                folder=folder,
                progress=self.progress,
            )

    def _encode(self, texts: Sequence[str]) -> np.ndarray:
        return encode_names(
            self.backbone, texts, self.pooling, self.max_length, self.precision, self.progress
        )


def named_concepts(benchmark: Benchmark) -> list[tuple[str, str]]:
    """(folded name, concept) of every name of the dictionary, and of every training mention with one gold
    concept that the dictionary knows; each pair once."""
    found = {(name, id): None for name, owners in benchmark.ontology.owners().items() for id in owners}
    for _, mention in benchmark.train.mentions():
        concepts = {c for id in mention.gold.ids for c in benchmark.ontology.resolve(id)}
        if len(concepts) == 1:
            found[fold_name(mention.text), concepts.pop()] = None
    return list(found)
