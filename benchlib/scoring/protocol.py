"""What counts as right: a scoring protocol as a value that prints, parses back and compares equal."""

from __future__ import annotations

from dataclasses import dataclass, fields
from itertools import product

_CHOICES = {
    "match": ("strict", "pessimistic", "lenient"),
    "over": ("names", "concepts"),
    "gold": ("any-of", "all-of"),
}


@dataclass(frozen=True)
class Scoring:
    """How a ranked list is compared with the gold of a mention.

    ``match`` says what an ambiguous surface form is worth, a name that several concepts carry:

    - ``strict``: the expected value of a random pick among its concepts. A linker must name one
      concept (KRISSBERT, section 4.1 and 4.5).
    - ``pessimistic``: the pick goes wrong whenever it can.
    - ``lenient``: right when any of its concepts is gold, as the evaluation that BioSyn introduced
      and SapBERT took over does (described and criticised in KRISSBERT, section 4.5).

    ``over`` says what fills the k places of Recall@k: ``names`` (dictionary rows; two synonyms of one
    concept take two places; for strict and pessimistic a row is a name with one of its concepts) or
    ``concepts`` (each concept once, at its best name). ``gold`` says whether a mention with several
    parts wants ``any-of`` them or ``all-of`` them among the k.

    The order inside a tie of scores carries no meaning: strict, and lenient over names, take the
    expectation over all orders, exactly; lenient over concepts counts every tied concept as reached.
    Every scored mention stays in the denominator, whether or not its gold is in the dictionary
    ("unnormalized"). ``str()`` gives ``strict/names/any-of``; :meth:`parse` reads it back.

    Raises ValueError for a value outside the choices.
    """

    match: str = "strict"
    over: str = "concepts"
    gold: str = "any-of"

    def __post_init__(self) -> None:
        for field in fields(self):
            value, choices = getattr(self, field.name), _CHOICES[field.name]
            if value not in choices:
                raise ValueError(f"scoring {field.name} is {value!r}; expected one of {', '.join(choices)}")

    def __str__(self) -> str:
        return f"{self.match}/{self.over}/{self.gold}"

    @classmethod
    def parse(cls, text: str) -> Scoring:
        """The protocol that prints as ``text``; raises ValueError when none does."""
        parts = text.split("/")
        if len(parts) != len(_CHOICES):
            raise ValueError(f"{text!r} is no scoring protocol; expected for example {cls()}")
        return cls(*parts)


PROTOCOLS = tuple(Scoring(*values) for values in product(*_CHOICES.values()))
