"""A system that answers with a name of many genes: how often the gold gene is one of its owners."""

from statistics import median

from benchlib.benchmark import Benchmark
from benchlib.predictions import Query

from ..corpora.published import CORPORA, answers, gold_mentions, translation
from .examples import LONGEST, named, placed


def shared_names(benchmark: Benchmark, system: str, examples: int = 5) -> dict[str, object]:
    """The first answers of a published ``system`` to the mentions that align with BELB's and are not merged,
    by whether the answered name has one owner or several, and whether gold is among them.

    ``owners`` is the median number of owners where gold is one of several, ``alone`` the number of these
    mentions where gold is the only owner in the dictionary here. The ``examples`` are of these mentions: the
    first of each document, in corpus order, with a string of at most 40 characters. Each has ``mention``,
    ``document``, ``start``, ``end``, ``gold`` as (id, name), the number of ``owners``, and how many of them
    are in the dictionary (``here``), whose ids BELB has for genes. Nothing where nothing is published.
    """
    if benchmark.name not in CORPORA:
        return {}
    known = translation(gold_mentions(benchmark.name), benchmark.test)
    given = {one.span: one for one in answers(benchmark.name, system)}
    counts = dict.fromkeys(("one, gold", "one, not gold", "several, gold", "several, not gold"), 0)
    alike, owners, alone, told = known.spans - known.merged, [], 0, {}
    for document, mention in benchmark.test.mentions():
        span = Query(document.id, mention.start, mention.end)
        if span not in alike or span not in given:
            continue
        first, gold = given[span].ranked[0], given[span].gold
        right = not gold.isdisjoint(first)
        counts[f"{'several' if len(first) > 1 else 'one'}, {'gold' if right else 'not gold'}"] += 1
        if not right or len(first) == 1:
            continue
        here = [id for id in first if id in benchmark.ontology.concepts]
        owners.append(len(first))
        alone += set(here) <= gold and len(here) == 1
        if len(told) < examples and len(mention.text) <= LONGEST:
            [meant, *_] = named(benchmark, [min(mention.gold.ids)])
            row = {**placed(document, mention), "gold": meant, "owners": len(first), "here": len(here)}
            told.setdefault(document.id, row)
    summary = {"owners": median(owners or [0]), "alone": alone}
    return {"mentions": sum(counts.values()), **counts, **summary, "examples": list(told.values())}
