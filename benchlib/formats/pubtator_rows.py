"""The annotation lines of a PubTator block: which are mentions, what their cells say, where they stand."""

import re
from pathlib import Path
from typing import NamedTuple

from .lines import wrong

REACH = 30  # characters a displaced mention is looked for on either side
_OFFSET = re.compile(r"([0-9]{1,15})(?:\.0*)?")  # a table that was read as floats prints 12.0
_PIECES = re.compile(r"[0-9]+(?:[-: ][0-9]+)?(?:[,;|][0-9]+(?:[-: ][0-9]+)?)+")
_EXPECTED = "document, start, end, mention, type, id[, sub-mentions]"


class Row(NamedTuple):
    """An annotation. ``span`` is None for one in several pieces, ``id`` where the line ends before it."""

    span: tuple[int, int] | None
    text: str
    type: str
    id: str | None
    submentions: tuple[str, ...] = ()

    def stands(self, text: str, base: int = 0) -> bool:
        """Whether the mention is where its offsets say, in a text that begins at offset ``base``."""
        if self.span is None or self.span[0] < base:
            return False
        return text[self.span[0] - base : self.span[1] - base] == self.text


def is_relation(cells: tuple[str, ...], text: str) -> bool:
    """Whether a line of any number of columns says something else than where a mention stands: its second
    column is no offset. Where the third and fourth are an end and the mention that ends there, it is a
    mention whose start is wrong."""
    if not cells or not cells[0].strip() or re.match(r"[-+]?[0-9]", cells[0]):
        return False
    end = _OFFSET.fullmatch(cells[1]) if len(cells) > 3 else None
    return not (end and cells[2] and text[: int(end[1])].endswith(cells[2]))


def read_row(path: Path | str, number: int, cells: tuple[str, ...]) -> Row:
    """Raises ValueError for too few or too many columns, and for offsets that are none."""
    start = _OFFSET.fullmatch(cells[0]) if cells else None
    if not start and len(cells) > 3 and _PIECES.fullmatch(cells[0]) and not _PIECES.fullmatch(cells[1]):
        cells = (cells[0], *cells)  # all pieces in one column: 12-20,25-30
    if not 4 <= len(cells) <= 6:
        raise wrong(path, number, _EXPECTED, "\t".join(cells))
    first, last, text, type, *rest = cells
    end = _OFFSET.fullmatch(last)
    if start and end and int(start[1]) < int(end[1]):
        span = int(start[1]), int(end[1])
    elif _PIECES.fullmatch(first) and _PIECES.fullmatch(last):
        span = None
    else:
        raise wrong(path, number, "start and end as numbers, start before end", f"{first}, {last}")
    submentions = tuple(rest[1].split("|")) if len(rest) > 1 and rest[1] else ()
    return Row(span, text, type, rest[0] if rest else None, submentions)


def nearest(string: str, text: str, start: int) -> tuple[int, int] | None:
    """The one place nearest to ``start``, at most ``REACH`` away, where the string stands, case aside."""
    places = [
        at
        for at in range(max(0, start - REACH), start + REACH + 1)
        # Lower-casing may lengthen a text, so it is the piece that is lower-cased, not the document.
        if string and text[at : at + len(string)].lower() == string.lower()
    ]
    least = min((abs(at - start) for at in places), default=None)
    found = [at for at in places if abs(at - start) == least]
    return (found[0], found[0] + len(string)) if len(found) == 1 else None


def words_apart(mention: str, found: str) -> bool:
    """Whether the words of a mention stand in what was found in this order, other words between them."""
    words = mention.split()
    ends = len(words) > 1 and found.startswith(words[0]) and found.endswith(words[-1])
    return ends and bool(re.search(".*".join(map(re.escape, words)), found, re.DOTALL))
