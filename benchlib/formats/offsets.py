"""Place the mentions of a text whose offsets may count something other than its characters."""

import html
import re
import unicodedata
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import accumulate, product
from typing import NamedTuple

MAX_SHIFT = 30  # characters by which a single mention may be away from its offsets
_ENTITY = re.compile(r"&(?:#[0-9]+|#[xX][0-9a-fA-F]+|[a-zA-Z]+[0-9]*);")
_LETTER = re.compile(r"(GREEK|LATIN) SMALL LETTER (?:FINAL )?(\w+)")
_QUOTES = str.maketrans("‘’ʼ′“”″", "''''\"\"\"")
_JOINS = {1: "", 0: ", title and abstract joined without a blank", 2: ", title and abstract two blanks apart"}

Span = tuple[int, int]


class Place(NamedTuple):
    """Where the offsets of a mention lead in the text, and where it is: None where it is nowhere.

    ``how``: its text is there ``exact``, or ``otherwise`` written; or it is the ``nearest`` occurrence.
    """

    at: Span
    span: Span | None
    how: str = "nearest"


class Placing(NamedTuple):
    """The places of the mentions of a passage, ``what`` their offsets count if not its characters, and
    whether they count from the beginning of the document (``absolute``) or of the passage."""

    places: list[Place]
    what: str
    absolute: bool


@dataclass(kw_only=True)
class Oddities:
    """What is odd about the offsets of a corpus: ``counted`` by kind; ``issues`` lists the mentions that are
    moved or dropped."""

    issues: list[str] = field(default_factory=list)
    counted: Counter[str] = field(default_factory=Counter)

    def count(self, placing: Placing) -> None:
        if placing.what:
            self.counted[f"passages whose offsets count {placing.what}"] += 1

    def reason(self, where: str, text: str, printed: tuple[Span, str], place: Place, start: int = 0) -> str:
        """Note a mention that is not exactly at its offsets in the text, which begins at ``start`` of its
        document; why it is dropped, if it is."""
        (first, last), string = printed
        there = text[slice(*place.at)]
        if place.how == "otherwise":
            if there.split() != string.split():
                self.counted["mentions written otherwise at their offsets, kept there"] += 1
            return ""
        words = [re.escape(word) for word in string.split()]  # in the span end to end, others between them
        pieces = not place.span and len(words) > 1 and bool(re.fullmatch(".*".join(words), there, re.DOTALL))
        done = "in pieces, " * pieces + "dropped"
        if place.span:
            done = f"taken at {start + place.span[0]}-{start + place.span[1]}"
        self.issues.append(f"{where}: {string!r} is not at {first}-{last}, {done}")
        return "" if place.span else "discontinuous span" if pieces else "offset mismatch"


def place_mentions(
    text: str, blank: int, printed: Sequence[tuple[Span, str]], before: str = "", offset: int | None = None
) -> Placing:
    """Place mentions, given as offsets and text, in a passage.

    ``blank``: the index of the blank between its title and abstract, or the length of the text. ``before``:
    what comes before the passage in its document. ``offset``: where the passage begins, if the file says so.
    One reading of the offsets is chosen for all mentions, that by which most of them are where they should
    be, the first of equals: characters, UTF-8 bytes, UTF-16 units, XML entities counted as their characters
    or characters as entities, line ends as one; each with title and abstract joined by one blank, none or
    two, and from the beginning of the passage or of the document. A mention that is elsewhere by this reading
    is looked for by its characters, then at the nearest occurrence within ``MAX_SHIFT`` characters: of the
    same case, no part of a longer word, and no place of a mention with other offsets. It is nowhere where
    there is none, or several are as good.
    """
    best = (-1, -1)  # mentions at their offsets, and those of them that are exact
    for reading, base, ends in _readings(text, blank, before, offset):
        tried = [_place(text, ends, (start - base, end - base), string) for (start, end), string in printed]
        exact = sum(place.how == "exact" for place in tried)
        right = sum(place.span is not None for place in tried), exact
        if right > best:
            best, places, what, absolute = right, tried, reading, base > 0
        if exact == len(printed):
            break
    base = 0 if not absolute else len(before) if offset is None else offset
    for i, ((start, end), string) in enumerate(printed):
        if places[i].span is None and start >= base and text[start - base : end - base] == string:
            places[i] = Place(places[i].at, (start - base, end - base), "exact")
    owners = {place.span: span for (span, _), place in zip(printed, places, strict=True) if place.span}
    lost = [i for i, place in enumerate(places) if not place.span]
    near = {i: _nearest(text, printed[i], places[i].at[0], owners) for i in lost}
    claims = Counter(span for span, _ in {(near[i], printed[i][0]) for i in lost})
    for i in lost:
        places[i] = Place(places[i].at, near[i] if claims[near[i]] == 1 else None)
    return Placing(places, what, absolute)


