"""Do a paper's own numbers bear out its wording? A few named tests over printed cells.

A wording without a qualifier must hold in every printed cell that it covers; one that says "on average"
or "often" is held to that. Differences are taken between numbers as printed, without regard to rounding.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from operator import sub, truediv
from typing import Any

import pandas as pd

from .reported import Selector, pick, select


@dataclass(frozen=True)
class PrintedResult:
    """Whether the numbers say so, and the one that a named test goes by, such as the smallest or the mean."""

    holds: bool
    value: Decimal | None = None


def exact(value: object) -> Decimal:
    """A bound from YAML as the decimal that was written."""
    return Decimal(str(value))


def pairs(
    rows: pd.DataFrame, of: Selector, over: Selector, where: Selector | None = None,
    match: Sequence[str] = ("dataset",), value: Callable[[Decimal, Decimal], Decimal] = sub,
) -> dict[tuple, list[Decimal]]:  # fmt: skip
    """The ``value`` of each ``of`` cell with each ``over`` cell that has the same texts in the columns
    ``match``, by these texts. Raises LookupError for cells that do not pair."""

    def groups(selector: Selector) -> dict[tuple, list[Decimal]]:
        found: dict[tuple, list[Decimal]] = {}
        for row in select(rows, **((where or {}) | selector)).to_dict("records"):
            found.setdefault(tuple(row[column] for column in match), []).append(Decimal(row["value"]))
        return found

    left, right = groups(of), groups(over)
    if not left or left.keys() != right.keys():
        alone = sorted(left.keys() ^ right.keys())
        raise LookupError(f"cells of {of} and {over} do not pair on {match}: {alone or 'none match'}")
    return {key: [value(a, b) for a in left[key] for b in right[key]] for key in left}


def _decide(
    values: Iterable[Decimal], holds: Callable[[Decimal], bool], combine: str = "all"
) -> PrintedResult:
    values = [*values]
    if combine == "average":
        mean = sum(values, Decimal(0)) / len(values)
        return PrintedResult(holds(mean), mean)
    needed = {"all": len(values), "most": len(values) // 2 + 1}[combine]
    return PrintedResult(sum(map(holds, values)) >= needed, min(values))


def _flat(groups: Mapping[tuple, list[Decimal]]) -> list[Decimal]:
    return [value for values in groups.values() for value in values]


def greater(rows: pd.DataFrame, by: object = 0, combine: str = "all", **cells: Any) -> PrintedResult:
    """``of`` exceeds ``over`` by more than ``by`` points, in all :func:`pairs`, most, or on average."""
    return _decide(_flat(pairs(rows, **cells)), lambda gap: gap > exact(by), combine)


def within(
    rows: pd.DataFrame, by: object, at: object = 0, combine: str = "all", **cells: Any
) -> PrintedResult:
    """``of`` minus ``over`` is ``at``, give or take ``by`` points, in all pairs, most, or on average."""
    gaps = _flat(pairs(rows, **cells))
    return _decide(gaps, lambda gap: abs(gap - exact(at)) <= exact(by), combine)


def ratio(
    rows: pd.DataFrame, low: object, high: object = "Infinity", combine: str = "all", **cells: Any
) -> PrintedResult:
    """``of`` divided by ``over`` lies in [``low``, ``high``]."""
    ratios = _flat(pairs(rows, **cells, value=truediv))
    return _decide(ratios, lambda value: exact(low) <= value <= exact(high), combine)


def larger_gap(
    rows: pd.DataFrame, first: Mapping, second: Mapping, paired: bool, magnitude: bool = False
) -> PrintedResult:
    """The gaps of the pairs ``first`` exceed those of ``second``; the value is the smallest difference.

    ``paired`` compares gaps with the same ``match`` texts, otherwise each with each. ``magnitude`` drops
    the sign.
    """
    size = abs if magnitude else Decimal
    a, b = (pairs(rows, **side, value=lambda x, y: size(x - y)) for side in (first, second))
    if paired and a.keys() != b.keys():
        raise LookupError(f"gaps do not pair: {sorted(a.keys() ^ b.keys())}")
    couples = [(a[key], b[key]) for key in a] if paired else [(_flat(a), _flat(b))]
    return _decide((x - y for xs, ys in couples for x in xs for y in ys), lambda value: value > 0)


def ordered(
    rows: pd.DataFrame, where: Selector, along: str, order: Sequence[str], direction: str
) -> PrintedResult:
    """Every metric of ``where`` is ``rising``, or ``falling``, at each step of ``order`` in the column
    ``along``."""
    sign, steps = {"rising": 1, "falling": -1}[direction], []
    for metric in dict.fromkeys(select(rows, **where)["metric"]):
        values = [pick(rows, **(where | {along: text, "metric": metric})) for text in order]
        steps += [sign * (b - a) for a, b in zip(values, values[1:], strict=False)]
    return _decide(steps, lambda step: step > 0)


def product(
    rows: pd.DataFrame, whole: Selector, part: Selector, share: Selector, tolerance: object
) -> PrintedResult:
    """``whole`` is ``part`` × ``share`` (percentages) within ``tolerance``; the value is the difference."""
    gap = pick(rows, **whole) - pick(rows, **part) * pick(rows, **share) / 100
    return PrintedResult(abs(gap) <= exact(tolerance), gap)


def largest_remainder_gap(
    rows: pd.DataFrame, whole: Selector, part: Selector, share: Selector, of: Selector, over: Selector,
    dataset: str,
) -> PrintedResult:  # fmt: skip
    """``of`` leads ``over`` outside a subgroup by more on ``dataset`` than on any other.

    Outside follows from whole = share × part + (1 - share) × outside; the value is the lead there.
    """

    def outside(system: Selector, name: str) -> Decimal:
        part_of_all = pick(rows, **share, dataset=name) / 100
        inside = part_of_all * pick(rows, **part, **system, dataset=name)
        return (pick(rows, **whole, **system, dataset=name) - inside) / (1 - part_of_all)

    names = select(rows, **share)["dataset"]
    leads = {name: outside(of, name) - outside(over, name) for name in names}
    lead = leads.pop(dataset)
    return PrintedResult(all(lead > other for other in leads.values()), lead)


def every(rows: pd.DataFrame, tests: Sequence[Mapping]) -> PrintedResult:
    """All of several tests hold, each {test, arguments}."""
    return PrintedResult(all([printed_result(rows, **test).holds for test in tests]))


TESTS: Mapping[str, Callable[..., PrintedResult]] = {
    test.__name__: test
    for test in (greater, within, ratio, larger_gap, ordered, product, largest_remainder_gap, every)
}


def printed_result(rows: pd.DataFrame, test: str, arguments: Mapping) -> PrintedResult:
    """What a named test finds in reported rows. Raises ValueError for an unknown test, for arguments that it
    does not take, and for a cell it needs that is not there."""
    if test not in TESTS:
        raise ValueError(f"printed test: expected one of {', '.join(TESTS)}, found {test!r}")
    try:
        return TESTS[test](rows, **arguments)
    except (LookupError, TypeError) as error:
        raise ValueError(f"printed test {test}: {error}") from None
