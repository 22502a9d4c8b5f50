"""PubTator text read into a corpus: blocks of title, abstract and one line per mention."""

import re
from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import NamedTuple

from ..corpus import Corpus, Document, Gold, Mention
from .gold_ids import GoldReader, generic_gold
from .lines import numbered_lines, read_error
from .offsets import Oddities, Place, Span, place_mentions

_TEXT = re.compile(r"([^|\t]+)\|([ta])\|(.*)")
_OFFSET = re.compile(r"([0-9]{1,15})(?:\.0*)?")  # a table that was read as floats prints 12.0
_PIECES = re.compile(r"[0-9]+(?:[-: ][0-9]+)?(?:[,;|][0-9]+(?:[-: ][0-9]+)?)+")

Printed = dict[tuple[str, int, int], list[Span]]  # document, start, end in the file -> spans in the corpus


class _Row(NamedTuple):
    """An annotation. ``span`` covers all ``pieces`` (as printed, if there are several); ``id`` is None where
    the line ends before it."""

    span: Span
    text: str
    type: str
    id: str | None
    submentions: tuple[str, ...] = ()
    pieces: str = ""


@dataclass
class _Block:
    """One title and abstract of a file, with its annotation lines: (line number, cells after the id)."""

    path: Path | str
    id: str
    line: int
    title: str
    abstract: str | None = None
    lines: list[tuple[int, list[str]]] = field(default_factory=list)

    @property
    def text(self) -> str:
        return f"{self.title} {self.abstract}"


@dataclass
class PubTator(Oddities):
    """How a PubTator file is read.

    ``types`` keeps mentions of these types only; those of ``drop_types`` are dropped and counted under
    their type; any other type is no mention of the corpus. With ``repeated_rows`` an identical line is
    dropped as ``duplicate row``. With ``tolerant`` offsets may count something other than characters
    (:func:`benchlib.formats.offsets.place_mentions`), a mention may be written otherwise than its text, and
    one that is not at its offsets is moved to the nearest place, or dropped as ``offset mismatch`` where
    there is none. Without it the first is an error. A mention in several pieces is dropped as
    ``discontinuous span``.

    With ``repeated_documents`` the blocks of one id are the passages of a full text: its text is these in
    file order, a blank between, in which the offsets of its mentions count. In the file they may count from
    the start of the passage or of the document: in each block the way by which more of its mentions are
    where they should be, the passage's own where both are as good. Blocks that repeat all blocks before
    them are the same document again: their annotations are added to those of the first, or dropped as
    ``duplicate document`` where these have them. Without it a second block is an error.

    ``counted``: kind of line, block or mention -> how many.
    """

    gold: GoldReader = generic_gold
    types: Collection[str] | None = None
    drop_types: Collection[str] = ()
    repeated_documents: bool = False
    repeated_rows: bool = False
    tolerant: bool = False

    def read(self, path: Path | str, name: str) -> Corpus:
        """The corpus in a file, ``.gz`` or not: every mention kept or counted, in file order.

        A passage's text is title, blank, abstract. Relations, lines whose second column is no offset, are
        passed over, counted. Raises ValueError (path:line) for anything that is not as it should be.
        """
        blocks: dict[str, list[_Block]] = {}
        for block in _blocks(path):
            if block.id in blocks and not self.repeated_documents:
                raise read_error(path, block.line, "each document once", f"{block.id} again")
            blocks.setdefault(block.id, []).append(block)
        if not blocks:
            raise read_error(path, 1, "at least one document", "none")
        dropped, printed = Counter(), {}
        documents = tuple(self._document(passages, dropped, printed) for passages in blocks.values())
        moved = {key: tuple(dict.fromkeys(spans)) for key, spans in printed.items() if {*spans} != {key[1:]}}
        return Corpus(name, documents, dropped, moved)

    def _document(self, passages: list[_Block], dropped: Counter[str], printed: Printed) -> Document:
        """The passages of a document as one; ``printed`` gets the places of the offsets in the file."""
        id, text, gap, mentions = passages[0].id, "", "", []
        first: list[tuple[int, set[_Row]]] = []  # of each passage that is not repeated: start, annotations
        period = _period([block.text for block in passages])
        for i, block in enumerate(passages):
            lines = [line for line in block.lines if not _is_relation(line[1], block.text)]
            self.counted += Counter({"relation lines": len(block.lines) - len(lines)})  # which keeps no 0
            rows = [(number, _row(block.path, number, cells)) for number, cells in lines]
            whole = [row for _, row in rows if not row.pieces]
            before, start, earlier, seen = text + gap, len(text) + len(gap), set(), set()
            given = [(row.span, row.text) for row in whole]
            placing = place_mentions(block.text, len(block.title), given, before, self.tolerant)
            repeats = i >= period and not placing.absolute
            if repeats:
                start, earlier = first[i % period]
            if i and rows:
                further = (
                    f"further passages with offsets of {'the document' if placing.absolute else 'their own'}"
                )
                self.counted["passages that repeat a document" if repeats else further] += 1
            if placing.what:
                self.counted[f"passages whose offsets count {placing.what}"] += 1
            places = dict(zip(whole, placing.places, strict=True))
            for number, row in rows:
                spans = printed.setdefault((id, *row.span), [])
                kept = self._mention(block, number, row, places.get(row), earlier, seen)
                if isinstance(kept, str):
                    dropped[kept] += 1
                elif kept:
                    (begin, end), gold = kept
                    spans.append((start + begin, start + end))
                    mentions.append(Mention(*spans[-1], block.text[begin:end], row.type, gold))
            earlier |= {row for _, row in rows}
            if repeats:
                continue
            first.append((start, earlier))
            text = before + block.text
            gap = " " if block.abstract else ""  # without abstract the text ends in a blank
        return Document(id, text, tuple(mentions))

    def _mention(
        self, block: _Block, number: int, row: _Row, place: Place | None, earlier: set[_Row], seen: set[_Row]
    ) -> tuple[Span, Gold] | str | None:
        """A mention's place in its block and its gold; or why it is dropped; None for a type not read."""
        if row.type in self.drop_types:
            return row.type
        if self.types is not None and row.type not in self.types:
            return None
        if row in earlier or (self.repeated_rows and row in seen):
            return "duplicate document" if row in earlier else "duplicate row"
        seen.add(row)
        if place is None:
            return "discontinuous span"
        if place.how != "exact":
            if not self.tolerant:
                where = f"{row.text!r} at {row.span[0]}-{row.span[1]} of document {block.id}"
                raise read_error(block.path, number, where, block.text[slice(*place.at)])
            where, printed = f"{Path(block.path).name}:{number}", (row.span, row.text)
            if reason := self.reason(where, block.text, printed, place):
                return reason
        if row.id is None:
            self.counted["mentions without an id column, read as NIL"] += 1
        try:
            gold = self.gold(row.id or "", row.type, row.submentions)
        except ValueError as error:
            raise ValueError(f"{block.path}:{number}: {error}") from None
        return gold if isinstance(gold, str) else (place.span, gold)


