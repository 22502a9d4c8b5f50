"""PEL: two encoders, one of mentions in context and one of entities (Wiatrak et al. 2022)."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from benchlib import encoders, training
from benchlib.benchmark import Benchmark
from benchlib.corpus import Document
from benchlib.encoders import MARKERS, Encoded, mention_inputs
from benchlib.ontology import Concept, fold_name
from benchlib.predictions import Predictions, Query, spans

from ..by_entity import (
    SCORES,
    TrainingMention,
    concepts_with_names,
    entity_inputs,
    rank_entities,
    title_candidates,
    training_mentions,
    without_names,
)
from ..contrast import ContrastiveBatch, ContrastiveObjective
from ..encoders import encoder_folder
from ..kept_vectors import KeptVectors
from ..pools import HARD_PERCENT, NegativeSampler, Rank
from ..settings import Settings, require_choice
from ..training_names import training_splits

if TYPE_CHECKING:
    from ..dual import DualEncoder

POOLINGS = ("mean", "cls")  # that need no span, which an entity has not
TRAINING = {"warmup": 0.25, "eps": 1e-6}  # appendix C, table 6
Reduced = Callable[[Sequence[int], Sequence[Collection[str]]], list[Encoded]]
"""Concepts by their numbers and folded strings for each -> their texts without the names that are these."""


@dataclass
class BiEncoderLinker(Settings):
    """Ranks concepts by the similarity of their text to the marked mention in its ``window``.

    Two transformers, both from ``model``, or one with ``shared``. An entity is read as its ``fields``, those
    of :func:`entity_text` with a plus between them, cut at ``max_length`` word pieces. Learned from are the
    mentions that stand for one concept; NIL and composite ones are left out, as are concepts without a name.
    With ``leave_own_out`` a step reads each gold without the strings of its mentions in the batch, case
    aside, unless it has no other name: where names of the dictionary are strings of training mentions, as in
    MedMentions, a mention would find itself in the text of its gold.

    A step has ``batch`` mentions and one pool of ``n_negatives`` entities for all of them, none of them gold
    of any (:func:`shared_negatives`): where the paper draws 32 or 64 for each mention, here they are encoded
    once a step. With ``negatives`` ``mixed`` half are hard: the best ranked of the whole ontology by the
    encoder as it is, ranked anew every ``mine_every`` steps. With ``in_batch`` the golds of the other
    mentions are negatives too, and ``own_hard`` gives each mention so many hard negatives of its own besides
    (:class:`NegativeSampler`). ``loss``, ``alpha``, ``delta``, ``fgsm``, ``epsilon`` and ``weight`` are those
    of :class:`ContrastiveObjective`. The rate rises over a quarter of the steps and then falls to 0; the
    weights are the last; with no step the encoders stay as they come. ``epochs`` takes the place of
    ``steps``: so many passes over what is learned from.

    The embeddings and the lowest ``frozen`` layers of both encoders are not trained, and run without dropout:
    see :func:`freeze_layers`. With 0 everything is trained.

    ``score`` is as of :func:`rank_entities`. ``checkpoints`` is as of :class:`TunedLinker`; since ``score``
    has no part in the training, linkers that differ in it alone can share it, and train once.

    Raises ValueError for a setting that is none of those there are, and for ``frozen`` layers with ``fgsm``,
    which moves what the lowest one reads.
    """

    model: str = "minilm"
    layers: int | None = None
    frozen: int = 0
    shared: bool = False
    pooling: str = "mean"
    window: int = 64
    fields: str = "title+types+definition"
    max_length: int = 48
    leave_own_out: bool = False
    loss: str = "proxy"
    alpha: float = 32.0
    delta: float = 0.0
    negatives: str = "random"
    n_negatives: int = 64
    mine_every: int = 100
    in_batch: bool = False
    own_hard: int = 0
    fgsm: str = "none"
    epsilon: float = 0.01
    weight: float = 1.0
    learns: str = "train"
    batch: int = 32
    steps: int = 400
    learning_rate: float = 1e-4
    score: str | None = None
    precision: str = "bf16"
    epochs: int | None = None
    progress: bool = field(default=True, repr=False, compare=False)
    checkpoints: Path | None = field(default=None, repr=False, compare=False)
    base, after_training, lengths = "bi-encoder", ("score",), ("epochs", "steps")
    later = ("in_batch", "own_hard", "leave_own_out", "epochs", "frozen")
    training_only = (
        "leave_own_out", "loss", "alpha", "delta", "negatives", "n_negatives", "mine_every", "in_batch",
        "own_hard", "fgsm", "epsilon", "weight", "learns", "batch", "learning_rate", "frozen",
    )  # fmt: skip

    def __post_init__(self) -> None:
        training_splits(self.learns)
        require_choice(self, negatives=HARD_PERCENT, pooling=POOLINGS)
        if self.score is not None and self.score not in SCORES:
            raise ValueError(f"score is {self.score!r}; expected one of {', '.join(SCORES)}, or None")
        if self.epochs is not None and self.epochs < 1:
            raise ValueError(f"epochs: expected 1 or more, or None, found {self.epochs}")
        if self.mine_every < 1:
            raise ValueError(f"mine_every: expected a number of steps from 1 on, found {self.mine_every}")
        if self.own_hard < 0:
            raise ValueError(f"own_hard: expected a number of negatives from 0 on, found {self.own_hard}")
        if self.frozen < 0:
            raise ValueError(f"frozen: expected a number of layers from 0 on, found {self.frozen}")
        if self.frozen and self.fgsm != "none":
            raise ValueError(f"fgsm is {self.fgsm!r}; expected none with frozen layers")
        self.contrast = ContrastiveObjective(
            self.loss, self.alpha, self.delta, self.fgsm, self.epsilon, self.weight
        )

    def fit(self, benchmark: Benchmark, seed: int = 0) -> BiEncoderLinker:
        """Raises ValueError for an ontology without a name, an unknown field, no mention to train on, and as
        :func:`shared_negatives` for an ontology with too few concepts for the pool."""
        concepts = concepts_with_names(benchmark.ontology)
        self._candidates = title_candidates(concepts)
        self.encoder = self._load()

        def read(some: Sequence[Concept]) -> list[Encoded]:
            return entity_inputs(self.encoder.entity, some, benchmark.ontology, self.fields, self.max_length)

        def reduced(numbers: Sequence[int], strings: Sequence[Collection[str]]) -> list[Encoded]:
            return read([without_names(concepts[i], own) for i, own in zip(numbers, strings, strict=True)])

        entities = read(concepts)
        self.trace = ()
        if self.steps:
            place = {concept.id: i for i, concept in enumerate(concepts)}
            seen = training_mentions(benchmark, training_splits(self.learns, benchmark.transforms), place)
            self.trace = self._train(seen, entities, seed, reduced).trace
        self.weights, kept = self.encoder.fingerprint(), KeptVectors(self.checkpoints, "entities")
        self._entities = kept.of(entities, partial(self._encode, "entity"))
        return self

    def link(self, documents: Sequence[Document], k: int = 64) -> Predictions:
        queries = spans(documents)
        found = rank_entities(
            self.mention_vectors(documents, queries), self._entities, k, self.contrast, self.score
        )
        return Predictions(tuple(queries), self._candidates, *found)

    def untrained(self) -> BiEncoderLinker:
        """As :meth:`Settings.untrained`, with vectors compared as they are here."""
        control = replace(super().untrained(), score=None)
        return (
            control if control._similarity == self._similarity else replace(control, score=self._similarity)
        )

    @property
    def _similarity(self) -> str:
        """By which of ``dot`` and ``cosine`` entities are ranked; a softmax ranks as that of the loss."""
        if self.score in ("dot", "cosine"):
            return self.score
        return "cosine" if self.contrast.cosine else "dot"

    def _load(self) -> DualEncoder:
        from ..dual import DualEncoder

        return DualEncoder.load(encoder_folder(self.model), self.layers, self.shared, MARKERS, self.pooling)

    def mention_vectors(self, documents: Sequence[Document], queries: Sequence[Query]) -> np.ndarray:
        """The vectors of spans of some documents, spans × width, float32, in their order."""
        texts = {document.id: document.text for document in documents}
        places = [(texts[query.document], query.start, query.end) for query in queries]
        return self._encode("mention", self._read(places))

    def _train(
        self, seen: Sequence[TrainingMention], entities: Sequence[Encoded], seed: int, reduced: Reduced
    ) -> training.Trained:
        inputs, order = self._read_seen([(*of, i) for i, (*of, _) in enumerate(seen)])
        gold = np.array([concept for *_, concept in seen])[order]
        strings = np.array([fold_name(mention.text) for _, mention, _ in seen], dtype=object)[order]
        of_input = np.split(strings, np.cumsum([one.n_vectors for one in inputs])[:-1])
        model = self.encoder
        if self.frozen:
            from ..frozen_layers import freeze_layers

            model = freeze_layers(model, self.frozen, inputs, entities, self.precision, self.progress)

        def rank(some: np.ndarray, depth: int) -> np.ndarray:
            vectors = self._encode("mention", [inputs[i] for i in some], model)
            return rank_entities(vectors, self._encode("entity", entities, model), depth, self.contrast)[0]

        pools = self._pools(inputs, gold, entities, rank, seed)

        def batch_at(number: int) -> ContrastiveBatch:
            pool = pools.at(number)
            read = [entities[i] for i in pool.entities]
            if self.leave_own_out:
                own: list[set[str]] = [set() for _ in range(pool.n_golds)]
                mentions = chain.from_iterable(of_input[i] for i in pool.inputs)
                for place, string in zip(pool.gold.tolist(), mentions, strict=True):
                    own[place].add(string)
                read[: pool.n_golds] = reduced(pool.entities[: pool.n_golds], own)
            return ContrastiveBatch([inputs[i] for i in pool.inputs], read, *pool[2:])

        return self._trained(
            model,
            batch_at,
            lambda model, batch, share: self._loss(model, batch),
            self._training(seed, pools.steps, **TRAINING),
            carried=pools.carried,
            watched=self._watched(),
        )

    def _watched(self) -> dict[str, float] | None:
        """Values of the last batch that the trace has besides its loss."""
        return self.contrast.watched

    def _loss(self, model: DualEncoder, batch: ContrastiveBatch):
        return self.contrast(model, batch)

    def _pools(
        self, inputs: Sequence[Encoded], gold: np.ndarray, entities: Sequence[Encoded], rank: Rank, seed: int
    ) -> NegativeSampler:
        sizes = np.array([one.n_vectors for one in inputs])
        drawn = (self.batch, self._updates(len(inputs)), self.negatives, self.n_negatives, self.mine_every)
        number: dict[Encoded, int] = {}
        text = np.array([number.setdefault(one, len(number)) for one in entities])
        return NegativeSampler(gold, sizes, text, rank, *drawn, seed, self.in_batch, self.own_hard)

    def _read_seen(self, seen: Sequence[TrainingMention]) -> tuple[list[Encoded], np.ndarray]:
        """What is read of labelled mentions, and the number that stands with each, in the order of their
        vectors."""
        places = [(document.text, mention.start, mention.end) for document, mention, _ in seen]
        return self._read(places), np.array([number for *_, number in seen])

    def _read(self, places: Sequence[tuple[str, int, int]]) -> list[Encoded]:
        return mention_inputs(self.encoder.mention, places, self.window).inputs

    def _encode(self, side: str, inputs: Sequence[Encoded], model: DualEncoder | None = None) -> np.ndarray:
        """The vectors of inputs of a ``side`` by the trained encoder, or by ``model`` in its place."""
        backbone, pooling = (getattr(model or self.encoder, name) for name in (side, f"{side}_pooling"))
        return encoders.encode(
            backbone, inputs, pooling, normalize=False, precision=self.precision, progress=self.progress
        )
