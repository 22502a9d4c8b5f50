"""A ranker that reads a mention together with each of its candidates (PEL, appendix B)."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import field, fields, replace
from functools import cached_property
from pathlib import Path
from typing import Annotated, Literal

import numpy as np
from pydantic import Field, PositiveFloat, PositiveInt
from pydantic.dataclasses import dataclass

from benchlib import training
from benchlib.benchmark import Benchmark
from benchlib.corpus import Document
from benchlib.encoders import MARKERS, Encoded, mention_inputs
from benchlib.predictions import Predictions, Query
from benchlib.sampling import epoch_batch

from . import FIRST_STAGE
from .by_entity import (
    TrainingMention,
    concepts_with_names,
    entity_inputs,
    names_to_concepts,
    pair_inputs,
    title_candidates,
    training_mentions,
)
from .encoders import load_backbone
from .linked_text import self_supervised
from .pel.linker import Pooling
from .ranking import first_k
from .settings import Settings, Trainable
from .texts import places_of
from .training_names import Learns, single_concept_mentions, training_splits

_TRAINING = {"warmup": 0.2, "eps": 1e-6}  # appendix C, table 6
_LIST = 64  # answers asked for at least: the names of one concept are one candidate
_MENTIONS = 2_000  # ranked at a time, to bound memory
_DEV = 2_000  # mentions of dev that a weight is chosen on, at most: re-ranking takes longer than all else


@dataclass
class CrossEncoderLinker(Trainable):
    """Ranks anew the best ``candidates`` concepts of a ``first`` linker; its others follow in its own order.

    ``first`` is the name that a linker of :data:`FIRST_STAGE` prints, with ``;`` where that has a comma:
    ``bi-encoder;loss=ce;steps=100``. It is fitted first, on the same benchmark with the same seed, and has
    seen the training mentions that the ranker learns from. The gold takes the place of the last candidate
    where it is none of them in training; in linking such a mention stays wrong.

    One transformer reads the marked mention in its ``window`` and, behind it, the entity as
    :class:`BiEncoderLinker` does; the paper has 256 word pieces for both. The loss is the cross-entropy over
    the candidates, ``batch`` mentions a step, with the rate, warm-up and batch of table 6. What ``learns``
    from ``text`` has the mentions that names find in unlabelled text (KRISSBERT, section 3.6), as many as its
    steps take (:func:`self_supervised`). ``fgsm``, ``epsilon`` and ``weight`` have no effect: the keys of
    records have them.
    ``first_checkpoints`` is the folder of the first linker's training, by default one in its own.

    ``head_rate`` is the learning rate of the linear layer, which starts at random: with that of the encoder,
    None, it hardly moves in a few hundred updates. ``epochs`` takes the place of ``steps``: so many passes
    over the mentions that are learned from.

    With ``mix`` ``dev`` a candidate's score is the ranker's plus a weight times the first linker's. The
    weight is that of :data:`WEIGHTS` with the best Recall@1 on dev, the least of equals, over the mentions of
    dev that stand for one concept, at most 2,000 of them at equal distances; ``chosen`` tells it. It is
    chosen after the training, in which it has no part.

    Raises ValueError for ``mix`` ``dev`` where dev is learned from, and for ``epochs`` of ``text``, which has
    as many mentions as its steps take.
    """

    first: str = "bi-encoder"
    candidates: Annotated[int, Field(ge=2)] = 16
    model: str = "minilm"
    layers: int | None = None
    pooling: Pooling = "mean"
    window: int = 64
    fields: str = "title+types+definition"
    max_length: int = 48
    fgsm: Literal["none"] = "none"
    epsilon: float = 0.01
    weight: float = 1.0
    learns: Literal[Learns, "text"] = "train"
    batch: int = 4
    steps: int = 400
    learning_rate: float = 2e-5
    precision: str = "bf16"
    head_rate: PositiveFloat | None = None
    epochs: PositiveInt | None = None
    mix: Literal["none", "dev"] = "none"
    first_checkpoints: Path | None = field(default=None, repr=False, compare=False, kw_only=True)
    base, later, after_training = "cross-encoder", ("head_rate", "epochs", "mix"), ("mix",)
    lengths, nested = ("epochs", "steps"), {"first": FIRST_STAGE}

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.epochs is not None and self.learns == "text":
            raise ValueError(f"epochs: expected None to learn from text, found {self.epochs}")
        if self.mix == "dev" and self.learns == "train+dev":
            raise ValueError("mix is 'dev': expected to learn from train or text, found train+dev")

    def fit(self, benchmark: Benchmark, seed: int = 0) -> CrossEncoderLinker:
        """Raises what its first linker raises, and ValueError for an ontology without a name, an unknown
        field, no mention to train on, a pair that is longer than the encoder reads, and to ``mix`` where dev
        has no mention of one concept or is the test split.
        """
        from .ranker import Ranker

        concepts = concepts_with_names(benchmark.ontology)
        self._candidates = title_candidates(concepts)
        self._place = {concept.id: i for i, concept in enumerate(concepts)}
        self._benchmark = benchmark
        vars(self).pop("first_weight", None)  # of an earlier fit
        if self.mix == "dev":
            self._require_dev()
        self.retriever = self.first_linker().fit(benchmark, seed)
        self.backbone = load_backbone(self.model, self.layers, MARKERS)
        self._entities = entity_inputs(
            self.backbone, concepts, benchmark.ontology, self.fields, self.max_length
        )
        self.ranker = Ranker(self.backbone, self.pooling, seed)
        if self.head_rate is not None:
            self.ranker.linear.weight.times = self.head_rate / self.learning_rate
        self.trace = self._train(benchmark, seed).trace
        both = f"{getattr(self.retriever, 'weights', '')} {self.ranker.fingerprint()}"
        self.weights = hashlib.sha256(both.encode()).hexdigest()
        return self

    def link(self, documents: Sequence[Document], k: int = 64) -> Predictions:
        from .ranker import append_first_stage, mixed

        found = self.retriever.link(documents, max(k, self.candidates, _LIST))
        index, given = names_to_concepts(found, self._place)
        head = index[:, : self.candidates]
        scores = self._scores(places_of(found.queries, documents), head)
        if self.mix == "dev":
            scores = mixed(scores, given[:, : self.candidates], head >= 0, self.first_weight)
        scores = np.where(index >= 0, append_first_stage(scores, head >= 0, given), -np.inf)
        return Predictions(found.queries, self._candidates, *first_k(index, scores, k))

    def untrained(self) -> Settings:
        """The first linker: a ranker without training would order its candidates at random."""
        return self.first_linker()

    @cached_property
    def first_weight(self) -> float:
        """The weight of the first linker's score, chosen on dev."""
        from .ranker import best_weight

        seen = training_mentions(self._benchmark, ["dev"], self._place)
        seen = seen[:: -(-len(seen) // _DEV)]
        ranking = self._first_ranking(seen, self._benchmark, ["dev"])
        index, given = (values[:, : self.candidates] for values in ranking)
        is_gold = index == np.array([one.concept for one in seen])[:, None]
        return best_weight(self._scores([one.place for one in seen], index), given, index >= 0, is_gold)

    @property
    def chosen(self) -> Mapping[str, float]:
        """What was chosen on dev."""
        return {"first_weight": self.first_weight} if self.mix == "dev" else {}

    def first_linker(self) -> Settings:
        """The first linker, not fitted yet."""
        first = self._nested("first")
        folder = self.first_checkpoints or (self.checkpoints and self.checkpoints / "first")
        own = {"progress": self.progress, "checkpoints": folder}
        return replace(first, **{one.name: own[one.name] for one in fields(first) if one.name in own})

    def _train(self, benchmark: Benchmark, seed: int) -> training.Trained:
        import torch

        from .ranker import Ranker, RankingBatch, chance_loss, insert_gold

        learns = self.learns
        if learns == "text":
            benchmark = self_supervised(benchmark, self.steps * self.batch, seed, self.progress)
            learns = "train"
        learned = training_splits(learns, benchmark.transforms)
        seen = training_mentions(benchmark, learned, self._place)
        gold = np.array([one.concept for one in seen])
        chosen = insert_gold(self._first_ranking(seen, benchmark, learned)[0], gold, self.candidates)
        mentions = self._read([one.place for one in seen])
        watched: dict[str, float] = {}

        def batch_at(number: int) -> RankingBatch:
            some = epoch_batch(len(seen), self.batch, seed, number)
            column = (chosen[some] == gold[some, None]).argmax(1)
            pairs = self._pairs([mentions[i] for i in some], chosen[some])
            return RankingBatch(pairs, torch.from_numpy(chosen[some] >= 0), torch.from_numpy(column))

        def loss_of(model: Ranker, batch: RankingBatch, share: float) -> torch.Tensor:
            watched["chance_loss"] = chance_loss(batch)
            return model.loss(batch)

        steps, kept = self._updates(len(seen)), {"watched": watched}
        return self._optimized(self.ranker, batch_at, loss_of, seed, steps, kept, **_TRAINING)

    def _first_ranking(
        self, seen: Sequence[TrainingMention], benchmark: Benchmark, splits: Sequence[str]
    ) -> tuple[np.ndarray, np.ndarray]:
        """The ranking of the first linker and its scores, as :func:`names_to_concepts`, of labelled mentions
        of some splits, whose documents it links whole and without their gold."""
        documents = [d for split in splits for d in benchmark.split(split).hidden().documents]
        found = self.retriever.link(documents, max(self.candidates, _LIST))
        row = {query: i for i, query in enumerate(found.queries)}
        rows = [row[Query(document.id, mention.start, mention.end)] for document, mention, _ in seen]
        index, given = names_to_concepts(found, self._place)
        return index[rows], given[rows]

    def _require_dev(self) -> None:
        benchmark = self._benchmark
        if "dev:test" in benchmark.transforms:
            raise ValueError("mix is 'dev', and dev:test makes dev the test split; expected none")
        if not any(concept in self._place for *_, concept in single_concept_mentions(benchmark, ["dev"])):
            raise ValueError(f"mix is 'dev': expected a dev mention of one concept in {benchmark.name}")

    def _scores(self, spans: Sequence[tuple[str, int, int]], candidates: np.ndarray) -> np.ndarray:
        """The ranker's scores of the candidates of some mentions (mentions × candidates, -1 and a score of 0
        for none), float32."""
        scores = np.zeros(candidates.shape, dtype=np.float32)
        for begin in range(0, len(spans), _MENTIONS):
            rows = slice(begin, begin + _MENTIONS)
            pairs = self._pairs(self._read(spans[rows]), candidates[rows])
            scores[rows][candidates[rows] >= 0] = self.ranker.score(pairs, self.precision, self.progress)
        return scores

    def _read(self, spans: Sequence[tuple[str, int, int]]) -> list[Encoded]:
        return mention_inputs(self.backbone, spans, self.window).inputs

    def _pairs(self, mentions: Sequence[Encoded], chosen: np.ndarray) -> list[Encoded]:
        """Each mention with each of its candidates (mentions × candidates, -1 for none), in their order."""
        rows, columns = np.nonzero(chosen >= 0)
        entities = [self._entities[i] for i in chosen[rows, columns]]
        return pair_inputs(self.backbone, [mentions[i] for i in rows], entities)
