"""PEL: two encoders, one of mentions in context and one of entities (Wiatrak et al. 2022)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np
from pydantic import NonNegativeInt, PositiveInt
from pydantic.dataclasses import dataclass

from benchlib import encoders, training
from benchlib.benchmark import Benchmark
from benchlib.corpus import Document
from benchlib.encoders import MARKERS, Encoded, mention_inputs
from benchlib.ontology import Concept, fold_name
from benchlib.predictions import Predictions, Query, spans

from ..by_entity import (
    TrainingMention,
    concepts_with_names,
    entity_inputs,
    rank_entities,
    title_candidates,
    training_mentions,
    without_names,
)
from ..contrast import ContrastiveBatch, ContrastiveObjective, Fgsm, Loss
from ..kept_vectors import KeptVectors
from ..pools import Negatives, NegativeSampler, Rank
from ..settings import Trainable
from ..texts import places_of
from ..training_names import Learns, training_splits

if TYPE_CHECKING:
    from ..dual import DualEncoder

Pooling = Literal["mean", "cls"]  # that need no span, which an entity has not
TRAINING = {"warmup": 0.25, "eps": 1e-6}  # appendix C, table 6


class Learned(NamedTuple):
    """``inputs``, whose vectors are those of the mentions ``seen``, in order, and all ``entities``."""

    inputs: Sequence[Encoded]
    seen: Sequence[TrainingMention]
    entities: Sequence[Encoded]


@dataclass
class BiEncoderLinker(Trainable):
    """Ranks concepts by the similarity of their text to the marked mention in its ``window``.

    Two transformers, both from ``model``, or one with ``shared``. An entity is read as its ``fields``
    (:func:`entity_inputs`), cut at ``max_length`` word pieces. It learns from the mentions that stand for one
    concept with a name. With ``leave_own_out`` a step reads each gold without the strings of its mentions in
    the batch, case aside, unless it has no other name: where names of the dictionary are strings of training
    mentions, as in MedMentions, a mention would find itself in the text of its gold.

    A step has ``batch`` mentions and one pool of ``n_negatives`` entities for all of them, gold of none,
    where the paper draws 32 or 64 for each; ``negatives``, ``mine_every``, ``in_batch`` and ``own_hard`` are
    those of :class:`NegativeSampler`, ``loss``, ``alpha``, ``delta``, ``fgsm``, ``epsilon`` and ``weight``
    those of :class:`ContrastiveObjective`. The rate rises over a quarter of the steps and then falls to 0;
    the weights are the last; with no step the encoders stay as they come. ``epochs``, passes over what is
    learned from, takes the place of ``steps``.

    The embeddings and the lowest ``frozen`` layers of both encoders are not trained, and run without dropout:
    see :func:`freeze_layers`. With 0 everything is trained.

    ``score`` is as of :func:`rank_entities`. Since it has no part in the training, linkers that differ in it
    alone can share ``checkpoints``, and train once.

    Raises ValueError for ``frozen`` layers with ``fgsm``, which moves what the lowest one reads.
    """

    model: str = "minilm"
    layers: int | None = None
    frozen: NonNegativeInt = 0
    shared: bool = False
    pooling: Pooling = "mean"
    window: int = 64
    fields: str = "title+types+definition"
    max_length: int = 48
    leave_own_out: bool = False
    loss: Loss = "proxy"
    alpha: float = 32.0
    delta: float = 0.0
    negatives: Negatives = "random"
    n_negatives: int = 64
    mine_every: PositiveInt = 100
    in_batch: bool = False
    own_hard: NonNegativeInt = 0
    fgsm: Fgsm = "none"
    epsilon: float = 0.01
    weight: float = 1.0
    learns: Learns = "train"
    batch: int = 32
    steps: int = 400
    learning_rate: float = 1e-4
    score: Literal["dot", "cosine", "softmax"] | None = None
    precision: str = "bf16"
    epochs: PositiveInt | None = None
    base, after_training, lengths = "bi-encoder", ("score",), ("epochs", "steps")
    later = ("in_batch", "own_hard", "leave_own_out", "epochs", "frozen")
    training_only = (
        "leave_own_out", "loss", "alpha", "delta", "negatives", "n_negatives", "mine_every", "in_batch",
        "own_hard", "fgsm", "epsilon", "weight", "learns", "batch", "learning_rate", "frozen",
    )  # fmt: skip

    def __post_init__(self) -> None:
        if self.frozen and self.fgsm != "none":
            raise ValueError(f"fgsm is {self.fgsm!r}; expected none with frozen layers")
        self.contrast = ContrastiveObjective(
            self.loss, self.alpha, self.delta, self.fgsm, self.epsilon, self.weight
        )

    def fit(self, benchmark: Benchmark, seed: int = 0) -> BiEncoderLinker:
        """Raises ValueError for an ontology without a name, an unknown field, no mention to train on, and as
        :func:`shared_negatives` for an ontology with too few concepts for the pool."""
        self._ontology, self._concepts = benchmark.ontology, concepts_with_names(benchmark.ontology)
        self._candidates = title_candidates(self._concepts)
        self.encoder = self._load()
        entities = self._entity_inputs(self._concepts)
        self.trace = ()
        if self.budget:
            place = {concept.id: i for i, concept in enumerate(self._concepts)}
            seen = training_mentions(benchmark, training_splits(self.learns, benchmark.transforms), place)
            inputs, order = self._read_seen(seen)
            self.trace = self._train(Learned(inputs, [seen[i] for i in order], entities), seed).trace
        self.weights, kept = self.encoder.fingerprint(), KeptVectors(self.checkpoints, "entities")
        self._entities = kept.of(entities, partial(self._encode, "entity"))
        return self

    def link(self, documents: Sequence[Document], k: int = 64) -> Predictions:
        queries = spans(documents)
        vectors = self.mention_vectors(documents, queries)
        ranking = rank_entities(vectors, self._entities, k, self.contrast, self.score)
        return Predictions(tuple(queries), self._candidates, *ranking)

    def untrained(self) -> BiEncoderLinker:
        """As :meth:`Settings.untrained`, with vectors compared as they are here."""
        control = replace(super().untrained(), score=None)
        same = control._similarity == self._similarity
        return control if same else replace(control, score=self._similarity)

    @property
    def _similarity(self) -> str:
        """By which of ``dot`` and ``cosine`` entities are ranked; a softmax ranks as that of the loss."""
        if self.score in ("dot", "cosine"):
            return self.score
        return "cosine" if self.contrast.cosine else "dot"

    def _load(self) -> DualEncoder:
        from ..dual import DualEncoder

        return DualEncoder.load(self.model, self.layers, self.shared, MARKERS, self.pooling)

    def _entity_inputs(self, concepts: Sequence[Concept]) -> list[Encoded]:
        return entity_inputs(self.encoder.entity, concepts, self._ontology, self.fields, self.max_length)

    def mention_vectors(self, documents: Sequence[Document], queries: Sequence[Query]) -> np.ndarray:
        """The vectors of spans of some documents, spans × width, float32, in their order."""
        inputs = mention_inputs(self.encoder.mention, places_of(queries, documents), self.window).inputs
        return self._encode("mention", inputs)

    def _read_seen(self, seen: Sequence[TrainingMention]) -> tuple[list[Encoded], Sequence[int]]:
        """What is read of labelled mentions, and their numbers in the order of its vectors."""
        places = [one.place for one in seen]
        return mention_inputs(self.encoder.mention, places, self.window).inputs, range(len(seen))

    def _train(self, learned: Learned, seed: int) -> training.Trained:
        inputs, seen, entities = learned
        of_input = np.split(np.arange(len(seen)), np.cumsum([one.n_vectors for one in inputs])[:-1])
        model = self.encoder
        if self.frozen:
            from ..frozen_layers import freeze_layers

            model = freeze_layers(model, self.frozen, inputs, entities, self.precision, self.progress)

        def rank(some: np.ndarray, depth: int) -> np.ndarray:
            vectors = self._encode("mention", [inputs[i] for i in some], model)
            return rank_entities(vectors, self._encode("entity", entities, model), depth, self.contrast)[0]

        pools = self._pools(learned, rank, seed)

        def batch_at(number: int) -> ContrastiveBatch:
            pool = pools.at(number)
            read = [entities[i] for i in pool.entities]
            if self.leave_own_out:
                own: list[set[str]] = [set() for _ in range(pool.n_golds)]
                mentions = chain.from_iterable(of_input[i] for i in pool.inputs)
                for place, i in zip(pool.gold.tolist(), mentions, strict=True):
                    own[place].add(fold_name(seen[i].mention.text))
                golds = zip(pool.entities, own, strict=False)
                without = [without_names(self._concepts[i], strings) for i, strings in golds]
                read[: pool.n_golds] = self._entity_inputs(without)
            return ContrastiveBatch([inputs[i] for i in pool.inputs], read, *pool[2:])

        kept = {"carried": pools.carried, "watched": self._watched}
        return self._optimized(model, batch_at, self._loss, seed, pools.steps, kept, **TRAINING)

    @property
    def _watched(self) -> dict[str, float] | None:
        """Values of the last batch that the trace has besides its loss."""
        return self.contrast.watched

    def _loss(self, model: DualEncoder, batch: ContrastiveBatch, share: float):
        return self.contrast(model, batch)

    def _pools(self, learned: Learned, rank: Rank | None, seed: int) -> NegativeSampler:
        inputs, seen, entities = learned
        gold, sizes = np.array([one.concept for one in seen]), np.array([one.n_vectors for one in inputs])
        number: dict[Encoded, int] = {}
        text = np.array([number.setdefault(one, len(number)) for one in entities])
        drawn = (self.batch, self._updates(len(inputs)), self.negatives, self.n_negatives, self.mine_every)
        return NegativeSampler(gold, sizes, text, rank, *drawn, seed, self.in_batch, self.own_hard)

    def _encode(self, side: str, inputs: Sequence[Encoded], model: DualEncoder | None = None) -> np.ndarray:
        """The vectors of inputs of a ``side`` by the trained encoder, or by ``model`` in its place."""
        backbone, pooling = (getattr(model or self.encoder, name) for name in (side, f"{side}_pooling"))
        return encoders.encode(
            backbone, inputs, pooling, normalize=False, precision=self.precision, progress=self.progress
        )
