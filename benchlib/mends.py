"""Other ways to write ids that do not match those of an ontology, to be tried before they are advised."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from .corpus import Corpus
from .ontology import Ontology, fold_name

if TYPE_CHECKING:  # it loads pandas
    from .predictions import Predictions

_PREFIX = re.compile(r"[^:]*:|[^_]*_")
_TRIED = 3  # prefixes, the most frequent ones


class Mend(NamedTuple):
    """``ids`` read in another ``way``, and what to do about it in ``gold`` and in ``answers``."""

    way: str
    ids: dict[str, list[str]]
    gold: str
    answers: str


def option(name: str, value: str) -> str:
    """An option by its name on the command line, and on a page."""
    return f"--{name.replace('_', '-')} {value} (on a page `{name}`)"


def id_mends(ids: Collection[str], ontology: Ontology) -> Iterator[Mend]:
    """Ids without a prefix or with one, split, as in a Python list, in other case, and taken as names."""
    ours, theirs = (
        Counter(match[0] for id in each if (match := _PREFIX.match(id))).most_common(_TRIED)
        for each in (ids, ontology.concepts)
    )
    bare = [(f"without {p} before them", p, {id: [id.removeprefix(p)] for id in ids}) for p, _ in ours]
    longer = [(f"with {p} before them", p, {id: [p + id] for id in ids}) for p, _ in theirs]
    for way, prefix, read in bare + longer:
        advice = option("strip_prefix", prefix)
        yield Mend(way, read, advice, f"write them so, or {advice} for files of one's own")
    join = "join the ids of a row by |"
    for separator in ";,|+/& ":
        quoted = repr(separator)
        either = f"{option('any_of', quoted)} where any of them is right, {option('all_of', quoted)} for all"
        split = {id: [part.strip() for part in id.split(separator)] for id in ids}
        yield Mend(f"split at {quoted}", split, either, join)
    lists = {id: re.findall(r"[^\s\[\](){},'\"]+", id) for id in ids}
    yield Mend("as lists", lists, "print them without brackets", join)
    cases = {id.lower(): id for id in ontology.concepts}
    same = "write them in upper and lower case as the ontology does"
    yield Mend("in other case", {id: [cases.get(id.lower(), id)] for id in ids}, same, same)
    names = {id: list(ontology.owners().get(fold_name(id), ())) for id in ids}
    swapped = "the columns of ids and names may be swapped"
    yield Mend("as names", names, swapped, swapped)
    yield Mend("as ids", {id: [id] for id in ids}, swapped, swapped)


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
    n, best = (now := matches(candidate.ids for candidate in candidates)), None
    texts = [candidate.ids or (candidate.name,) for candidate in candidates]
    unknown = {id for candidate in candidates for id in candidate.ids if id not in ontology}
    unknown |= {candidate.name for candidate in candidates if candidate.name and not candidate.ids}
    for mend in id_mends(sorted(unknown), ontology) if unknown else ():
        found = matches([[id for text in each for id in mend.ids.get(text, [text])] for each in texts])
        if found > n:
            n, best = found, mend
    if best is None:
        return ""
    more = f"{n:,} mentions instead of {now:,} have their gold among the answers"
    return f"Where ids are read {best.way}, {more}: {best.answers}."
