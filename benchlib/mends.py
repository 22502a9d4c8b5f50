"""Other ways to write ids that do not match those of an ontology, to be tried before they are advised."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from .corpus import Corpus
from .ontology import Ontology, fold_name

if TYPE_CHECKING:  # it loads pandas
    from .predictions import Predictions

_LISTED = re.compile(r"[^\s\[\](){},'\"]+")
_SAMPLE = 200  # ids of which one must become an id of the ontology by two mends
_JOIN = "join the ids of a row by |"
_CASE = "write them in upper and lower case as the ontology does"
_SWAPPED = "the columns of ids and names may be swapped"


class Mend(NamedTuple):
    """A ``way`` to ``read`` an id as others, and what to do about it in ``gold`` and in ``answers``."""

    way: str
    read: Callable[[str], Sequence[str]]
    gold: str
    answers: str


def option(name: str, value: str) -> str:
    """An option by its name on the command line, and in Python, as on a page."""
    return f"--{name.replace('_', '-')} {value} (in Python `{name}`)"


def id_mends(ids: Collection[str], ontology: Ontology) -> Iterator[Mend]:
    """Ids split, as in a Python list, without a prefix or with one, in other case, and taken as names; then
    each two of these that give an id of the ontology together."""
    prefixes, cases = _prefixes(ontology.concepts), {id.lower(): id for id in ontology.concepts}

    def singles(ids: Collection[str]) -> Iterator[Mend]:
        for mark in map(repr, ";,|+/& "):
            gold = f"{option('any_of', mark)} where any of them is right, {option('all_of', mark)} for all"
            yield Mend(f"split at {mark}", lambda id, c=mark[1]: [*map(str.strip, id.split(c))], gold, _JOIN)
        yield Mend("as lists", _LISTED.findall, "print them without brackets", _JOIN)
        bare = [(f"without {p} before them", p, lambda id, p=p: [id.removeprefix(p)]) for p in _prefixes(ids)]
        longer = [(f"with {p} before them", p, lambda id, p=p: [p + id]) for p in prefixes]
        for way, prefix, read in bare + longer:
            advice = option("strip_prefix", prefix)
            yield Mend(way, read, advice, f"write them so, or {advice} for files of one's own")
        whole = "write them as whole numbers"
        yield Mend("without .0 behind them", lambda id: [id.removesuffix(".0")], whole, whole)
        yield Mend("in other case", lambda id: [cases.get(id.lower(), id)], _CASE, _CASE)
        yield Mend("as names", lambda id: ontology.owners().get(fold_name(id), ()), _SWAPPED, _SWAPPED)

    yield from (mends := list(singles(ids)))
    sample = list(ids)[:: 1 + len(ids) // _SAMPLE]
    for first in mends:
        between = [id for text in sample for id in first.read(text) if id not in ontology]
        for then in singles(between) if between else ():
            if any(id in ontology for text in between for id in then.read(text)):
                yield Mend(
                    f"{first.way}, then {then.way}",
                    lambda text, a=first.read, b=then.read: [
                        id for mid in a(text) for id in ((mid,) if mid in ontology else b(mid))
                    ],
                    f"{first.gold}; {then.gold}",
                    f"{first.answers}; {then.answers}",
                )


def _prefixes(ids: Iterable[str]) -> list[str]:
    """The most frequent ones."""
    found = Counter(match[0] for id in ids if (match := re.match("[^:]*:|[^_]*_", id)))
    return [prefix for prefix, _ in found.most_common(3)]


def mend_of_answers(predictions: Predictions, corpus: Corpus, ontology: Ontology) -> str:
    """The way to write the ids of answers by which most mentions have their gold among them, as a sentence
    with the numbers; empty where no way has more than now."""
    answers: dict[tuple, list[int]] = {}
    for query, row in zip(predictions.queries, predictions.index, strict=True):
        answers.setdefault(query[:3], []).extend(row[row >= 0].tolist())
    pairs = [
        (answers.get((document.id, mention.start, mention.end), ()), ontology.concepts_in(mention.gold.ids))
        for document, mention in corpus.mentions()
    ]

    def matches(ids: Iterable[Iterable[str]]) -> int:
        concepts = [ontology.concepts_in(each) for each in ids]
        return sum(any(concepts[i] & gold for i in listed) for listed, gold in pairs)

    candidates = predictions.candidates
    n, way, advice = (now := matches(candidate.ids for candidate in candidates)), "", ""
    if (found := matches([candidate.name] for candidate in candidates)) > n:
        n, way, advice = found, "from the column of names", _SWAPPED
    texts = [candidate.ids or (candidate.name,) for candidate in candidates]
    unknown = {id for each in texts for id in each if id and id not in ontology}
    for mend in id_mends(sorted(unknown), ontology) if unknown else ():
        read = {text: mend.read(text) for text in unknown}
        found = matches([id for text in each for id in read.get(text, (text,))] for each in texts)
        if found > n:
            n, way, advice = found, mend.way, mend.answers
    more = f"{n:,} mentions instead of {now:,} have their gold among the answers"
    return way and f"Where ids are read {way}, {more}: {advice}."
