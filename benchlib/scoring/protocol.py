"""What counts as right: a scoring protocol as a value that prints, parses back and compares equal."""

from __future__ import annotations

from dataclasses import dataclass, fields
from itertools import product

_CHOICES = {
    "match": ("strict", "pessimistic", "optimistic", "lenient", "unique"),
    "over": ("names", "concepts", "votes"),
    "gold": ("any-of", "all-of"),
    "composite": ("whole", "all-parts", "any-part", "no-composites"),
    "among": ("unnormalized", "reachable", "normalized"),
    "names": ("all-names", "unseen-names", "refined"),
    "nil": ("without-nil", "with-nil"),
}
_ALWAYS_PRINTED = 3


@dataclass(frozen=True)
class Scoring:
    """How a ranked list is compared with the gold of a mention, and which mentions are averaged.

    ``match`` says what an ambiguous surface form is worth, a name that several concepts carry:

    - ``strict``: the expected value of a random pick among its concepts. A linker must name one
      concept (KRISSBERT, section 4.1 and 4.5).
    - ``pessimistic``, ``optimistic``: the pick goes wrong, goes right, whenever it can.
    - ``lenient``: right when any of its concepts is gold, as the evaluation that BioSyn introduced
      and SapBERT took over does (described and criticised in KRISSBERT, section 4.5).
    - ``unique``: wrong unless the gold stands alone at its score (the strict mode of BELB).

    ``over`` says what fills the k places of Recall@k: ``names`` (dictionary rows: a name once for each of
    its concepts, under ``lenient`` once; two synonyms of one concept take two places), ``concepts``
    (each concept once, at its best name), or ``votes`` (the concept sets of the 15 best names, by how
    many of the 15 carry them: BioCoM, section 3).

    ``gold`` says whether a mention with several parts wants ``any-of`` them or ``all-of`` them among the
    k. ``composite`` says which lists answer such a mention: the one for the ``whole`` of it; or, where
    predictions have lists for its parts, those: ``all-parts`` must hit (under any-of, each something
    of the gold; under all-of, each its own part), or ``any-part``. ``no-composites`` leaves it out.

    ``among`` and ``names`` say which mentions are averaged: all of them (``unnormalized``), those whose
    gold has a name in the dictionary (``reachable``), those whose gold is among the candidates
    (``normalized``); ``unseen-names`` those whose string is in no train or dev mention, ``refined`` these
    without repeats. ``nil`` says whether NIL counts as a class of its own, which needs a threshold.

    The order inside a tie of scores carries no meaning: strict, and lenient over names, take the
    expectation over all orders, exactly; lenient over concepts takes the best order. Under all-of the value
    is a lower bound where a part has several golds in a tie, or one name of the tie carries several golds.
    ``str()`` gives ``strict/names/any-of`` and appends what is not the default; :meth:`parse` reads it back.

    Raises ValueError for a value outside the choices, and for choices that do not go together.
    """

    match: str = "strict"
    over: str = "concepts"
    gold: str = "any-of"
    composite: str = "whole"
    among: str = "unnormalized"
    names: str = "all-names"
    nil: str = "without-nil"

    def __post_init__(self) -> None:
        for field in fields(self):
            value, choices = getattr(self, field.name), _CHOICES[field.name]
            if value not in choices:
                raise ValueError(f"scoring {field.name} is {value!r}; expected one of {', '.join(choices)}")
        if self.composite == "any-part" and self.gold == "all-of":
            raise ValueError("scoring any-part wants one of the parts; expected gold any-of, found all-of")
        whole = self.composite not in ("all-parts", "any-part")
        if self.over == "votes" and (self.match, self.gold, whole) != ("lenient", "any-of", True):
            raise ValueError(f"scoring over votes: expected lenient and any-of of whole lists, found {self}")

    def __str__(self) -> str:
        return "/".join(
            getattr(self, field.name)
            for place, field in enumerate(fields(self))
            if place < _ALWAYS_PRINTED or getattr(self, field.name) != field.default
        )

    @classmethod
    def parse(cls, text: str) -> Scoring:
        """The protocol that prints as ``text``; raises ValueError when none does."""
        given = text.split("/")
        names = list(_CHOICES)
        chosen = dict(zip(names, given[:_ALWAYS_PRINTED], strict=False))
        for value in given[_ALWAYS_PRINTED:]:
            name = next((n for n in names[_ALWAYS_PRINTED:] if value in _CHOICES[n]), "")
            if not name or name in chosen:
                raise ValueError(f"{text!r} is no scoring protocol: {value!r} is not expected there")
            chosen[name] = value
        if len(given) < _ALWAYS_PRINTED:
            raise ValueError(f"{text!r} is no scoring protocol; expected for example {cls()}")
        return cls(**chosen)


PROTOCOLS = tuple(
    Scoring(*values)
    for values in product(("strict", "pessimistic", "lenient"), ("names", "concepts"), ("any-of", "all-of"))
)
"""The protocols that every record stores: what is derived under any other comes from the same outcomes."""
