"""A benchmark: what a linker may see, and what it is scored on."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field, replace
from typing import Literal

from .corpus import Corpus
from .ontology import Ontology

SPLITS = ("train", "dev", "test")


@dataclass(frozen=True)
class Unlabelled:
    """Raw text to learn from: the ``source`` is a registered one or a folder of JSON lines, without the texts
    ``excluded`` (``file:line``), or ``train``, the text of the training documents."""

    source: str
    excluded: frozenset[str] = field(default=frozenset(), repr=False)


@dataclass(frozen=True)
class Benchmark:
    """Three splits, the ontology their gold ids belong to, and ``unlabelled`` text where a transform gave it.

    ``cluster`` is the unit that intervals resample: the document, or the gold entity where a corpus
    has no documents. ``notes`` must be said wherever the benchmark's numbers stand. ``transforms``
    names what was done to it after loading, in order.
    """

    name: str
    train: Corpus
    dev: Corpus
    test: Corpus
    ontology: Ontology
    cluster: Literal["document", "gold"] = "document"
    notes: tuple[str, ...] = ()
    transforms: tuple[str, ...] = ()
    unlabelled: Unlabelled | None = None

    def split(self, name: str) -> Corpus:
        """Raises ValueError for a name that is not one of ``SPLITS``."""
        if name not in SPLITS:
            raise ValueError(f"benchmark {self.name}: no split {name!r}; expected one of {', '.join(SPLITS)}")
        return getattr(self, name)

    def visible(self) -> Benchmark:
        """The benchmark without its test split: what ``fit`` is given."""
        return replace(self, test=Corpus(self.test.name, ()))

    def fingerprint(self) -> str:
        """SHA-256 over the parsed splits and ontology and what is unlabelled, after the transforms."""
        parts = [self.split(s).fingerprint() for s in SPLITS] + [self.ontology.fingerprint(), self.cluster]
        if self.unlabelled is not None:
            parts += [self.unlabelled.source, *sorted(self.unlabelled.excluded)]
        return hashlib.sha256("\n".join(parts).encode()).hexdigest()
