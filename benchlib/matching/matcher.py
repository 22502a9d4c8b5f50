"""The names of an ontology found in text, between words."""

from collections.abc import Sequence
from itertools import accumulate, chain

import daachorse
import numpy as np

from ..ontology import Ontology
from .symbols import Symbols

NAMES, SHARED, OVERLAPS = ("all", "preferred"), ("skip", "keep"), ("leftmost", "longest")


class Matcher:
    """Finds the names of an ontology in text.

    A name stands where no letter, digit or mark before or after it goes on with one of its own: *acute pain*
    in "(acute pain)", not in "subacute pain". Of matches that overlap, the one that begins first counts, of
    these the longest; with ``overlaps`` ``longest`` the longest, of these the first (BioCoM, section 4.1).
    ``names``: ``all``, or the ``preferred`` one of each concept (as in KRISSBERT, section 3.1). ``shared``: a
    name of several concepts is no match, nor is what stands inside it (``skip``, as in KRISSBERT), or a match
    with all of them (``keep``). For capitals and ``ignore_case`` see :class:`Symbols`. Repeated white space
    in a name counts once.

    ``names`` and ``ids`` hold for each distinct name how it is first written and the concepts that have it,
    in ontology order. Raises ValueError for another setting, an empty name, and an ontology without names.
    """

    def __init__(
        self,
        ontology: Ontology,
        names: str = "all",
        shared: str = "skip",
        overlaps: str = "leftmost",
        ignore_case: bool = False,
    ):
        settings = ("names", names, NAMES), ("shared", shared, SHARED), ("overlaps", overlaps, OVERLAPS)
        for setting, value, known in settings:
            if value not in known:
                raise ValueError(f"{setting} is {value!r}; expected one of {', '.join(known)}")
        written, owners = [], []
        for concept in ontology.concepts.values():
            for name in concept.names[: 1 if names == "preferred" else None]:
                written.append(" ".join(name.split()))
                owners.append(concept.id)
                if not written[-1]:
                    raise ValueError(f"ontology {ontology.name}: concept {concept.id} has an empty name")
        if not written:
            raise ValueError(f"ontology {ontology.name}: expected concepts with names, found none")
        self._symbols = Symbols(written, ignore_case)
        of_pattern: dict[bytes, tuple[str, dict[str, None]]] = {}
        patterns = self._symbols.encode(written).split(b"\0")
        for pattern, name, id in zip(patterns, written, owners, strict=True):
            of_pattern.setdefault(pattern, (name, {}))[1][id] = None
        self.names = tuple(name for name, _ in of_pattern.values())
        self.ids = tuple(tuple(ids) for _, ids in of_pattern.values())
        self._kept = np.array([shared == "keep" or len(ids) == 1 for ids in self.ids])
        self._longest = overlaps == "longest"
        kind = daachorse.MATCH_KIND_STANDARD if self._longest else daachorse.MATCH_KIND_LEFTMOST_LONGEST
        self._automaton = daachorse.DoubleArrayAhoCorasick(list(of_pattern), kind)

    def __call__(self, texts: Sequence[str]) -> list[list[tuple[int, int, int]]]:
        """The matches (start, end, name) in each of the texts, in order and without overlap.

        ``start`` and ``end`` are half-open and count code points; ``name`` is the number of the name, for
        ``names`` and ``ids``. Texts are searched in one go, which takes about 60 bytes a character: give
        many short ones at once, and a large pool by and by.
        """
        encoded = self._symbols.encode(list(texts))
        hits = self._automaton.find_overlapping(encoded) if self._longest else self._automaton.find(encoded)
        flat = np.fromiter(chain.from_iterable(hits), dtype=np.int64, count=3 * len(hits))
        start, end, name = flat.reshape(-1, 3).T
        # From bytes to characters, and from these to those of each text.
        opens = (np.frombuffer(encoded, dtype=np.uint8) & 0xC0) != 0x80  # the first byte of a UTF-8 character
        character = np.cumsum(opens, dtype=np.int32)
        start, end = character[start] - 1, character[end - 1]
        kept = _longest_first(start, end) if self._longest else np.arange(len(name))
        kept = kept[self._kept[name[kept]]]
        start, end, name = start[kept], end[kept], name[kept]
        firsts = np.array([0, *accumulate(len(text) + 1 for text in texts)])
        text = np.searchsorted(firsts, start, side="right") - 1
        matches: list[list[tuple[int, int, int]]] = [[] for _ in texts]
        columns = (text, start - firsts[text], end - firsts[text], name)
        for of, *match in zip(*(column.tolist() for column in columns), strict=True):
            matches[of].append(tuple(match))
        return matches


def _longest_first(start: np.ndarray, end: np.ndarray) -> np.ndarray:
    """The places of the spans (n,) that are left if the longest are taken first, in order."""
    taken, kept = np.zeros(end.max(initial=0), dtype=bool), []
    for i in np.lexsort((start, start - end)).tolist():
        if not taken[start[i] : end[i]].any():
            taken[start[i] : end[i]] = True
            kept.append(i)
    kept = np.array(kept, dtype=np.int64)
    return kept[np.argsort(start[kept])]
