"""KRISSBERT: the concept of the nearest mention that stands for one (Zhang et al. 2022)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from ..corpus import Document
from ..datasets.benchmark import Benchmark
from ..encoders import DualEncoder, Encoded, encode
from ..encoders.mention import MARKERS
from ..matching import NAMES
from ..predictions import Candidate, Predictions, spans
from ..pretraining import encoder_folder
from ..retrieval import best_per_concept, prototype_keys, sample_prototypes, search
from ..training import Trained
from .by_entity import entity_inputs
from .linked_text import LinkedText, labelled_text, linked_text
from .mention_pairs import MentionPairs
from .mention_vectors import MentionVectors
from .settings import Settings, check
from .shortcut import with_shortcut

_POOLINGS = {"cls": "cls", "mention": "mean"}  # of a mention, and of an entity's text, which has none
_CHOICES = {
    "pooling": _POOLINGS,
    "learns": ("text", "train"),
    "prototypes": ("text", "train", "both"),
    "names": NAMES,
}
_HITS = 512  # prototypes looked at for each mention


@dataclass
class KrissbertLinker(Settings):
    """Ranks concepts by the most similar of their prototypes, which are mentions too (equation 3).

    A mention is read in its ``window`` of word pieces; its vector is the state of [CLS], with ``pooling``
    ``cls`` as in the paper, or with ``mention`` the mean of its pieces. The encoder ``learns`` from ``text``,
    where the ``names`` of the dictionary are found (:func:`linked_text`), or from the mentions of ``train``
    (the paper's *supervised only*): ``steps`` of ``concepts`` concepts × 2 mentions, ``masked``, ``replaced``
    (by one of these ``names``) and ``contrast`` as of :class:`MentionPairs`. With no step it stays as it
    comes.

    With ``references`` a second encoder reads the ``fields`` of each entity (:func:`entity_inputs`) and is
    trained beside the first; a mention's similarity to the entity is added to that to the prototype
    (equation 6). The paper has dot products of vectors of any length and a ``temperature`` of 1; here all
    have length 1, as the default encoder was trained and as the other linkers in context have them, and 0.05.

    The index holds ``prototypes`` from ``text``, at most ``per_concept`` of each, from ``train``, at most
    ``examples``, or from ``both`` (lazy learning, section 3.7); they are drawn by the seed, None takes all.
    With ``shortcut`` a string, case kept, that stands for a single concept in the index has it at rank 1: the
    released code does that, the paper does not say so. A concept without a prototype is answered with
    ``references`` only.

    ``checkpoints`` is as of :class:`TunedLinker`. Linkers that differ in their index alone can share a
    training, and the vectors of mentions, one after the other.
    """

    model: str = "minilm"
    layers: int | None = None
    pooling: str = "mention"
    window: int = 64
    steps: int = 1000
    concepts: int = 16
    learning_rate: float = 1e-4
    temperature: float = 0.05
    masked: float = 0.2
    replaced: float = 0.2
    learns: str = "text"
    references: bool = False
    fields: str = "path+types+title+synonyms+definition"
    max_length: int = 48
    prototypes: str = "text"
    per_concept: int | None = 16
    examples: int | None = None
    shortcut: bool = False
    names: str = "all"
    contrast: bool = True
    precision: str = "bf16"
    progress: bool = field(default=True, repr=False, compare=False)
    checkpoints: Path | None = field(default=None, repr=False, compare=False)
    base, later, behind = "krissbert", ("names", "contrast"), "reference"
    after_training = ("prototypes", "per_concept", "examples", "shortcut")
    training_only = (
        "concepts", "learning_rate", "temperature", "masked", "replaced", "learns", "contrast",
    )  # fmt: skip

    def __post_init__(self) -> None:
        check(self, **_CHOICES)
        if not (self.contrast or self.references):
            raise ValueError("contrast is False: expected references, which are then all there is to learn")

    @property
    def dictionary_only(self) -> bool:
        """Whether names and unlabelled text are all that it learns from and has in its index."""
        return self.learns == self.prototypes == "text"

    def fit(self, benchmark: Benchmark, seed: int = 0) -> KrissbertLinker:
        """Raises ValueError as :func:`linked_text` and :func:`labelled_text`, to train for mentions of which
        no concept has two, and for references of an unknown field."""
        self._benchmark, self._seed = benchmark, seed
        self._mentions: dict[str, LinkedText] = {}
        self.index()
        self.encoder = DualEncoder.load(encoder_folder(self.model), self.layers, not self.references, MARKERS)
        self.encoder.mention_pooling, self.encoder.entity_pooling = self.pooling, _POOLINGS[self.pooling]
        entities = self._entities() if self.references else []
        self.trace = self._train(entities, seed).trace if self.steps else ()
        self.weights = self.encoder.fingerprint()
        self._references = self._encoded(entities) if self.references else None
        self._vectors = MentionVectors(
            self.encoder.mention, self.pooling, self.window, self.precision, self.progress
        )
        return self

    def link(self, documents: Sequence[Document], k: int = 64) -> Predictions:
        queries, found = spans(documents), self.nearest(documents, max(k, _HITS))
        ids = self._benchmark.ontology.concepts
        if self.shortcut:
            texts = {document.id: document.text for document in documents}
            strings = [texts[query.document][query.start : query.end] for query in queries]
            found = with_shortcut(strings, found, self.index().values(), len(ids))
        candidates = tuple(Candidate("", (id,)) for id in ids)
        return Predictions(tuple(queries), candidates, *best_per_concept(*found, k))

    def nearest(self, documents: Sequence[Document], n: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The ``n`` keys most similar to each mention of some documents, in their order, and how similar,
        mentions × n each; and the number of the concept of each key. The keys are the mentions of
        :meth:`index` and, behind them, the references of concepts that have none there."""
        prototypes = self.index().values()
        keys = np.concatenate([self._vectors.in_text(linked, which) for linked, which in prototypes])
        concept = np.concatenate([linked.concept[which] for linked, which in prototypes])
        if self._references is not None:
            keys, concept = prototype_keys(keys, concept, self._references)
        return *search(self._vectors.asked(spans(documents), documents), keys, n), concept

    def index(self) -> dict[str, tuple[LinkedText, np.ndarray]]:
        """The mentions that are prototypes, by where they come from."""
        found = {}
        for source, most in (("text", self.per_concept), ("train", self.examples)):
            if self.prototypes in (source, "both"):
                linked = self._of(source)
                every = np.arange(len(linked.concept))
                drawn = every if most is None else sample_prototypes(linked.concept, most, self._seed)
                found[source] = linked, drawn
        return found

    def _of(self, source: str) -> LinkedText:
        if source not in self._mentions:
            raw, of = source == "text", self._benchmark
            self._mentions[source] = linked_text(of, self.progress, self.names) if raw else labelled_text(of)
        return self._mentions[source]

    def _entities(self) -> list[Encoded]:
        ontology = self._benchmark.ontology
        concepts = list(ontology.concepts.values())
        return entity_inputs(self.encoder.entity, concepts, ontology, self.fields, self.max_length)

    def _encoded(self, entities: Sequence[Encoded]) -> np.ndarray:
        """The vectors of entities, zeros for one without a name."""
        pooling, precision = self.encoder.entity_pooling, self.precision
        vectors = encode(self.encoder.entity, entities, pooling, precision=precision, progress=self.progress)
        named = [bool(concept.names) for concept in self._benchmark.ontology.concepts.values()]
        return vectors * np.array(named)[:, None]

    def _train(self, entities: Sequence[Encoded], seed: int) -> Trained:
        known = list(self._benchmark.ontology.concepts.values())
        if self.names == "preferred":
            known = [replace(concept, names=concept.names[:1]) for concept in known]
        pairs = MentionPairs(
            self.encoder.mention, self._of(self.learns), known, entities, seed, self.concepts, self.window,
            self.masked, self.replaced, self.temperature, self.contrast,
        )  # fmt: skip
        config = self._training(seed, self.steps, warmup=0.06)
        return self._trained(self.encoder, pairs.at, pairs.loss, config, watched=pairs.watched)
