"""One ontology for all corpora: the union of what is open at hand.

KRISSBERT (section 4.2) links every corpus to all of UMLS, with one model and one index. UMLS is licensed; in
its place stand MeSH with its trees, MEDIC of both years, chemicals, HPO and the Disease Ontology, and MONDO,
which says what of them is what in UMLS.
"""

from collections.abc import Iterable
from dataclasses import replace
from functools import cache
from itertools import chain

from benchlib.benchmark import Benchmark
from benchlib.formats.obo import read_obo
from benchlib.formats.ontology_file import unique_nonempty
from benchlib.ontology import Concept, Ontology

from .bc5cdr import descriptors, supplementary, with_tree
from .files import FileLocator, WrongContent, locator
from .medic import medic_2012, medic_2017, medic_id
from .sssom import mondo

SOURCES = ("mesh", "medic", "chemical-names", "hpo", "disease-ontology", "mondo")
FINGERPRINT = "0dbe3d1dd042f379531764c0e06c9bf96777d5d2c20a44268128af997e21ec97"
"""Of the ontology: records name the transform alone, so another content asks for another name."""


def universal(benchmark: Benchmark) -> Benchmark:
    """With :func:`open_ontology` in the place of its dictionary; mentions and text stay.

    Raises MissingFile, and WrongContent for another ontology than is pinned.
    """
    return replace(benchmark, ontology=_pinned())


@cache  # all benchmarks of a process have the one; what is wrong is not kept
def _pinned() -> Ontology:
    found = open_ontology(locator(SOURCES))
    if found.fingerprint() != FINGERPRINT:
        raise WrongContent("the universal ontology: files and code do not belong together")
    return found


def open_ontology(locate: FileLocator) -> Ontology:
    """The union; ``locate`` gives the path of a file of the registry. A concept has the id of the first
    source that has it, of OMIM with its prefix, and those of the others, of UMLS too, as alternatives.

    A term of HPO or of the Disease Ontology is the concept of its one reference to MeSH, or without any the
    concept of its one reference to OMIM; one of MONDO is that of its first exact match to MeSH, OMIM or the
    Disease Ontology. Any other is a concept of its own.
    """
    union = Union()
    for concept in chain(
        with_tree(descriptors(locate), locate),
        medic_2017(locate).concepts.values(),
        medic_2012(locate).concepts.values(),
        (Concept(id, names) for source in supplementary(locate) for id, names in source.items()),
    ):
        union.add(concept)
    for file in ("hpo/hp_2016-04-01.obo.gz", "disease_ontology/HumanDO_2015-05-14.obo.gz"):
        read = read_obo(locate(file))
        for concept in read.ontology.concepts.values():
            ids = list(filter(None, map(normalized_id, read.xrefs[concept.id])))
            umls, omim = ([id for id in ids if of(id)] for of in (is_cui, _is_omim))
            same = [id for id in ids if id not in (*umls, *omim)] or omim
            union.add(concept, same if len(same) == 1 else (), umls)
    for term, label, ids, umls in _mondo(locate):
        union.add(Concept(term, (label,) if label else ()), ids, umls)
    return Ontology("open ontologies", union.concepts.values())


class Union:
    """``concepts`` by id, and who owns which id."""

    def __init__(self) -> None:
        self.concepts: dict[str, Concept] = {}
        self._owner: dict[str, str] = {}

    def add(self, concept: Concept, same: Iterable[str] = (), also: Iterable[str] = ()) -> None:
        """Add a concept, or what is new of it to the one that owns its id, else to that of the first of the
        ids ``same`` that has an owner. Its alternatives and the ids ``same`` and ``also`` that nobody owns
        become alternatives."""
        same = tuple(same)
        into = next((self._owner[id] for id in (concept.id, *same) if id in self._owner), concept.id)
        known = self.concepts.get(into, Concept(into))
        others = (concept.id, *concept.alternatives, *same, *also)
        free = [id for id in dict.fromkeys(others) if id != into and id not in self._owner]
        self._owner |= dict.fromkeys([into, *free], into)
        self.concepts[into] = Concept(
            into,
            unique_nonempty([*known.names, *concept.names]),
            types=known.types or concept.types,
            parents=known.parents or concept.parents,
            definition=known.definition or concept.definition,
            alternatives=(*known.alternatives, *free),
        )


def normalized_id(xref: str) -> str:
    """A reference as this study writes ids: MeSH and UMLS bare, OMIM with its prefix; "" for any other."""
    vocabulary, _, id = xref.partition(":")
    if vocabulary.upper() in ("MSH", "MESH"):
        found = medic_id(id)
        return found if found and not _is_omim(found) else ""
    if vocabulary == "OMIM":
        return xref if id.isdecimal() else ""
    return id if vocabulary in ("UMLS", "UMLS_CUI") and is_cui(id) else ""


def is_cui(id: str) -> bool:
    """Whether an id is one of UMLS: those of MeSH that begin with C have six digits or nine."""
    return len(id) == 8 and id[0] == "C" and id[1:].isdecimal()


def _is_omim(id: str) -> bool:
    return id.startswith("OMIM:")


def _mondo(locate: FileLocator) -> Iterable[tuple[str, str, list[str], list[str]]]:
    """Each term with an exact match: its label, its ids of MeSH, OMIM and DO, and those of UMLS."""
    labels: dict[str, str] = {}
    matches: dict[str, tuple[list[str], list[str]]] = {}
    for vocabulary in ("mesh", "omim", "doid", "umls"):
        for mapping in mondo(locate, vocabulary):
            id = mapping.object if vocabulary == "doid" else normalized_id(mapping.object)
            if id:
                labels.setdefault(mapping.subject, mapping.label)
                ids, umls = matches.setdefault(mapping.subject, ([], []))
                (umls if vocabulary == "umls" else ids).append(id)
    return [(term, labels[term], *found) for term, found in matches.items()]
