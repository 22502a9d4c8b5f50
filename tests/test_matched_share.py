"""What a claim tests of dictionary matches: shares by hand, and those of the published counts."""

from types import SimpleNamespace

import pytest

from study.claim_tests import read_test
from study.evidence import Evidence
from study.verdicts import CONTRADICTED, INCONCLUSIVE, SUPPORTED, Rule, decide

BLOCK = {
    "name": "matched_share", "chapter": "parts", "measured": "all-names",
}  # fmt: skip
VALUES = {
    "skip.exact": 40, "skip.precision_at_mentions": 0.9,
    "skip.precision_at_mentions_low": 0.8, "skip.precision_at_mentions_high": 0.975,
}  # fmt: skip


def effect(values, **changes):
    asked = []

    def measured(chapter, name, corpus):
        asked.append((chapter, name, corpus))
        return SimpleNamespace(values=values)

    found = read_test(BLOCK | changes, "biocom", "here").effect(
        SimpleNamespace(measured=measured), "ncbi-disease"
    )
    assert asked == [("parts", "all-names", "ncbi-disease")]
    return found


def rule(direction: str, threshold: float) -> Rule:
    return Rule(
        quantity="q", direction=direction, threshold=threshold, unit="%", corpora=("ncbi-disease",),
        combine="all", why="w",
    )  # fmt: skip


def test_a_share_has_its_own_interval_and_the_number_that_it_is_of():
    right = effect(VALUES)
    assert (right.value, right.low, right.high, right.n) == pytest.approx((90, 80, 97.5, 40))
    assert right.systems == "right matches at spans of mentions" and right.p is None and not right.seeds
    # 36 of 40 are right, so 4 are wrong; the bounds change places.
    wrong = effect(VALUES, wrong=True)
    assert (wrong.value, wrong.low, wrong.high, wrong.n) == pytest.approx((10, 2.5, 20, 40))
    assert wrong.systems == "wrong matches at spans of mentions"


def test_a_threshold_outside_the_interval_is_decided():
    assert decide(rule("greater", 0), [effect(VALUES, wrong=True)])[0] == SUPPORTED
    assert decide(rule("greater", 85), [effect(VALUES)])[0] == INCONCLUSIVE
    assert decide(rule("greater", 98), [effect(VALUES)])[0] == CONTRADICTED
    # Where every match is right the interval has no width, and nothing is wrong.
    sure = VALUES | {f"skip.precision_at_mentions{end}": 1.0 for end in ("", "_low", "_high")}
    assert decide(rule("greater", 0), [effect(sure, wrong=True)])[0] == INCONCLUSIVE


def test_what_is_no_share_is_told():
    with pytest.raises(ValueError, match="all-names on ncbi-disease: expected a measurement matched"):
        effect({"skip.exact": 40})
    nothing = {key: None for key in VALUES} | {"skip.exact": 0}
    with pytest.raises(ValueError, match="expected matches at spans of mentions, found none"):
        effect(nothing)
    for change, message in (
        ({"measured": "every-name"}, "here: expected a chapter that measures every-name, found 'parts'"),
        ({"runs": "untuned"}, "here: runs: unknown key"),
    ):
        with pytest.raises(ValueError, match=message):
            read_test(BLOCK | change, "biocom", "here")


@pytest.mark.parametrize("measured", ["all-names", "preferred-names"])
def test_the_published_shares_are_those_of_their_counts(measured):
    evidence = Evidence()
    test = read_test(BLOCK | {"measured": measured, "wrong": True}, "biocom", "here")
    values = evidence.measured("parts", measured, "ncbi-disease").values
    found = test.effect(evidence, "ncbi-disease")
    # What is right stands at the span of a mention.
    assert found.value == pytest.approx(100 * (values["skip.exact"] - values["skip.right"]) / found.n)
    assert found.n == values["skip.exact"] and found.low < found.value < found.high
