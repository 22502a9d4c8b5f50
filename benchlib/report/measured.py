"""The tests of claims that our own records decide: named functions from records to effects."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

from ..linkers import linker as named
from ..runs import Record, Store, kinds, run
from ..scoring import PROTOCOLS, Estimate, Scoring, compare, difference, estimate, recall
from .verdicts import Effect


def protocol_gap(
    store: Store, corpora: Sequence[str], linker: str, minuend: str, subtrahend: str
) -> list[Effect]:
    """Accuracy under one protocol minus accuracy under another, same predictions, in points."""
    effects = []
    for corpus in corpora:
        record = _record(store, linker, corpus)
        first, second = (recall(record.outcomes, 1, Scoring.parse(text)) for text in (minuend, subtrahend))
        effects.append(_effect(corpus, difference(first, second, record.outcomes.clusters)))
    return effects


def linker_gap(
    store: Store,
    corpora: Sequence[str],
    first: str,
    second: str,
    protocol: str,
    seeds: Sequence[int] = (0,),
) -> list[Effect]:
    """Accuracy of one linker minus that of another, same mentions and protocol, in points: paired, with the p
    value of a permutation test. With several seeds, credits are averaged over them and each seed's own gap
    stands beside."""
    effects = []
    for corpus in corpora:
        scoring, credit = Scoring.parse(protocol), {}
        for linker in (first, second):
            runs = [_record(store, linker, corpus, seed=seed).outcomes for seed in seeds]
            credit[linker] = np.stack([recall(found, 1, scoring) for found in runs])
        found = compare(credit[first].mean(axis=0), credit[second].mean(axis=0), runs[0].clusters)
        apart = 100 * (credit[first] - credit[second]).mean(axis=1)
        per_seed = tuple(apart.tolist()) if len(seeds) > 1 else ()
        effects.append(replace(_effect(corpus, found.difference), p=found.p, seeds=per_seed))
    return effects


def ambiguous_share(store: Store, corpora: Sequence[str], split: str) -> list[Effect]:
    """Share of mentions that, as they are, match no name or the name of several concepts, in percent
    (KRISSBERT, section 4.5, footnote 4)."""
    effects = []
    for corpus in corpora:
        record = _record(store, "exact", corpus, split)
        mentions = _kinds(store, corpus, split).iloc[record.outcomes.scored]
        ambiguous = mentions["no name"] | mentions["several concepts"]
        [share] = estimate(ambiguous.to_numpy(float), record.outcomes.clusters)
        effects.append(_effect(corpus, share))
    return effects


def filtered_gap(
    store: Store, corpora: Sequence[str], linker: str, filter: str, protocol: str
) -> list[Effect]:
    """Accuracy on a stratum minus accuracy on all mentions, same predictions, in points."""
    effects = []
    for corpus in corpora:
        record = _record(store, linker, corpus)
        hits = recall(record.outcomes, 1, Scoring.parse(protocol))
        among = _kinds(store, corpus)[filter].to_numpy()[record.outcomes.scored]
        effects.append(_effect(corpus, difference(hits, hits, record.outcomes.clusters, among)))
    return effects


def protocol_range(store: Store, corpora: Sequence[str], linker: str) -> list[Effect]:
    """The largest minus the smallest accuracy over all protocols, same predictions, in points."""
    effects = []
    for corpus in corpora:
        record = _record(store, linker, corpus)
        hits = [recall(record.outcomes, 1, scoring) for scoring in PROTOCOLS]
        means = [values.mean() for values in hits]
        most, least = hits[int(np.argmax(means))], hits[int(np.argmin(means))]
        effects.append(_effect(corpus, difference(most, least, record.outcomes.clusters)))
    return effects


TESTS: Mapping[str, Callable[..., list[Effect]]] = {
    function.__name__: function
    for function in (protocol_gap, linker_gap, ambiguous_share, filtered_gap, protocol_range)
}


def _record(store: Store, linker: str, corpus: str, split: str = "test", seed: int = 0) -> Record:
    return run(named(linker), corpus, store, split=split, seed=seed, compute="never")


def _kinds(store: Store, corpus: str, split: str = "test") -> pd.DataFrame:
    return kinds(corpus, store, split=split, compute="never").strata


def _effect(corpus: str, found: Estimate) -> Effect:
    return Effect(corpus, 100 * found.value, 100 * found.low, 100 * found.high, found.n)
