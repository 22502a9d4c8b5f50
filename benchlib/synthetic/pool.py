"""The concepts a mention may be drawn from, by the kind of mention."""

from collections.abc import Mapping, Sequence
from itertools import accumulate
from random import Random

from .world import Entry


class Pool:
    """Concepts with their frequencies, in the order given.

    ``ambiguity`` draws among those with a shared name, ``composite`` among those that can be named
    together with another of the pool, every other kind among all.
    """

    def __init__(self, entries: Sequence[Entry], weights: Mapping[str, float]):
        self._alike = _by_process(entries)
        self._partners = _partners(entries)
        able = {
            "ambiguity": [entry for entry in entries if entry.shared],
            "composite": [entry for entry in entries if self._partners.get(entry.id)],
            "any": list(entries),
        }
        self._choices = {
            kind: (fit, list(accumulate(weights[entry.id] for entry in fit))) for kind, fit in able.items()
        }

    def draw(self, kind: str, rng: Random) -> Entry:
        """Raises ValueError when no concept of the pool can be mentioned that way."""
        fit, cumulated = self._choices.get(kind, self._choices["any"])
        if not fit:
            raise ValueError(f"no concept for a mention of kind {kind!r}: raise n_documents or n_concepts")
        return rng.choices(fit, cum_weights=cumulated)[0]

    def alike(self, entry: Entry, rng: Random) -> Entry:
        """A concept of the pool with the process of ``entry``, in any organ, where there is one."""
        process = entry.disease and entry.disease.process.name
        return rng.choice(self._alike[process]) if process in self._alike else self.draw("any", rng)

    def partner(self, entry: Entry, rng: Random) -> Entry:
        """A concept of the pool that can be named together with ``entry``, a drawn ``composite``."""
        return rng.choice(self._partners[entry.id])


def coordinated(first: Entry, second: Entry) -> str:
    """One string that names both diseases, "" where their names share too little for it."""
    a, b = first.disease, second.disease
    if a is None or b is None or a.process != b.process:
        return ""
    if a.modifier == b.modifier and a.site != b.site:
        sites = f"{a.site.adjective} and {b.site.adjective}"
        words = (a.modifier.before, sites, a.process.name, a.modifier.after)
    elif a.site == b.site and a.modifier != b.modifier and a.modifier.before and b.modifier.before:
        words = (f"{a.modifier.before} and {b.modifier.before}", a.site.adjective, a.process.name)
    else:
        return ""
    return " ".join(word for word in words if word)


def held_out(entries: Sequence[Entry]) -> frozenset[str]:
    """The ids of about a quarter of the concepts, spread over the frequencies.

    An ambiguous concept and two that can be named together are among them, so that every kind of mention
    has an unseen form.
    """
    held = {entry.id for entry in entries[3::4]}
    rarest = entries[::-1]
    held.add(next(entry.id for entry in rarest if entry.shared))
    partners = _partners(rarest)
    first = next(entry for entry in rarest if partners.get(entry.id))
    return frozenset(held | {first.id, partners[first.id][0].id})


def _partners(entries: Sequence[Entry]) -> dict[str, list[Entry]]:
    return {
        entry.id: [other for other in group if coordinated(entry, other)]
        for group in _by_process(entries).values()
        for entry in group
    }


def _by_process(entries: Sequence[Entry]) -> dict[str, list[Entry]]:
    groups: dict[str, list[Entry]] = {}
    for entry in entries:
        if entry.disease:
            groups.setdefault(entry.disease.process.name, []).append(entry)
    return groups
