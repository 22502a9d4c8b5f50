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

MAX_SHIFT = 30  # characters by which a mention may stand off its offsets
_TEXT = re.compile(r"([^|\t]+)\|([ta])\|(.*)")
_OFFSET = re.compile(r"([0-9]{1,15})(?:\.0*)?")  # a table that was read as floats prints 12.0
_PIECES = re.compile(r"[0-9]+(?:[-: ][0-9]+)?(?:[,;|][0-9]+(?:[-: ][0-9]+)?)+")

Span = tuple[int, int]
Moved = dict[tuple[str, int, int], Span | None]  # document, start, end in the file -> span in the corpus


class _Row(NamedTuple):
    """An annotation. ``span`` is None for one in several pieces, ``id`` where the line ends before it."""

    span: Span | None
    text: str
    type: str
    id: str | None
    submentions: tuple[str, ...] = ()

    def matches_text(self, text: str, base: int = 0) -> bool:
        """Whether the mention is where its offsets say, in a text that begins at offset ``base``."""
        span = self.span
        return span is not None and span[0] >= base and text[span[0] - base : span[1] - base] == self.text


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
class _Text:
    """The document being read: its text so far, and its mentions."""

    text: str = ""
    gap: str = ""  # what stands before the next passage
    mentions: list[Mention] = field(default_factory=list)
    passages: dict[str, tuple[int, set[_Row]]] = field(default_factory=dict)  # text -> start, annotations


