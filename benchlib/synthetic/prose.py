"""The planned mentions of one document, written out."""

from collections.abc import Mapping, Sequence
from random import Random
from string import Formatter

from ..corpus import Document, Mention
from . import templates
from .plan import Slot
from .vocabulary import PLACES


def write(id: str, slots: Sequence[Slot], rng: Random) -> Document:
    """Title and abstract, joined by one blank, with every slot's mention in its place, in order."""
    results = _deck(templates.RESULTS, templates.RESULTS_CUE, rng)
    writer = _Writer(rng)
    writer.add(_deck(templates.TITLES, templates.TITLES_CUE, rng)[slots[0].cue].pop(), slots[:1])
    if writer.text[-1] not in ".?":
        writer.text += "."
    writer.add(_deck(templates.OPENINGS, templates.OPENINGS_CUE, rng)[slots[1].cue].pop(), slots[1:2])
    writer.add(rng.choice(templates.COHORTS), ())
    if rng.random() < 0.5:
        writer.add(rng.choice(templates.METHODS), ())
    pairs = rng.sample(templates.PAIRS, len(templates.PAIRS))
    place = 2
    while place < len(slots) - 1:
        both = slots[place : min(place + 2, len(slots) - 1)]
        # A cue in a sentence of two mentions would not say which of them it is about.
        if len(both) == 2 and not any(slot.cue for slot in both) and rng.random() < 0.5:
            writer.add(pairs.pop(), both)
            place += 2
        else:
            writer.add(results[both[0].cue].pop(), both[:1])
            place += 1
    writer.add(_deck(templates.CLOSINGS, templates.CLOSINGS_CUE, rng)[slots[-1].cue].pop(), slots[-1:])
    return Document(id, writer.text, tuple(writer.mentions))


def _deck(neutral: Sequence[str], cued: Sequence[str], rng: Random) -> dict[bool, list[str]]:
    """Templates without and with a cue, each in random order: taken from the end, none comes twice."""
    return {False: rng.sample(neutral, len(neutral)), True: rng.sample(cued, len(cued))}


class _Writer:
    """Fills templates one after the other and notes where each mention came to stand."""

    def __init__(self, rng: Random):
        self._rng = rng
        self._cohort = rng.randint(90, 480)
        self.text = ""
        self.mentions: list[Mention] = []

    def add(self, template: str, slots: Sequence[Slot]) -> None:
        if self.text:
            self.text += " "
        start, values = len(self.text), self._values(slots)
        for literal, name, _, _ in Formatter().parse(template):
            self.text += literal
            if name is None:
                continue
            value = values[name]
            if len(self.text) == start:
                value = value[0].upper() + value[1:]
            if name in ("m", "other"):
                place, gold = len(self.text), slots[name == "other"].gold
                self.mentions.append(Mention(place, place + len(value), value, "Disease", gold))
            self.text += value

    def _values(self, slots: Sequence[Slot]) -> Mapping[str, str]:
        rng = self._rng
        values = {
            "n": str(rng.randint(3, 24)),
            "k": str(rng.randint(25, 70)),
            "N": str(self._cohort),
            "d": str(rng.randint(2, 4)),
            "p": str(rng.randint(8, 74)),
            "t": str(rng.randint(11, 23)),
            "place": rng.choice(PLACES),
        }
        if slots:
            system = slots[0].entry.system
            values |= {
                "m": slots[0].text,
                "other": slots[-1].text,
                "was": "were" if len(slots[0].gold.parts) > 1 else "was",
                "finding": rng.choice(system.findings),
                "test": rng.choice(system.tests),
                "drug": rng.choice(system.drugs),
                "gene": rng.choice(system.genes),
            }
        return values
