"""What reading an ontology file gives: the concepts, their cross references, and what was left out."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from ..corpus import Corpus
from ..ontology import Concept, Ontology
from .lines import read_error

_SHOWN = 3  # ids and lines that a note gives as examples
_BAD_SHARE = 0.01  # of the lines of a file, above which it is refused


@dataclass(frozen=True)
class OntologyFile:
    """An ontology as it stands in a file.

    ``xrefs``: concept id -> ids in other vocabularies, prefix included, as printed.
    ``dropped``: reason -> how many concepts or names reading left out. ``notes``: what else a user must know
    of how the file was read. ``replaced``: retired id -> the ids that replace it, none for a deleted one.
    """

    ontology: Ontology
    xrefs: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    dropped: Mapping[str, int] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    replaced: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def with_replaced(self) -> "OntologyFile":
        """Retired ids as alternative ids of the concepts that replace them, directly or in several steps."""
        concepts = dict(self.ontology.concepts)
        for old in self.replaced:
            steps = [] if old in self.ontology else [old]
            for id in steps:
                for concept in self.ontology.resolve(id):
                    known = concepts[concept]
                    concepts[concept] = replace(known, alternatives=(*known.alternatives, old))
                steps += [new for new in self.replaced.get(id, ()) if new not in steps]
        return replace(self, ontology=Ontology(self.ontology.name, concepts.values()))

    def retired_ids(self, corpus: Corpus) -> tuple[str, ...]:
        """A note that counts the distinct gold ids of a corpus that are active, merged and deleted; none
        where all are active. Of a file that tells retired ids, as :meth:`with_replaced` gives it."""
        ids = dict.fromkeys(id for _, mention in corpus.mentions() for id in sorted(mention.gold.ids))
        known = {id: self.ontology.resolve(id) for id in ids}
        active = [id for id, new in known.items() if new == (id,)]
        merged = [f"{id} is {', '.join(new)}" for id, new in known.items() if new and new != (id,)]
        deleted = [id for id, new in known.items() if not new and id in self.replaced]
        if not self.replaced or not (merged or deleted):
            return ()
        examples = (f" ({'; '.join(ids[:_SHOWN])})" if ids else "" for ids in (merged, deleted))
        counts = f"{len(active):,} active, {len(merged):,} merged{next(examples)}, {len(deleted):,} deleted"
        return (f"Gold ids of {corpus.name}: {counts}{next(examples)}.",)


def bad_lines(path: Path | str, errors: list[str], n_read: int, strict: bool) -> tuple[str, ...]:
    """A note on the lines that were left out, with their errors. Raises ValueError, the first of these, where
    they are more than 1 % or ``strict``."""
    n = len(errors) + n_read
    if errors and (strict or len(errors) > _BAD_SHARE * n):
        raise ValueError(errors[0])
    first = "; ".join(error.removeprefix(f"{path}:") for error in errors[:_SHOWN])
    told = f"{len(errors):,} of {n:,} lines of {Path(path).name} are left out (strict refuses them)"
    return (f"{told}: line {first}.",) if errors else ()


def concepts_of_file(path: Path | str, concepts: Mapping[str, Concept], **more: Mapping) -> OntologyFile:
    """The concepts of a file as an ontology of its name; ``more`` are fields of the result. Raises ValueError
    for no concept."""
    if not concepts:
        raise read_error(path, 1, "at least one concept", "none")
    return OntologyFile(Ontology(Path(path).name, concepts.values()), **more)


def unique_nonempty(values: Iterable[str]) -> tuple[str, ...]:
    """Non-empty values in order of first appearance, white space around them removed."""
    return tuple(dict.fromkeys(v for v in (value.strip() for value in values) if v))
