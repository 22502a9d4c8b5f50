"""Kinds of test mentions that only their documents and the training annotations tell."""

from collections import defaultdict

from benchlib.benchmark import Benchmark
from benchlib.matching.abbreviations import abbreviations
from benchlib.ontology import fold_name


def mention_kinds(benchmark: Benchmark) -> dict[str, object]:
    """How many ``test.mentions`` there are, and the numbers, from 0 in corpus order, of those of two kinds.

    ``abbreviation``: the string is a short form that the document defines (Schwartz and Hearst 2003).
    ``annotated otherwise``: train or dev mentions with the same string, case aside, have concepts, and none
    of these is gold here. NIL mentions are of neither kind.
    """
    ontology, learned = benchmark.ontology, defaultdict(set)
    for split in (benchmark.train, benchmark.dev):
        for _, mention in split.mentions():
            learned[fold_name(mention.text)].update(ontology.concepts_of(mention.gold.ids))
    shorts = {d.id: {one.short for one in abbreviations(d.text)} for d in benchmark.test.documents}
    short, otherwise = [], []
    for number, (document, mention) in enumerate(benchmark.test.mentions()):
        meant, gold = learned[fold_name(mention.text)], ontology.concepts_of(mention.gold.ids)
        short += [number] if gold and mention.text in shorts[document.id] else []
        otherwise += [number] if gold and meant and meant.isdisjoint(gold) else []
    kinds = {"abbreviation": short, "annotated otherwise": otherwise}
    return {"test.mentions": benchmark.test.n_mentions, **kinds}
