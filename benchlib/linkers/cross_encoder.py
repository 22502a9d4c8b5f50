"""A ranker that reads a mention together with each of its candidates (PEL, appendix B)."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from pathlib import Path

import numpy as np
import torch

from ..corpus import Document
from ..datasets.benchmark import Benchmark
from ..encoders import Backbone, Encoded, mention_inputs, pair_inputs
from ..encoders.mention import MARKERS
from ..predictions import Predictions, Query
from ..pretraining import encoder_folder
from ..sampling import epoch_batch
from ..training import Trained
from .bi_encoder import POOLINGS
from .by_entity import as_concepts, entity_inputs, known, labelled, titles
from .contrast import FGSM
from .first_stage import FIRST_STAGE
from .linked_text import self_supervised
from .protocol import Linker
from .ranker import Batch, Ranker, with_gold, with_rest
from .settings import Settings, check, config_within, spelt_within, within
from .supervision import LEARNS, splits

_TRAINING = {"warmup": 0.2, "eps": 1e-6}  # appendix C, table 6
_LIST = 64  # answers asked for at least: the names of one concept are one candidate
_MENTIONS = 2_000  # ranked at a time, to bound memory


@dataclass
class CrossEncoderLinker(Settings):
    """Ranks anew the best ``candidates`` concepts of a ``first`` linker; its others follow in its own order.

    ``first`` is the name that a linker of :data:`FIRST_STAGE` prints, with ``;`` where that has a comma:
    ``bi-encoder;loss=ce;steps=100``. It is fitted first, on the same benchmark with the same seed, and has
    seen the training mentions that the ranker learns from. The gold takes the place of the last candidate
    where it is none of them in training; in linking such a mention stays wrong.

    One transformer reads the marked mention in its ``window`` and, behind it, the entity as
    :class:`BiEncoderLinker` does; the paper has 256 word pieces for both. The loss is the cross-entropy over
    the candidates, ``batch`` mentions a step, with the rate, warm-up and batch of table 6. With ``fgsm``,
    ``fgsm`` or ``random-sign``, that of the same pairs with their token embeddings moved by ``epsilon`` is
    added, ``weight`` times. ``learns`` and ``checkpoints`` are as of :class:`BiEncoderLinker`; what
    ``learns`` from ``text`` has the mentions that names find in unlabelled text (KRISSBERT, section 3.6), as
    many as its steps take (:func:`self_supervised`). Some stand in the index of a first linker that has
    mentions there: the ranker, which is told no rank, sees nothing of it.

    Raises ValueError for a setting that is none of those there are, and for less than two candidates.
    """

    first: str = "bi-encoder"
    candidates: int = 16
    model: str = "minilm"
    layers: int | None = None
    pooling: str = "mean"
    window: int = 64
    fields: str = "title+types+definition"
    max_length: int = 48
    fgsm: str = "none"
    epsilon: float = 0.01
    weight: float = 1.0
    learns: str = "train"
    batch: int = 4
    steps: int = 400
    learning_rate: float = 2e-5
    precision: str = "bf16"
    progress: bool = field(default=True, repr=False, compare=False)
    checkpoints: Path | None = field(default=None, repr=False, compare=False)
    base = "cross-encoder"

    def __post_init__(self) -> None:
        check(self, fgsm=FGSM, pooling=POOLINGS, learns=(*LEARNS, "text"))
        if self.candidates < 2:
            raise ValueError(f"candidates: expected 2 or more, found {self.candidates}")
        self.first = spelt_within(self.first_linker())

    @property
    def config(self) -> Mapping[str, object]:
        return {**super().config, "first": config_within(self.first_linker())}

    def fit(self, benchmark: Benchmark, seed: int = 0, first: Linker | None = None) -> CrossEncoderLinker:
        """``first`` is its first linker where that is fitted already, on this benchmark with this seed.

        Raises what that raises, and ValueError for an ontology without a name, an unknown field, no mention
        to train on, and a pair that is longer than the encoder reads.
        """
        concepts = known(benchmark.ontology)
        self._candidates = titles(concepts)
        self._place = {concept.id: i for i, concept in enumerate(concepts)}
        self.retriever = first or self.first_linker().fit(benchmark, seed)
        self.backbone = Backbone.load(encoder_folder(self.model), self.layers, MARKERS)
        self._entities = entity_inputs(
            self.backbone, concepts, benchmark.ontology, self.fields, self.max_length
        )
        self.ranker = Ranker(self.backbone, self.pooling, seed)
        self.trace = self._train(benchmark, seed).trace
        both = f"{getattr(self.retriever, 'weights', '')} {self.ranker.fingerprint()}"
        self.weights = hashlib.sha256(both.encode()).hexdigest()
        return self

    def link(self, documents: Sequence[Document], k: int = 64) -> Predictions:
        found = self.retriever.link(documents, max(k, self.candidates, _LIST))
        index, given = as_concepts(found, self._place)
        texts = {document.id: document.text for document in documents}
        spans = [(texts[query.document], query.start, query.end) for query in found.queries]
        head = index[:, : self.candidates]
        scores = np.zeros(head.shape, dtype=np.float32)
        for begin in range(0, len(spans), _MENTIONS):
            rows = slice(begin, begin + _MENTIONS)
            pairs = self._pairs(self._read(spans[rows]), head[rows])
            scores[rows][head[rows] >= 0] = self.ranker.score(pairs, self.precision, self.progress)
        scores = np.where(index >= 0, with_rest(scores, head >= 0, given), -np.inf)
        best = np.argsort(-scores, axis=1, kind="stable")[:, :k]
        ranking = (np.take_along_axis(values, best, axis=1) for values in (index, scores))
        return Predictions(found.queries, self._candidates, *ranking)

    def untrained(self) -> Settings:
        """The first linker: a ranker without training would order its candidates at random."""
        return self.first_linker()

    def first_linker(self) -> Settings:
        """The first linker, not fitted yet."""
        first = within(self.first, FIRST_STAGE)
        own = {"progress": self.progress, "checkpoints": self.checkpoints and self.checkpoints / "first"}
        return replace(first, **{one.name: own[one.name] for one in fields(first) if one.name in own})

    def _train(self, benchmark: Benchmark, seed: int) -> Trained:
        learns = self.learns
        if learns == "text":
            benchmark = self_supervised(benchmark, self.steps * self.batch, seed, self.progress)
            learns = "train"
        learned = splits(learns, benchmark.transforms)
        seen = labelled(benchmark, learned, self._place)
        documents = [d for split in learned for d in benchmark.split(split).hidden().documents]
        found = self.retriever.link(documents, max(self.candidates, _LIST))
        row = {query: i for i, query in enumerate(found.queries)}
        rows = [row[Query(document.id, mention.start, mention.end)] for document, mention, _ in seen]
        gold = np.array([concept for *_, concept in seen])
        chosen = with_gold(as_concepts(found, self._place)[0][rows], gold, self.candidates)
        mentions = self._read([(document.text, mention.start, mention.end) for document, mention, _ in seen])

        def batch_at(number: int) -> Batch:
            some = epoch_batch(len(seen), self.batch, seed, number)
            column = (chosen[some] == gold[some, None]).argmax(1)
            pairs = self._pairs([mentions[i] for i in some], chosen[some])
            return Batch(pairs, torch.from_numpy(chosen[some] >= 0), torch.from_numpy(column))

        return self._trained(
            self.ranker,
            batch_at,
            lambda model, batch, share: model.loss(batch, self.fgsm, self.epsilon, self.weight),
            self._training(seed, self.steps, **_TRAINING),
        )

    def _read(self, spans: Sequence[tuple[str, int, int]]) -> list[Encoded]:
        return mention_inputs(self.backbone, spans, self.window).inputs

    def _pairs(self, mentions: Sequence[Encoded], chosen: np.ndarray) -> list[Encoded]:
        """Each mention with each of its candidates (mentions × candidates, -1 for none), in their order."""
        rows, columns = np.nonzero(chosen >= 0)
        entities = [self._entities[i] for i in chosen[rows, columns]]
        return pair_inputs(self.backbone, [mentions[i] for i in rows], entities)
