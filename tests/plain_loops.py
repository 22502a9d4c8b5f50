"""Effects of claims by plain loops over the outcomes of records: recall, and resamples of clusters."""

import random
from functools import cache
from itertools import product
from math import comb
from statistics import mean

from benchlib.scoring.outcomes import ALL
from study.claims.evidence import Evidence
from study.claims.gap import GainGap, Gap
from study.claims.quantities import AmbiguousShare, ProtocolRange, ShareOfErrors

TWELVE = tuple(
    "/".join(words)
    for words in product(("strict", "pessimistic", "lenient"), ("names", "concepts"), ("any-of", "all-of"))
)
EVIDENCE = Evidence()
DRAWS = 600
SAME = "one system"


def credits(outcomes, k, protocol):
    """Recall@k of every scored mention by one of the twelve protocols."""
    match, over, gold = protocol.split("/")
    order = 2 if over == "concepts" else 0 if match == "lenient" else 1
    columns = [getattr(outcomes, name)[:, order].tolist() for name in ("n_better", "n_tied", "n_tied_gold")]
    columns += [outcomes.n_required.tolist(), outcomes.line_type.tolist(), outcomes.mention.tolist()]
    wanted = cache(lambda *place: chance(match, over, k, *place))
    first, every = {}, {}
    for whole, *place, wants, mention in zip(outcomes.whole.tolist(), *columns, strict=True):
        if whole:
            first[mention] = wanted(*place)
        if wants == ALL and gold == "all-of":
            every[mention] = wanted(*place)
    credit = first | every
    return [credit[mention] for mention in outcomes.scored.tolist()]


def chance(match, over, k, above, ties, golds, needed):
    """How probable the first k hold the golds that are needed, with ``above`` before their tie.

    Ties are in random order, or the golds last if pessimistic; lenient concepts of one name count as first.
    """
    places = k - above
    if above < 0 or places <= 0:
        return 0.0
    if places >= ties:
        return 1.0
    if match == "lenient" and over == "concepts":
        return float(places >= needed)
    if match == "pessimistic":
        return float(needed == 1 and places > ties - golds)
    if needed > 1:
        return comb(ties - needed, places - needed) / comb(ties, places) if places >= needed else 0.0
    return 1 - comb(ties - golds, places) / comb(ties, places)


@cache
def by_seed(chapter, name, system, corpus, k, protocol):
    """The credits of a system, for each value that it stands for and each of its seeds."""
    every = EVIDENCE.every(chapter, name, system, corpus)
    return [[credits(of, k, protocol) for of in runs.outcomes] for runs in every]


def flags(runs, stratum):
    """Which scored mentions are in a stratum."""
    strata = runs.kinds.strata
    if stratum in ("ambiguous", "unique"):
        both = zip(strata["no name"], strata["several concepts"], strict=True)
        inside = [(a or b) == (stratum == "ambiguous") for a, b in both]
    else:
        inside = list(strata[stratum])
    return [bool(inside[i]) for i in runs.outcomes[0].scored]


def counted(test, corpus, stratum, name, system):
    """Which mentions count: those of a stratum of this system, and of the one that all systems share."""
    [first, *_] = EVIDENCE.every(test.chapter, name, system, corpus, kinds=bool(stratum))
    masks = [flags(first, stratum)] if stratum else [[True] * len(first.outcomes[0].scored)]
    if getattr(test, "common", ""):
        for of in test.systems():
            every = EVIDENCE.every(test.chapter, *of, corpus, kinds=True)
            masks += [flags(runs, test.common) for runs in every]
    return [all(mask) for mask in zip(*masks, strict=True)]


class Side:
    """The credits of each seed by mention, and which mentions count, or how much.

    Sides of one system, or of the same weights, are paired seed by seed; gains have neither.
    """

    def __init__(self, seeds, counts, system="", weights=()):
        self.seeds, self.counts, self.system, self.weights = seeds, counts, system, weights
        self.by_seed = [mean_of(seed, counts) for seed in seeds]


def arm_side(test, arm, k, corpus):
    at = test.chapter, arm.runs, arm.system, corpus
    [seeds] = by_seed(*at, arm.k or k, arm.protocol)
    weights = [record.made.get("weights") for of in EVIDENCE.runs(*at).records for record in of]
    return Side(seeds, counted(test, corpus, arm.stratum, arm.runs, arm.system), arm.system, weights)


def gain_side(test, pair, corpus, n):
    """The gains of a system over another for each of ``n`` draws and each seed, of which any may be alone."""
    first, second = (by_seed(test.chapter, test.runs, of, corpus, 1, test.protocol) for of in pair)
    gains = []
    for draw in range(n):
        a, b = (of[draw % len(of)] for of in (first, second))
        for seed in range(max(len(a), len(b))):
            both = zip(a[seed % len(a)], b[seed % len(b)], strict=True)
            gains.append([x - y for x, y in both])
    return Side(gains, counted(test, corpus, "", test.runs, pair[0]))


def against_zero(seeds, counts):
    return Side(seeds, counts, SAME), Side([[0.0] * len(counts)], counts, SAME)


