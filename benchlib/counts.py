"""Counts of a benchmark's splits and its dictionary: as flat values, and in words with its first mentions."""

from collections import Counter
from collections.abc import Iterator

import pandas as pd

from .benchmark import SPLITS, Benchmark
from .corpus import Corpus, Document, Mention
from .ontology import Ontology, fold_name, refined
from .terminal import visible

_COUNTED = {
    "documents": "documents",
    "raw": "mentions in the file",
    "mentions": "mentions read",
    "nil": "  of them NIL",
    "composite": "  of several parts, all asked for",
    "alternatives": "  of several ids, any of them right",
    "ids": "distinct gold ids",
    "in_dictionary": "mentions with a gold id in the ontology",
    "reachable": "mentions whose gold has a name there",
    "reachable_pct": "  in percent of those that are not NIL",
}
_ONTOLOGY = {
    "concepts": "concepts",
    "ids": "ids",
    "names": "names",
    "unnamed": "concepts without a name",
    "folded_names": "distinct names, case aside",
    "ambiguous_names": "names of several concepts",
}
_CONTEXT = 20  # characters on each side of a mention


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
    seen = _concepts([corpora["train"]], benchmark.ontology)
    for split, corpus in corpora.items():
        counts = _corpus_counts([corpus], benchmark.ontology)
        concepts = _concepts([corpus], benchmark.ontology)
        counts["entities_seen_pct"] = _percent(len(concepts & seen), len(concepts))
        values |= {f"{split}.{name}": value for name, value in counts.items()}
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
    concepts_of = [ontology.concepts_in(mention.gold.ids) for _, mention in linked]
    reachable = sum(any(ontology.concepts[id].names for id in concepts) for concepts in concepts_of)
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
        "in_dictionary": sum(map(bool, concepts_of)),
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


def _concepts(corpora: list[Corpus], ontology: Ontology) -> set[str]:
    """Distinct gold concepts; an id the ontology lacks counts as itself."""
    ids = {id for corpus in corpora for _, mention in corpus.mentions() for id in mention.gold.ids}
    return set(ontology.concepts_of(ids))


def _percent(part: int, whole: int) -> float:
    return round(100 * part / whole, 2) if whole else 0.0


def describe(benchmark: Benchmark, mentions: int = 5) -> str:
    """The counts of each split, what was left out of it, its types and how many of their gold ids are in the
    ontology, the size of the ontology, and the first ``mentions`` of each split with the names of their gold;
    text of its files is written so that it cannot steer a terminal."""
    values, splits = card(benchmark), [split for split in SPLITS if benchmark.split(split).documents]
    counts = pd.DataFrame(
        {split: [values[f"{split}.{name}"] for name in _COUNTED] for split in splits},
        index=list(_COUNTED.values()),
        dtype=object,
    )
    blocks = [f"{benchmark.name}\n{counts.to_string()}"]
    for split in splits:
        corpus = benchmark.split(split)
        dropped = [f"  {visible(reason)}: {n:,}" for reason, n in corpus.dropped.items() if n]
        if dropped:
            blocks.append("\n".join([f"{split}, left out", *dropped]))
        if corpus.n_mentions:
            blocks.append(f"{split}, by type\n{_types(corpus, benchmark.ontology).to_string()}")
    sizes = [f"  {label}: {values[f'dictionary.{name}']:,}" for name, label in _ONTOLOGY.items()]
    blocks.append("\n".join([f"ontology {visible(benchmark.ontology.name)}", *sizes]))
    for split in splits:
        first = zip(range(mentions), benchmark.split(split).mentions(), strict=False)
        lines = [line for _, pair in first for line in _mention(*pair, benchmark.ontology)]
        blocks.append("\n".join([f"{split}, the first mentions", *lines]))
    return "\n\n".join(blocks)


def _types(corpus: Corpus, ontology: Ontology) -> pd.DataFrame:
    """A row for each type: its mentions, and those with a gold id in the ontology."""
    mentions, inside = Counter(), Counter()
    for _, mention in corpus.mentions():
        mentions[mention.type] += 1
        inside[mention.type] += bool(ontology.concepts_in(mention.gold.ids))
    types = {visible(type) or "(no type)": (n, inside[type]) for type, n in mentions.most_common()}
    return pd.DataFrame.from_dict(types, "index", columns=["mentions", "gold in the ontology"])


def _mention(document: Document, mention: Mention, ontology: Ontology) -> Iterator[str]:
    """A mention in its context, and below it each part of its gold with the names of its concepts."""
    before = document.text[max(0, mention.start - _CONTEXT) : mention.start]
    after = document.text[mention.end : mention.end + _CONTEXT]
    yield visible(
        f"  {document.id} {mention.start}-{mention.end} {mention.type}: {before}[{mention.text}]{after}"
    )
    if mention.gold.nil:
        yield visible(f"    {mention.gold.printed or '(nothing)'}: NIL")
    for part in mention.gold.parts:
        yield visible("    " + " or ".join(f"{id}: {_named(id, ontology)}" for id in sorted(part)))


def _named(id: str, ontology: Ontology) -> str:
    concepts = [ontology.concepts[concept] for concept in ontology.resolve(id)]
    names = [concept.names[0] if concept.names else "(without a name)" for concept in concepts]
    return ", ".join(names) or "NOT IN THE ONTOLOGY"
