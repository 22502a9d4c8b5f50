"""CoSiNES: a Siamese encoder of strings, trained by triplets mined online (Yuan et al. 2023)."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Literal

import numpy as np
from pydantic import Field
from pydantic.dataclasses import dataclass

from benchlib import encoders, losses
from benchlib.benchmark import Benchmark
from benchlib.linker import name_candidates
from benchlib.ontology import fold_name
from benchlib.predictions import Candidate
from benchlib.retrieval import search

from ..baselines.by_name import NameSystem, name_indices
from ..encoders import load_backbone
from ..settings import Trainable
from ..training_names import Learns, strings_by_entity, training_splits
from .groups import AnchoredGroups

GRAPH = "character-graph"


@dataclass
class CosinesLinker(NameSystem, Trainable):
    """Nearest dictionary name by an encoder trained on anchored groups of each entity's strings.

    Section 5: groups of ``size`` strings, the canonical name first, ``groups`` of them a batch, ``margin`` 2,
    learning rate 1e-5; batch-all mining in the first half of the training, batch-hard in the second. The
    strings of an entity are its dictionary names and its mentions in the splits that it ``learns`` from. As
    in the released script the vectors are not normalised for the ``distance`` in training, and are for the
    cosine at test, the rate is constant, and the weights are the last. Groups that are short are ``filled``
    by repetition, which the script does not do (:class:`.groups.AnchoredGroups`). A string that a batch
    repeats is encoded once.

    ``model`` is as of ``EncoderLinker``, or ``character-graph``: the paper's GNN baseline, here trained in
    the same way. With ``evaluate_epochs`` the accuracy on dev is taken every so many epochs, and with
    ``keep`` ``best`` the best weights on dev are kept. ``steps`` and ``evaluate_steps`` take the place of
    epochs where one epoch of a large dictionary is already too long; without either the encoder stays as it
    comes.
    """

    model: str = "minilm"
    layers: int | None = None
    pooling: str = "cls"
    learns: Learns = "train"
    epochs: int = 20
    groups: int = 16
    size: Annotated[int, Field(ge=2)] = 10
    filled: bool = True
    margin: float = 2.0
    learning_rate: float = 1e-5
    schedule: str = "constant"
    mining: Literal["hybrid", "batch-all", "batch-hard"] = "hybrid"
    distance: str = "euclidean"
    evaluate_epochs: int | None = None
    keep: str = "last"
    steps: int | None = None
    evaluate_steps: int | None = None
    max_length: int = 32
    precision: str = "bf16"
    base, version, later = "cosines", "2", ("filled",)
    training_only = (
        "learns", "groups", "size", "filled", "margin", "learning_rate", "schedule", "mining", "distance",
        "evaluate_epochs", "keep", "evaluate_steps",
    )  # fmt: skip

    def __post_init__(self) -> None:
        if self._evaluates and self.learns != "train":
            raise ValueError("evaluate_epochs: expected to learn from train alone, found train+dev")

    def fit(self, benchmark: Benchmark, seed: int = 0) -> CosinesLinker:
        """Raises ValueError for an ontology without a name, and to evaluate on a dev split that is empty."""
        import torch

        self._candidates = name_candidates(benchmark.ontology)
        dev = _golds(benchmark, self._candidates)
        if self._evaluates and not dev:
            raise ValueError(f"benchmark {benchmark.name} has no dev mention to evaluate on")
        texts, anchors, mentions = strings_by_entity(
            benchmark, training_splits(self.learns, benchmark.transforms)
        )
        groups = AnchoredGroups(anchors, mentions, self.size, self.filled)
        per_epoch = groups.batches(self.groups)
        self.encoder = self._new_encoder(texts, seed)
        self._vectors: np.ndarray | None = None

        def batch_at(number: int) -> np.ndarray:
            return groups.batch(seed, number, self.groups)

        def loss_of(model: torch.nn.Module, batch: np.ndarray, share: float) -> torch.Tensor:
            there = batch >= 0
            distinct, place = np.unique(batch[there], return_inverse=True)
            vectors = model([texts[i] for i in distinct])
            # Not an index in brackets, whose gradient several threads sum in any order.
            vectors = vectors.index_select(0, torch.from_numpy(place.ravel()).to(vectors.device))
            entity = torch.from_numpy(batch[:, 0].repeat(there.sum(axis=1))).to(vectors.device)
            with torch.autocast(vectors.device.type, enabled=False):
                distance = losses.distances(vectors, vectors, self.distance)
                if self.mining == "hybrid":
                    return losses.hybrid(distance, entity, self.margin, share)
                mined = losses.batch_all if self.mining == "batch-all" else losses.batch_hard
                return mined(distance, entity, self.margin)

        def accuracy(_: torch.nn.Module) -> float:
            self._vectors = self._encoded_names()
            index, _ = search(self.encoder.encode([text for text, _ in dev]), self._vectors, 1)
            return float(np.mean([i in right for (i,), (_, right) in zip(index, dev, strict=True)]))

        self.trace = ()
        if steps := self.steps or self.epochs * per_epoch:
            every = self.evaluate_steps or (self.evaluate_epochs and self.evaluate_epochs * per_epoch)
            how = {"schedule": self.schedule, "weight_decay": 0.0, "clip": None, "keep": self.keep}
            kept = {"evaluate": accuracy if self._evaluates else None}
            trained = self._optimized(
                self.encoder, batch_at, loss_of, seed, steps, kept, evaluate_every=every, **how
            )
            self.trace = trained.trace
            # A dictionary can take longer to encode than to learn: where the last weights were evaluated here
            # and are kept, its vectors are there.
            if self.keep != "last" and trained.best_step != trained.step:
                self._vectors = None
        self.weights = self.encoder.fingerprint()
        if self._vectors is None:
            self._vectors = self._encoded_names()
        return self

    def save(self, folder: str | Path) -> None:
        """The trained encoder: an ordinary Hugging Face folder, which
        ``encoder,model=FOLDER,pooling=cls`` links with. A character graph cannot be saved."""
        self.encoder.backbone.save(folder)

    @property
    def _evaluates(self) -> bool:
        return bool(self.evaluate_epochs or self.evaluate_steps)

    def _new_encoder(self, texts: Sequence[str], seed: int):
        if self.model == GRAPH:
            import torch

            from .graph import CharacterGraph, vocabulary

            torch.manual_seed(seed)
            return CharacterGraph(vocabulary(texts))
        backbone = load_backbone(self.model, self.layers)
        return encoders.NameEncoder(backbone, self.pooling, self.max_length, self.precision)


def _golds(benchmark: Benchmark, candidates: Sequence[Candidate]) -> list[tuple[str, set[int]]]:
    """Each dev mention with a concept: its folded string, and the candidates that are right."""
    owned, golds = name_indices(candidates), []
    for _, mention in benchmark.dev.mentions():
        if not mention.gold.nil:
            concepts = benchmark.ontology.concepts_in(mention.gold.ids)
            right = {place for concept in concepts for place in owned.get(concept, ())}
            golds.append((fold_name(mention.text), right))
    return golds
