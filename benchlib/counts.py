"""The data card of a benchmark: counts of its splits and its dictionary, as flat values."""

from .benchmark import SPLITS, Benchmark
from .corpus import Corpus, Mention
from .ontology import Ontology, fold_name, refined


def card(benchmark: Benchmark) -> dict[str, int | float | dict[str, int]]:
    """Counts under dotted names: ``test.mentions``, ``all.ids``, ``dictionary.names``, …

    ``mentions`` are those read, ``raw`` those in the source, ``dropped`` the reasons between the two.
    ``ids`` counts distinct gold ids after splitting, ``id_strings`` those as printed, ``ids_per_document``
    distinct pairs of document and id. ``in_dictionary`` and ``reachable`` are mentions with a gold concept
    in the dictionary, and in it with a name; ``pct`` values are percent of the mentions that are not NIL.
    ``test.refined`` are the test mentions that :func:`benchlib.ontology.refined` leaves.
    """
    corpora = {split: benchmark.split(split) for split in SPLITS}
    values: dict[str, int | float | dict[str, int]] = {}
    for split, corpus in corpora.items():
        found = _corpus_counts([corpus], benchmark.ontology)
        seen = _concepts([corpora["train"]], benchmark.ontology)
        concepts = _concepts([corpus], benchmark.ontology)
        found["entities_seen_pct"] = _percent(len(concepts & seen), len(concepts))
        values |= {f"{split}.{name}": value for name, value in found.items()}
        values[f"{split}.dropped"] = dict(corpus.dropped)
    values["test.refined"] = sum(refined(corpora["test"], (corpora["train"], corpora["dev"])))
    everything = _corpus_counts(list(corpora.values()), benchmark.ontology)
    values |= {f"all.{name}": value for name, value in everything.items()}
    values |= {f"dictionary.{name}": value for name, value in _dictionary_counts(benchmark.ontology).items()}
    return values


def _corpus_counts(corpora: list[Corpus], ontology: Ontology) -> dict[str, int | float]:
    pairs = [pair for corpus in corpora for pair in corpus.mentions()]
    linked = [(document, mention) for document, mention in pairs if not mention.gold.nil]
    documents = sum(len(corpus.documents) for corpus in corpora)
    reachable = sum(_reachable(ontology, mention) for _, mention in linked)
    return {
        "documents": documents,
        "mentions": len(pairs),
        "raw": sum(corpus.n_raw for corpus in corpora),
        "nil": len(pairs) - len(linked),
        "composite": sum(len(mention.gold.parts) > 1 for _, mention in linked),
        "alternatives": sum(
            len(mention.gold.parts) == 1 and len(mention.gold.ids) > 1 for _, mention in linked
        ),
        "types": len({mention.type for _, mention in pairs}),
        "ids": len({id for _, mention in linked for id in mention.gold.ids}),
        "id_strings": len({mention.gold.printed for _, mention in linked}),
        "ids_per_document": len({(document.id, id) for document, m in linked for id in m.gold.ids}),
        "concepts": len(_concepts(corpora, ontology)),
        "strings": len({fold_name(mention.text) for _, mention in pairs}),
        "in_dictionary": sum(any(id in ontology for id in mention.gold.ids) for _, mention in linked),
        "reachable": reachable,
        "reachable_pct": _percent(reachable, len(linked)),
        "mentions_per_document": round(len(pairs) / documents, 2) if documents else 0.0,
    }


def _dictionary_counts(ontology: Ontology) -> dict[str, int]:
    concepts = ontology.concepts.values()
    owners = ontology.owners()
    return {
        "concepts": len(ontology),
        "ids": len({id for concept in concepts for id in (concept.id, *concept.alternatives)}),
        "unnamed": sum(not concept.names for concept in concepts),
        "names": sum(len(concept.names) for concept in concepts),
        "folded_names": len(owners),
        "ambiguous_names": sum(len(ids) > 1 for ids in owners.values()),
        "definitions": sum(bool(concept.definition) for concept in concepts),
        "parents": sum(bool(concept.parents) for concept in concepts),
    }


def _reachable(ontology: Ontology, mention: Mention) -> bool:
    return any(ontology.concepts[c].names for id in mention.gold.ids for c in ontology.resolve(id))


def _concepts(corpora: list[Corpus], ontology: Ontology) -> set[str]:
    """Distinct gold concepts; an id the ontology lacks counts as itself."""
    ids = {id for corpus in corpora for _, mention in corpus.mentions() for id in mention.gold.ids}
    return set(ontology.concepts_of(ids))


def _percent(part: int, whole: int) -> float:
    return round(100 * part / whole, 2) if whole else 0.0
