"""PubTator text: title and abstract lines, then one tab-separated line per mention."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from pathlib import Path

from ..corpus import Corpus, Document, Gold, Mention
from .lines import numbered_lines, wrong

_TEXT = re.compile(r"([^|\t]+)\|([ta])\|(.*)")
_NIL = frozenset({"", "-", "-1", "NIL", "CUI-less"})
_REACH = 30  # characters a displaced mention is looked for on either side

Meaning = Callable[[str, str, tuple[str, ...]], "Gold | str"]
"""From id string, type and sub-mention strings to gold, or to the reason for leaving the mention out."""


def generic_gold(printed: str, type: str, submentions: tuple[str, ...]) -> Gold:
    """The reading for a corpus without rules of its own: ``+`` joins parts, ``|``, ``,`` and ``;``
    alternatives of a part, but ``|`` joins parts where there is one sub-mention for each; ``-1``, ``-``,
    ``NIL``, ``CUI-less`` and nothing are NIL. Raises ValueError for a part without an id."""
    printed = printed.strip()
    if printed in _NIL:
        return Gold(printed=printed)
    composite = 1 < len(submentions) == printed.count("|") + 1
    parts = [
        frozenset(filter(None, map(str.strip, re.split(r"[|,;]", part))))
        for part in printed.split("|" if composite else "+")
    ]
    return Gold(tuple(parts), submentions if len(submentions) == len(parts) else (), printed)


@dataclass
class _Open:
    """The document being read."""

    id: str
    line: int
    title: str
    abstract: str | None = None
    mentions: list[Mention] = field(default_factory=list)
    rows: set[tuple[str, ...]] = field(default_factory=set)

    @property
    def text(self) -> str:
        return f"{self.title} {self.abstract}"


@dataclass
class PubTator:
    """How a PubTator file is read.

    ``types`` keeps mentions of these types only; those of ``drop_types`` are dropped and counted under
    their type; any other type is no mention of the corpus. With ``repeated_documents`` a second copy of a
    document is dropped and its mentions counted as ``duplicate document``; with ``repeated_rows`` so is
    an identical line. With ``tolerant`` a mention that does not stand where its offsets say is moved to
    the nearest place within 30 characters where it does, or dropped as ``offset mismatch`` when there is
    none or two are equally near, and ``issues`` lists every such line; without it the first is an error.
    """

    gold: Meaning = generic_gold
    types: Collection[str] | None = None
    drop_types: Collection[str] = ()
    repeated_documents: bool = False
    repeated_rows: bool = False
    tolerant: bool = False
    issues: list[str] = field(default_factory=list)

    def read(self, path: Path | str, name: str) -> Corpus:
        """The corpus in a file, ``.gz`` or not: every mention kept or counted, in file order.

        A document's text is title, blank, abstract. Lines whose second column is no number (relations)
        are passed over. Raises ValueError (path:line) for anything that is not as it should be.
        """
        documents: dict[str, Document] = {}
        dropped: Counter[str] = Counter()
        current: _Open | None = None

        def close() -> None:
            if current is None:
                return
            if current.abstract is None:
                raise wrong(path, current.line, "an abstract line after the title", "none")
            if current.id in documents:
                if not self.repeated_documents:
                    raise wrong(path, current.line, "each document once", f"{current.id} again")
                dropped["duplicate document"] += len(current.mentions)
                return
            documents[current.id] = Document(current.id, current.text, tuple(current.mentions))

        for number, line in numbered_lines(path):
            if not line.strip():
                close()
                current = None
            elif match := _TEXT.fullmatch(line):
                id, kind, text = match.groups()
                if kind == "t":
                    close()
                    current = _Open(id, number, text)
                elif current is None or current.id != id or current.abstract is not None:
                    raise wrong(path, number, "the title line of this document before its abstract", line)
                else:
                    current.abstract = text
            else:
                if current is None or current.abstract is None:
                    raise wrong(path, number, "title and abstract before annotations", line)
                self._annotation(path, number, line, current, dropped)
        close()
        if not documents:
            raise wrong(path, 1, "at least one document", "an empty file")
        return Corpus(name, tuple(documents.values()), dropped)

    def _annotation(self, path, number: int, line: str, current: _Open, dropped: Counter[str]) -> None:
        columns = line.split("\t")
        if columns[0] != current.id:
            raise wrong(path, number, f"a line of document {current.id}", line)
        if len(columns) == 4 and not columns[1].lstrip("-").isdigit():
            return
        if not 5 <= len(columns) <= 7:
            raise wrong(path, number, "document, start, end, mention, type, id[, sub-mentions]", line)
        _, first, last, text, type, *rest = columns
        if not (first.isdecimal() and last.isdecimal() and int(first) < int(last)):
            raise wrong(path, number, "start and end as numbers, start before end", f"{first}, {last}")
        if type in self.drop_types:
            dropped[type] += 1
            return
        if self.types is not None and type not in self.types:
            return
        if self.repeated_rows and tuple(columns) in current.rows:
            dropped["duplicate row"] += 1
            return
        current.rows.add(tuple(columns))
        span = self._span(path, number, current, int(first), int(last), text)
        if span is None:
            dropped["offset mismatch"] += 1
            return
        printed = rest[0] if rest else ""
        submentions = tuple(rest[1].split("|")) if len(rest) > 1 and rest[1] else ()
        try:
            gold = self.gold(printed, type, submentions)
        except ValueError as error:
            raise ValueError(f"{path}:{number}: {error}") from None
        if isinstance(gold, str):
            dropped[gold] += 1
            return
        start, end = span
        current.mentions.append(Mention(start, end, current.text[start:end], type, gold))

    def _span(self, path, number: int, current: _Open, start: int, end: int, text: str):
        """Where a mention stands, or None when it stands nowhere near."""
        found = current.text[start:end]
        if found == text:
            return start, end
        if not self.tolerant:
            raise wrong(path, number, f"{text!r} at {start}-{end} of document {current.id}", found)
        string = text.strip()
        places = [
            at
            for at in range(max(0, start - _REACH), start + _REACH + 1)
            # Lower-casing may lengthen a text, so it is the piece that is lower-cased, not the document.
            if string and current.text[at : at + len(string)].lower() == string.lower()
        ]
        nearest = min((abs(at - start) for at in places), default=None)
        found_at = [at for at in places if abs(at - start) == nearest]
        place = found_at[0] if len(found_at) == 1 else None
        done = "dropped" if place is None else f"taken at {place}-{place + len(string)}"
        self.issues.append(f"{Path(path).name}:{number}: {text!r} is not at {start}-{end}, {done}")
        return None if place is None else (place, place + len(string))
