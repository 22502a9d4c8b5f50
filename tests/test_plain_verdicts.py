"""Claims of each kind decided once more from the outcomes of their records, by plain loops.

Recall, resampled intervals, swaps for p, Holm's correction and the rule itself are written out here without
the library. Its draws differ, so that both are compared where these do not matter: the plain verdict is taken
with intervals a little narrower and a little wider.
"""

from statistics import mean

import pytest
from plain_loops import EVIDENCE, measured

from study.claims import read_claims
from study.claims.claim_tests import AGAINST_UNTRAINED, ONE_TRAINING, TWO_TRAINED, UNTRAINED, kind
from study.claims.verdicts import decide
from study.records import MissingRecord

CLAIMS = {claim.id: claim for claim in read_claims()}
# Left out of kinds with fewer than ten: C8 asks for areas, B10 and K17 for counts of matches in texts, and
# D1 to D3, D13 and C3 for times.
BY_KIND = {
    TWO_TRAINED: ("K1", "K3", "K6", "K8", "K11", "K12", "K18", "D5", "D6", "D8", "D10", "B3", "B4", "P4"),
    AGAINST_UNTRAINED: ("B1", "K4", "K20", "D7", "C1", "C9", "P16"),
    ONE_TRAINING: ("B5", "B6", "B7", "B9", "K9", "K15", "K16", "D15", "C14", "X4"),
    UNTRAINED: ("B2", "K2", "K5", "C11", "C12", "X1", "X3"),
}


def plain(rule, found, width):
    """The verdict by the rule, with intervals of ``width`` times what was drawn."""

    def beyond(value):
        if rule.direction == "between":
            return min(value - rule.threshold, rule.upper - value)
        return value - rule.threshold if rule.direction == "greater" else rule.threshold - value

    rows = []
    for value, low, high, p, seeds in found:
        rows.append((value, value + width * (low - value), value + width * (high - value), p, seeds))
    if rule.combine == "average":
        n = len(rows)
        value = sum(row[0] for row in rows) / n
        low, high = (value + sign * sum((row[j] - row[0]) ** 2 for row in rows) ** 0.5 / n
                     for sign, j in ((-1, 1), (1, 2)))  # fmt: skip
        sides = [(min(beyond(row[1]), beyond(row[2])) > 0, max(beyond(row[1]), beyond(row[2])) < 0)
                 for row in rows]  # fmt: skip
        if any(a for a, _ in sides) and any(b for _, b in sides):
            return "mixed"
        rows = [(value, low, high, None, [mean(of) for of in zip(*(row[4] for row in rows), strict=False)])]
    ends = [sorted((beyond(low), beyond(high))) for _, low, high, _, _ in rows]
    if rule.direction == "between":
        middle = (rule.threshold + rule.upper) / 2
        ends = [(a, beyond(middle) if low <= middle <= high else b)
                for (a, b), (_, low, high, _, _) in zip(ends, rows, strict=True)]  # fmt: skip
    if all(low > 0 for low, _ in ends):
        return "holds" if all(beyond(seed) > 0 for row in rows for seed in row[4]) else "mixed"
    lost = [i for i, (_, high) in enumerate(ends) if high < 0 and significant(rows, i, rule, width)]
    if any(all(beyond(seed) < 0 for seed in rows[i][4]) for i in lost):
        return "does not hold"
    return "mixed" if lost else "too small to decide"


def significant(rows, place, rule, width):
    """Whether a p value stays below 0.05 after Holm: times the number of those that are not smaller.

    Without a test against 0, an interval that excludes the threshold by more than its half width counts.
    """
    value, low, high, p, _ = rows[place]
    if p is None or rule.threshold:
        half = (high - low) / 2
        return len(rows) == 1 or abs(value - rule.threshold) > (1.3 if width < 1 else 1.2) * half
    larger = sum(row[3] is None or row[3] >= p for row in rows)
    return p * larger * width**4 <= 0.05


@pytest.mark.parametrize("id", [id for ids in BY_KIND.values() for id in ids])
def test_a_claim_is_decided_alike_by_plain_loops(id):
    claim = CLAIMS[id]
    found, effects = [], []
    for corpus in claim.rule.corpora:
        assert all(id in BY_KIND[kind(test, EVIDENCE, corpus)] for test in claim.test.of(corpus))
        try:
            effects.append(claim.test.effect(EVIDENCE, corpus))
        except MissingRecord as error:
            pytest.skip(f"no record yet: {error}")
        found.append(measured(claim.test, corpus))
    for (value, low, high, _, seeds), effect in zip(found, effects, strict=True):
        assert value == pytest.approx(effect.value, abs=1e-4)
        assert (effect.high - effect.low) / 2 == pytest.approx((high - low) / 2, rel=0.2, abs=1e-6)
        assert seeds == pytest.approx(list(effect.seeds), abs=1e-3)
    assert decide(claim.rule, effects)[0] in {plain(claim.rule, found, width) for width in (0.9, 1.1)}
