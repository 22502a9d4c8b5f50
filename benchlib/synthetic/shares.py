"""Shares that come out: a dial decides how many mentions, chance only which."""

from random import Random

from .dials import KINDS, Dials


def spread(n: int, share: float, rng: Random) -> list[bool]:
    """``n`` times yes or no in random order, round(``share`` × n) times yes."""
    order = rng.sample(range(n), n)
    chosen = set(order[: round(share * n)])
    return [i in chosen for i in range(n)]


def spread_kinds(n: int, dials: Dials, rng: Random) -> list[str]:
    """The kind of each of ``n`` mentions, one of ``KINDS`` or ``plain``; each share exact to one mention."""
    order = rng.sample(range(n), n)
    kinds, start, total = ["plain"] * n, 0, 0.0
    for kind in KINDS:
        # Rounding the running total: the kinds never exceed n together, and a dial at 0 gives none.
        total += getattr(dials, kind)
        end = max(start, min(n, round(total * n))) if getattr(dials, kind) else start
        for place in order[start:end]:
            kinds[place] = kind
        start = end
    return kinds
