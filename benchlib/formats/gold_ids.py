"""What the id string of a mention asks for, in a corpus without rules of its own."""

import re
from collections.abc import Callable, Container, Iterable
from dataclasses import dataclass
from functools import lru_cache

from ..corpus import Corpus, Gold
from ..mends import option

_NIL = re.compile(r"(-1?|NIL\d*|CUI-less|None|NaN|N/?A|null)?", re.IGNORECASE)

GoldReader = Callable[[str, str, tuple[str, ...]], "Gold | str | None"]
"""From id string, type and sub-mention strings to gold, to the reason for dropping the mention, or to None
where it is no mention of the corpus."""


def spells_nil(id: str) -> bool:
    """Whether an id is a usual spelling of NIL, case aside: nothing, ``-``, ``-1``, ``CUI-less``, ``None``,
    ``null``, ``NaN``, ``NA``, ``N/A``, and ``NIL``, also with a number as in TAC KBP (``NIL0001``)."""
    return _NIL.fullmatch(id) is not None


def without_prefix(id: str, prefixes: Iterable[str]) -> str:
    """An id without the first of the prefixes that it begins with."""
    return id.removeprefix(next(filter(id.startswith, prefixes), ""))


def part_nil(ids: tuple[str, ...], ontology: Container[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The ids of concepts, and apart from them those that spell NIL and that the ontology lacks."""
    nil = tuple(id for id in ids if spells_nil(id) and not (id and id in ontology))
    return tuple(id for id in ids if id not in nil) if nil else ids, nil


@dataclass(frozen=True)
class Separators:
    """Which characters part the ids of one gold, and what that asks for: any one of the ids, or all of them.

    Where nothing is given it is as most corpora print it: ``|`` between alternatives (NCBI Disease); ``,``,
    ``;`` and ``+`` between the concepts of a composite mention (BioRED, NLM-Chem, GNormPlus, NCBI Disease),
    less what is given for the other. Within a part of ``all_of`` stand the alternatives of ``any_of``. A
    character in neither belongs to the id, so ``Separators(any_of=";", all_of="")`` keeps ``c|SUB|G|1+3|A``
    whole. So does the usual reading where parts of one letter show that the separators are inside an id.
    Raises ValueError for a letter, digit or tab, a character that is given for both, and what is no text.
    """

    any_of: str | None = None
    all_of: str | None = None

    def __post_init__(self) -> None:
        if not (isinstance(self.any_of, str | None) and isinstance(self.all_of, str | None)):
            raise ValueError(f"gold separators: expected text, found {self.any_of!r} and {self.all_of!r}")
        given = (self.any_of or "") + (self.all_of or "")
        if wrong := [c for c in given if c.isalnum() or c == "\t" or given.count(c) > 1]:
            expected = "expected punctuation, each character once"
            raise ValueError(f"gold separators: {expected}, found {wrong[0]!r}")
        for name, usual in (("any_of", "|"), ("all_of", ",;+")):
            if getattr(self, name) is None:
                object.__setattr__(self, name, "".join(c for c in usual if c not in given))

    def parts(self, printed: str) -> list[list[str]]:
        """The parts of an id string, each a list of alternatives; white space around ids is removed."""
        pieces = _split(printed, self.any_of + self.all_of)
        if (self.any_of, self.all_of) == ("|", ",;+") and 0 < sum(map(_is_letter, pieces)) < len(pieces):
            return [[printed]]
        return [_split(part, self.any_of) for part in _split(printed, self.all_of)]


def gold_from_ids(
    separators: Separators | None = None, strip_prefix: Iterable[str] = (), ontology: Container[str] = ()
) -> GoldReader:
    """The reading of gold by ``separators`` (default: ``Separators()``).

    The first of ``strip_prefix`` (``MESH:``, say) that an id begins with is taken off. An id that spells NIL
    (:func:`spells_nil`) and that the ``ontology`` lacks is NIL, and left out beside an id, as is an id of one
    letter beside a longer one. Parts with the same ids and sub-mention are one. Where ``|`` is any-of and
    there is one sub-mention for each id, all of them are asked for (BC5CDR). The gold raises ValueError for
    separators without an id.
    """
    separators = separators or Separators()
    prefixes = tuple(strip_prefix)

    @lru_cache(maxsize=1 << 16)  # a corpus repeats its ids
    def gold(printed: str, type: str, submentions: tuple[str, ...]) -> Gold:
        printed = printed.strip()
        parts = separators.parts(printed)
        if "|" in separators.any_of and len(parts) == 1 < len(submentions) == printed.count("|") + 1:
            parts = [_split(part, separators.any_of.replace("|", "")) for part in printed.split("|")]
        if printed and not any(map(any, parts)):
            raise ValueError(f"expected an id next to the separators, found {printed!r}")
        texts = submentions if len(submentions) == len(parts) else ("",) * len(parts)
        named = [
            (part_nil(tuple(without_prefix(id, prefixes) for id in part), ontology)[0], text)
            for part, text in zip(parts, texts, strict=True)
        ]
        ids = {id for part, _ in named for id in part}
        ids = {id for id in ids if not _is_letter(id)} or ids
        kept = dict.fromkeys((frozenset(part) & ids, text) for part, text in named)
        kept = [(part, text) for part, text in kept if part]
        texts = tuple(text for _, text in kept)
        return Gold(tuple(part for part, _ in kept), texts if any(texts) else (), printed)

    return gold


generic_gold = gold_from_ids()


def describe_multiple_ids(corpus: Corpus) -> tuple[str, ...]:
    """Notes on how id strings with separators were read, with the first of each kind."""
    printed: dict[str, list[str]] = {}
    whole: list[str] = []
    for _, mention in corpus.mentions():
        gold = mention.gold
        if gold is not None and len(gold.ids) > 1:
            printed.setdefault("all" if len(gold.parts) > 1 else "any", []).append(gold.printed)
        elif gold is not None and any(_split(id, "|,;+")[1:] for id in gold.ids):
            whole.append(gold.printed)
    read = "; ".join(f"{kind} of them asked for in {len(p):,} ({p[0]})" for kind, p in printed.items())
    notes = [f"{sum(map(len, printed.values())):,} mentions have several gold ids: {read}"] if read else []
    if whole:
        other = f"{option('any_of', 'CHARACTERS')} splits them"
        notes.append(f"{len(whole):,} mentions have one id with separators inside ({whole[0]}); {other}")
    return tuple(notes)


def _is_letter(id: str) -> bool:
    return len(id) == 1 and id.isalpha()


def _split(text: str, separators: str) -> list[str]:
    pieces = re.split(f"[{re.escape(separators)}]", text) if separators else [text]
    return [piece.strip() for piece in pieces]
