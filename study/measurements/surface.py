"""How the string of a mention stands to the names of its gold: the error types of CoSiNES, for all mentions.

The paper shows examples of its types and no rule (section 5.5, table 2). This is ours, by strings alone:
words of letters and digits, case and the s of a plural aside. A word is cut before a number that follows
three letters or more (``windows6``), words without a letter or out of ``_STOP`` are left out, and two
neighbours written together are a word as well (``Red Hat`` is ``Redhat``).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from os.path import commonprefix

import pandas as pd

from benchlib.corpus import Corpus
from benchlib.ontology import Ontology

SURFACE = {
    "exact": "the letters and digits of a name of the gold, spaces and punctuation aside",
    "acronym": "a word of the mention is the initials of neighbouring words of a gold name that the mention "
    "has none of, or the other way round; two to six letters",
    "misspelling": "a word of five letters or more that is in no name is one error from a word of the gold: "
    "a letter too many, too few or another, or two swapped",
    "multi-match": "it shares a word with a name of the gold and with one of another concept",
    "single match": "it shares a word with names of the gold alone",
    "no-match": "it shares no word with the gold, whatever it shares with others",
    "nil": "the gold is NIL: there is nothing to match",
}
# + and # belong to the word: C, C++ and C# are three languages.
_WORD = re.compile(r"[^\W\d_]{3,}(?=\d)|[^\W_]+[+#]*")
# Not the s of IIS, Access or ReactJS.
_PLURAL = re.compile(r"(?<=..[^js])s$")
_STOP = {"a", "an", "and", "as", "at", "by", "for", "from", "in", "is", "of", "on", "or", "the", "to", "with"}


def surface(corpus: Corpus, ontology: Ontology) -> pd.Series:
    """The class of every mention in corpus order, a key of ``SURFACE``: the first that holds.

    Names of all concepts of the gold count as names of the gold. Raises ValueError for a mention without
    gold.
    """
    names = {id: [_Name(name) for name in concept.names] for id, concept in ontology.concepts.items()}
    owners: dict[str, set[str]] = {}
    for id, of_concept in names.items():
        for name in of_concept:
            for word in name.words:
                owners.setdefault(word, set()).add(id)
    found = []
    for document, mention in corpus.mentions():
        if mention.gold is None:
            raise ValueError(f"corpus {corpus.name}: document {document.id} has a mention without gold")
        gold = ontology.concepts_in(mention.gold.ids)
        gold_names = [name for id in sorted(gold) for name in names[id]]
        found.append("nil" if mention.gold.nil else _class(_Name(mention.text), gold, gold_names, owners))
    return pd.Series(found, name="surface", dtype=object)


class _Name:
    """A string as the rule reads it."""

    def __init__(self, text: str):
        found = _WORD.findall(text)
        words = (word for word in found if any(map(str.isalpha, word)))
        in_order = [word for word in words if word.casefold() not in _STOP]
        self.characters = "".join(found).casefold()
        self.single = {_stem(word) for word in in_order}
        self.words = self.single | {_stem(a + b) for a, b in pairwise(in_order)}
        self.letters = {"".join(filter(str.isalpha, word)).casefold() for word in in_order}
        self.initials = list(_initials(in_order))

    def shortens(self, other: _Name) -> bool:
        """Whether a word of this string stands for words of the other that this one has none of."""
        return any(short in self.letters and not words & self.words for short, words in other.initials)


def _class(mention: _Name, gold: set[str], gold_names: list[_Name], owners: dict[str, set[str]]) -> str:
    if any(mention.characters == name.characters for name in gold_names):
        return "exact"
    if any(mention.shortens(name) or name.shortens(mention) for name in gold_names):
        return "acronym"
    unknown = [word for word in mention.single if word not in owners and len(word) > 4 and word.isalpha()]
    if any(_one_error(word, right) for word in unknown for name in gold_names for right in name.words):
        return "misspelling"
    matched = [owners[word] for word in mention.words if word in owners]
    if not any(ids & gold for ids in matched):
        return "no-match"
    return "multi-match" if set().union(*matched) - gold else "single match"


def _stem(word: str) -> str:
    """The word without case, and without the s of a plural."""
    return _PLURAL.sub("", word.casefold())


def _initials(words: list[str]) -> Iterator[tuple[str, frozenset[str]]]:
    """What two to six letters stand for neighbouring words: their first ones, or their capitals."""
    for first in range(len(words)):
        for last in range(first + 1, min(first + 6, len(words)) + 1):
            run = words[first:last]
            for short in ("".join(w[0] for w in run), "".join(map(_capitals, run))):
                if 2 <= len(short) <= 6:
                    yield short.casefold(), frozenset(map(_stem, run))


def _capitals(word: str) -> str:
    """The capitals of a word that has some further on (``WL`` of WebLogic), else its first letter."""
    capitals = "".join(filter(str.isupper, word))
    return word[0] if word.startswith(capitals) else capitals


def _one_error(a: str, b: str) -> bool:
    """Whether one letter added, taken away or replaced, or two neighbours swapped, makes one of the other."""
    start = len(commonprefix([a, b]))
    a, b = a[start:], b[start:]
    end = len(commonprefix([a[::-1], b[::-1]]))
    a, b = a[: len(a) - end], b[: len(b) - end]
    return max(len(a), len(b)) == 1 or (len(a) == 2 and a == b[::-1])
