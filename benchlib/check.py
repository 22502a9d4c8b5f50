"""Say how a corpus and its ontology are understood: ``python -m benchlib.check --dataset ID_OR_PATH``.

Prints what is to be doubted, the counts of each split and what was left out of it, the types, how gold ids
look and how many are in the ontology, the ontology, and the first mentions with the names of their gold.
"""

import argparse
import sys
from collections import Counter
from collections.abc import Iterator, Sequence

import pandas as pd

from .benchmark import SPLITS, Benchmark
from .corpus import Corpus, Document, Mention
from .counts import card
from .ontology import Ontology
from .options import add_options, benchmark_of
from .terminal import run, shown, visible

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


def understood(benchmark: Benchmark, mentions: int = 5) -> str:
    """The benchmark in words and tables, with the first ``mentions`` of each split; text of its files is
    written so that it cannot steer a terminal."""
    values, splits = card(benchmark), [split for split in SPLITS if benchmark.split(split).n_raw]
    counts = pd.DataFrame(
        {split: [values[f"{split}.{name}"] for name in _COUNTED] for split in splits},
        index=list(_COUNTED.values()),
        dtype=object,
    )
    blocks = [f"{benchmark.name}\n{counts.to_string()}"]
    for split in splits:
        blocks += filter(None, [_dropped(split, benchmark.split(split))])
        blocks.append(f"{split}, by type\n{_types(benchmark.split(split), benchmark.ontology).to_string()}")
    sizes = [f"  {label}: {values[f'dictionary.{name}']:,}" for name, label in _ONTOLOGY.items()]
    blocks.append("\n".join([f"ontology {visible(benchmark.ontology.name)}", *sizes]))
    for split in splits:
        first = zip(range(mentions), benchmark.split(split).mentions(), strict=False)
        lines = [line for _, pair in first for line in _mention(*pair, benchmark.ontology)]
        blocks.append("\n".join([f"{split}, the first mentions", *lines]))
    return "\n\n".join(blocks)


def _dropped(split: str, corpus: Corpus) -> str:
    lines = [f"  {visible(reason)}: {n:,}" for reason, n in corpus.dropped.items() if n]
    return "\n".join([f"{split}, left out", *lines]) if lines else ""


def _types(corpus: Corpus, ontology: Ontology) -> pd.DataFrame:
    """A row for each type: its mentions, and those with a gold id in the ontology."""
    mentions, inside = Counter(), Counter()
    for _, mention in corpus.mentions():
        mentions[mention.type] += 1
        inside[mention.type] += any(id in ontology for id in mention.gold.ids)
    rows = [(n, inside[type]) for type, n in mentions.most_common()]
    types = [visible(type) or "(no type)" for type, _ in mentions.most_common()]
    return pd.DataFrame(rows, index=types, columns=["mentions", "gold in the ontology"])


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


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchlib.check", description=__doc__)
    add_options(parser)
    parser.add_argument("--first", type=int, default=5, help="mentions shown of each split (default 5)")
    options = parser.parse_args(arguments)

    def check() -> int:
        print(shown(understood(benchmark_of(options), options.first)))
        return 0

    return run(check, "not checked")


if __name__ == "__main__":
    sys.exit(main())
