"""The auPR of NIL detection with its interval, against scikit-learn and plain resampling, and by hand."""

import numpy as np
import pytest
from sklearn.metrics import average_precision_score
from test_scoring_roc import RANDOM, finite, system

from benchlib.scoring import area, area_difference, pr_areas, precision_recall
from benchlib.scoring.statistics import resample_weights


def test_the_area_by_hand():
    # From the lowest: NIL without an answer; a known and a NIL one together; a known one; NIL.
    found = system([-np.inf, 0.2, 0.2, 0.5, 0.9], [True, False, True, False, True])
    # A third of the recall at precision 1, a third at 2 of 3, a third at 3 of 5.
    estimate = area([found], pr_areas)
    assert estimate.value == pytest.approx((1 + 2 / 3 + 3 / 5) / 3)
    assert (estimate.n, estimate.seeds) == (5, (estimate.value,))


def resampled(scores, nil, clusters, n: int) -> list[float]:
    """Areas over whole clusters drawn with the weights of the project; NaN where no NIL mention is."""
    places = {cluster: place for place, cluster in enumerate(dict.fromkeys(clusters.tolist()))}
    number = np.array([places[cluster] for cluster in clusters.tolist()])
    areas = []
    for drawn in resample_weights(len(places), n)[:, number]:
        some = (drawn > 0) & nil
        area = average_precision_score(nil, -finite(scores), sample_weight=drawn) if some.any() else np.nan
        areas.append(area)
    return areas


@pytest.mark.parametrize(("scores", "nil", "clusters"), RANDOM)
def test_area_and_interval_are_those_of_another_library_resampled(scores, nil, clusters):
    # More resamples than are taken at a time.
    estimate = area([system(scores, nil, clusters)], pr_areas, n_resamples=600)
    assert estimate.value == pytest.approx(average_precision_score(nil, -finite(scores)))
    low, high = np.nanpercentile(resampled(scores, nil, clusters, 600), [2.5, 97.5])
    assert (estimate.low, estimate.high) == pytest.approx((low, high), abs=1e-5)


def test_seeds_are_averaged_and_differences_paired():
    scores, nil, clusters = RANDOM[3]
    worse = np.where(nil, scores + 5, scores)
    first, second = (system(one, nil, clusters) for one in (scores, worse))
    single = [area([run], pr_areas).value for run in (first, second)]
    areas = np.array([resampled(one, nil, clusters, 200) for one in (scores, worse)])
    both = area([first, second], pr_areas, n_resamples=200)
    assert both.seeds == pytest.approx(single) and both.value == pytest.approx(np.mean(single))
    expected = np.nanpercentile(areas.mean(axis=0), [2.5, 97.5])
    assert (both.low, both.high) == pytest.approx(expected, abs=1e-5)
    apart = area_difference([first, second], [second], pr_areas, n_resamples=200)
    assert apart.seeds == pytest.approx((single[0] - single[1], 0))
    expected = np.nanpercentile(areas.mean(axis=0) - areas[1], [2.5, 97.5])
    assert (apart.low, apart.high) == pytest.approx(expected, abs=1e-5)


def test_scores_that_say_nothing_are_at_chance_and_the_curve_is_still_a_function():
    nil = np.array([True, False, False, False])
    assert area([system([0.5] * 4, nil)], pr_areas).value == 0.25
    assert precision_recall(system([0.5] * 4, nil)).precision.tolist() == [0.25]


def test_what_cannot_be_ranked_or_paired_is_an_error():
    two, three = system([0.1, 0.2], [True, False]), system([0.1, 0.2, 0.3], [True, False, False])
    with pytest.raises(ValueError, match="no NIL mention"):
        area([system([0.1, 0.2], [False, False])], pr_areas)
    with pytest.raises(ValueError, match="same mentions"):
        area_difference([two], [three], pr_areas)
    with pytest.raises(ValueError, match="found none"):
        area([], pr_areas)
