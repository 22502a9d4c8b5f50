"""Do a paper's own numbers bear out its wording? A few named tests over printed cells.

A wording without a qualifier must hold in every printed cell that it covers; one that says "on average"
or "often" is held to that. Differences are taken between numbers as printed, without regard to rounding.
"""

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal

import pandas as pd

from .reported import Selector, pick, select


@dataclass(frozen=True)
class PrintedResult:
    """Whether the numbers say so, and the number that decided it (smallest, mean or largest)."""

    holds: bool
    value: Decimal | None = None


def number(value: object) -> Decimal:
    """A bound from YAML as the exact decimal that was written."""
    return Decimal(str(value))


def _pairs(
    rows: pd.DataFrame, where: Selector | None, of: Selector, over: Selector, match: Sequence[str]
) -> dict[tuple[str, ...], list[tuple[Decimal, Decimal]]]:
    """Each ``of`` cell with each ``over`` cell that has the same texts in the columns ``match``, by those."""

    def groups(selector: Selector) -> dict[tuple[str, ...], list[Decimal]]:
        found: dict[tuple[str, ...], list[Decimal]] = {}
        for _, row in select(rows, **((where or {}) | selector)).iterrows():
            found.setdefault(tuple(row[column] for column in match), []).append(Decimal(row["value"]))
        return found

    left, right = groups(of), groups(over)
    if not left or left.keys() != right.keys():
        alone = sorted(left.keys() ^ right.keys())
        raise LookupError(f"cells of {of} and {over} do not pair on {match}: {alone or 'none match'}")
    return {key: [(a, b) for a in left[key] for b in right[key]] for key in left}


def _gaps(
    rows: pd.DataFrame, of: Selector, over: Selector, where: Selector | None = None,
    match: Sequence[str] = ("dataset",),
) -> dict[tuple[str, ...], list[Decimal]]:  # fmt: skip
    pairs = _pairs(rows, where, of, over, match)
    return {key: [a - b for a, b in both] for key, both in pairs.items()}


def _flat(groups: Mapping[tuple[str, ...], list]) -> list:
    return [value for values in groups.values() for value in values]


def _decide(values: list[Decimal], holds: Callable[[Decimal], bool], combine: str) -> PrintedResult:
    if combine == "average":
        mean = sum(values, Decimal(0)) / len(values)
        return PrintedResult(holds(mean), mean)
    met = sum(map(holds, values))
    if combine == "all":
        return PrintedResult(met == len(values), min(values))
    if combine == "most":
        return PrintedResult(2 * met > len(values), min(values))
    raise ValueError(f"combine is {combine!r}; expected all, average or most")


def greater(
    rows: pd.DataFrame, *, of: Selector, over: Selector, where: Selector | None = None,
    match: Sequence[str] = ("dataset",), by: object = 0, combine: str = "all",
) -> PrintedResult:  # fmt: skip
    """``of`` exceeds ``over`` by more than ``by`` points, in all pairs, most, or on average."""
    return _decide(_flat(_gaps(rows, of, over, where, match)), lambda gap: gap > number(by), combine)


def within(
    rows: pd.DataFrame, *, of: Selector, over: Selector, by: object, at: object = 0,
    where: Selector | None = None, match: Sequence[str] = ("dataset",), combine: str = "all",
) -> PrintedResult:  # fmt: skip
    """``of`` minus ``over`` is ``at``, give or take ``by`` points; the value is that difference."""
    gaps = _flat(_gaps(rows, of, over, where, match))
    return _decide(gaps, lambda gap: abs(gap - number(at)) <= number(by), combine)


def ratio(
    rows: pd.DataFrame, *, of: Selector, over: Selector, low: object, high: object = "Infinity",
    where: Selector | None = None, match: Sequence[str] = ("dataset",), combine: str = "all",
) -> PrintedResult:  # fmt: skip
    """``of`` divided by ``over`` lies in [``low``, ``high``]."""
    ratios = [a / b for a, b in _flat(_pairs(rows, where, of, over, match))]
    return _decide(ratios, lambda value: number(low) <= value <= number(high), combine)