def sides(test, k, corpus):
    """The pairs of sides that a test compares at one k: for each first system those with its rivals."""
    if isinstance(test, Gap):
        rivals = [arm_side(test, arm, k, corpus) for arm in test.over]
        return [[(arm_side(test, arm, k, corpus), rival) for rival in rivals] for arm in test.of]
    if isinstance(test, ShareOfErrors):
        return [error_sides(test, corpus)]
    return [[other_sides(test, k, corpus)]]


def other_sides(test, k, corpus):
    if isinstance(test, GainGap):
        draws = [len(EVIDENCE.every(test.chapter, *of, corpus)) for of in test.systems()]
        return tuple(gain_side(test, pair, corpus, max(draws)) for pair in (test.of, test.over))
    if isinstance(test, ProtocolRange):
        every = [by_seed(test.chapter, test.runs, test.system, corpus, 1, protocol) for protocol in TWELVE]
        ranked = [Side(seeds, [True] * len(seeds[0]), SAME) for [seeds] in every]
        ranked.sort(key=lambda side: mean(side.by_seed))
        return ranked[-1], ranked[0]
    runs = EVIDENCE.runs(test.chapter, test.runs, test.system, corpus, kinds=True)
    if isinstance(test, AmbiguousShare):
        share = [float(flag) for flag in flags(runs, "ambiguous")]
        return against_zero([share], [True] * len(share))
    [seeds] = by_seed(test.chapter, test.runs, test.system, corpus, 1, test.protocol)
    return against_zero(seeds, counted(test, corpus, test.stratum, test.runs, test.system))


def error_sides(test, corpus):
    runs = EVIDENCE.runs(test.chapter, test.runs, test.system, corpus)
    [seeds] = by_seed(test.chapter, test.runs, test.system, corpus, 1, test.protocol)
    surface = EVIDENCE.measured(test.chapter, "surface", corpus).values
    wrong = [[1 - value for value in seed] for seed in seeds]
    errors = [mean_at(wrong, i) for i in range(len(wrong[0]))]

    def inside(name):
        return [float(i in surface[name]) for i in runs.outcomes[0].scored.tolist()]

    def of_errors(name):
        side = Side([inside(name)], errors, SAME)
        side.by_seed = [mean_of(inside(name), seed) for seed in wrong]
        return side

    return [(of_errors(test.of_class), of_errors(other)) for other in test.over]


def measured(test, corpus):
    """Value, bounds and seeds of one corpus: the least of several tests, of several k and of several rivals;
    of several first systems the one with the largest gap counts."""
    rows = []
    for part in test.of(corpus):
        for k in part.ks if isinstance(part, Gap) else (1,):
            clusters = clusters_of(part, corpus)
            firsts = ([row(*pair, clusters) for pair in pairs] for pairs in sides(part, k, corpus))
            rows.append(max(map(least, firsts), key=lambda of: of[0]))
    return least(rows)


def least(rows):
    if len(rows) == 1:
        return rows[0]
    value, low, high = (min(of[j] for of in rows) for j in range(3))
    n = max(len(of[3]) for of in rows)
    seeds = [min(seed) for seed in zip(*(of[3] or [of[0]] * n for of in rows), strict=True)]
    return value, low, high, seeds


def clusters_of(test, corpus):
    [first, *_] = EVIDENCE.every(test.chapter, *next(iter(test.systems())), corpus)
    return first.outcomes[0].clusters.tolist()


def row(first, second, clusters):
    """The gap of two sides, its bounds, and that of each seed."""
    sums: dict[int, list[float]] = {}
    for place, side in enumerate((first, second)):
        for i, cluster in enumerate(clusters):
            cell = sums.setdefault(cluster, [0.0, 0, 0.0, 0])
            if side.counts[i]:
                cell[2 * place] += side.counts[i] * mean_at(side.seeds, i)
                cell[2 * place + 1] += side.counts[i]
    cells = list(sums.values())
    rng = random.Random(7)

    def gap(chosen):
        a, n, b, m = map(sum, zip(*chosen, strict=True))
        return 100 * (a / n - b / m) if n and m else 0.0

    draws = sorted(gap(rng.choices(cells, k=len(cells))) for _ in range(DRAWS))
    low, high = (draws[int(DRAWS * at)] for at in (0.025, 0.975))
    return gap(cells), low, high, seeds_of(first, second)


def mean_at(seeds, i):
    return sum(seed[i] for seed in seeds) / len(seeds)


def mean_of(seed, counts):
    return sum(value * counted for value, counted in zip(seed, counts, strict=True)) / sum(counts)


def seeds_of(first, second):
    """The gap of each seed: of the same one where both are one system, training or draw, else of the mean."""
    each, others = ([100 * value for value in side.by_seed] for side in (first, second))
    if len(each) == 1:
        return [each[0] - other for other in others] if len(others) > 1 else []
    paired = first.system == second.system or (first.weights == second.weights and all(first.weights))
    if len(others) == len(each) and paired:
        return [a - b for a, b in zip(each, others, strict=True)]
    return [a - mean(others) for a in each]
