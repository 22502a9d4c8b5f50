"""Counts of corpora and dictionaries, and a benchmark described by them and its first mentions."""

from collections import Counter
from collections.abc import Iterator, Sequence

import pandas as pd

from .benchmark import SPLITS, Benchmark
from .corpus import Corpus, Document, Mention
from .ontology import Ontology
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


def corpus_counts(corpora: Sequence[Corpus], ontology: Ontology) -> dict[str, int | float]:
    """Counts of corpora taken together: ``raw`` mentions in the source, ``mentions`` read, of which some are
    ``nil``, ``composite`` (all of several parts) or have ``alternatives``; distinct gold ``ids`` after
    splitting; mentions with a gold concept ``in_dictionary``, and ``reachable``, in it with a name, also in
    percent of the mentions that are not NIL."""
    mentions = [mention for corpus in corpora for _, mention in corpus.mentions()]
    golds = [mention.gold for mention in mentions if not mention.gold.nil]
    concepts_of = [ontology.concepts_in(gold.ids) for gold in golds]
    reachable = sum(any(ontology.concepts[id].names for id in concepts) for concepts in concepts_of)
    return {
        "documents": sum(len(corpus.documents) for corpus in corpora),
        "mentions": len(mentions),
        "raw": sum(corpus.n_raw for corpus in corpora),
        "nil": len(mentions) - len(golds),
        "composite": sum(len(gold.parts) > 1 for gold in golds),
        "alternatives": sum(len(gold.parts) == 1 and len(gold.ids) > 1 for gold in golds),
        "ids": len({id for gold in golds for id in gold.ids}),
        "in_dictionary": sum(map(bool, concepts_of)),
        "reachable": reachable,
        "reachable_pct": percent(reachable, len(golds)),
    }


def dictionary_counts(ontology: Ontology) -> dict[str, int]:
    """Counts of concepts, their ids and names; ``folded_names`` are distinct ones, case aside."""
    concepts = ontology.concepts.values()
    owners = ontology.owners()
    return {
        "concepts": len(ontology),
        "ids": len({id for concept in concepts for id in (concept.id, *concept.alternatives)}),
        "unnamed": sum(not concept.names for concept in concepts),
        "names": sum(len(concept.names) for concept in concepts),
        "folded_names": len(owners),
        "ambiguous_names": sum(len(ids) > 1 for ids in owners.values()),
    }


def percent(part: int, whole: int) -> float:
    """A share in percent to two decimals; 0 where the whole is 0."""
    return round(100 * part / whole, 2) if whole else 0.0


def describe(benchmark: Benchmark, mentions: int = 5) -> str:
    """The counts of each split, what was left out of it, its types and how many of their gold ids are in the
    ontology, the size of the ontology, and the first ``mentions`` of each split with the names of their gold;
    text of its files is written so that it cannot steer a terminal."""
    splits = [split for split in SPLITS if benchmark.split(split).documents]
    counted = [corpus_counts([benchmark.split(split)], benchmark.ontology) for split in splits]
    cells = {label: [each[name] for each in counted] for name, label in _COUNTED.items()}
    counts = pd.DataFrame.from_dict(cells, "index", columns=splits, dtype=object)
    blocks = [f"{benchmark.name}\n{counts.to_string()}"]
    for split in splits:
        corpus = benchmark.split(split)
        dropped = [f"  {visible(reason)}: {n:,}" for reason, n in corpus.dropped.items() if n]
        if dropped:
            blocks.append("\n".join([f"{split}, left out", *dropped]))
        if corpus.n_mentions:
            blocks.append(f"{split}, by type\n{_types(corpus, benchmark.ontology).to_string()}")
    of_ontology = dictionary_counts(benchmark.ontology)
    sizes = [f"  {label}: {of_ontology[name]:,}" for name, label in _ONTOLOGY.items()]
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
    place = f"{document.id} {mention.start}-{mention.end} {mention.type}"
    yield visible(f"  {place}: {before}[{mention.text}]{after}")
    if mention.gold.nil:
        yield visible(f"    {mention.gold.printed or '(nothing)'}: NIL")
    for part in mention.gold.parts:
        yield visible("    " + " or ".join(f"{id}: {_named(id, ontology)}" for id in sorted(part)))


def _named(id: str, ontology: Ontology) -> str:
    concepts = [ontology.concepts[concept] for concept in ontology.resolve(id)]
    names = [concept.names[0] if concept.names else "(without a name)" for concept in concepts]
    return ", ".join(names) or "NOT IN THE ONTOLOGY"
