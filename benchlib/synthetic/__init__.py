"""A controlled corpus: believable documents in which every difficulty has a dial.

All of it follows from the dials and the seed through Python's own generator, on every platform.
"""

from random import Random

from ..benchmark import Benchmark
from ..corpus import Corpus
from .dials import KINDS, Dials
from .plan import Planner
from .prose import write
from .world import world

NOTE = "synthetic: shows that the code runs and learns, never a finding"


def generate(dials: Dials = Dials(), seed: int = 0) -> Benchmark:  # noqa: B008
    """The benchmark ``mini``; with other dials than the default, a note names them.

    Gold: a composite mention has two parts with their names in full as texts (printed ``M0001|M0002``),
    a mention outside the ontology has none (printed ``-1``). Raises ValueError for a seed that is no
    whole number, and for sizes at which a kind of mention cannot be made.
    """
    if isinstance(seed, bool) or not isinstance(seed, int):
        raise ValueError(f"seed: expected a whole number, found {seed!r}")

    def stream(*purpose: str | int) -> Random:
        # Seeded with text, Random takes its SHA-512: the same on every platform and Python.
        return Random("/".join(map(str, (seed, *purpose))))

    made = world(dials.n_concepts, stream("world"))
    planner = Planner(made, dials, stream)
    n_dev, n_test = round(dials.n_documents * 2 / 11), round(dials.n_documents * 3 / 11)
    corpora, first = [], 1
    for split, n in (("train", dials.n_documents - n_dev - n_test), ("dev", n_dev), ("test", n_test)):
        documents = (
            write(f"{number:05d}", slots, stream("prose", number))
            for number, slots in enumerate(planner.split(split, n), start=first)
        )
        corpora.append(Corpus(f"mini {split}", tuple(documents)))
        first += n
    changed = dials.changed()
    told = (f"dials: {', '.join(f'{name}={value}' for name, value in changed.items())}",) if changed else ()
    return Benchmark("mini", *corpora, made.ontology(), notes=(NOTE, *told))


__all__ = ["KINDS", "Dials", "generate"]