def larger_gap(
    rows: pd.DataFrame, *, first: Mapping, second: Mapping, paired: bool, magnitude: bool = False
) -> PrintedResult:
    """The gaps of ``first`` exceed those of ``second``; each holds where, of, over and match.

    ``paired`` compares gaps with the same ``match`` texts, otherwise each with each. ``magnitude`` drops
    the sign. The value is the smallest difference of gaps.
    """
    size = abs if magnitude else Decimal
    a, b = (
        {key: list(map(size, gaps)) for key, gaps in _gaps(rows, **side).items()} for side in (first, second)
    )
    if paired and a.keys() != b.keys():
        raise LookupError(f"gaps do not pair: {sorted(a.keys() ^ b.keys())}")
    couples = [(a[k], b[k]) for k in a] if paired else [(_flat(a), _flat(b))]
    return _decide([x - y for xs, ys in couples for x in xs for y in ys], lambda value: value > 0, "all")


def ordered(
    rows: pd.DataFrame, *, where: Selector, along: str, order: Sequence[str], direction: str
) -> PrintedResult:
    """Every metric of ``where`` rises, or falls, at each step of ``order`` in the column ``along``."""
    if direction not in ("rising", "falling"):
        raise ValueError(f"direction is {direction!r}; expected rising or falling")
    sign, steps = (1 if direction == "rising" else -1), []
    for metric in dict.fromkeys(select(rows, **where)["metric"]):
        values = [pick(rows, **(where | {along: text, "metric": metric})) for text in order]
        steps += [sign * (b - a) for a, b in zip(values, values[1:], strict=False)]
    return _decide(steps, lambda step: step > 0, "all")


def product(
    rows: pd.DataFrame, *, whole: Selector, part: Selector, share: Selector, tolerance: object
) -> PrintedResult:
    """``whole`` is ``part`` × ``share`` (percentages) within ``tolerance``; the value is the difference."""
    gap = pick(rows, **whole) - pick(rows, **part) * pick(rows, **share) / 100
    return PrintedResult(abs(gap) <= number(tolerance), gap)


def largest_remainder_gap(
    rows: pd.DataFrame, *, whole: Selector, part: Selector, share: Selector, of: Selector, over: Selector,
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
    return PrintedResult(
        all(leads[dataset] > lead for name, lead in leads.items() if name != dataset), leads[dataset]
    )


def every(rows: pd.DataFrame, *, tests: Sequence[Mapping]) -> PrintedResult:
    """All of several tests hold, each {test, arguments}."""
    findings = [printed_result(rows, test["test"], test["arguments"]) for test in tests]
    return PrintedResult(all(one.holds for one in findings))


TESTS: Mapping[str, Callable[..., PrintedResult]] = {
    test.__name__: test
    for test in (greater, within, ratio, larger_gap, ordered, product, largest_remainder_gap, every)
}


def check(test: str, arguments: Mapping) -> None:
    """Raises ValueError for an unknown test, or arguments that it does not take."""
    if test not in TESTS:
        raise ValueError(f"unknown printed test {test!r}; there are {', '.join(TESTS)}")
    try:
        inspect.signature(TESTS[test]).bind(None, **arguments)
        for side in (arguments.get("first"), arguments.get("second")):
            if side is not None:
                inspect.signature(_gaps).bind(None, **side)
    except TypeError as error:
        raise ValueError(f"printed test {test}: {error}") from None
    for part in arguments.get("tests", []):
        if set(part) != {"test", "arguments"}:
            raise ValueError(f"printed test {test}: expected test and arguments, found {sorted(part)}")
        check(part["test"], part["arguments"])


def printed_result(rows: pd.DataFrame, test: str, arguments: Mapping) -> PrintedResult:
    """What a named test finds in reported rows; raises LookupError when a cell it needs is not there."""
    check(test, arguments)
    return TESTS[test](rows, **arguments)
