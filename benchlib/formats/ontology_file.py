"""What reading an ontology file gives: the concepts, their cross references, and what was left out."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from ..ontology import Concept, Ontology
from .lines import read_error


@dataclass(frozen=True)
class OntologyFile:
    """An ontology as it stands in a file.

    ``xrefs``: concept id -> ids in other vocabularies, prefix included, as printed.
    ``dropped``: reason -> how many concepts or names reading left out. ``notes``: what else a user must know
    of how the file was read.
    """

    ontology: Ontology
    xrefs: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    dropped: Mapping[str, int] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    def names_by_xref(self, prefix: str) -> dict[str, dict[str, None]]:
        """Names of the concepts that refer to an id of another vocabulary, in file order.

        ``prefix`` is the vocabulary as printed with its colon (``UMLS:``); keys come without it.
        """
        names: dict[str, dict[str, None]] = {}
        for id, xrefs in self.xrefs.items():
            for xref in xrefs:
                if xref.startswith(prefix):
                    carried = dict.fromkeys(self.ontology.concepts[id].names)
                    names.setdefault(xref.removeprefix(prefix), {}).update(carried)
        return names


def concepts_of_file(
    path: Path | str, concepts: Mapping[str, Concept], name: str = "", **more: Mapping
) -> OntologyFile:
    """The concepts of a file as an ontology of its name, or the one given; ``more`` are fields of the result.
    Raises ValueError for no concept."""
    if not concepts:
        raise read_error(path, 1, "at least one concept", "none")
    return OntologyFile(Ontology(name or Path(path).name, concepts.values()), **more)


def unique_nonempty(values: Iterable[str]) -> tuple[str, ...]:
    """Non-empty values in order of first appearance, white space around them removed."""
    return tuple(dict.fromkeys(v for v in (value.strip() for value in values) if v))
