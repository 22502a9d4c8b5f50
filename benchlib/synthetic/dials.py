"""What the controlled corpus is made with: sizes, and the shares that define a mechanism."""

import math
from dataclasses import dataclass, fields

KINDS = ("ambiguity", "synonymy", "nil", "composite", "typos")
_SIZES = {"n_concepts": (40, 2000), "n_documents": (11, 20_000)}


@dataclass(frozen=True)
class Dials:
    """Two sizes and seven shares; each share is a fraction from 0 to 1, and 0 means none at all.

    A mention is of exactly one kind, so that turning one of these five changes nothing in the meaning of
    the others; what they leave is written with an unambiguous name of the dictionary:

    - ``ambiguity``: its name belongs to two or three concepts of different organ systems;
    - ``synonymy``: its concept is in the ontology, its name is not;
    - ``nil``: its concept is not in the ontology;
    - ``composite``: it names two concepts, as ``hepatic and renal fibrosis`` does;
    - ``typos``: a dictionary name with one letter added, lost or replaced.

    ``context`` is the share of mentions whose sentence holds a cue of the concept's organ system: a
    symptom, a measurement, a drug or a gene; the other sentences hold no cue of any system. ``unseen``
    is the share of the mentions of dev and test, NIL aside, none of whose concepts occurs in train; it
    leaves train as it is. ``n_documents`` are divided 6 : 2 : 3 over train, dev and test.

    Raises ValueError for a value of the wrong type, out of range, or five kinds that exceed 1 together.
    """

    n_concepts: int = 120
    n_documents: int = 110
    ambiguity: float = 0.2
    synonymy: float = 0.25
    context: float = 0.8
    nil: float = 0.05
    composite: float = 0.05
    typos: float = 0.05
    unseen: float = 0.25

    def __post_init__(self) -> None:
        for field in fields(self):
            _check(field.name, getattr(self, field.name))
        total = math.fsum(getattr(self, kind) for kind in KINDS)
        if total > 1 + 1e-9:
            raise ValueError(
                f"dials {' + '.join(KINDS)} share the same mentions: expected 1 at most, found {total:g}"
            )

    def changed(self) -> dict[str, int | float]:
        """The dials that do not stand at their default, with their values."""
        return {f.name: getattr(self, f.name) for f in fields(self) if getattr(self, f.name) != f.default}


def _check(name: str, value: object) -> None:
    if name in _SIZES:
        low, high = _SIZES[name]
        good, expected = isinstance(value, int), f"a whole number from {low} to {high}"
    else:
        low, high = 0, 1
        good, expected = isinstance(value, int | float), "a number from 0 to 1"
    # NaN fails the comparison as it should.
    if isinstance(value, bool) or not good or not low <= value <= high:
        raise ValueError(f"dial {name}: expected {expected}, found {value!r}")
