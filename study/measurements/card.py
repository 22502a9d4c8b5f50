"""The counts of a benchmark's splits, of all of them together, and of its dictionary."""

from benchlib.benchmark import SPLITS, Benchmark
from benchlib.corpus import Corpus
from benchlib.counts import corpus_counts, dictionary_counts, percent
from benchlib.ontology import Ontology, fold_name, refined


def card(benchmark: Benchmark) -> dict[str, int | float | dict[str, int]]:
    """Counts under dotted names: ``test.mentions``, ``all.ids``, ``dictionary.names``, …

    They are those of :func:`benchlib.counts.corpus_counts`. ``dropped`` are the reasons between ``raw`` and
    ``mentions``, ``id_strings`` ids as printed, ``ids_per_document`` distinct pairs of document and id,
    ``concepts`` distinct gold concepts, where an id that the dictionary lacks counts as itself; of these
    ``entities_seen_pct`` percent are in train. ``test.refined`` are the test mentions that
    :func:`benchlib.ontology.refined` leaves.
    """
    corpora, ontology = {split: benchmark.split(split) for split in SPLITS}, benchmark.ontology
    values: dict[str, int | float | dict[str, int]] = {}
    counted = {split: [corpus] for split, corpus in corpora.items()} | {"all": [*corpora.values()]}
    for part, those in counted.items():
        values |= {f"{part}.{name}": value for name, value in _counts(those, ontology).items()}
    seen = _concepts([corpora["train"]], ontology)
    for split, corpus in corpora.items():
        concepts = _concepts([corpus], ontology)
        values[f"{split}.entities_seen_pct"] = percent(len(concepts & seen), len(concepts))
        values[f"{split}.dropped"] = dict(corpus.dropped)
    values["test.refined"] = sum(refined(corpora["test"], (corpora["train"], corpora["dev"])))
    values |= {f"dictionary.{name}": value for name, value in dictionary_counts(ontology).items()}
    values["dictionary.definitions"] = sum(bool(c.definition) for c in ontology.concepts.values())
    values["dictionary.parents"] = sum(bool(c.parents) for c in ontology.concepts.values())
    return values


def _counts(corpora: list[Corpus], ontology: Ontology) -> dict[str, int | float]:
    counts = corpus_counts(corpora, ontology)
    pairs = [pair for corpus in corpora for pair in corpus.mentions()]
    linked = [(document, mention) for document, mention in pairs if not mention.gold.nil]
    return counts | {
        "types": len({mention.type for _, mention in pairs}),
        "id_strings": len({mention.gold.printed for _, mention in linked}),
        "ids_per_document": len({(document.id, id) for document, m in linked for id in m.gold.ids}),
        "concepts": len(_concepts(corpora, ontology)),
        "strings": len({fold_name(mention.text) for _, mention in pairs}),
        "mentions_per_document": round(len(pairs) / counts["documents"], 2) if counts["documents"] else 0.0,
    }


def _concepts(corpora: list[Corpus], ontology: Ontology) -> set[str]:
    ids = {id for corpus in corpora for _, mention in corpus.mentions() for id in mention.gold.ids}
    return set(ontology.concepts_of(ids))
