"""KRISSBERT: the concept of the nearest mention that stands for one (Zhang et al. 2022)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from benchlib import encoders, training
from benchlib.benchmark import Benchmark
from benchlib.corpus import Document
from benchlib.encoders import MARKERS, Encoded
from benchlib.matching import NAMES
from benchlib.ontology import Concept, Ontology
from benchlib.predictions import Candidate, Predictions, spans
from benchlib.retrieval import search

from ...corpora.universal import FINGERPRINT, universal
from ..best_per_concept import best_per_concept
from ..by_entity import entity_inputs
from ..encoders import encoder_folder
from ..kept_vectors import KeptVectors
from ..linked_text import MatchedText, annotated_text, matched_text
from ..mention_vectors import MentionVectors
from ..settings import Settings, require_choice
from .prototypes import prototype_keys, sample_prototypes
from .shortcut import with_shortcut

_POOLINGS = {"cls": "cls", "mention": "mean"}  # of a mention, and of an entity's text, which has none
_CHOICES = {
    "pooling": _POOLINGS,
    "learns": ("text", "train", "universal"),
    "prototypes": ("text", "train", "both", "none"),
    "lone_references": ("single", "doubled"),
    "names": NAMES,
}
_HITS = 512  # prototypes looked at for each mention


@dataclass
class KrissbertLinker(Settings):
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

    ``checkpoints`` is as of :class:`TunedLinker`. Linkers that differ in their index alone can share it, with
    the vectors of mentions.
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
    lone_references: str = "single"
    per_name: int | None = None
    bare_names: bool = False
    precision: str = "bf16"
    progress: bool = field(default=True, repr=False, compare=False)
    checkpoints: Path | None = field(default=None, repr=False, compare=False)
    base, later = "krissbert", ("names", "contrast", "lone_references", "per_name", "bare_names")
    after_training = (
        "prototypes", "per_concept", "examples", "shortcut", "lone_references", "per_name", "bare_names",
    )  # fmt: skip
    training_only = (
        "concepts", "learning_rate", "temperature", "masked", "replaced", "learns", "contrast",
    )  # fmt: skip

    def __post_init__(self) -> None:
        require_choice(self, **_CHOICES)
        if not (self.contrast or self.references):
            raise ValueError("contrast is False: expected references, which are then all there is to learn")
        if self.prototypes == "none" and not self.bare_names:
            raise ValueError("prototypes is 'none': expected bare_names, which are then all of the index")

    @property
    def behind(self) -> str:
        """What the keys of :meth:`nearest` behind the mentions are."""
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
        self.encoder = DualEncoder.load(encoder_folder(self.model), self.layers, not self.references, MARKERS)
        self.encoder.mention_pooling, self.encoder.entity_pooling = self.pooling, _POOLINGS[self.pooling]
        self.trace = self._train(seed).trace if self.steps else ()
        self.weights = self.encoder.fingerprint()
        self._references = self._encoded(self._entities(benchmark.ontology)) if self.references else None
        self._vectors = MentionVectors(
            self.encoder.mention, self.pooling, self.window, self.precision, self.progress,
            folder=self.checkpoints,
        )  # fmt: skip
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
        :meth:`index` and, behind them, the bare names, and the references of concepts that have none of
        both."""
        prototypes = self.index().values()
        vectors = [self._vectors.text_vectors(linked, which) for linked, which in prototypes]
        concepts = [linked.concept[which] for linked, which in prototypes]
        if self.bare_names:
            names, owners = self._names()
            vectors.append(self._vectors.name_vectors(names))
            concepts.append(owners)
        keys, concept = np.concatenate(vectors), np.concatenate(concepts)
        if self._references is not None:
            doubled = self.lone_references == "doubled"
            keys, concept = prototype_keys(keys, concept, self._references, doubled)
        return *search(self._vectors.query_vectors(spans(documents), documents), keys, n), concept

    def index(self) -> dict[str, tuple[MatchedText, np.ndarray]]:
        """The mentions that are prototypes, by where they come from."""
        found = {}
        for source, most in (("text", self.per_concept), ("train", self.examples)):
            if self.prototypes in (source, "both"):
                linked = self._of(source)
                drawn = linked.sample(self.per_name if source == "text" else None, self._seed)
                if most is not None:
                    drawn = drawn[sample_prototypes(linked.concept[drawn], most, self._seed)]
                found[source] = linked, drawn
        return found

    def _of(self, source: str) -> MatchedText:
        if source not in self._mentions:
            raw, of = source == "text", self._benchmark
            self._mentions[source] = (
                matched_text(of, self.progress, self.names) if raw else annotated_text(of)
            )
        return self._mentions[source]

    def _named(self, ontology: Ontology) -> list[Concept]:
        """The concepts of a dictionary with those of their names that are used."""
        most = 1 if self.names == "preferred" else None
        return [replace(concept, names=concept.names[:most]) for concept in ontology.concepts.values()]

    def _names(self) -> tuple[tuple[str, ...], np.ndarray]:
        """The names of the benchmark's dictionary, each for every concept that has it, and its number."""
        ontology = self._benchmark.ontology
        number = {id: i for i, id in enumerate(ontology.concepts)}
        owners = Ontology(ontology.name, self._named(ontology)).owners()
        owned = [(name, number[id]) for name, ids in owners.items() for id in ids]
        return tuple(name for name, _ in owned), np.array([i for _, i in owned], dtype=np.int64)

    def _entities(self, ontology: Ontology) -> list[Encoded]:
        concepts = list(ontology.concepts.values())
        return entity_inputs(self.encoder.entity, concepts, ontology, self.fields, self.max_length)

    def _encoded(self, entities: Sequence[Encoded]) -> np.ndarray:
        """The vectors of entities, zeros for one without a name."""
        how = {"precision": self.precision, "progress": self.progress}
        kept = KeptVectors(self.checkpoints, "entities")
        vectors = kept.of(
            entities,
            lambda new: encoders.encode(self.encoder.entity, new, self.encoder.entity_pooling, **how),
        )
        named = [bool(concept.names) for concept in self._benchmark.ontology.concepts.values()]
        return vectors * np.array(named)[:, None]

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
        config = self._training(seed, self.steps, warmup=0.06)
        return self._trained(self.encoder, pairs.at, pairs.loss, config, watched=pairs.watched)
