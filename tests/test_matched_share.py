"""What claims test of dictionary matches: bounds and counts by hand, and those of the published records."""

from types import SimpleNamespace

import pytest

from study.claims.claim_tests import read_test
from study.claims.evidence import Evidence
from study.claims.verdicts import FAILS, HOLDS, TOO_SMALL, Rule, decide

BLOCK = {"chapter": "parts", "measured": "all-names"}
VALUES = {
    "skip.matches": 90, "skip.exact": 40, "skip.across": 3,
    "skip.precision": 0.4, "skip.precision_low": 0.3, "skip.precision_high": 0.5,
    "skip.precision_at_mentions": 0.9,
    "skip.precision_at_mentions_low": 0.8, "skip.precision_at_mentions_high": 0.975,
}  # fmt: skip


def effect(name, values, **changes):
    asked = []

    def measured(chapter, name, corpus):
        asked.append((chapter, name, corpus))
        return SimpleNamespace(values=values)

    found = read_test({"name": name} | BLOCK | changes, "biocom", "here").effect(
        SimpleNamespace(measured=measured), "ncbi-disease"
    )
    assert asked == [("parts", "all-names", "ncbi-disease")]
    return found


def verdict(threshold, found):
    rule = Rule(
        quantity="q", direction="greater", threshold=threshold, unit="%", corpora=("ncbi-disease",),
        combine="all", why="w",
    )  # fmt: skip
    return decide(rule, [found])[0]


def test_the_bounds_reach_from_the_lower_end_of_all_matches_to_the_upper_of_those_at_mentions():
    found = effect("matched_bounds", VALUES)
    assert (found.value, found.low, found.high, found.n) == pytest.approx((65, 30, 97.5, 90))
    assert found.systems == "right are 40.0 % of all matches, 90.0 % of those at spans of mentions"
    assert found.bounds and found.lacks
    # A threshold that lies between them is not decided.
    assert [verdict(threshold, found) for threshold in (85, 29, 98)] == [TOO_SMALL, HOLDS, FAILS]


def test_matches_across_an_edge_are_counted():
    found = effect("matched_across", VALUES)
    assert (found.value, found.low, found.high, found.n) == (3, 3, 3, 90)
    assert verdict(0, found) == HOLDS
    # That there are such matches is not shown where there is none, and not refuted either.
    assert verdict(0, effect("matched_across", VALUES | {"skip.across": 0})) == TOO_SMALL


@pytest.mark.parametrize("name", ["matched_bounds", "matched_across"])
def test_what_is_no_measurement_of_matches_is_told(name):
    with pytest.raises(ValueError, match="all-names on ncbi-disease: expected a measurement matched"):
        effect(name, {"mentions": 40})
    with pytest.raises(ValueError, match="expected matches at spans of mentions, found none"):
        effect(name, {"skip.exact": 0})
    for change, message in (
        ({"measured": "every-name"}, "here: expected a chapter that measures every-name, found 'parts'"),
        ({"runs": "untuned"}, "here: runs: unknown key"),
    ):
        with pytest.raises(ValueError, match=message):
            read_test({"name": name} | BLOCK | change, "biocom", "here")


@pytest.mark.parametrize("measured", ["all-names", "preferred-names"])
def test_the_published_bounds_are_those_of_their_counts(measured):
    evidence = Evidence()
    values = evidence.measured("parts", measured, "ncbi-disease").values
    names = ("matched_bounds", "matched_across")
    bounds, across = (
        read_test({"name": name} | BLOCK | {"measured": measured}, "biocom", "here").effect(
            evidence, "ncbi-disease"
        )
        for name in names
    )
    # Every match that is right stands at the span of a mention.
    harsh, flattering = (values["skip.right"] / values[f"skip.{of}"] for of in ("matches", "exact"))
    assert bounds.value == pytest.approx(100 * (harsh + flattering) / 2)
    assert bounds.low < 100 * harsh and bounds.high > 100 * flattering
    places = ("exact", "inside", "across", "outside")
    assert across.n == sum(values[f"skip.{place}"] for place in places) and 0 <= across.value <= across.n