def _readings(text: str, blank: int, before: str, offset: int | None) -> Iterator[tuple[str, int, list[int]]]:
    """What offsets may count, the offset at which the passage begins, and that of each of its characters."""
    plain, bases = list(range(len(text) + 1)), (0,) if offset is None else (offset, 0)
    for base in dict.fromkeys((*bases, len(before))):
        yield "", base, plain
    units, earlier = _lengths(text), _sizes(before)
    for join, unit in product(_JOINS if blank < len(text) else (1,), units):
        sizes = units[unit]
        sizes[blank : blank + 1] = [join] * (blank < len(text))
        ends = list(accumulate(sizes, initial=0))
        for base in dict.fromkeys((*bases, earlier[unit])):
            yield unit + _JOINS[join], base, ends


def _sizes(text: str) -> dict[str, int]:
    """How long a text is in each unit."""
    return {
        "characters": len(text),
        "UTF-8 bytes": len(text.encode()),
        "UTF-16 units": len(text.encode("utf-16-le")) // 2,
        "XML entities as one character": len(_ENTITY.sub(lambda entity: html.unescape(entity[0]), text)),
        "& < > as XML entities": len(html.escape(text, quote=False)),
        "& < > and quotes as XML entities": len(html.escape(text)),
        "all but ASCII as XML entities": len(text.encode("ascii", "xmlcharrefreplace")),
        "line ends as one character": len(text) - text.count("\r"),
    }


def _lengths(text: str) -> dict[str, list[int]]:
    """By unit, how many of it each character of a text takes."""
    sizes = {character: _sizes(character) for character in set(text)}
    lengths = {unit: [sizes[character][unit] for character in text] for unit in _sizes("")}
    for entity in _ENTITY.finditer(text):
        taken = [len(html.unescape(entity[0])), *[0] * (len(entity[0]) - 1)]
        lengths["XML entities as one character"][slice(*entity.span())] = taken
    return lengths


def _place(text: str, ends: list[int], span: Span, string: str) -> Place:
    """A mention at its offsets, which count as ``ends``, if it is there."""
    start, end = (max(0, bisect_right(ends, offset) - 1) for offset in span)
    if (last := start + len(string)) < len(ends) and ends[last] == span[1]:
        end = last  # and not after a blank or an entity that takes no unit
    piece = text[start:end]
    start += max(0, span[0] - ends[-1])  # beyond the text, as far as it says
    if span[0] < 0 or not piece:
        return Place((start, end), None)
    if piece == string:
        return Place((start, end), (start, end), "exact")
    # Another way of writing has no dash or blank at its ends.
    alike = not (_ignored(piece[0]) or _ignored(piece[-1])) and _spellings(piece) & _spellings(string)
    return Place((start, end), (start, end) if alike else None, "otherwise" if alike else "nearest")


@lru_cache(maxsize=1 << 14)
def _spellings(text: str) -> frozenset[str]:
    """A text without case, accents, dashes, blanks and quotes; Greek letters as the Latin one, or by name."""
    text = unicodedata.normalize("NFKD", html.unescape(text).translate(_QUOTES)).casefold()
    kept = [c for c in text if not _ignored(c) and not unicodedata.combining(c)]
    names = [_LETTER.match(unicodedata.name(c, "")) if not c.isascii() else None for c in kept]
    spelt = [name[2].lower() if name else c for c, name in zip(kept, names, strict=True)]
    short = [s[0] if name and name[1] == "GREEK" else s for s, name in zip(spelt, names, strict=True)]
    return frozenset({"".join(spelt), "".join(short)} - {""})


def _ignored(character: str) -> bool:
    return character.isspace() or character == "−" or unicodedata.category(character) in ("Pd", "Cf")


def _nearest(text: str, printed: tuple[Span, str], start: int, owners: dict[Span, Span]) -> Span | None:
    """The free place nearest to ``start`` where a mention is a whole word or several; None for a draw."""
    own, string = printed[0], printed[1].strip()
    places = sorted(
        (abs(at - start), at)
        for at in range(max(0, start - MAX_SHIFT), start + MAX_SHIFT + 1)
        if string and text.startswith(string, at) and owners.get((at, at + len(string)), own) == own
        if not (text[at - 1 : at].isalnum() and string[0].isalnum())
        if not (text[at + len(string) :][:1].isalnum() and string[-1].isalnum())
    )
    if not places or (len(places) > 1 and places[0][0] == places[1][0]):
        return None
    return places[0][1], places[0][1] + len(string)
