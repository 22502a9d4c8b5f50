"""CoSiNES: a Siamese encoder of strings, trained by triplets mined online (Yuan et al. 2023)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import torch

from ..corpus import Document
from ..datasets.benchmark import Benchmark
from ..encoders import Backbone, Encoded, embed, encode_names, text_inputs
from ..losses import batch_all, batch_hard, distances, hybrid
from ..ontology import fold_name
from ..predictions import Predictions
from ..pretraining import encoder_folder
from ..retrieval import search
from ..sampling import batches_per_epoch, group_batch
from ..training import Training, train
from .by_name import dictionary, link_strings
from .linker import settings_of
from .resumable import resumable

MINING = {
    "hybrid": hybrid,
    "batch-all": lambda distance, labels, margin, share: batch_all(distance, labels, margin),
    "batch-hard": lambda distance, labels, margin, share: batch_hard(distance, labels, margin),
}


@dataclass
class CosinesLinker:
    """Nearest dictionary name by an encoder trained on anchored groups of each entity's strings.

    Section 5: groups of ``size`` strings, the canonical name first, ``groups`` of them a batch, ``margin`` 2,
    learning rate 1e-5; batch-all mining in the first half of the training, batch-hard in the second. The
    strings of an entity are its dictionary names and its training mentions. As in the released script the
    vectors are not normalised for the ``distance`` in training, and are for the cosine at test; the rate is
    constant there and here falls linearly. ``epochs`` visit each entity once. With ``evaluate_epochs`` the
    accuracy on dev is taken every so many epochs and the best weights are kept; without, the last are.
    """

    model: str = "minilm"
    layers: int | None = None
    pooling: str = "cls"
    epochs: int = 20
    groups: int = 16
    size: int = 10
    margin: float = 2.0
    learning_rate: float = 1e-5
    mining: str = "hybrid"
    distance: str = "euclidean"
    evaluate_epochs: int | None = None
    max_length: int = 32
    precision: str = "bf16"
    version = "1"
    progress: bool = field(default=True, repr=False)

    def __post_init__(self) -> None:
        if self.mining not in MINING:
            raise ValueError(f"mining is {self.mining!r}; expected one of {', '.join(MINING)}")

    @property
    def name(self) -> str:
        return f"cosines-{self.model}" + (f"-{self.layers}-layers" if self.layers else "")

    @property
    def config(self) -> Mapping[str, object]:
        return settings_of(self)

    def fit(self, benchmark: Benchmark, seed: int = 0) -> CosinesLinker:
        """Raises ValueError for an ontology without a name, and to evaluate on a dev split that is empty."""
        self._candidates = dictionary(benchmark.ontology)
        names = [candidate.name for candidate in self._candidates]
        texts, anchors, mentions = strings_of_entities(benchmark)
        self.backbone = Backbone.load(encoder_folder(self.model), layers=self.layers)
        inputs = text_inputs(self.backbone, texts, self.max_length)
        steps = self.epochs * batches_per_epoch(len(anchors), self.groups)
        every = self.evaluate_epochs
        settings = Training(
            self.learning_rate,
            steps=steps,
            weight_decay=0.0,
            clip=None,
            precision=self.precision,
            evaluate_every=every and every * steps // self.epochs,
            seed=seed,
        )
        dev = _golds(benchmark, self._candidates)

        def batch_at(number: int) -> list[Encoded]:
            rows = group_batch(anchors, mentions, seed, number, self.groups, self.size)
            return [inputs[i] for i in rows.ravel()]

        def loss_of(model: Backbone, batch: list[Encoded], share: float) -> torch.Tensor:
            vectors = embed(model, batch, self.pooling, normalize=False)
            entity = torch.arange(len(vectors), device=vectors.device) // self.size
            with torch.autocast(model.device.type, enabled=False):
                apart = distances(vectors, vectors, self.distance)
                return MINING[self.mining](apart, entity, self.margin, share)

        def accuracy(_: Backbone) -> float:
            index, _ = search(self._encode([text for text, _ in dev]), self._encode(names), 1)
            return float(np.mean([i in right for (i,), (_, right) in zip(index, dev, strict=True)]))

        if every and not dev:
            raise ValueError(f"benchmark {benchmark.name} has no dev mention to evaluate on")
        with resumable(self, benchmark, seed) as folder:
            trained = train(
                self.backbone,
                batch_at,
                loss_of,
                settings,
                evaluate=accuracy if every else None,
                folder=folder,
                progress=self.progress,
            )
        self.trace, self.weights = trained.trace, self.backbone.fingerprint()
        self._vectors = self._encode(names)
        return self

    def link(self, documents: Sequence[Document], k: int = 64) -> Predictions:
        return link_strings(
            documents, self._candidates, lambda strings: search(self._encode(strings), self._vectors, k)
        )

    def _encode(self, texts: Sequence[str]) -> np.ndarray:
        return encode_names(self.backbone, texts, self.pooling, self.max_length, self.precision, False)


def strings_of_entities(benchmark: Benchmark) -> tuple[list[str], list[int], list[list[int]]]:
    """The folded strings of every entity that has a name: (strings, anchors, mentions), the last two giving
    per entity the place of its canonical name and of its other names and training mentions, each once."""
    texts: list[str] = []
    anchors, mentions = [], []
    seen: dict[str, dict[str, None]] = {}
    for _, mention in benchmark.train.mentions():
        if len(mention.gold.parts) == 1:
            for concept in {c for id in mention.gold.ids for c in benchmark.ontology.resolve(id)}:
                seen.setdefault(concept, {})[fold_name(mention.text)] = None
    for id, concept in benchmark.ontology.concepts.items():
        if concept.names:
            own = dict.fromkeys([*map(fold_name, concept.names), *seen.get(id, ())])
            anchors.append(len(texts))
            mentions.append(list(range(len(texts) + 1, len(texts) + len(own))))
            texts += own
    return texts, anchors, mentions


def _golds(benchmark: Benchmark, candidates) -> list[tuple[str, set[int]]]:
    """Each dev mention with a concept: its folded string, and the candidates that are right."""
    owned: dict[str, set[int]] = {}
    for i, candidate in enumerate(candidates):
        for id in candidate.ids:
            owned.setdefault(id, set()).add(i)
    found = []
    for _, mention in benchmark.dev.mentions():
        if not mention.gold.nil:
            concepts = {c for id in mention.gold.ids for c in benchmark.ontology.resolve(id)}
            found.append((fold_name(mention.text), set().union(*(owned.get(c, set()) for c in concepts))))
    return found
