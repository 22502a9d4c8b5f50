"""The tests of claims that our own records decide: named functions from records to effects."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

from ..datasets.perturb import perturbed
from ..linkers import linker as named
from ..linkers.inference import inference
from ..runs import Record, Store, kinds, measure, run
from ..scoring import (
    PROTOCOLS,
    Estimate,
    Scoring,
    compare,
    difference,
    disjoint,
    estimate,
    recall,
    roc_area,
    roc_area_difference,
)
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
        a, b = (_credits(store, linker, corpus, protocol, seeds) for linker in (first, second))
        found = compare(a.mean(axis=0), b.mean(axis=0), _clusters(store, first, corpus, seeds))
        gaps = 100 * (a - b).mean(axis=1)
        per_seed = tuple(gaps.tolist()) if len(seeds) > 1 else ()
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


def best_gap(
    store: Store,
    corpora: Sequence[str],
    linker: str,
    seeds: Sequence[int],
    others: Mapping[str, Sequence[int]],
    protocol: str,
) -> list[Effect]:
    """Accuracy of a linker minus that of the most accurate of others, in points: paired, credits averaged
    over seeds. ``others`` gives the seeds of each."""
    effects = []
    for corpus in corpora:
        first = _credits(store, linker, corpus, protocol, seeds)
        rivals = [_credits(store, other, corpus, protocol, of) for other, of in others.items()]
        second = max(rivals, key=np.mean)
        found = compare(first.mean(axis=0), second.mean(axis=0), _clusters(store, linker, corpus, seeds))
        gaps = tuple((100 * (first.mean(axis=1) - second.mean())).tolist())
        effects.append(
            replace(_effect(corpus, found.difference), p=found.p, seeds=gaps if len(seeds) > 1 else ())
        )
    return effects


def folds_gap(
    store: Store, corpora: Sequence[str], linker: str, others: Sequence[str], folds: int, protocol: str
) -> list[Effect]:
    """Cross-validated accuracy of a linker minus that of the most accurate of others, in points: paired over
    the mentions of all folds, each linked by the training that did not see it. An entity is a cluster of
    its own in each fold; the gap within each fold stands beside, in place of seeds."""
    effects = []
    for corpus in corpora:
        credit = {}
        for name in (linker, *others):
            found = [
                _record(store, name, corpus, "dev", changes=(f"fold:{i}/{folds}",)).outcomes
                for i in range(1, folds + 1)
            ]
            credit[name] = [recall(one, 1, Scoring.parse(protocol)) for one in found]
            clusters = disjoint([one.clusters for one in found])
        best = max(others, key=lambda name: np.concatenate(credit[name]).mean())
        compared = compare(np.concatenate(credit[linker]), np.concatenate(credit[best]), clusters)
        per_fold = tuple(
            100 * (a.mean() - b.mean()) for a, b in zip(credit[linker], credit[best], strict=True)
        )
        effects.append(replace(_effect(corpus, compared.difference), p=compared.p, seeds=per_fold))
    return effects


def steadiness(store: Store, corpora: Sequence[str], linker: str, folds: int) -> list[Effect]:
    """Standard deviation of accuracy over the epochs of the second half of training divided by that of the
    first half, mean over folds; the interval resamples folds."""
    effects = []
    for corpus in corpora:
        ratios = []
        for i in range(1, folds + 1):
            record = _record(store, linker, corpus, "dev", changes=(f"fold:{i}/{folds}",))
            scores = np.array([row["dev_score"] for row in record.trace if row["dev_score"] is not None])
            first, second = scores[: len(scores) // 2], scores[len(scores) // 2 :]
            ratios.append(second.std(ddof=1) / first.std(ddof=1))
        [found] = estimate(np.array(ratios), np.arange(folds))
        effects.append(Effect(corpus, found.value, found.low, found.high, folds))
    return effects


def area_gap(
    store: Store,
    corpora: Sequence[str],
    linker: str,
    seeds: Sequence[int],
    others: Mapping[str, Sequence[int]],
) -> list[Effect]:
    """Area under the ROC curve of NIL, of a linker minus the largest of others, in points."""
    effects = []
    for corpus in corpora:
        first, *rivals = (
            [_record(store, name, corpus, seed=seed).outcomes for seed in of]
            for name, of in {linker: seeds, **others}.items()
        )
        second = max(rivals, key=lambda runs: roc_area(runs).value)
        found = roc_area_difference(first, second)
        effects.append(replace(_effect(corpus, found), seeds=tuple(100 * one for one in found.seeds)))
    return effects


def time_ratio(store: Store, corpora: Sequence[str], system: str, others: Sequence[str]) -> list[Effect]:
    """Seconds that a system takes to link the test mentions divided by those of the fastest of others: the
    mean over rounds in which all took turns; the interval resamples rounds."""
    effects = []
    for corpus in corpora:
        values = measure("inference", inference, corpus, store, compute="never").values
        fastest = min(others, key=lambda name: values[name])
        ratios = np.array(values[f"{system}.runs"]) / np.array(values[f"{fastest}.runs"])
        [found] = estimate(ratios, np.arange(len(ratios)))
        effects.append(Effect(corpus, found.value, found.low, found.high, int(values["n.mentions"])))
    return effects


def perturbed_gap(
    store: Store,
    corpora: Sequence[str],
    linker: str,
    seeds: Sequence[int],
    changes: Sequence[str],
    protocol: str,
) -> list[Effect]:
    """Accuracy on perturbed mentions minus that on the same mentions intact, in points; of several ways to
    perturb, the one with the gap nearest to the claim's contrary."""
    effects = []
    for corpus in corpora:
        masks = measure("perturbed", perturbed, corpus, store, compute="never").values
        intact = _credits(store, linker, corpus, protocol, seeds)
        scored = _record(store, linker, corpus, seed=seeds[0]).outcomes
        gaps = []
        for change in changes:
            changed = _credits(store, linker, corpus, protocol, seeds, (f"{change}:test",))
            among = np.isin(scored.scored, masks[change])
            first, second = changed.mean(axis=0), intact.mean(axis=0)
            found = difference(first, second, scored.clusters, among, among)
            per_seed = 100 * (changed - intact)[:, among].mean(axis=1)
            gaps.append(replace(_effect(corpus, found), seeds=tuple(per_seed.tolist())))
        effects.append(max(gaps, key=lambda effect: effect.value))
    return effects


