"""PEL: two encoders, one of mentions in context and one of entities (Wiatrak et al. 2022)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import torch

from ..corpus import Document
from ..datasets.benchmark import Benchmark
from ..encoders import Backbone, DualEncoder, Encoded, encode, entity_text, mention_inputs, text_inputs
from ..predictions import Query
from ..pretraining import encoder_folder
from ..sampling import Mining, epoch_batch, shared_negatives
from ..training import Trained, Training, train
from .by_entity import SCORES, NearestEntity, known, ranked, titles
from .contrast import Batch, Contrast
from .in_context import MARKERS
from .supervision import splits, with_one_concept

HARD_PERCENT = {"random": 0, "mixed": 50}
POOLINGS = ("mean", "cls")  # that need no span, which an entity has not
_WARMUP = 0.25  # section C, table 6


@dataclass
class BiEncoderLinker(NearestEntity):
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

    def __post_init__(self) -> None:
        splits(self.learns)
        if self.negatives not in HARD_PERCENT:
            raise ValueError(f"negatives is {self.negatives!r}; expected one of {', '.join(HARD_PERCENT)}")
        if self.score is not None and self.score not in SCORES:
            raise ValueError(f"score is {self.score!r}; expected one of {', '.join(SCORES)}, or None")
        if self.pooling not in POOLINGS:
            raise ValueError(f"pooling is {self.pooling!r}; expected one of {', '.join(POOLINGS)}")
        self.contrast = Contrast(self.loss, self.alpha, self.delta, self.fgsm, self.epsilon, self.weight)

    def fit(self, benchmark: Benchmark, seed: int = 0) -> BiEncoderLinker:
        """Raises ValueError for an ontology without a name, an unknown field, no mention to train on, and as
        :func:`shared_negatives` for an ontology with too few concepts for the pool."""
        concepts = known(benchmark.ontology)
        self._candidates = titles(concepts)
        self.encoder = DualEncoder.load(
            encoder_folder(self.model), self.layers, self.shared, MARKERS, self.pooling
        )
        separator = self.encoder.entity.tokenizer.sep_token
        texts = [entity_text(one, benchmark.ontology, self.fields.split("+"), separator) for one in concepts]
        entities = text_inputs(self.encoder.entity, texts, self.max_length)
        place = {concept.id: i for i, concept in enumerate(concepts)}
        seen = [
            ((document.text, mention.start, mention.end), place[concept])
            for document, mention, concept in with_one_concept(benchmark, splits(self.learns))
            if concept in place
        ]
        if self.steps and not seen:
            raise ValueError(f"benchmark {benchmark.name}: expected a mention of one concept to train on")
        self.trace = self._train(seen, entities, seed).trace if self.steps else ()
        self.weights, self._entities = self.encoder.fingerprint(), self._encode(self.encoder.entity, entities)
        return self

    def _mentions(self, documents: Sequence[Document], queries: Sequence[Query]) -> np.ndarray:
        texts = {document.id: document.text for document in documents}
        spans = [(texts[query.document], query.start, query.end) for query in queries]
        return self._encode(self.encoder.mention, self._read(spans))

    def _train(
        self, seen: Sequence[tuple[tuple[str, int, int], int]], entities: Sequence[Encoded], seed: int
    ) -> Trained:
        mentions = self._read([span for span, _ in seen])
        gold = np.array([concept for _, concept in seen])
        hard_percent = HARD_PERCENT[self.negatives]
        # Enough for a batch whose mentions all have the same ranking, their golds in front.
        depth = self.n_negatives * hard_percent // 100 + self.batch
        carried: dict[str, torch.Tensor] = {}

        def rows_at(number: int) -> np.ndarray:
            return epoch_batch(len(mentions), self.batch, seed, number)

        def batch_at(number: int) -> Batch:
            if hard_percent and Mining(self.mine_every).due(number):
                # Only for the mentions that are visited before the next time.
                steps = range(number, min(number + self.mine_every, self.steps))
                ahead = np.unique(np.concatenate([rows_at(step) for step in steps]))
                vectors = self._encode(self.encoder.mention, [mentions[i] for i in ahead])
                of_entities = self._encode(self.encoder.entity, entities)
                nearest, _ = ranked(vectors, of_entities, depth, self.contrast)
                ranking = np.full((len(mentions), nearest.shape[1]), -1, dtype=np.int32)
                ranking[ahead] = nearest
                carried["ranking"] = torch.from_numpy(ranking)
            rows = rows_at(number)
            golds, column = np.unique(gold[rows], return_inverse=True)
            nearest = carried["ranking"].numpy()[rows] if hard_percent else None
            pool = shared_negatives(
                [golds], nearest, len(entities), self.n_negatives, hard_percent, seed, number
            )
            read = [entities[i] for i in (*golds, *pool)]
            return Batch([mentions[i] for i in rows], read, torch.from_numpy(column), len(golds))

        settings = Training(
            self.learning_rate, self.steps, warmup=_WARMUP, precision=self.precision, seed=seed
        )
        return train(
            self.encoder,
            batch_at,
            lambda model, batch, share: self.contrast(model, batch),
            settings,
            carried=carried,
            folder=self.checkpoints,
            progress=self.progress,
        )

    def _read(self, spans: Sequence[tuple[str, int, int]]) -> list[Encoded]:
        return mention_inputs(self.encoder.mention, spans, self.window).inputs

    def _encode(self, backbone: Backbone, inputs: Sequence[Encoded]) -> np.ndarray:
        return encode(
            backbone, inputs, self.pooling, normalize=False, precision=self.precision, progress=self.progress
        )
