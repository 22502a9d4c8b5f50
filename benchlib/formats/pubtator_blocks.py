"""The blocks of a PubTator file: a title and an abstract line, then one tab-separated line per annotation."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from .lines import numbered_lines, wrong

_TEXT = re.compile(r"([^|\t]+)\|([ta])\|(.*)")


@dataclass
class Block:
    """One text of a file with its annotation lines, the document's id taken off: (line number, cells)."""

    path: Path | str
    id: str
    line: int
    title: str
    abstract: str | None = None
    rows: list[tuple[int, tuple[str, ...]]] = field(default_factory=list)

    @property
    def text(self) -> str:
        return f"{self.title} {self.abstract}"


def read_blocks(path: Path | str) -> Iterator[Block]:
    """Every block in file order; a blank line or the next title ends one.

    Raises ValueError (path:line) for a title without abstract, an abstract without title, an annotation
    before its text or of another document, and for a file without a block.
    """
    block: Block | None = None
    found = 0
    for number, line in numbered_lines(path):
        text = _TEXT.fullmatch(line)
        if not line.strip() or (text and text[2] == "t"):
            if block is not None:
                yield _whole(block)
            block = Block(path, text[1], number, text[3]) if text else None
            found += block is not None
        elif text:
            if block is None or block.id != text[1] or block.abstract is not None:
                raise wrong(path, number, "the title line of this document before its abstract", line)
            block.abstract = text[3]
        else:
            if block is None or block.abstract is None:
                raise wrong(path, number, "title and abstract before annotations", line)
            id, *cells = line.split("\t")
            if id != block.id:
                raise wrong(path, number, f"a line of document {block.id}", line)
            block.rows.append((number, tuple(cells)))
    if block is not None:
        yield _whole(block)
    if not found:
        raise wrong(path, 1, "at least one document", "an empty file")


def _whole(block: Block) -> Block:
    if block.abstract is None:
        raise wrong(block.path, block.line, "an abstract line after the title", "none")
    return block