def _period(texts: list[str]) -> int:
    """After how many passages the rest of them repeats the first ones, as often as it takes."""
    n = len(texts)
    return next(p for p in range(1, n + 1) if n % p == 0 and texts == texts[:p] * (n // p))


def _blocks(path: Path | str) -> Iterator[_Block]:
    """Every block in file order; a blank line or the next title ends one."""
    block = None
    for number, line in chain(numbered_lines(path), [(0, "")]):
        text = _TEXT.fullmatch(line)
        if not line.strip() or (text and text[2] == "t"):
            if block is not None:
                if block.abstract is None:
                    raise read_error(path, block.line, "an abstract line after the title", "none")
                yield block
            block = _Block(path, text[1], number, text[3]) if text else None
        elif text and block and block.id == text[1] and block.abstract is None:
            block.abstract = text[3]
        elif text or block is None or block.abstract is None:
            raise read_error(path, number, "a title line, its abstract line, then annotations", line)
        else:
            id, *cells = line.split("\t")
            if id != block.id:
                raise read_error(path, number, f"a line of document {block.id}", line)
            block.lines.append((number, cells))


def _is_relation(cells: list[str], text: str) -> bool:
    """Whether a line of any number of columns is a relation: its second column is no offset. Where the third
    and fourth are an end and the mention that ends there, it is a mention whose start is wrong."""
    if not cells or not cells[0].strip() or re.match(r"[-+]?[0-9]", cells[0]):
        return False
    end = _OFFSET.fullmatch(cells[1]) if len(cells) > 3 else None
    return not (end and cells[2] and text[: int(end[1])].endswith(cells[2]))


def _row(path: Path | str, number: int, cells: list[str]) -> _Row:
    start = _OFFSET.fullmatch(cells[0]) if cells else None
    if not start and len(cells) > 3 and _PIECES.fullmatch(cells[0]) and not _PIECES.fullmatch(cells[1]):
        cells = [cells[0], *cells]  # all pieces in one column: 12-20,25-30
    if not 4 <= len(cells) <= 6:
        raise read_error(
            path, number, "document, start, end, mention, type, id[, sub-mentions]", "\t".join(cells)
        )
    first, last, text, type, id, submentions = [*cells, None, None][:6]
    end = _OFFSET.fullmatch(last)
    span = start and end and (int(start[1]), int(end[1]))
    pieces = ""
    if not span and _PIECES.fullmatch(first) and _PIECES.fullmatch(last):
        pieces, offsets = f"{first} {last}", list(map(int, re.findall("[0-9]+", f"{first} {last}")))
        span = min(offsets), max(offsets)
    if not span or span[0] >= span[1]:
        raise read_error(path, number, "start and end as numbers, start before end", f"{first}, {last}")
    return _Row(span, text, type, id, tuple(submentions.split("|")) if submentions else (), pieces)
