"""The refined filter: by hand, by another way of counting, and the same wherever its number stands."""

import pytest
from toy import BENCHMARK, document

from benchlib.corpus import Corpus
from benchlib.ontology import fold_name, refined
from benchlib.scoring import strata
from study.corpora import load
from study.measurements.card import card
from study.measurements.strings import strings


def corpus(*mentions: tuple[str, str]) -> Corpus:
    return Corpus("t", (document("1", *mentions),))


def test_by_hand():
    test = corpus(
        ("Ague", "D1"),  # the first of its pair
        ("AGUE", "D1"),  # the same, case aside
        ("ague", "D2"),  # another id
        ("chill", ""),  # NIL
        ("chill", "D1"),  # the same string, not NIL
        ("Cold", "D1"),  # a train string
        ("shakes", "D1"),  # a dev string, NIL there
        ("ague", "D1+D2"),  # another gold as printed
    )
    seen = (corpus(("COLD", "D9")), corpus(("shakes", "")))
    assert refined(test, seen) == [True, False, True, False, True, False, False, True]
    assert refined(test, ()) == [True, False, True, False, True, True, True, True]
    assert refined(Corpus("t", ()), seen) == []


@pytest.mark.parametrize("benchmark", [BENCHMARK, load("mini")], ids=["toy", "mini"])
def test_every_measurement_gives_the_same_number(benchmark):
    seen = (benchmark.train, benchmark.dev)
    known = {fold_name(m.text) for one in seen for _, m in one.mentions()}
    pairs = {(fold_name(m.text), m.gold.printed) for _, m in benchmark.test.mentions() if m.gold.parts}
    expected = len([pair for pair in pairs if pair[0] not in known])
    assert expected > 0
    assert card(benchmark)["test.refined"] == strings(benchmark)["test.refined"] == expected
    assert strata(benchmark.test, benchmark.ontology, seen)["refined"].sum() == expected
