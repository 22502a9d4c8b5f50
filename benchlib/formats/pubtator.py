"""PubTator text read into a corpus: blocks of title, abstract and one line per mention."""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path

from ..corpus import Corpus, Gold, Mention
from .gold_ids import GoldReader, generic_gold
from .lines import numbered_lines, read_error
from .offsets import Oddities, place_mentions
from .standoff import Annotation, Pair, corpus_of

_TEXT = re.compile(r"([^|\t]+)\|([ta])\|(.*)")
_OFFSET = re.compile(r"([0-9]{1,15})(?:\.0*)?")  # a table that was read as floats prints 12.0
_PIECES = re.compile(r"[0-9]+(?:[-: ][0-9]+)?(?:[,;|][0-9]+(?:[-: ][0-9]+)?)+")


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


def read_pubtator(
    path: Path | str,
    name: str,
    gold: GoldReader = generic_gold,
    oddities: Oddities | None = None,
    repeated_rows: bool = False,
) -> Corpus:
    """The documents of a file, ``.gz`` or not: every mention kept or counted, in file order.

    A passage's text is title, blank, abstract. The blocks of one id are the passages of a full text: its text
    is these in file order, a blank between, in which the offsets of its mentions count. In the file they may
    count from the start of the passage or of the document, whichever
    :func:`benchlib.formats.offsets.place_mentions` chooses. Blocks that repeat all blocks before them are the
    same document again: their annotations are added to those of the first, or dropped as ``duplicate
    document`` where these have them. Others are dropped as ``discontinuous span``, ``offset mismatch``, by
    ``gold``, and with ``repeated_rows``, where a mention is identical, as ``duplicate row``. Relations, lines
    whose second column is no offset, are passed over. ``oddities`` gets the number of these, of lines without
    an id and of odd passages, and the mentions that are moved. Raises ValueError (path:line) for anything
    that is not as it should be.
    """
    blocks: dict[str, list[_Block]] = {}
    for block in _blocks(path):
        blocks.setdefault(block.id, []).append(block)
    if not blocks:
        raise read_error(path, 1, "at least one document", "none")
    oddities = oddities or Oddities()
    how = gold, oddities, repeated_rows
    return corpus_of(name, ((id, *_document(passages, *how)) for id, passages in blocks.items()))


def _document(
    passages: list[_Block], gold: GoldReader, oddities: Oddities, repeated_rows: bool
) -> tuple[str, list[Pair]]:
    """The text of passages, and their annotations."""
    text, gap, pairs = "", "", []
    first: list[tuple[int, set[Annotation]]] = []  # of each passage that is not repeated: start, annotations
    period = _period([block.text for block in passages])
    for i, block in enumerate(passages):
        lines = [line for line in block.lines if not _is_relation(line[1], block.text)]
        oddities.counted += Counter({"relation lines": len(block.lines) - len(lines)})  # which keeps no 0
        rows = [(number, _annotation(block.path, number, cells)) for number, cells in lines]
        whole = [(row.span, row.string) for _, row in rows if not row.pieces]
        before, start, earlier = text + gap, len(text) + len(gap), set()
        placing = place_mentions(block.text, len(block.title), whole, before)
        repeats = i >= period and not placing.absolute
        if repeats:
            start, earlier = first[i % period]
        if i and rows:
            whose = "the document" if placing.absolute else "their own"
            further = f"further passages with offsets of {whose}"
            oddities.counted["passages that repeat a document" if repeats else further] += 1
        oddities.count(placing)
        places, seen = iter(placing.places), set()
        for number, row in rows:
            place = None if row.pieces else next(places)
            if row in earlier:
                pairs.append((row.span, "duplicate document"))
                continue
            where = f"{Path(block.path).name}:{number}"
            try:
                begin = start if placing.absolute else 0
                kept = row.gold_at(place, block.text, where, gold, oddities, begin)
            except ValueError as error:
                raise ValueError(f"{block.path}:{number}: {error}") from None
            if isinstance(kept, Gold):
                begin, end = place.span
                if row.ids is None:
                    oddities.counted["mentions without an id column, read as NIL"] += 1
                mention = Mention(start + begin, start + end, block.text[begin:end], row.type, kept)
                kept = "duplicate row" if repeated_rows and mention in seen else mention
                seen.add(mention)
            pairs.append((row.span, kept))
        earlier |= {row for _, row in rows}
        if not repeats:
            first.append((start, earlier))
            text = before + block.text
            gap = " " if block.abstract else ""  # without abstract the text ends in a blank
    return text, pairs


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


def _annotation(path: Path | str, number: int, cells: list[str]) -> Annotation:
    start = _OFFSET.fullmatch(cells[0]) if cells else None
    if not start and len(cells) > 3 and _PIECES.fullmatch(cells[0]) and not _PIECES.fullmatch(cells[1]):
        cells = [cells[0], *cells]  # all pieces in one column: 12-20,25-30
    if not 4 <= len(cells) <= 6:
        expected = "document, start, end, mention, type, id[, sub-mentions]"
        raise read_error(path, number, expected, "\t".join(cells))
    first, last, text, type, id, submentions = [*cells, None, None][:6]
    end = _OFFSET.fullmatch(last)
    span = start and end and (int(start[1]), int(end[1]))
    pieces = ""
    if not span and _PIECES.fullmatch(first) and _PIECES.fullmatch(last):
        pieces, offsets = f"{first} {last}", list(map(int, re.findall("[0-9]+", f"{first} {last}")))
        span = min(offsets), max(offsets)
    if not span or span[0] >= span[1]:
        raise read_error(path, number, "start and end as numbers, start before end", f"{first}, {last}")
    return Annotation(span, text, type, id, tuple(submentions.split("|")) if submentions else (), pieces)
