"""Claims of each kind decided once more from the outcomes of their records, by plain loops.

Recall, resampled intervals, swaps for p, Holm's correction and the rule itself are written out here without
the library. Its draws differ, so that both are compared where these do not matter: the plain verdict is taken
with intervals a little narrower and a little wider.
"""

import random
from math import comb
from statistics import mean

import pytest

from benchlib.runs import MissingRecord
from study.claims import read_claims
from study.compared import AGAINST_UNTRAINED, ONE_TRAINING, TWO_TRAINED, UNTRAINED, kind, parts
from study.evidence import Evidence
from study.verdicts import decide

CLAIMS = {claim.id: claim for claim in read_claims()}
BY_KIND = {
    TWO_TRAINED: ("K1", "K3", "K6", "K8", "K11", "K12", "K18", "D5", "D8", "D10"),
    AGAINST_UNTRAINED: ("B1", "K4", "K20", "D7", "C1"),  # the others of the kind ask for several k, or areas
    ONE_TRAINING: ("B5", "B6", "B7", "B9", "K9", "K15", "K16", "D15", "X4"),  # C14 asks for shares
    UNTRAINED: ("B2", "K2", "C11", "C12", "X1"),  # the others count, time, or look at all protocols
}
ORDERS = {"strict/names/any-of": 1, "lenient/names/any-of": 0, "strict/concepts/any-of": 2}
EVIDENCE = Evidence()
DRAWS = 600


def credits(outcomes, k, protocol):
    """Recall@k of every scored mention: the chance that the first k hold its gold, ties at random."""
    order, kept = ORDERS[protocol], outcomes.whole
    above, ties, golds = (getattr(outcomes, name)[:, order][kept] for name in ("above", "ties", "golds"))
    cache, found = {}, []
    for line in zip(above.tolist(), ties.tolist(), golds.tolist(), strict=True):
        if line not in cache:
            before, tied, right = line
            places = k - before
            if before < 0 or places <= 0:
                cache[line] = 0.0
            elif places >= tied:
                cache[line] = 1.0
            else:
                cache[line] = 1 - comb(tied - right, places) / comb(tied, places)
        found.append(cache[line])
    return found


def among(runs, stratum):
    if not stratum:
        return [True] * len(runs.outcomes[0].scored)
    strata = runs.kinds.strata
    if stratum in ("ambiguous", "unique"):
        flags = [
            (a or b) == (stratum == "ambiguous")
            for a, b in zip(strata["no name"], strata["several concepts"], strict=True)
        ]
    else:
        flags = list(strata[stratum])
    return [bool(flags[i]) for i in runs.outcomes[0].scored]


def side(test, arm, corpus):
    """The credits of an arm, seed by seed, which mentions count, and its runs."""
    runs = EVIDENCE.runs(test.chapter, arm.runs, arm.system, corpus, kinds=bool(arm.stratum))
    k = arm.k or test.ks[0]
    return [credits(of, k, arm.protocol) for of in runs.outcomes], among(runs, arm.stratum), runs, arm


def measured(test, corpus):
    """The gap of one corpus: value, its draws, p, and seeds."""
    if test.name == "accuracy":
        runs = EVIDENCE.runs(test.chapter, test.runs, test.system, corpus, kinds=True)
        first = [credits(of, 1, test.protocol) for of in runs.outcomes], among(runs, test.stratum), runs, None
        second = [[0.0] * len(first[1])], first[1], runs, None
        one_system = True
    else:
        [arm] = test.of
        first = side(test, arm, corpus)
        rivals = [side(test, over, corpus) for over in test.over]
        second = max(rivals, key=lambda of: mean(mean_of(seed, of[1]) for seed in of[0]))
        one_system = arm.system == second[3].system
    clusters = first[2].outcomes[0].clusters.tolist()
    sums: dict[int, list[float]] = {}
    for place, (seeds, counts, _, _) in enumerate((first, second)):
        for i, cluster in enumerate(clusters):
            cell = sums.setdefault(cluster, [0.0, 0, 0.0, 0])
            if counts[i]:
                cell[2 * place] += mean(seed[i] for seed in seeds)
                cell[2 * place + 1] += 1
    cells = list(sums.values())
    rng = random.Random(7)

    def gap(chosen):
        a, n, b, m = (sum(cell[j] for cell in chosen) for j in range(4))
        return 100 * (a / n - b / m) if n and m else 0.0

    draws = sorted(gap(rng.choices(cells, k=len(cells))) for _ in range(DRAWS))
    p = None if one_system else swapped(cells, rng)
    return gap(cells), draws, p, seeds_of(first, second, one_system)


def swapped(cells, rng):
    """The share of swaps of the two systems, cluster by cluster, whose gap is as large."""
    gaps = [cell[0] - cell[2] for cell in cells]
    there, n = abs(sum(gaps)), 0
    for _ in range(DRAWS):
        n += abs(sum(gap if rng.random() < 0.5 else -gap for gap in gaps)) >= there - 1e-9
    return (n + 1) / (DRAWS + 1)


def mean_of(seed, counts):
    return mean(value for value, counted in zip(seed, counts, strict=True) if counted)


def seeds_of(first, second, one_system):
    if len(first[0]) == 1:
        return []
    each, others = ([100 * mean_of(seed, of[1]) for seed in of[0]] for of in (first, second))
    weights = [[record.made.get("weights") for of in runs.records for record in of] for runs in
               (first[2], second[2])]  # fmt: skip
    if len(others) == len(each) and (one_system or (weights[0] == weights[1] and all(weights[0]))):
        return [a - b for a, b in zip(each, others, strict=True)]
    return [a - mean(others) for a in each]


def plain(rule, found, width):
    """The verdict by the rule, with intervals of ``width`` times what was drawn."""

    def beyond(value):
        if rule.direction == "between":
            return min(value - rule.threshold, rule.upper - value)
        return value - rule.threshold if rule.direction == "greater" else rule.threshold - value

    rows = []
    for value, draws, p, seeds in found:
        low, high = (value + width * (draws[int(DRAWS * at)] - value) for at in (0.025, 0.975))
        rows.append((value, low, high, p, seeds))
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
        [test] = parts(claim.test, corpus)
        assert id in BY_KIND[kind(test, EVIDENCE, corpus)]
        try:
            effects.append(test.effect(EVIDENCE, corpus))
        except MissingRecord as error:
            pytest.skip(f"no record yet: {error}")
        found.append(measured(test, corpus))
    for (value, draws, _, seeds), effect in zip(found, effects, strict=True):
        half = (draws[int(0.975 * DRAWS)] - draws[int(0.025 * DRAWS)]) / 2
        assert value == pytest.approx(effect.value, abs=1e-4)
        assert (effect.high - effect.low) / 2 == pytest.approx(half, rel=0.2, abs=1e-6)
        assert seeds == pytest.approx(list(effect.seeds), abs=1e-3)
    assert decide(claim.rule, effects)[0] in {plain(claim.rule, found, width) for width in (0.9, 1.1)}
