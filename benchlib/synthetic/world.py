"""The ontology of the controlled corpus, and what stands outside it."""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import chain, zip_longest
from random import Random

from ..ontology import Concept, Ontology, fold_name
from .naming import PLAIN, Disease
from .vocabulary import EPONYMS, MODIFIERS, PROCESSES, SYSTEMS, System


@dataclass(frozen=True)
class Entry:
    """A concept with its names by use: ``clear`` and ``shared`` stand in the dictionary, ``hidden`` does
    not; a ``shared`` name belongs to other concepts as well. The first clear name is the preferred one.
    ``disease`` is None for the concept of a whole organ system, ``id`` is "" outside the ontology.
    """

    id: str
    system: System
    disease: Disease | None
    parents: tuple[str, ...]
    clear: tuple[str, ...]
    shared: tuple[str, ...] = ()
    hidden: tuple[str, ...] = ()


@dataclass(frozen=True)
class World:
    """``inside`` makes up the ontology, ``outside`` are diseases it lacks, ``names`` all names, folded."""

    inside: tuple[Entry, ...]
    outside: tuple[Entry, ...]
    names: frozenset[str]

    def ontology(self) -> Ontology:
        return Ontology("mini", [_concept(entry) for entry in self.inside])


def world(n_concepts: int, rng: Random) -> World:
    """Organ systems, families of diseases below them and diseases below those: ``n_concepts`` in all."""
    systems = SYSTEMS[: max(4, min(len(SYSTEMS), n_concepts // 12))]
    n_families = min(round(0.25 * n_concepts), 300)
    families = _families(systems, n_families, rng)
    n_outside = max(6, n_concepts // 8)
    members = _members(families, n_concepts - len(systems) - n_families + n_outside, rng)
    rng.shuffle(members)
    diseases = families + members[n_outside:]

    ids: dict[System | Disease, str] = {
        one: f"M{number:04d}" for number, one in enumerate((*systems, *diseases), start=1)
    }
    shared, alone = _short_names(diseases, rng)
    entries = []
    for system in systems:
        hidden = (f"disorder of the {system.organs}",)
        entries.append(Entry(ids[system], system, None, (), (f"{system.name} disease",), (), hidden))
    for disease in diseases:
        parent = disease.system if disease.modifier is PLAIN else disease._replace(modifier=PLAIN)
        clear, hidden = _split(disease, rng)
        entries.append(
            Entry(
                ids[disease], disease.system, disease, (ids[parent],),
                (*clear, *alone.get(disease, ())), shared.get(disease, ()), hidden,
            )
        )  # fmt: skip
    outside = [
        Entry("", disease.system, disease, (), (disease.name, *disease.variants[:3]))
        for disease in members[:n_outside]
    ]
    every = (name for e in (*entries, *outside) for name in (*e.clear, *e.shared, *e.hidden))
    return World(tuple(entries), tuple(outside), frozenset(map(fold_name, every)))


def _families(systems: Iterable[System], n: int, rng: Random) -> list[Disease]:
    """The organ systems in turn, with few processes so that the same one strikes several organs."""
    processes = PROCESSES[: max(4, min(len(PROCESSES), n // 4))]
    columns = []
    for system in systems:
        column = [Disease(system, site, process) for site in system.sites for process in processes]
        rng.shuffle(column)
        columns.append(column)
    turns = chain.from_iterable(zip_longest(*columns))
    return [disease for disease in turns if disease is not None][:n]


def _members(families: list[Disease], n: int, rng: Random) -> list[Disease]:
    """The families in turn, each with a modifier it has not had; few modifiers where few are needed."""
    modifiers = MODIFIERS[: max(8, -(-n // len(families)) + 5)]
    columns = [
        [family._replace(modifier=m) for m in rng.sample(modifiers, len(modifiers))] for family in families
    ]
    return list(chain.from_iterable(zip(*columns, strict=True)))[:n]


def _split(disease: Disease, rng: Random) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Which variants the dictionary lists: none, one or two of the three or more there are."""
    variants = list(disease.variants)
    rng.shuffle(variants)
    n = rng.randint(0, 2)
    return (disease.name, *variants[:n]), tuple(variants[n:])


def _short_names(diseases: list[Disease], rng: Random) -> tuple[dict, dict]:
    """Abbreviations, names without an organ and eponyms: (shared, unshared), each disease -> names."""
    shared: dict[Disease, tuple[str, ...]] = {}
    alone: dict[Disease, tuple[str, ...]] = {}
    groups: dict[str, list[Disease]] = {}
    for disease in diseases:
        groups.setdefault(disease.abbreviation, []).append(disease)
        if disease.short:
            groups.setdefault(disease.short, []).append(disease)
    for eponym, owners in _eponyms(diseases, rng).items():
        groups[eponym] = owners
    for name, members in groups.items():
        # One owner per organ system, so that a cue of the system tells the owners apart.
        owners = list({disease.system: disease for disease in members}.values())[:3]
        if len(owners) > 1:
            for disease in owners:
                shared[disease] = (*shared.get(disease, ()), name)
        elif name != owners[0].short and (" " in name or rng.random() < 0.5):
            alone[owners[0]] = (*alone.get(owners[0], ()), name)
    return shared, alone


def _eponyms(diseases: list[Disease], rng: Random) -> dict[str, list[Disease]]:
    """Invented eponyms, each given to one, two or three diseases of different organ systems."""
    members = [disease for disease in diseases if disease.short]
    rng.shuffle(members)
    names = [f"{eponym} {kind}" for kind in ("syndrome", "disease") for eponym in EPONYMS]
    given: dict[str, list[Disease]] = {}
    for name in names[: max(8, len(diseases) // 6)]:
        one_each = {disease.system: disease for disease in members}
        n = min(rng.choice((1, 2, 2, 3)), len(one_each))
        if n:
            given[name] = rng.sample(list(one_each.values()), n)
            members = [disease for disease in members if disease not in given[name]]
    return given


def _concept(entry: Entry) -> Concept:
    system, names = entry.system, (*entry.clear, *entry.shared)
    definition = f"Any disease of the {system.organs}. Common signs are {' and '.join(system.findings[:2])}."
    if entry.disease:
        definition = entry.disease.definition
    return Concept(entry.id, names, (f"{system.name} disease",), entry.parents, definition)
