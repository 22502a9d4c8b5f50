"""KRISSBERT: the concept of the nearest mention that stands for one (Zhang et al. 2022)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

import numpy as np
from pydantic import PositiveInt
from pydantic.dataclasses import dataclass

from benchlib import encoders, training
from benchlib.benchmark import Benchmark
from benchlib.corpus import Document
from benchlib.encoders import MARKERS, Encoded
from benchlib.ontology import Concept, Ontology
from benchlib.predictions import Predictions, spans

from ...corpora.universal import FINGERPRINT, universal
from ..by_entity import entity_inputs
from ..by_mention import HITS, MentionIndexLinker
from ..kept_vectors import KeptVectors
from ..linked_text import MatchedText, annotated_text, matched_text, sample_prototypes
from ..mention_vectors import MentionVectors
from ..ranking import best_per_concept
from ..texts import places_of
from .prototypes import prototype_keys, with_shortcut


@dataclass
class KrissbertLinker(MentionIndexLinker):
    """Ranks concepts by the most similar of their prototypes, which are mentions too (equation 3).

    A mention is read in its ``window`` of word pieces; its vector is the state of [CLS], with ``pooling``
    ``cls`` as in the paper, or with ``mention`` the mean of its pieces. The encoder ``learns`` from ``text``,
    where the ``names`` of the dictionary are found (:func:`matched_text`), or from text where those of the
    ``universal`` dictionary are found, so that one training serves data sets with dictionaries of their own,
    or from the mentions of ``train`` (the paper's *supervised only*): ``steps`` of ``concepts`` concepts ×
    2 mentions, ``masked``, ``replaced`` (by one of these ``names``) and ``contrast`` as of
    :class:`MentionPairs`. With no step it stays as it comes.

    With ``references`` a second encoder reads the ``fields`` of each entity (:func:`entity_inputs`) and is
    trained beside the first; a mention's similarity to the entity is added to that to the prototype
    (equation 6). The paper has dot products of vectors of any length and a ``temperature`` of 1; here all
    have length 1, as the default encoder was trained and as the other linkers in context have them, and 0.05.
    ``lone_references`` ``doubled`` are those of concepts without a prototype (:func:`prototype_keys`).

    The index holds ``prototypes`` from ``text``, at most ``per_name`` mentions of each name and of these
    ``per_concept`` of each concept, from ``train``, at most ``examples``, or from ``both`` (lazy learning,
    section 3.7); they are drawn by the seed, None takes all. With ``bare_names`` the ``names`` of the
    dictionary are prototypes too, each without context; ``prototypes`` ``none`` are these alone. With
    ``shortcut`` a string, case kept, that stands for a single concept among the mentions of the index has it
    at rank 1: the released code does that, the paper does not say so. A concept without a prototype is
    answered with ``references`` only.

    Linkers that differ in their index alone can share ``checkpoints``, with the vectors of mentions.

    Raises ValueError for what leaves nothing to learn, or nothing in the index.
    """

    model: str = "minilm"
    layers: int | None = None
    pooling: Literal["cls", "mention"] = "mention"
    window: int = 64
    steps: int = 1000
    concepts: int = 16
    learning_rate: float = 1e-4
    temperature: float = 0.05
    masked: float = 0.2
    replaced: float = 0.2
    learns: Literal["text", "train", "universal"] = "text"
    references: bool = False
    fields: str = "path+types+title+synonyms+definition"
    max_length: int = 48
    prototypes: Literal["text", "train", "both", "none"] = "text"
    per_concept: PositiveInt | None = 16
    examples: PositiveInt | None = None
    shortcut: bool = False
    names: Literal["all", "preferred"] = "all"
    contrast: bool = True
    lone_references: Literal["single", "doubled"] = "single"
    per_name: PositiveInt | None = None
    bare_names: bool = False
    precision: str = "bf16"
    base, later = "krissbert", ("names", "contrast", "lone_references", "per_name", "bare_names")
    after_training = (
        "prototypes", "per_concept", "examples", "shortcut", "lone_references", "per_name", "bare_names",
    )  # fmt: skip
    training_only = (
        "concepts", "learning_rate", "temperature", "masked", "replaced", "learns", "contrast",
    )  # fmt: skip

    def __post_init__(self) -> None:
        if not (self.contrast or self.references):
            raise ValueError("contrast is False: expected references, which are then all there is to learn")
        if self.prototypes == "none" and not self.bare_names:
            raise ValueError("prototypes is 'none': expected bare_names, which are then all of the index")

    @property
    def behind(self) -> str:
        return "name" if self.bare_names else "reference"

    @property
    def dictionary_only(self) -> bool:
        """Whether names and unlabelled text are all that it learns from and has in its index."""
        return self.learns == "text" and self.prototypes in ("text", "none")

    @property
    def learnt_dictionary(self) -> str:
        """The fingerprint of the dictionary that it learns from, where that is not the benchmark's."""
        return FINGERPRINT if self.learns == "universal" else ""

    def fit(self, benchmark: Benchmark, seed: int = 0) -> KrissbertLinker:
        """Raises ValueError as :func:`matched_text` and :func:`annotated_text`, to train for mentions of
        which no concept has two, and for references of an unknown field."""
        from ..dual import DualEncoder

        self._benchmark, self._seed = benchmark, seed
        self._mentions: dict[str, MatchedText] = {}
        self.index()
        self.encoder = DualEncoder.load(self.model, self.layers, not self.references, MARKERS, self.pooling)
        if self.pooling == "mention":
            self.encoder.entity_pooling = "mean"  # the text of an entity has no mention
        self.trace = self._train(seed).trace if self.steps else ()
        self.weights = self.encoder.fingerprint()
        self._references = self._encoded(self._entities(benchmark.ontology)) if self.references else None
        how = (self.pooling, self.window, self.precision, self.progress)
        self._vectors = MentionVectors(self.encoder.mention, *how, folder=self.checkpoints)
        return self

    def link(self, documents: Sequence[Document], k: int = 64) -> Predictions:
        found = self.nearest(documents, max(k, HITS))
        if self.shortcut:
            strings = [text[start:end] for text, start, end in places_of(spans(documents), documents)]
            n_concepts = len(self._benchmark.ontology.concepts)
            found = with_shortcut(strings, found, self.index().values(), n_concepts)
        return self._predictions(documents, best_per_concept(*found, k))

    def index(self) -> dict[str, tuple[MatchedText, np.ndarray]]:
        found = {}
        for source, most in (("text", self.per_concept), ("train", self.examples)):
            if self.prototypes in (source, "both"):
                linked = self._of(source)
                drawn = linked.sample(self.per_name if source == "text" else None, self._seed)
                if most is not None:
                    drawn = drawn[sample_prototypes(linked.concept[drawn], most, self._seed)]
                found[source] = linked, drawn
        return found

    def _keys(self) -> tuple[np.ndarray, np.ndarray]:
        """As of other linkers; with references, those of concepts that have no other key are behind these."""
        keys, concept = super()._keys()
        if self._references is None:
            return keys, concept
        return prototype_keys(keys, concept, self._references, self.lone_references == "doubled")

    def _names(self) -> Ontology | None:
        ontology = self._benchmark.ontology
        return Ontology(ontology.name, self._named(ontology)) if self.bare_names else None

    def _of(self, source: str) -> MatchedText:
        if source not in self._mentions:
            raw, of = source == "text", self._benchmark
            found = matched_text(of, self.progress, self.names) if raw else annotated_text(of)
            self._mentions[source] = found
        return self._mentions[source]

    def _encoded(self, entities: Sequence[Encoded]) -> np.ndarray:
        """The vectors of entities, zeros for one without a name."""
        how = (self.encoder.entity_pooling, True, self.precision, self.progress)
        kept = KeptVectors(self.checkpoints, "entities")
        vectors = kept.of(entities, lambda new: encoders.encode(self.encoder.entity, new, *how))
        named = [bool(concept.names) for concept in self._benchmark.ontology.concepts.values()]
        return vectors * np.array(named)[:, None]

    def _named(self, ontology: Ontology) -> list[Concept]:
        """The concepts of a dictionary with those of their names that are used."""
        most = 1 if self.names == "preferred" else None
        return [replace(concept, names=concept.names[:most]) for concept in ontology.concepts.values()]

    def _entities(self, ontology: Ontology) -> list[Encoded]:
        concepts = list(ontology.concepts.values())
        return entity_inputs(self.encoder.entity, concepts, ontology, self.fields, self.max_length)

    def _train(self, seed: int) -> training.Trained:
        from .mention_pairs import MentionPairs

        if self.learns == "universal":
            learnt = universal(self._benchmark)
            ontology, linked = learnt.ontology, matched_text(learnt, self.progress, self.names)
        else:
            ontology, linked = self._benchmark.ontology, self._of(self.learns)
        entities = self._entities(ontology) if self.references else []
        pairs = MentionPairs(
            self.encoder.mention, linked, self._named(ontology), entities, seed, self.concepts, self.window,
            self.masked, self.replaced, self.temperature, self.contrast,
        )  # fmt: skip
        kept = {"watched": pairs.watched}
        return self._optimized(self.encoder, pairs.at, pairs.loss, seed, self.steps, kept, warmup=0.06)