@dataclass
class PubTator:
    """How a PubTator file is read.

    ``types`` keeps mentions of these types only; those of ``drop_types`` are dropped and counted under
    their type; any other type is no mention of the corpus. With ``repeated_rows`` an identical line is
    dropped as ``duplicate row``. With ``tolerant`` a mention that does not stand where its offsets say is
    moved to the nearest place within 30 characters where it does, or dropped as ``offset mismatch`` when
    there is none or two are equally near, and ``issues`` lists every such line; without it the first is an
    error. A mention in several pieces is dropped as ``discontinuous span``.

    With ``repeated_documents`` the blocks of one id are the passages of a full text: its text is these in
    file order, a blank between, in which the offsets of its mentions count. In the file they may count from
    the start of the passage or of the document: in each block the way by which more of its mentions stand
    where they should, the passage's own where both are as good. An annotation of a passage that stands
    twice, text and annotation, is dropped as ``duplicate document``. Without it a second block is an error.

    ``counted``: kind of line or block -> how many.
    """

    gold: GoldReader = generic_gold
    types: Collection[str] | None = None
    drop_types: Collection[str] = ()
    repeated_documents: bool = False
    repeated_rows: bool = False
    tolerant: bool = False
    issues: list[str] = field(default_factory=list)
    counted: Counter[str] = field(default_factory=Counter)

    def read(self, path: Path | str, name: str) -> Corpus:
        """The corpus in a file, ``.gz`` or not: every mention kept or counted, in file order.

        A passage's text is title, blank, abstract. Relations, lines whose second column is no offset, are
        passed over, counted. Raises ValueError (path:line) for anything that is not as it should be.
        """
        texts, dropped, moved = {}, Counter(), {}
        for block in _blocks(path):
            if block.id in texts and not self.repeated_documents:
                raise read_error(path, block.line, "each document once", f"{block.id} again")
            self._add(texts.setdefault(block.id, _Text()), block, dropped, moved)
        if not texts:
            raise read_error(path, 1, "at least one document", "none")
        documents = tuple(Document(id, text.text, tuple(text.mentions)) for id, text in texts.items())
        moved = {key: span for key, span in moved.items() if key and key[1:] != span}
        return Corpus(name, documents, dropped, moved)

    def _add(self, document: _Text, block: _Block, dropped: Counter[str], moved: Moved) -> None:
        """Append a block to its document."""
        lines = [line for line in block.lines if not _is_relation(line[1], block.text)]
        self.counted += Counter({"relation lines": len(block.lines) - len(lines)})
        rows = [(number, _row(block.path, number, cells)) for number, cells in lines]
        start, shift = len(document.text) + len(document.gap), 0
        earlier, seen = set(), set()
        if document.passages and rows:
            own, whole = (sum(row.matches_text(block.text, base) for _, row in rows) for base in (0, start))
            if whole > own:
                shift, kind = start, "further passages with offsets of the document"
            elif block.text in document.passages:
                (start, earlier), kind = document.passages[block.text], "passages that stand twice"
            else:
                kind = "further passages with offsets of their own"
            self.counted[kind] += 1
        for number, row in rows:
            printed = row.span and (block.id, *(start - shift + offset for offset in row.span))
            moved.setdefault(printed, None)
            kept = self._mention(block, number, row, shift, earlier, seen)
            if isinstance(kept, str):
                dropped[kept] += 1
            elif kept:
                (first, last), gold = kept
                span = start + first, start + last
                document.mentions.append(Mention(*span, block.text[first:last], row.type, gold))
                moved[printed] = span
        if start < len(document.text):  # the text stands there already
            earlier.update(row for _, row in rows)
            return
        document.passages.setdefault(block.text, (start, {row for _, row in rows}))
        document.text += document.gap + block.text
        document.gap = " " if block.abstract else ""  # without abstract the text ends in a blank

    def _mention(
        self, block: _Block, number: int, row: _Row, shift: int, earlier: set[_Row], seen: set[_Row]
    ) -> tuple[Span, Gold] | str | None:
        """A mention's place in its block and its gold; or why it is dropped; None for a type not read."""
        if row.type in self.drop_types:
            return row.type
        if self.types is not None and row.type not in self.types:
            return None
        if row in earlier or (self.repeated_rows and row in seen):
            return "duplicate document" if row in earlier else "duplicate row"
        seen.add(row)
        span = self._span(block, number, row, shift)
        if isinstance(span, str):
            return span
        if row.id is None:
            self.counted["mentions without an id column, read as NIL"] += 1
        try:
            gold = self.gold(row.id or "", row.type, row.submentions)
        except ValueError as error:
            raise ValueError(f"{block.path}:{number}: {error}") from None
        return gold if isinstance(gold, str) else (span, gold)

    def _span(self, block: _Block, number: int, row: _Row, shift: int) -> Span | str:
        """A mention's place in its block, which begins at offset ``shift``; or why it is dropped."""
        if row.span is None:
            return "discontinuous span"
        if row.matches_text(block.text, shift):
            return row.span[0] - shift, row.span[1] - shift
        printed = f"{row.span[0]}-{row.span[1]}"
        start, end = (max(0, offset - shift) for offset in row.span)
        text = block.text[start:end]
        if not self.tolerant:
            raise read_error(block.path, number, f"{row.text!r} at {printed} of document {block.id}", text)
        span = _nearest_occurrence(row.text.strip(), block.text, start)
        words = [re.escape(word) for word in row.text.split()]  # in the span end to end, others between them
        pieces = not span and len(words) > 1 and bool(re.fullmatch(".*".join(words), text, re.DOTALL))
        done = f"taken at {span[0] + shift}-{span[1] + shift}" if span else "in pieces, " * pieces + "dropped"
        self.issues.append(f"{Path(block.path).name}:{number}: {row.text!r} is not at {printed}, {done}")
        return span or ("discontinuous span" if pieces else "offset mismatch")


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
    if start and end and int(start[1]) < int(end[1]):
        span = int(start[1]), int(end[1])
    elif _PIECES.fullmatch(first) and _PIECES.fullmatch(last):
        span = None
    else:
        raise read_error(path, number, "start and end as numbers, start before end", f"{first}, {last}")
    return _Row(span, text, type, id, tuple(submentions.split("|")) if submentions else ())


def _nearest_occurrence(string: str, text: str, start: int) -> Span | None:
    """The place nearest to ``start``, at most ``MAX_SHIFT`` away, where the string stands, case aside; None
    where there is none or two are equally near."""
    places = sorted(
        (abs(at - start), at)
        for at in range(max(0, start - MAX_SHIFT), start + MAX_SHIFT + 1)
        # Lower-casing may lengthen a text, so it is the piece that is lower-cased, not the document.
        if string and text[at : at + len(string)].lower() == string.lower()
    )
    if not places or (len(places) > 1 and places[0][0] == places[1][0]):
        return None
    return places[0][1], places[0][1] + len(string)
