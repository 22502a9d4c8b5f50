"""PubTator text read into a corpus: blocks of title, abstract and one line per mention."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
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

    ``counted`` says what else was found: kind of line or block -> how many. ``elsewhere`` is that of the
    corpus.
    """

    gold: Meaning = generic_gold
    types: Collection[str] | None = None
    drop_types: Collection[str] = ()
    repeated_documents: bool = False
    repeated_rows: bool = False
    tolerant: bool = False
    issues: list[str] = field(default_factory=list)
    counted: Counter[str] = field(default_factory=Counter)
    elsewhere: dict[tuple[str, int, int], tuple[int, int] | None] = field(default_factory=dict)

    def read(self, path: Path | str, name: str) -> Corpus:
        """The corpus in a file, ``.gz`` or not: every mention kept or counted, in file order.

        A passage's text is title, blank, abstract. Relations, lines whose second column is no offset, are
        passed over, counted. Raises ValueError (path:line) for anything that is not as it should be.
        """
        texts: dict[str, _Text] = {}
        dropped: Counter[str] = Counter()
        for block in read_blocks(path):
            if block.id in texts and not self.repeated_documents:
                raise wrong(path, block.line, "each document once", f"{block.id} again")
            self._add(texts.setdefault(block.id, _Text()), block, path, dropped)
        documents = (Document(id, one.text, tuple(one.mentions)) for id, one in texts.items())
        return Corpus(name, tuple(documents), dropped, self.elsewhere)

    def _add(self, document: _Text, block: Block, path: Path | str, dropped: Counter[str]) -> None:
        rows = []
        for number, cells in block.rows:
            if is_relation(cells, block.text):
                self.counted["relation lines"] += 1
            else:
                rows.append(read_row(path, number, cells))
        start, shift, earlier = len(document.text) + len(document.gap), 0, set()
        if document.passages and rows:
            own, on = (sum(row.stands(block.text, base) for row in rows) for base in (0, start))
            if on > own:
                shift = start
            elif block.text in document.passages:
                start, earlier = document.passages[block.text]
            whose = "of the document" if shift else "of their own"
            self.counted[f"further passages with offsets {whose}"] += 1
        document.mentions += self._mentions(rows, block, path, (start, shift), earlier, dropped)
        if start < len(document.text):  # the text stands there already
            earlier.update(rows)
            return
        document.passages.setdefault(block.text, (start, set(rows)))
        document.text += document.gap + block.text
        # A passage without abstract ends in a blank already.
        document.gap = " " if block.abstract else ""

    def _mentions(
        self,
        rows: list[Row],
        block: Block,
        path: Path | str,
        place: tuple[int, int],
        earlier: Collection[Row],
        dropped: Counter[str],
    ) -> list[Mention]:
        """What a block adds to its document. ``place``: where in the document the block stands, and the
        offset in the file of its first character."""
        start, shift = place
        mentions = []
        seen: set[Row] = set()
        for row in rows:
            printed = row.span and (block.id, start - shift + row.span[0], start - shift + row.span[1])
            if printed:
                self.elsewhere.setdefault(printed, None)
            if row.type in self.drop_types:
                dropped[row.type] += 1
                continue
            if self.types is not None and row.type not in self.types:
                continue
            if row in earlier or (self.repeated_rows and row in seen):
                dropped["duplicate document" if row in earlier else "duplicate row"] += 1
                continue
            seen.add(row)
            span = self._span(row, block, path, shift)
            if isinstance(span, str):
                dropped[span] += 1
                continue
            if row.id is None:
                self.counted["mentions without an id column, read as NIL"] += 1
            gold = self._gold(row, path)
            if isinstance(gold, str):
                dropped[gold] += 1
                continue
            text = block.text[slice(*span)]
            here = start + span[0], start + span[1]
            mentions.append(Mention(*here, text, row.type, gold))
            if here == printed[1:]:
                del self.elsewhere[printed]
            else:
                self.elsewhere[printed] = here
        return mentions

    def _gold(self, row: Row, path: Path | str) -> Gold | str:
        try:
            return self.gold(row.id or "", row.type, row.submentions)
        except ValueError as error:
            raise ValueError(f"{path}:{row.line}: {error}") from None

    def _span(self, row: Row, block: Block, path: Path | str, shift: int) -> tuple[int, int] | str:
        """Where a mention stands in its block, or why it is dropped."""
        if row.span is None:
            return "discontinuous span"
        if row.stands(block.text, shift):
            return row.span[0] - shift, row.span[1] - shift
        said = f"{row.span[0]}-{row.span[1]}"
        start, end = (max(0, at - shift) for at in row.span)
        found = block.text[start:end]
        if not self.tolerant:
            raise wrong(path, row.line, f"{row.text!r} at {said} of document {block.id}", found)
        span = nearest(row.text.strip(), block.text, start)
        apart = span is None and words_apart(row.text, found)
        done = f"taken at {span[0] + shift}-{span[1] + shift}" if span else "dropped"
        done = f"in pieces, {done}" if apart else done
        self.issues.append(f"{Path(path).name}:{row.line}: {row.text!r} is not at {said}, {done}")
        return span or ("discontinuous span" if apart else "offset mismatch")
