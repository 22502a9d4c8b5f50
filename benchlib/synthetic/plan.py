"""Which mention stands where: kinds, concepts and names, before any sentence is written."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random
from typing import NamedTuple

from ..corpus import Gold
from ..ontology import fold_name
from .dials import Dials
from .pool import Pool, coordinated, held_out
from .shares import spread, spread_kinds
from .world import Entry, World

Stream = Callable[..., Random]
"""A random stream for every purpose, so that one dial leaves the draws of the others alone."""
_IN_FULL = ("plain", "synonymy")


@dataclass(frozen=True)
class Slot:
    """A mention to be written: its string, its gold, and whether its sentence holds a cue of its system."""

    text: str
    gold: Gold
    entry: Entry
    cue: bool


class _Draw(NamedTuple):
    kind: str
    unseen: bool
    cue: bool


class Planner:
    """Draws the mentions of the splits in turn; what train holds decides what is unseen later.

    About a quarter of the ontology never occurs in train, whatever the dials, so that ``unseen`` leaves
    train as it is.
    """

    def __init__(self, world: World, dials: Dials, stream: Stream):
        self._world, self._dials, self._stream = world, dials, stream
        self._entries = stream("frequency").sample(world.inside, len(world.inside))
        # Concept frequencies have a long tail, and a whole organ system is seldom meant.
        self._weights = {
            entry.id: (rank + 4) ** -0.7 * (1 if entry.disease else 0.3)
            for rank, entry in enumerate(self._entries)
        }
        held = held_out(self._entries)
        self._share(frozenset(entry.id for entry in self._entries) - held)

    def split(self, name: str, n_documents: int) -> list[list[Slot]]:
        """The mentions of each document of a split, 4 to 10; ``train`` must be asked for first."""
        rng = self._stream(name, "sizes")
        sizes = [rng.randint(4, 10) for _ in range(n_documents)]
        draws = iter(self._draws(name, sum(sizes)))
        documents = [
            self._document([next(draws) for _ in range(size)], name, number)
            for number, size in enumerate(sizes)
        ]
        if name == "train":
            self._share(frozenset(id for slots in documents for slot in slots for id in slot.gold.ids))
        return documents

    def _share(self, seen: frozenset[str]) -> None:
        """Divide the ontology into what mentions may be drawn from as seen, and as unseen."""
        self._seen = Pool([entry for entry in self._entries if entry.id in seen], self._weights)
        self._unseen = Pool([entry for entry in self._entries if entry.id not in seen], self._weights)

    def _draws(self, name: str, n: int) -> list[_Draw]:
        kinds = spread_kinds(n, self._dials, self._stream(name, "kinds"))
        cues = spread(n, self._dials.context, self._stream(name, "cues"))
        share = 0.0 if name == "train" else self._dials.unseen
        known = iter(spread(n - kinds.count("nil"), share, self._stream(name, "unseen")))
        unseen = [kind != "nil" and next(known) for kind in kinds]
        return [_Draw(*draw) for draw in zip(kinds, unseen, cues, strict=True)]

    def _document(self, draws: list[_Draw], name: str, number: int) -> list[Slot]:
        """The title's mention is one in full where there is any; the others often come back to it, or to
        the same process in another organ.

        An ambiguous mention is drawn apart from the rest of its document: only its own sentence tells
        what it means.
        """
        title = next((i for i, draw in enumerate(draws) if draw.kind in _IN_FULL), 0)
        draws = [draws[title], *draws[:title], *draws[title + 1 :]]
        slots: list[Slot] = []
        for place, draw in enumerate(draws):
            topic = slots[0].entry if slots and draws[0].kind in _IN_FULL else None
            again = topic is not None and draw.unseen == draws[0].unseen
            slots.append(self._slot(draw, topic, again, self._stream(name, number, place)))
        return slots

    def _slot(self, draw: _Draw, topic: Entry | None, again: bool, rng: Random) -> Slot:
        if draw.kind == "nil":
            entry = rng.choice(self._world.outside)
            return Slot(rng.choice(entry.clear), Gold(printed="-1"), entry, draw.cue)
        pool, chance = self._unseen if draw.unseen else self._seen, rng.random()
        if draw.kind == "composite":
            entry = pool.draw(draw.kind, rng)
            return _composite(entry, pool.partner(entry, rng), draw.cue)
        if topic is None or draw.kind == "ambiguity" or chance > 0.75:
            entry = pool.draw(draw.kind, rng)
        else:
            entry = topic if again and chance < 0.3 else pool.alike(topic, rng)
        gold = Gold((frozenset([entry.id]),), printed=entry.id)
        return Slot(_name(entry, draw.kind, self._world.names, rng), gold, entry, draw.cue)


def _composite(first: Entry, second: Entry, cue: bool) -> Slot:
    gold = Gold(
        (frozenset([first.id]), frozenset([second.id])),
        (first.disease.name, second.disease.name),
        f"{first.id}|{second.id}",
    )
    return Slot(coordinated(first, second), gold, first, cue)


def _name(entry: Entry, kind: str, taken: frozenset[str], rng: Random) -> str:
    if kind == "ambiguity":
        return rng.choice(entry.shared)
    if kind == "synonymy":
        return rng.choice(entry.hidden)
    if kind == "typos":
        return with_typo(rng.choice([name for name in entry.clear if len(name) > 7]), taken, rng)
    return entry.clear[0] if rng.random() < 0.4 else rng.choice(entry.clear)


def with_typo(name: str, taken: frozenset[str], rng: Random) -> str:
    """The name with one letter added, lost or replaced: not its first, and not into a name in ``taken``."""
    places: Sequence[int] = [i for i, letter in enumerate(name) if i and letter.isalpha()]
    while True:
        i, letter = rng.choice(places), rng.choice("aeiourstnlm")
        edit = rng.choice(("add", "lose", "replace"))
        wrong = name[:i] + ("" if edit == "lose" else letter) + name[i + (edit != "add") :]
        if wrong != name and fold_name(wrong) not in taken:
            return wrong