TESTS: Mapping[str, Callable[..., list[Effect]]] = {
    function.__name__: function
    for function in (
        protocol_gap,
        linker_gap,
        ambiguous_share,
        filtered_gap,
        protocol_range,
        best_gap,
        folds_gap,
        steadiness,
        area_gap,
        time_ratio,
        perturbed_gap,
    )
}


def _record(
    store: Store,
    linker: str,
    corpus: str,
    split: str = "test",
    seed: int = 0,
    changes: tuple[str, ...] = (),
) -> Record:
    return run(named(linker), corpus, store, split=split, seed=seed, changes=changes, compute="never")


def _credits(
    store: Store,
    linker: str,
    corpus: str,
    protocol: str,
    seeds: Sequence[int],
    changes: tuple[str, ...] = (),
) -> np.ndarray:
    """Accuracy of every counted mention, seeds × mentions."""
    found = [_record(store, linker, corpus, seed=seed, changes=changes).outcomes for seed in seeds]
    return np.stack([recall(one, 1, Scoring.parse(protocol)) for one in found])


def _clusters(store: Store, linker: str, corpus: str, seeds: Sequence[int]) -> np.ndarray:
    return _record(store, linker, corpus, seed=seeds[0]).outcomes.clusters


def _kinds(store: Store, corpus: str, split: str = "test") -> pd.DataFrame:
    return kinds(corpus, store, split=split, compute="never").strata


def _effect(corpus: str, found: Estimate) -> Effect:
    return Effect(corpus, 100 * found.value, 100 * found.low, 100 * found.high, found.n)
