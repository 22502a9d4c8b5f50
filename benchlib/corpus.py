"""Documents, mentions and gold: what a corpus says, with nothing lost.

Offsets are half-open and count Unicode code points of ``Document.text``.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType


@dataclass(frozen=True, slots=True)
class Gold:
    """What a mention refers to.

    ``parts`` are the concepts asked for, all of them; each part is a set of alternative ids, any of
    which is right. An ordinary mention has one part, a NIL mention none. ``texts`` holds the
    sub-mention strings of a composite mention where the corpus gives them, one per part or empty.
    ``printed`` is the id string as it stands in the file.
    """

    parts: tuple[frozenset[str], ...] = ()
    texts: tuple[str, ...] = ()
    printed: str = ""

    def __post_init__(self) -> None:
        for part in self.parts:
            if isinstance(part, str) or not all(isinstance(id, str) for id in part):
                raise ValueError(f"gold parts: expected sets of ids that are texts, found {part!r}")
        if any(not part for part in self.parts):
            raise ValueError(f"gold {self.printed!r} has an empty part; a NIL gold has no part at all")

    @property
    def nil(self) -> bool:
        return not self.parts

    @property
    def ids(self) -> frozenset[str]:
        """All ids of all parts: the any-of reading of this gold."""
        return frozenset().union(*self.parts)


@dataclass(frozen=True, slots=True)
class Mention:
    """A span of a document; ``gold`` is None where the annotation is hidden or absent."""

    start: int
    end: int
    text: str
    type: str = ""
    gold: Gold | None = None


@dataclass(frozen=True, slots=True)
class Document:
    """A text with its mentions, ordered as in the source; several mentions may share a span.

    Raises ValueError for an id that is no text, and when a mention does not stand where its offsets say.
    """

    id: str
    text: str
    mentions: tuple[Mention, ...] = ()

    def __post_init__(self) -> None:
        if not isinstance(self.id, str):
            raise ValueError(f"document id: expected a text, found {self.id!r}")
        object.__setattr__(self, "mentions", tuple(self.mentions))
        for mention in self.mentions:
            text = self.text[mention.start : mention.end]
            if text != mention.text or mention.start < 0 or mention.end <= mention.start:
                place = f"document {self.id}: mention {mention.text!r} at {mention.start}-{mention.end}"
                raise ValueError(f"{place}, but the text there is {text!r}")


@dataclass(frozen=True, repr=False)
class Corpus:
    """Documents in order, and a count of the mentions that reading left out, by reason.

    ``dropped`` makes counts close: ``n_raw`` mentions stand in the source,
    ``n_raw = len(mentions) + sum(dropped.values())``. ``moved_spans``: for a span of the source, as document,
    start and end, the start and end of its mentions here: none where they were left out, several where the
    source counts from each passage; a span that is not there is a mention's own. It makes no other corpus.
    """

    name: str
    documents: tuple[Document, ...]
    dropped: Mapping[str, int] = field(default_factory=dict, hash=False)
    moved_spans: Mapping[tuple[str, int, int], tuple[tuple[int, int], ...]] = field(
        default_factory=dict, repr=False, compare=False
    )

    def __reduce__(self) -> tuple[type, tuple]:
        """For pickle and copy, which take no read-only mapping."""
        return Corpus, (self.name, self.documents, dict(self.dropped), self.moved_spans)

    def __repr__(self) -> str:
        """Short, as for the last line of a notebook's cell."""
        return f"Corpus({self.name!r}, {len(self.documents):,} documents, {self.n_mentions:,} mentions)"

    def __post_init__(self) -> None:
        object.__setattr__(self, "documents", tuple(self.documents))
        seen = set()
        for document in self.documents:
            if document.id in seen:
                raise ValueError(f"corpus {self.name}: document {document.id} appears twice")
            seen.add(document.id)
        object.__setattr__(self, "dropped", MappingProxyType(dict(self.dropped)))

    def mentions(self) -> Iterator[tuple[Document, Mention]]:
        """Every mention with its document, in corpus order: the order of records and outcomes."""
        for document in self.documents:
            for mention in document.mentions:
                yield document, mention

    @property
    def n_mentions(self) -> int:
        return sum(len(document.mentions) for document in self.documents)

    @property
    def n_raw(self) -> int:
        return self.n_mentions + sum(self.dropped.values())

    def hidden(self) -> Corpus:
        """The same spans without gold or type: what a linker is given at test time."""
        documents = (
            replace(d, mentions=tuple(replace(m, type="", gold=None) for m in d.mentions))
            for d in self.documents
        )
        return replace(self, documents=tuple(documents))

    def fingerprint(self) -> str:
        """SHA-256 over everything parsed, so that a change of reader or of file changes it."""
        digest = hashlib.sha256()
        for d in self.documents:
            digest.update(f"{d.id}\x1f{d.text}\x1e".encode())
            for m in d.mentions:
                gold = "-"
                if m.gold is not None:
                    parts = "&".join("|".join(sorted(map(_escaped, part))) for part in m.gold.parts)
                    gold = f"{parts}\x1d{'|'.join(m.gold.texts)}\x1d{m.gold.printed}"
                digest.update(f"{m.start}\x1f{m.end}\x1f{m.type}\x1f{gold}\x1e".encode())
        digest.update(repr(sorted(self.dropped.items())).encode())
        return digest.hexdigest()


def _escaped(id: str) -> str:
    """An id with the separators of a fingerprint marked, so that ``A|B`` is not A and B."""
    return re.sub(r"[|&]", r"\\\g<0>", id)
