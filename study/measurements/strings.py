"""Counts of the strings of a benchmark: how many mentions are new, and how many only look so."""

from collections import Counter
from itertools import chain

from benchlib.benchmark import Benchmark
from benchlib.corpus import Mention
from benchlib.ontology import fold_name, refined


def strings(benchmark: Benchmark) -> dict[str, int]:
    """What the papers call the size of a split, counted in every way in which it can be.

    ``learn`` is train and dev together. Of NIL mentions only ``test.nil`` is counted. ``distinct`` strings
    are exact ones; ``no_canonical`` are those that are not the first name of their gold; ``seen`` test
    mentions have the case-folded string of a train or dev mention, NIL or not; ``refined`` are those that
    :func:`benchlib.ontology.refined` leaves. ``largest_3`` are the test mentions of the three most frequent
    golds.
    """
    read = [m for _, m in chain(benchmark.train.mentions(), benchmark.dev.mentions())]
    learn = [m for m in read if not m.gold.nil]
    test = [m for _, m in benchmark.test.mentions() if not m.gold.nil]
    known = {fold_name(m.text) for m in read}
    golds = Counter(m.gold.printed for m in test)

    def is_canonical(mention: Mention) -> bool:
        ids = benchmark.ontology.concepts_in(mention.gold.ids)
        return any(mention.text in benchmark.ontology.concepts[id].names[:1] for id in ids)

    return {
        "learn.mentions": len(learn),
        "learn.distinct": len({m.text for m in learn}),
        "learn.folded": len({fold_name(m.text) for m in learn}),
        "learn.distinct_no_canonical": len({m.text for m in learn if not is_canonical(m)}),
        "learn.concepts": len({id for m in learn for id in m.gold.ids}),
        "test.mentions": len(test),
        "test.distinct": len({m.text for m in test}),
        "test.seen": sum(fold_name(m.text) in known for m in test),
        "test.refined": sum(refined(benchmark.test, (benchmark.train, benchmark.dev))),
        "test.concepts": len({id for m in test for id in m.gold.ids}),
        "test.largest_3": sum(n for _, n in golds.most_common(3)),
        "test.nil": benchmark.test.n_mentions - len(test),
        "dictionary.concepts": len(benchmark.ontology.concepts),
    }
