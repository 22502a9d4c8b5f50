"""Which mention stands where: kinds, concepts and names, before any sentence is written."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import accumulate
from random import Random

from ..corpus import Gold
from ..ontology import fold_name
from .dials import KINDS, Dials
from .world import Entry, World

Stream = Callable[..., Random]
"""A random stream of its own for every purpose, so that one dial leaves the draws of others alone."""


@dataclass(frozen=True)
class Slot:
    """A mention to be written: its string, its gold, and whether its sentence holds a cue of ``system``."""

    text: str
    gold: Gold
    entry: Entry
    cue: bool


class Planner:
    """Draws the mentions of the splits in turn; what train holds decides what is unseen later.

    A quarter of the ontology never occurs in train, whatever the dials, so that ``unseen`` leaves train
    as it is.
    """

    def __init__(self, world: World, dials: Dials, stream: Stream):
        self._world, self._dials, self._stream = world, dials, stream
        diseases = list(world.inside)
        stream("frequency").shuffle(diseases)
        # A long tail, as concept frequencies have.
        self._weights = {entry.id: (rank + 4) ** -0.7 for rank, entry in enumerate(diseases)}
        held = _held_out(diseases)
        self._unseen = [entry for entry in diseases if entry.id in held]
        self._seen = [entry for entry in diseases if entry.id not in held]

    def split(self, name: str, n_documents: int) -> list[list[Slot]]:
        """The mentions of each document of a split, 4 to 10; ``train`` must be asked for first."""
        rng = self._stream(name, "sizes")
        sizes = [rng.randint(4, 10) for _ in range(n_documents)]
        kinds = _kinds(sum(sizes), self._dials, self._stream(name, "kinds"))
        cues = spread(sum(sizes), self._dials.context, self._stream(name, "cues"))
        n_known = sum(kind != "nil" for kind in kinds)
        share = 0.0 if name == "train" else self._dials.unseen
        unseen = iter(spread(n_known, share, self._stream(name, "unseen")))
        documents, place = [], 0
        for number, size in enumerate(sizes):
            drawn = [
                (kind, kind != "nil" and next(unseen), cue)
                for kind, cue in zip(kinds[place : place + size], cues[place : place + size], strict=True)
            ]
            # A title names its disease in full where the document has such a mention.
            drawn.sort(key=lambda one: one[0] not in ("plain", "synonymy"))
            documents.append(self._document(drawn, lambda slot, n=number: self._stream(name, n, slot)))
            place += size
        if name == "train":
            self._after_train(documents)
        return documents

    def _document(self, drawn: Sequence[tuple[str, bool, bool]], stream: Stream) -> list[Slot]:
        """The slots of one document; its first concept may come back under another clear name.

        Ambiguous mentions are drawn apart from the rest: only their own sentence tells what they mean.
        """
        slots: list[Slot] = []
        for number, (kind, unseen, cue) in enumerate(drawn):
            rng = stream(number)
            pool = self._unseen if unseen else self._seen
            again = slots and rng.random() < 0.3 and drawn[0][:2] in (("plain", unseen), ("synonymy", unseen))
            if kind == "nil":
                entry = rng.choice(self._world.outside)
                text, gold = rng.choice(entry.clear), Gold(printed="-1")
            elif kind == "composite":
                entry, text, gold = self._composite(pool, rng)
            else:
                entry = slots[0].entry if again and kind != "ambiguity" else self._draw(pool, kind, rng)
                text, gold = self._name(entry, kind, rng), Gold((frozenset([entry.id]),), printed=entry.id)
            slots.append(Slot(text, gold, entry, cue))
        return slots

    def _draw(self, pool: Sequence[Entry], kind: str, rng: Random) -> Entry:
        fit = [entry for entry in pool if entry.shared] if kind == "ambiguity" else list(pool)
        if kind == "synonymy":
            fit = [entry for entry in pool if entry.hidden]
        if not fit:
            raise ValueError(f"no concept is left for dial {kind}: raise n_documents or n_concepts")
        return rng.choices(fit, cum_weights=list(accumulate(self._weights[entry.id] for entry in fit)))[0]

    def _name(self, entry: Entry, kind: str, rng: Random) -> str:
        if kind == "ambiguity":
            return rng.choice(entry.shared)
        if kind == "synonymy":
            return rng.choice(entry.hidden)
        if kind == "typos":
            long = [name for name in entry.clear if len(name) >= 8]
            return misspelt(rng.choice(long), self._world.names, rng)
        # The preferred name is the most usual one.
        return entry.clear[0] if rng.random() < 0.4 else rng.choice(entry.clear)

    def _composite(self, pool: Sequence[Entry], rng: Random) -> tuple[Entry, str, Gold]:
        first = self._draw(_coordinated(pool), "composite", rng)
        second = rng.choice([entry for entry in pool if _coordinate(first, entry)])
        texts = (first.disease.name, second.disease.name)
        gold = Gold((frozenset([first.id]), frozenset([second.id])), texts, f"{first.id}|{second.id}")
        return first, _coordinate(first, second), gold

    def _after_train(self, documents: list[list[Slot]]) -> None:
        met = {id for slots in documents for slot in slots for id in slot.gold.ids}
        self._seen = [entry for entry in self._world.inside if entry.id in met]
        self._unseen = [entry for entry in self._world.inside if entry.id not in met]


def spread(n: int, share: float, rng: Random) -> list[bool]:
    """``n`` yes or no in random order, of which round(``share`` × n) are yes."""
    order = rng.sample(range(n), n)
    chosen = set(order[: round(share * n)])
    return [i in chosen for i in range(n)]


def misspelt(name: str, taken: frozenset[str], rng: Random) -> str:
    """The name with one letter added, lost or replaced; never the first, never into another name."""
    places = [i for i, letter in enumerate(name) if i and letter.isalpha()]
    while True:
        i, letter = rng.choice(places), rng.choice("aeiourstnlm")
        edit = rng.choice(("add", "lose", "replace"))
        wrong = name[:i] + ("" if edit == "lose" else letter) + name[i + (edit != "add") :]
        if wrong != name and fold_name(wrong) not in taken:
            return wrong


def _kinds(n: int, dials: Dials, rng: Random) -> list[str]:
    """The kind of each of ``n`` mentions, every share exact to half a mention."""
    order = rng.sample(range(n), n)
    kinds, start, total = ["plain"] * n, 0, 0.0
    for kind in KINDS:
        # Cumulative rounding: the kinds cannot outgrow n together, and a dial at 0 gives none.
        total += getattr(dials, kind)
        end = min(n, round(total * n))
        for place in order[start:end]:
            kinds[place] = kind
        start = end
    return kinds


def _held_out(diseases: Sequence[Entry]) -> frozenset[str]:
    """Every fourth concept, and enough for unseen ambiguous and composite mentions to exist."""
    held = {entry.id for entry in diseases[3::4]}
    held |= {entry.id for entry in diseases if entry.shared and len(held) == 0}
    return frozenset(held)


def _coordinate(first: Entry, second: Entry) -> str:
    """Two diseases named at once, "" where their names share too little."""
    a, b = first.disease, second.disease
    if a is None or b is None or a == b or a.process != b.process:
        return ""
    if a.modifier == b.modifier and a.site != b.site:
        head = " ".join(word for word in (a.process.name, a.modifier.after) if word)
        front = f"{a.modifier.before} " if a.modifier.before else ""
        return f"{front}{a.site.adjective} and {b.site.adjective} {head}"
    if a.site == b.site and a.modifier.before and b.modifier.before:
        return f"{a.modifier.before} and {b.modifier.before} {a.site.adjective} {a.process.name}"
    return ""


def _coordinated(pool: Sequence[Entry]) -> list[Entry]:
    """The concepts of a pool that share a process and a modifier, or a family, with another of it."""
    by_head = Counter((e.disease.process, e.disease.modifier) for e in pool if e.disease)
    by_family = Counter((e.disease.site, e.disease.process) for e in pool if e.disease and e.disease.modifier.before)
    return [
        e
        for e in pool
        if e.disease
        and (
            by_head[e.disease.process, e.disease.modifier] > 1
            or (e.disease.modifier.before and by_family[e.disease.site, e.disease.process] > 1)
        )
    ]
