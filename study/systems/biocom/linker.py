"""BioCoM: the concept that most of the nearest mentions in linked text have (Ujiie et al. 2021)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal

import numpy as np
from pydantic import PositiveInt
from pydantic.dataclasses import dataclass

from benchlib import encoders, losses, training
from benchlib.benchmark import Benchmark
from benchlib.corpus import Document
from benchlib.encoders import MARKERS, Encoded
from benchlib.ontology import Ontology
from benchlib.predictions import Predictions
from benchlib.sampling import batches_per_epoch, epoch_batch, items_by_concept, pair_batch

from ..by_mention import HITS, MentionIndexLinker
from ..encoders import load_backbone
from ..linked_text import MatchedText, Matching, Tags, is_stop_word, matched_text
from ..mention_vectors import MentionVectors, first_spans
from ..ranking import by_votes

SENTENCES = 50  # of a name at most, where a training samples by names; the released script has as many
FREQUENT = 1000  # mentions of a name in the text, above which it is called frequent


@dataclass
class BioComLinker(MentionIndexLinker):
    """Ranks concepts by their votes among the ``neighbours`` nearest entries of a database (section 3.3).

    The names of the dictionary are found in unlabelled text by a ``matching`` (:func:`matched_text`). A
    mention is read in its ``window`` of word pieces, which stands for the paper's sentence; with None in its
    sentence (:func:`sentences_of`), as far as the encoder reads. With ``tags`` ``all`` the other mentions
    in it have markers too: those found in raw text, and at the linking those that are to be linked; with
    ``one`` it has a single marked mention (appendix E). ``pooling`` ``start`` is the state of the marker
    before a mention, as in the paper, ``mention`` the mean of its pieces.

    Trained are ``steps`` of ``concepts`` concepts × 2 windows (appendix A), by the Multi-Similarity loss over
    all marked mentions of the batch, with the threshold ``ms_lambda``: 1 in the paper (section 3.2), 0.5 in
    the released script, which leaves the default of the library that it calls. With ``entities`` ``drawn``
    the loss is over those for which the windows were drawn, whatever the ``tags``, so that the number of
    negatives is the same. With no step the encoder stays as it comes.

    With ``sampling`` ``names`` a batch is ``concepts`` pairs of sentences with a concept in common, as in the
    released script: at most 50 of each name, drawn by the seed, each once a pass; the odd sentence of a
    concept has no pair. ``steps`` None is one pass, over these or over the concepts. With the ``schedule``
    ``constant`` the learning rate has no warm-up either.

    The ``database`` holds ``sentences``: at most ``per_name`` windows of each name, drawn by the seed (None:
    all; appendix F); or the bare ``names`` of the dictionary; or ``both``. Names capped are ``all``, or the
    ``frequent`` with more than 1,000 mentions in the text. Without ``words`` there is no window of a name
    that is a stop word of English, such as the acronym ALL in a dictionary without case. For the order of
    concepts see :func:`by_votes`. A concept without an entry is never answered.

    Linkers that differ in their database or neighbours alone can share ``checkpoints``, with the vectors of
    windows.
    """

    model: str = "minilm"
    layers: int | None = None
    pooling: Literal["start", "mention"] = "start"
    window: int | None = 64
    tags: Tags = "all"
    entities: Literal["all", "drawn"] = "all"
    steps: int | None = 1000
    concepts: int = 16
    learning_rate: float = 1e-4
    ms_lambda: float = 1.0
    database: Literal["sentences", "names", "both"] = "sentences"
    per_name: PositiveInt | None = 20
    capped: Literal["all", "frequent"] = "all"
    words: bool = True
    neighbours: PositiveInt = 15
    precision: str = "bf16"
    sampling: Literal["concepts", "names"] = "concepts"
    schedule: Literal["linear", "constant"] = "linear"
    matching: Matching = "cased"
    base, later = "biocom", ("ms_lambda", "sampling", "schedule", "matching")
    after_training = ("database", "per_name", "capped", "words", "neighbours")
    training_only = ("entities", "concepts", "learning_rate", "ms_lambda", "sampling", "schedule")
    dictionary_only = True

    @property
    def budget(self) -> int:
        """The updates, 1 for one pass over the text."""
        return 1 if self.steps is None else self.steps

    def fit(self, benchmark: Benchmark, seed: int = 0) -> BioComLinker:
        """Raises ValueError for text without a name of the dictionary and, to train, for text in which no
        concept has two mentions."""
        linked = matched_text(benchmark, self.progress, matching=self.matching)
        self._linked = linked.in_sentences() if self.window is None else linked
        self._benchmark, self._seed = benchmark, seed
        self.backbone = load_backbone(self.model, self.layers, MARKERS)
        self._pieces = self.backbone.max_length if self.window is None else self.window
        self.trace = self._train(seed).trace if self.budget else ()
        self.weights = self.backbone.fingerprint()
        how = (self.pooling, self._pieces, self.precision, self.progress, self.tags)
        read = {"sentences": self.window is None, "folder": self.checkpoints}
        self._vectors = MentionVectors(self.backbone, *how, **read)
        return self

    def link(self, documents: Sequence[Document], k: int = 64) -> Predictions:
        found = self.nearest(documents, max(k, HITS, self.neighbours))
        return self._predictions(documents, by_votes(*found, self.neighbours, k))

    def index(self) -> dict[str, tuple[MatchedText, np.ndarray]]:
        if self.database == "names":
            return {}
        above = FREQUENT if self.capped == "frequent" else 0
        taken = self._linked.sample(self.per_name, self._seed, above)
        if not self.words:
            word = np.array([is_stop_word(name) for name in self._linked.names])
            taken = taken[~word[self._linked.name[taken]]]
        return {"text": (self._linked, taken)}

    def _names(self) -> Ontology | None:
        return None if self.database == "sentences" else self._benchmark.ontology

    def _train(self, seed: int) -> training.Trained:
        import torch

        draw, batches = self._sampled(seed)
        watched: dict[str, float] = {}

        def batch_at(number: int) -> tuple[list[Encoded], list[np.ndarray]]:
            return self._linked.windows(self.backbone, draw(number).tolist(), self._pieces, self.tags)

        def loss_of(model, batch: tuple[list[Encoded], list[np.ndarray]], share: float) -> torch.Tensor:
            inputs, concept = batch
            vectors, label = encoders.embed(model, inputs, self.pooling), np.concatenate(concept)
            if self.entities == "drawn":
                vectors, label = vectors[first_spans(inputs)], label[first_spans(inputs)]
            # Cosines in half precision would lose the differences that hard pairs live by.
            with torch.autocast(model.device.type, enabled=False):
                cosine, label = vectors @ vectors.T, torch.from_numpy(label).to(vectors.device)
                # The loss alone does not tell a full collapse from pairs that are hard to separate; these do.
                watched.update(losses.mean_cosines(cosine, label))
                watched["mined_share"] = float(losses.mine_pairs(cosine, label)[0].any(1).float().mean())

                def of(similarity: torch.Tensor) -> torch.Tensor:
                    mined = losses.mine_pairs(similarity, label)
                    return losses.multi_similarity_loss(similarity, *mined, base=self.ms_lambda)

                watched["chance_loss"] = losses.chance_loss(of, cosine)
                return of(cosine)

        steps = batches if self.steps is None else self.steps
        how = {"warmup": 0.06 if self.schedule == "linear" else 0.0, "schedule": self.schedule}
        return self._optimized(self.backbone, batch_at, loss_of, seed, steps, {"watched": watched}, **how)

    def _sampled(self, seed: int) -> tuple[Callable[[int], np.ndarray], int]:
        """The mentions whose windows make each batch, by its number, and the batches of a pass."""
        if self.sampling == "concepts":
            items = items_by_concept(self._linked.concept)
            batches = batches_per_epoch(len(items), self.concepts)
            return lambda number: pair_batch(items, seed, number, self.concepts).ravel(), batches
        pairs = self._linked.sentence_pairs(SENTENCES, seed)

        def drawn(number: int) -> np.ndarray:
            of = epoch_batch(len(pairs), self.concepts, seed, number)
            return np.concatenate([pairs[i] for i in of.tolist()])

        return drawn, batches_per_epoch(len(pairs), self.concepts)
