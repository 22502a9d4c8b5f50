"""PubTator text read into a corpus: blocks of title, abstract and one line per mention."""

from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from ..corpus import Corpus, Document, Gold, Mention
from .gold_ids import Meaning, generic_gold
from .lines import wrong
from .pubtator_blocks import Block, read_blocks
from .pubtator_rows import Row, is_relation, nearest, read_row, words_apart

__all__ = ["Meaning", "PubTator", "generic_gold"]


@dataclass
class _Text:
    """The document being read: its text so far, and its mentions."""

    text: str = ""
    gap: str = ""  # what stands before the next passage
    mentions: list[Mention] = field(default_factory=list)
    passages: dict[str, tuple[int, set[Row]]] = field(default_factory=dict)  # text -> where, annotations


@dataclass
class PubTator:
    """How a PubTator file is read.

    ``types`` keeps mentions of these types only; those of ``drop_types`` are dropped and counted under
    their type; any other type is no mention of the corpus. With ``repeated_rows`` an identical line is
    dropped and counted as ``duplicate row``. With ``tolerant`` a mention that does not stand where its
    offsets say is moved to the nearest place within 30 characters where it does, or dropped as ``offset
    mismatch`` when there is none or two are equally near, and ``issues`` lists every such line; without it
    the first is an error. A mention in several pieces is dropped as ``discontinuous span``.

    With ``repeated_documents`` an id may have several blocks: the passages of a full text. They are one
    document, its text the passages in file order, a blank between; that is what the offsets of its mentions
    count in. In the file they may count from the start of the passage or of the document: in each block the
    way by which more of its mentions stand where they should, the passage's own where both are as good. An
    annotation of a passage that stands twice, text and annotation, is dropped as ``duplicate document``.
    Without ``repeated_documents`` a second block of an id is an error.

    ``counted`` says what else was found: kind of line or block -> how many.
    """

    gold: Meaning = generic_gold
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
        texts: dict[str, _Text] = {}
        dropped: Counter[str] = Counter()
        elsewhere: dict[tuple[str, int, int], tuple[int, int] | None] = {}
        for block in read_blocks(path):
            if block.id in texts and not self.repeated_documents:
                raise wrong(path, block.line, "each document once", f"{block.id} again")
            self._add(texts.setdefault(block.id, _Text()), block, dropped, elsewhere)
        documents = (Document(id, one.text, tuple(one.mentions)) for id, one in texts.items())
        elsewhere = {printed: here for printed, here in elsewhere.items() if printed[1:] != here}
        return Corpus(name, tuple(documents), dropped, elsewhere)

    def _add(
        self,
        document: _Text,
        block: Block,
        dropped: Counter[str],
        elsewhere: dict[tuple[str, int, int], tuple[int, int] | None],
    ) -> None:
        rows = []
        for number, cells in block.rows:
            if is_relation(cells, block.text):
                self.counted["relation lines"] += 1
            else:
                rows.append((number, read_row(block.path, number, cells)))
        start, shift, earlier = len(document.text) + len(document.gap), 0, set()
        if document.passages and rows:
            own, on = (sum(row.stands(block.text, base) for _, row in rows) for base in (0, start))
            if on > own:
                shift, kind = start, "further passages with offsets of the document"
            elif block.text in document.passages:
                (start, earlier), kind = document.passages[block.text], "passages that stand twice"
            else:
                kind = "further passages with offsets of their own"
            self.counted[kind] += 1
        printed = {
            row: (block.id, start - shift + row.span[0], start - shift + row.span[1])
            for _, row in rows
            if row.span
        }
        elsewhere |= {span: None for span in printed.values() if span not in elsewhere}
        for row, span, gold in self._mentions(block, rows, shift, earlier, dropped):
            here = start + span[0], start + span[1]
            document.mentions.append(Mention(*here, block.text[slice(*span)], row.type, gold))
            elsewhere[printed[row]] = here
        if start < len(document.text):  # the text stands there already
            earlier.update(row for _, row in rows)
            return
        document.passages.setdefault(block.text, (start, {row for _, row in rows}))
        document.text += document.gap + block.text
        # A passage without abstract ends in a blank already.
        document.gap = " " if block.abstract else ""

    def _mentions(
        self,
        block: Block,
        rows: list[tuple[int, Row]],
        shift: int,
        earlier: Collection[Row],
        dropped: Counter[str],
    ) -> Iterator[tuple[Row, tuple[int, int], Gold]]:
        """What is kept of a block, with its place in it; the others are counted."""
        seen: set[Row] = set()
        for number, row in rows:
            if row.type in self.drop_types:
                dropped[row.type] += 1
                continue
            if self.types is not None and row.type not in self.types:
                continue
            if row in earlier or (self.repeated_rows and row in seen):
                dropped["duplicate document" if row in earlier else "duplicate row"] += 1
                continue
            seen.add(row)
            span = self._span(block, number, row, shift)
            if isinstance(span, str):
                dropped[span] += 1
                continue
            if row.id is None:
                self.counted["mentions without an id column, read as NIL"] += 1
            try:
                gold = self.gold(row.id or "", row.type, row.submentions)
            except ValueError as error:
                raise ValueError(f"{block.path}:{number}: {error}") from None
            if isinstance(gold, str):
                dropped[gold] += 1
                continue
            yield row, span, gold

    def _span(self, block: Block, number: int, row: Row, shift: int) -> tuple[int, int] | str:
        """Where a mention stands in its block, whose first character has the offset ``shift`` in the file;
        or why it is dropped."""
        if row.span is None:
            return "discontinuous span"
        if row.stands(block.text, shift):
            return row.span[0] - shift, row.span[1] - shift
        said = f"{row.span[0]}-{row.span[1]}"
        start, end = (max(0, at - shift) for at in row.span)
        found = block.text[start:end]
        if not self.tolerant:
            raise wrong(block.path, number, f"{row.text!r} at {said} of document {block.id}", found)
        span = nearest(row.text.strip(), block.text, start)
        apart = span is None and words_apart(row.text, found)
        done = f"taken at {span[0] + shift}-{span[1] + shift}" if span else "dropped"
        done = f"in pieces, {done}" if apart else done
        self.issues.append(f"{Path(block.path).name}:{number}: {row.text!r} is not at {said}, {done}")
        return span or ("discontinuous span" if apart else "offset mismatch")
