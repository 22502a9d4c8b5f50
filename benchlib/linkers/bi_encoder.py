"""PEL: two encoders, one of mentions in context and one of entities (Wiatrak et al. 2022)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
import torch

from ..corpus import Document
from ..datasets.benchmark import Benchmark
from ..encoders import DualEncoder, Encoded, encode, mention_inputs
from ..encoders.mention import MARKERS
from ..predictions import Predictions, Query, spans
from ..pretraining import encoder_folder
from ..training import Trained
from .by_entity import SCORES, Seen, entity_inputs, known, labelled, ranked, titles
from .contrast import Batch, Contrast
from .pools import HARD_PERCENT, Pools, Rank
from .settings import Settings, check
from .supervision import splits

POOLINGS = ("mean", "cls")  # that need no span, which an entity has not
TRAINING = {"warmup": 0.25, "eps": 1e-6}  # appendix C, table 6


@dataclass
class BiEncoderLinker(Settings):
    """Ranks concepts by the similarity of their text to the marked mention in its ``window``.

    Two transformers, both from ``model``, or one with ``shared``. An entity is read as its ``fields``, those
    of :func:`entity_text` with a plus between them, cut at ``max_length`` word pieces. Learned from are the
    mentions that stand for one concept; NIL and composite ones are left out, as are concepts without a name.

    A step has ``batch`` mentions and one pool of ``n_negatives`` entities for all of them, none of them gold
    of any (:func:`shared_negatives`): where the paper draws 32 or 64 for each mention, here they are encoded
    once a step. With ``negatives`` ``mixed`` half are hard: the best ranked of the whole ontology by the
    encoder as it is, ranked anew every ``mine_every`` steps. ``loss``, ``alpha``, ``delta``, ``fgsm``,
    ``epsilon`` and ``weight`` are those of :class:`Contrast`. The rate rises over a quarter of the steps and
    then falls to 0; the weights are the last; with no step the encoders stay as they come.

    ``score`` is as of :func:`ranked`. ``checkpoints`` is as of :class:`TunedLinker`; since ``score`` has no
    part in the training, linkers that differ in it alone can share it, one after the other, and train once.

    Raises ValueError for a setting that is none of those there are.
    """

    model: str = "minilm"
    layers: int | None = None
    shared: bool = False
    pooling: str = "mean"
    window: int = 64
    fields: str = "title+types+definition"
    max_length: int = 48
    loss: str = "proxy"
    alpha: float = 32.0
    delta: float = 0.0
    negatives: str = "random"
    n_negatives: int = 64
    mine_every: int = 100
    fgsm: str = "none"
    epsilon: float = 0.01
    weight: float = 1.0
    learns: str = "train"
    batch: int = 32
    steps: int = 400
    learning_rate: float = 1e-4
    score: str | None = None
    precision: str = "bf16"
    progress: bool = field(default=True, repr=False, compare=False)
    checkpoints: Path | None = field(default=None, repr=False, compare=False)
    base, after_training = "bi-encoder", ("score",)
    training_only = (
        "loss", "alpha", "delta", "negatives", "n_negatives", "mine_every", "fgsm", "epsilon", "weight",
        "learns", "batch", "learning_rate",
    )  # fmt: skip

    def __post_init__(self) -> None:
        splits(self.learns)
        check(self, negatives=HARD_PERCENT, pooling=POOLINGS)
        if self.score is not None and self.score not in SCORES:
            raise ValueError(f"score is {self.score!r}; expected one of {', '.join(SCORES)}, or None")
        if self.mine_every < 1:
            raise ValueError(f"mine_every: expected a number of steps from 1 on, found {self.mine_every}")
        self.contrast = Contrast(self.loss, self.alpha, self.delta, self.fgsm, self.epsilon, self.weight)

    def fit(self, benchmark: Benchmark, seed: int = 0) -> BiEncoderLinker:
        """Raises ValueError for an ontology without a name, an unknown field, no mention to train on, and as
        :func:`shared_negatives` for an ontology with too few concepts for the pool."""
        concepts = known(benchmark.ontology)
        self._candidates = titles(concepts)
        self.encoder = self._load()
        entities = entity_inputs(
            self.encoder.entity, concepts, benchmark.ontology, self.fields, self.max_length
        )
        self.trace = ()
        if self.steps:
            place = {concept.id: i for i, concept in enumerate(concepts)}
            seen = labelled(benchmark, splits(self.learns, benchmark.transforms), place)
            self.trace = self._train(seen, entities, seed).trace
        self.weights, self._entities = self.encoder.fingerprint(), self._encode("entity", entities)
        return self

    def link(self, documents: Sequence[Document], k: int = 64) -> Predictions:
        queries = spans(documents)
        found = ranked(self._mentions(documents, queries), self._entities, k, self.contrast, self.score)
        return Predictions(tuple(queries), self._candidates, *found)

    def untrained(self) -> BiEncoderLinker:
        """As :meth:`Settings.untrained`, with vectors compared as they are here."""
        control, similarity = super().untrained(), self._similarity
        return replace(
            control, score=None if similarity == replace(control, score=None)._similarity else similarity
        )

    @property
    def _similarity(self) -> str:
        """By which of ``dot`` and ``cosine`` entities are ranked; a softmax ranks as that of the loss."""
        if self.score in ("dot", "cosine"):
            return self.score
        return "cosine" if self.contrast.cosine else "dot"

    def _load(self) -> DualEncoder:
        return DualEncoder.load(encoder_folder(self.model), self.layers, self.shared, MARKERS, self.pooling)

    def _mentions(self, documents: Sequence[Document], queries: Sequence[Query]) -> np.ndarray:
        """The vectors of the spans of some documents, in their order."""
        texts = {document.id: document.text for document in documents}
        places = [(texts[query.document], query.start, query.end) for query in queries]
        return self._encode("mention", self._read(places))

    def _train(self, seen: Sequence[Seen], entities: Sequence[Encoded], seed: int) -> Trained:
        inputs, gold = self._read_seen(seen)

        def rank(some: np.ndarray, depth: int) -> np.ndarray:
            vectors = self._encode("mention", [inputs[i] for i in some])
            return ranked(vectors, self._encode("entity", entities), depth, self.contrast)[0]

        pools = self._pools(inputs, gold, entities, rank, seed)

        def batch_at(number: int) -> Batch:
            pool = pools.at(number)
            return Batch([inputs[i] for i in pool.inputs], [entities[i] for i in pool.entities], *pool[2:])

        return self._trained(
            self.encoder,
            batch_at,
            lambda model, batch, share: self._loss(model, batch),
            self._training(seed, self.steps, **TRAINING),
            carried=pools.carried,
        )

    def _loss(self, model: DualEncoder, batch: Batch) -> torch.Tensor:
        return self.contrast(model, batch)

    def _pools(
        self, inputs: Sequence[Encoded], gold: np.ndarray, entities: Sequence[Encoded], rank: Rank, seed: int
    ) -> Pools:
        sizes = np.array([one.n_vectors for one in inputs])
        drawn = (self.batch, self.steps, self.negatives, self.n_negatives, self.mine_every)
        number: dict[Encoded, int] = {}
        text = np.array([number.setdefault(one, len(number)) for one in entities])
        return Pools(gold, sizes, text, rank, *drawn, seed)

    def _read_seen(self, seen: Sequence[Seen]) -> tuple[list[Encoded], np.ndarray]:
        """What is read of labelled mentions, and the number of the concept of each, in the order of their
        vectors."""
        places = [(document.text, mention.start, mention.end) for document, mention, _ in seen]
        return self._read(places), np.array([concept for *_, concept in seen])

    def _read(self, places: Sequence[tuple[str, int, int]]) -> list[Encoded]:
        return mention_inputs(self.encoder.mention, places, self.window).inputs

    def _encode(self, side: str, inputs: Sequence[Encoded]) -> np.ndarray:
        backbone, pooling = (getattr(self.encoder, name) for name in (side, f"{side}_pooling"))
        return encode(
            backbone, inputs, pooling, normalize=False, precision=self.precision, progress=self.progress
        )
