"""Published answers by the count of their authors, and where their gold is that of the corpus here."""

from benchlib.benchmark import Benchmark
from benchlib.predictions import Query

from ..corpora.published import CORPORA, Answer, answers, gold_mentions, systems, translation


def recount(benchmark: Benchmark) -> dict[str, object]:
    """By system: how many of BELB's ``mentions`` it ``answered``, and for how many the best answer is right.

    ``strict``: the name has one owner, which is gold; ``lenient``: an owner is gold. Of several golds any is
    right, as the authors count. ``mentions`` are BELB's, ``here`` those of the test split; ``aligned`` are at
    the same place in both; ``merged`` of these have another gold in BELB, and ``composite`` several concepts;
    ``unlike`` are the places in corpus order, from 0, of the mentions that do not align or are merged: they
    leave paired tests. ``foreign`` counts top answers that are gold of no aligned mention, ``depth`` is the
    length of the longest list. Without published answers nothing is counted, and every mention is alike.
    """
    if benchmark.name not in CORPORA:
        return {"here": benchmark.test.n_mentions, "unlike": [], "systems": {}}
    gold = gold_mentions(benchmark.name)
    known = translation(gold, benchmark.test)
    counted: dict[str, dict[str, int]] = {}
    for system in systems(benchmark.name):
        given = answers(benchmark.name, system)
        counted[system] = {
            "answered": len(given),
            "strict": sum(len(one.ranked[0]) == 1 and _lenient(one) for one in given),
            "lenient": sum(map(_lenient, given)),
            "foreign": sum(any(id not in known.ids for id in one.ranked[0]) for one in given),
            "depth": max(len(one.ranked) for one in given),
        }
    alike = known.spans - known.merged
    places = [Query(d.id, m.start, m.end) for d, m in benchmark.test.mentions()]
    return {
        "mentions": len(gold),
        "here": len(places),
        "aligned": len(known.spans),
        "merged": len(known.merged),
        "composite": sum(len(ids) > 1 for ids in gold.values()),
        "unlike": [number for number, place in enumerate(places) if place not in alike],
        "systems": counted,
    }


def _lenient(answer: Answer) -> bool:
    return not answer.gold.isdisjoint(answer.ranked[0])
