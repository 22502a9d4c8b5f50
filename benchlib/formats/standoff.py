"""Corpora whose mentions point into a text: BioC, BRAT."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from ..corpus import Corpus, Document, Mention
from .gold_ids import GoldReader


@dataclass
class Annotated:
    """A document being read; ``add`` takes an annotation of its ``text``."""

    id: str
    gold: GoldReader
    text: str = ""
    mentions: dict[Mention, None] = field(default_factory=dict)
    dropped: Counter[str] = field(default_factory=Counter)
    moved: dict[tuple[str, int, int], tuple[int, int] | None] = field(default_factory=dict)

    def add(
        self, spans: list[tuple[int, int]], string: str, type: str, ids: str, bases: Sequence[int] = (0,)
    ) -> None:
        """Take an annotation of ``string``, white space aside, at ``spans`` of the file, which count from the
        first of ``bases`` where it is. Raises ValueError for a gold that is refused."""
        try:
            kept = self._mention(spans, string, type, ids, bases)
        except ValueError as error:
            raise ValueError(f"document {self.id}: {error}") from None
        if isinstance(kept, str) or kept in self.mentions:
            self.dropped[kept if isinstance(kept, str) else "duplicate row"] += 1
            self.moved.setdefault((self.id, *spans[0]), None)
        else:
            self.mentions[kept] = None
            self.moved[self.id, *spans[0]] = kept.start, kept.end

    def _mention(
        self, spans: list[tuple[int, int]], string: str, type: str, ids: str, bases: Sequence[int]
    ) -> Mention | str:
        meant = self.gold(ids, type, ())
        if isinstance(meant, str) or len(spans) > 1:
            return meant if isinstance(meant, str) else "discontinuous span"
        for base in bases:
            start, end = (base + offset for offset in spans[0])
            if 0 <= start < end and string.strip() and self.text[start:end].split() == string.split():
                return Mention(start, end, self.text[start:end], type, meant)
        return "offset mismatch"


class Standoff:
    """Documents with annotations. Dropped, counted: mentions in several pieces, those that are not where
    their offsets say, and repeated ones."""

    def __init__(self, gold: GoldReader) -> None:
        self.gold = gold
        self.documents: list[Annotated] = []

    def document(self, id: str, text: str = "") -> Annotated:
        """The next document, to be filled. Raises ValueError for one without an id."""
        if not id:
            raise ValueError("expected an id for each document")
        self.documents.append(Annotated(id, self.gold, text))
        return self.documents[-1]

    def corpus(self, name: str) -> Corpus:
        """What was read."""
        documents = tuple(Document(each.id, each.text, tuple(each.mentions)) for each in self.documents)
        dropped = sum((each.dropped for each in self.documents), Counter())
        moved = {key: to for each in self.documents for key, to in each.moved.items() if key[1:] != to}
        return Corpus(name, documents, dropped, moved)
