"""BioCoM: the concept that most of the nearest mentions in linked text have (Ujiie et al. 2021)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from ..corpus import Document
from ..datasets.benchmark import Benchmark
from ..encoders import Backbone, Encoded, embed
from ..encoders.mention import MARKERS
from ..losses import mean_cosines, mine_pairs, multi_similarity_loss
from ..predictions import Candidate, Predictions, spans
from ..pretraining import encoder_folder
from ..retrieval import by_votes, search
from ..sampling import items_by_concept, pair_batch
from ..training import Trained
from .linked_text import TAGS, LinkedText, linked_text
from .mention_vectors import MentionVectors, first_spans
from .settings import Settings, check

_CHOICES = {
    "tags": TAGS,
    "entities": ("all", "drawn"),
    "database": ("sentences", "names", "both"),
    "capped": ("all", "frequent"),
    "pooling": ("start", "mention"),
}
_HITS = 512  # entries of the database looked at for each mention
FREQUENT = 1000  # mentions of a name in the text, above which it is called frequent


@dataclass
class BioComLinker(Settings):
    """Ranks concepts by their votes among the ``neighbours`` nearest entries of a database (section 3.3).

    The names of the dictionary are found in unlabelled text (:func:`linked_text`). A mention is read in its
    ``window`` of word pieces, which stands for the paper's sentence. With ``tags`` ``all`` the other mentions
    in it have markers too: those found in raw text, and at the linking those that are to be linked; with
    ``one`` it has a single marked mention (appendix E). ``pooling`` ``start`` is the state of the marker
    before a mention, as in the paper, ``mention`` the mean of its pieces.

    Trained are ``steps`` of ``concepts`` concepts × 2 windows (appendix A), by the Multi-Similarity loss over
    all marked mentions of the batch; with ``entities`` ``drawn`` over those for which the windows were drawn,
    whatever the ``tags``, so that the number of negatives is the same. With no step the encoder stays as it
    comes.

    The ``database`` holds ``sentences``: at most ``per_name`` windows of each name, drawn by the seed (None:
    all; appendix F); or the bare ``names`` of the dictionary; or ``both``. Names capped are ``all``, or the
    ``frequent`` with more than 1,000 mentions in the text. Without ``words`` there is no window of a name
    that is a stop word of English, such as the acronym ALL in a dictionary without case. For the order of
    concepts see :func:`by_votes`. A concept without an entry is never answered.

    ``checkpoints`` is as of :class:`TunedLinker`. Linkers that differ in their database or neighbours alone
    can share a training, and the vectors of its windows, one after the other.
    """

    model: str = "minilm"
    layers: int | None = None
    pooling: str = "start"
    window: int = 64
    tags: str = "all"
    entities: str = "all"
    steps: int = 1000
    concepts: int = 16
    learning_rate: float = 1e-4
    database: str = "sentences"
    per_name: int | None = 20
    capped: str = "all"
    words: bool = True
    neighbours: int = 15
    precision: str = "bf16"
    progress: bool = field(default=True, repr=False, compare=False)
    checkpoints: Path | None = field(default=None, repr=False, compare=False)
    base, after_training = "biocom", ("database", "per_name", "capped", "words", "neighbours")
    training_only = ("entities", "concepts", "learning_rate")
    dictionary_only, behind = True, "name"

    def __post_init__(self) -> None:
        check(self, **_CHOICES)

    def fit(self, benchmark: Benchmark, seed: int = 0) -> BioComLinker:
        """Raises ValueError for text without a name of the dictionary and, to train, for text in which no
        concept has two mentions."""
        self._linked, self._seed = linked_text(benchmark, self.progress), seed
        number = {concept: i for i, concept in enumerate(self._linked.concepts)}
        owned = [(name, number[id]) for name, ids in benchmark.ontology.owners().items() for id in ids]
        self._names, self._concept_of_name = zip(*owned, strict=True)
        self.backbone = Backbone.load(encoder_folder(self.model), self.layers, MARKERS)
        self.trace = self._train(seed).trace if self.steps else ()
        self.weights = self.backbone.fingerprint()
        self._vectors = MentionVectors(
            self.backbone, self.pooling, self.window, self.precision, self.progress, self.tags
        )
        return self

    def link(self, documents: Sequence[Document], k: int = 64) -> Predictions:
        found = self.nearest(documents, max(k, _HITS, self.neighbours))
        candidates = tuple(Candidate("", (concept,)) for concept in self._linked.concepts)
        return Predictions(tuple(spans(documents)), candidates, *by_votes(*found, self.neighbours, k))

    def nearest(self, documents: Sequence[Document], n: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The ``n`` entries of the database most similar to each mention of some documents, in their order,
        and how similar, mentions × n each; and the number of the concept of each entry. The entries are the
        mentions of :meth:`index` and, behind them, the bare names."""
        entries, concept = self._entries()
        return *search(self._vectors.asked(spans(documents), documents), entries, n), concept

    def index(self) -> dict[str, tuple[LinkedText, np.ndarray]]:
        """The mentions whose windows are in the database, by where they come from."""
        return {} if self.database == "names" else {"text": (self._linked, self._taken())}

    def _entries(self) -> tuple[np.ndarray, np.ndarray]:
        """The vectors of the database, and the number of the concept of each."""
        mentions = self.index().values()
        vectors = [self._vectors.in_text(linked, taken) for linked, taken in mentions]
        concept = [linked.concept[taken] for linked, taken in mentions]
        if self.database != "sentences":
            vectors.append(self._vectors.bare(self._names))
            concept.append(np.array(self._concept_of_name))
        return np.concatenate(vectors), np.concatenate(concept)

    def _taken(self) -> np.ndarray:
        above = FREQUENT if self.capped == "frequent" else 0
        taken = self._linked.sample(self.per_name, self._seed, above)
        if self.words:
            return taken
        # It brings scikit-learn, which takes long to import and has no other part here.
        from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

        word = np.array([name in ENGLISH_STOP_WORDS for name in self._linked.names])
        return taken[~word[self._linked.name[taken]]]

    def _train(self, seed: int) -> Trained:
        items = items_by_concept(self._linked.concept)
        watched: dict[str, float] = {}

        def batch_at(number: int) -> tuple[list[Encoded], list[np.ndarray]]:
            drawn = pair_batch(items, seed, number, self.concepts).ravel()
            return self._linked.windows(self.backbone, drawn.tolist(), self.window, self.tags)

        def loss_of(model: Backbone, batch: tuple[list[Encoded], list[np.ndarray]], share: float) -> Tensor:
            inputs, concept = batch
            vectors, label = embed(model, inputs, self.pooling), np.concatenate(concept)
            if self.entities == "drawn":
                vectors, label = vectors[first_spans(inputs)], label[first_spans(inputs)]
            # Cosines in half precision would lose the differences that hard pairs live by.
            with torch.autocast(model.device.type, enabled=False):
                cosine, label = vectors @ vectors.T, torch.from_numpy(label).to(vectors.device)
                # With a base of 1 the loss of a full collapse is hardly above its least; these tell.
                watched.update(mean_cosines(cosine, label))
                mined = mine_pairs(cosine, label)
                watched["mined_share"] = float(mined[0].any(1).float().mean())
                return multi_similarity_loss(cosine, *mined)

        config = self._training(seed, self.steps, warmup=0.06)
        return self._trained(self.backbone, batch_at, loss_of, config, watched=watched)
