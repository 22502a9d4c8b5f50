"""Concepts and the names that refer to them."""

import hashlib
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from .corpus import Corpus


@dataclass(frozen=True, slots=True)
class Concept:
    """One concept. ``names[0]`` is the preferred name; a concept without a name is unreachable.

    ``alternatives`` are other ids of the same concept (MEDIC lists OMIM ids of a MeSH disease, say);
    a gold id may be any of them. Raises ValueError for an id or a name that is no text, and for a text in the
    place of several.
    """

    id: str
    names: tuple[str, ...] = ()
    types: tuple[str, ...] = ()
    parents: tuple[str, ...] = ()
    definition: str = ""
    alternatives: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not isinstance(self.id, str):
            raise ValueError(f"concept id: expected a text, found {self.id!r}")
        for name in ("names", "types", "parents", "alternatives"):
            if isinstance(text := getattr(self, name), str):
                raise ValueError(f"concept {self.id}: expected {name} as a tuple, found the text {text!r}")
        if strange := [name for name in self.names if not isinstance(name, str)]:
            raise ValueError(f"concept {self.id}: expected names that are texts, found {strange[0]!r}")


class Ontology:
    """Concepts by id, in the order given. ``prefixes`` are what ids of predictions may have before them, and
    mean the same without.

    Raises ValueError when two concepts have the same id.
    """

    def __init__(self, name: str, concepts: Iterable[Concept], prefixes: tuple[str, ...] = ()):
        self.name, self.prefixes = name, prefixes
        self.concepts: dict[str, Concept] = {}
        for concept in concepts:
            if concept.id in self.concepts:
                raise ValueError(f"ontology {name}: concept {concept.id} is defined twice")
            self.concepts[concept.id] = concept
        self._alternatives: dict[str, tuple[str, ...]] = {}
        for concept in self.concepts.values():
            for other in concept.alternatives:
                owners = self._alternatives.get(other, ())
                if concept.id not in owners:
                    self._alternatives[other] = (*owners, concept.id)
        self._owners: dict[str, tuple[str, ...]] = {}

    def __repr__(self) -> str:
        return f"Ontology({self.name!r}, {len(self.concepts):,} concepts)"

    def __len__(self) -> int:
        return len(self.concepts)

    def __contains__(self, id: str) -> bool:
        return bool(self.resolve(id))

    def resolve(self, id: str) -> tuple[str, ...]:
        """The concepts an id stands for: itself, else the owners of that alternative id, else ()."""
        return (id,) if id in self.concepts else self._alternatives.get(id, ())

    def concepts_in(self, ids: Iterable[str]) -> set[str]:
        """The distinct concepts that ids stand for; an id that is unknown stands for none."""
        return {concept for id in ids for concept in self.resolve(id)}

    def concepts_of(self, ids: Iterable[str]) -> tuple[str, ...]:
        """The distinct concepts that ids stand for, in their order; an id that is unknown stands for itself,
        and may still equal another such id."""
        return tuple(dict.fromkeys(concept for id in ids for concept in self.resolve(id) or (id,)))

    def owners(self) -> Mapping[str, tuple[str, ...]]:
        """Each distinct name, folded, with the ids of the concepts that carry it, in ontology order.

        Names that differ only in case or in surrounding or repeated white space are one (:func:`fold_name`).
        A name with several owners is an ambiguous surface form.
        """
        if not self._owners:
            owners: dict[str, dict[str, None]] = {}
            for concept in self.concepts.values():
                for name in filter(None, map(fold_name, concept.names)):
                    owners.setdefault(name, {})[concept.id] = None
            self._owners = {name: tuple(ids) for name, ids in owners.items()}
        return self._owners

    def fingerprint(self) -> str:
        """SHA-256 over every field of every concept, in order."""
        digest = hashlib.sha256()
        for c in self.concepts.values():
            fields = (c.id, *c.names, "", *c.types, "", *c.parents, "", c.definition, *c.alternatives)
            digest.update("\x1f".join(fields).encode() + b"\x1e")
        return digest.hexdigest()


def fold_name(name: str) -> str:
    """A name as it is compared when case is ignored: lower-cased, white space collapsed, accents composed."""
    return " ".join(unicodedata.normalize("NFC", name).lower().split())


def refined(corpus: Corpus, seen: Iterable[Corpus]) -> list[bool]:
    """Which mentions of a corpus the filter of Tutubalina et al. (2020) leaves, in corpus order.

    Of each distinct pair of string, case aside (:func:`fold_name`), and gold as printed the first mention is
    left, unless a mention of ``seen`` (train and dev), NIL or not, has the string; NIL mentions are not.
    """
    known = {fold_name(mention.text) for split in seen for _, mention in split.mentions()}
    pairs: set[tuple[str, str]] = set()
    kept = []
    for _, mention in corpus.mentions():
        pair = (fold_name(mention.text), mention.gold.printed)
        kept.append(not mention.gold.nil and pair[0] not in known and pair not in pairs)
        if kept[-1]:
            pairs.add(pair)
    return kept
