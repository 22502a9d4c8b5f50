"""What linkers share that compare a mention in its context with what is written of each entity."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from benchlib import encoders
from benchlib.benchmark import Benchmark
from benchlib.corpus import Document, Mention
from benchlib.encoders import Encoded
from benchlib.ontology import Concept, Ontology, fold_name
from benchlib.predictions import Candidate, Predictions
from benchlib.retrieval import search, softmax_search

from .contrast import ContrastiveObjective
from .ranking import padded
from .training_names import single_concept_mentions


class TrainingMention(NamedTuple):
    """A labelled mention, and the number of its concept."""

    document: Document
    mention: Mention
    concept: int

    @property
    def place(self) -> tuple[str, int, int]:
        """The text, and where in it the mention starts and ends."""
        return self.document.text, self.mention.start, self.mention.end


def concepts_with_names(ontology: Ontology) -> list[Concept]:
    """The concepts that have a name, in order; raises ValueError where there is none."""
    concepts = [concept for concept in ontology.concepts.values() if concept.names]
    if not concepts:
        raise ValueError(f"ontology {ontology.name} has no name to link to")
    return concepts


def title_candidates(concepts: Sequence[Concept]) -> tuple[Candidate, ...]:
    """Each concept as a candidate, by the first of its names."""
    return tuple(Candidate(concept.names[0], (concept.id,)) for concept in concepts)


def entity_inputs(
    backbone: "encoders.Backbone",
    concepts: Sequence[Concept],
    ontology: Ontology,
    fields: str,
    max_length: int,
) -> list[Encoded]:
    """The text of each concept, its ``fields`` those of :func:`entity_text` with a plus between them, cut at
    ``max_length`` word pieces; raises ValueError as that does, and as :func:`text_inputs`."""
    separator = backbone.tokenizer.sep_token
    texts = [entity_text(concept, ontology, fields.split("+"), separator) for concept in concepts]
    return encoders.text_inputs(backbone, texts, max_length)


def entity_text(
    concept: Concept,
    ontology: Ontology,
    fields: Sequence[str] = ("title", "types", "path", "synonyms", "definition"),
    separator: str = "[SEP]",
) -> str:
    """The ``fields`` in the order given, between separators; what the ontology does not say is left out.

    ``separator`` is the tokenizer's. KRISSBERT (section 3.5) takes the place in the hierarchy, the type and
    the aliases, with a description after them where there is one; PEL (appendix A) title, types and
    definition. The hierarchy is given by the titles of the ancestors, root first, where KRISSBERT has
    UMLS's semantic tree number. Raises ValueError for an unknown field.
    """
    written = {
        "title": "".join(concept.names[:1]),
        "types": ", ".join(concept.types),
        "path": " > ".join(path(concept, ontology)),
        "synonyms": "; ".join(concept.names[1:]),
        "definition": concept.definition,
    }
    if unknown := [field for field in fields if field not in written]:
        raise ValueError(f"unknown field {unknown[0]!r}; expected some of {', '.join(written)}")
    return f" {separator} ".join(written[field] for field in fields if written[field])


def path(concept: Concept, ontology: Ontology) -> list[str]:
    """Titles of the ancestors, root first, by the first known parent of each; a cycle ends it."""
    titles, seen = [], {concept.id}
    while True:
        known = (id for parent in concept.parents for id in ontology.resolve(parent))
        above = next((id for id in known if id not in seen), None)
        if above is None:
            return titles[::-1]
        seen.add(above)
        concept = ontology.concepts[above]
        titles.extend(concept.names[:1])


def pair_inputs(
    backbone: "encoders.Backbone", mentions: Sequence[Encoded], entities: Sequence[Encoded]
) -> list[Encoded]:
    """[CLS] mention in context [SEP] entity text [SEP] for each mention with the entity beside it.

    Each side was encoded in a room of its own, so neither takes from the other (KRISSBERT, section 3.6:
    the second [CLS] is left out). The span is that of the mention. Raises ValueError for a pair longer than
    the encoder reads.
    """
    pairs = [
        Encoded(mention.ids + entity.ids[1:], mention.spans, second=len(mention.ids))
        for mention, entity in zip(mentions, entities, strict=True)
    ]
    longest = max((len(pair.ids) for pair in pairs), default=0)
    if longest > backbone.max_length:
        raise ValueError(f"a pair has {longest} tokens; the encoder reads {backbone.max_length}")
    return pairs


def without_names(concept: Concept, strings: Collection[str]) -> Concept:
    """The concept without the names that are one of some folded ``strings``; whole where it has no other."""
    kept = tuple(name for name in concept.names if fold_name(name) not in strings)
    return replace(concept, names=kept or concept.names)


def training_mentions(
    benchmark: Benchmark, learns: Sequence[str], place: Mapping[str, int]
) -> list[TrainingMention]:
    """The mentions of some splits that stand for one concept, with its ``place`` among those compared with.

    NIL and composite mentions are left out, as are those of a concept that has no place. Raises ValueError
    where none is left.
    """
    found = [
        TrainingMention(document, mention, place[concept])
        for document, mention, concept in single_concept_mentions(benchmark, learns)
        if concept in place
    ]
    if not found:
        raise ValueError(f"benchmark {benchmark.name}: expected a mention of one concept to train on")
    return found


def names_to_concepts(found: Predictions, place: Mapping[str, int]) -> tuple[np.ndarray, np.ndarray]:
    """Ranked names as ranked concepts: (place int32, scores float32) of each query, best first, -1 and -inf
    behind the end of its list.

    A concept has the score of the best name that it carries, and each owner of a name has that of the name,
    in the order of its ids. One without a ``place`` is left out.
    """
    # Of the whole dictionary it would be a third of the time of linking a single mention.
    answered = np.unique(found.index[found.index >= 0]).tolist()
    owners = {i: [place[id] for id in found.candidates[i].ids if id in place] for i in answered}
    lists: list[dict[int, float]] = []
    for answers, scores in zip(found.index.tolist(), found.scores.tolist(), strict=True):
        best: dict[int, float] = {}
        for answer, score in zip(answers, scores, strict=True):
            for concept in owners[answer] if answer >= 0 else ():
                best.setdefault(concept, score)
        lists.append(best)
    return padded(lists)


def rank_entities(
    mentions: np.ndarray,
    entities: np.ndarray,
    k: int,
    contrast: ContrastiveObjective,
    score: str | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """The k best entities of each mention and their scores, as :func:`search` gives them.

    ``mentions`` (mentions × width) and ``entities`` (entities × width) of any length. ``score``: ``dot``,
    ``cosine``, or ``softmax``, the logarithm of the share that an entity has among all of them under the loss
    it was trained with: of dot products, or of alpha times the cosines. None: what the loss compares by. The
    softmax ranks as that does; how sure an answer is, it says in another way.
    """
    score = score or ("cosine" if contrast.cosine else "dot")
    if score == "cosine" or score == "softmax" and contrast.cosine:
        mentions, entities = l2_normalize(mentions), l2_normalize(entities)
    if score == "softmax":
        return softmax_search(contrast.alpha * mentions if contrast.cosine else mentions, entities, k)
    return search(mentions, entities, k)


def l2_normalize(vectors: np.ndarray) -> np.ndarray:
    """Vectors of length 1; one of length 0 stays."""
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return vectors / np.where(lengths > 0, lengths, 1)
