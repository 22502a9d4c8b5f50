"""The embedded corpus, whose files are pinned and from which linkers learn."""

import pytest

from benchlib.benchmark import SPLITS
from benchlib.scoring import Scoring, outcomes, recall
from study.corpora import MINI_FINGERPRINT, WrongContent, load
from study.systems import ExactLinker, TfidfLinker


@pytest.fixture(scope="module")
def mini():
    return load("mini")


def test_sizes_and_form(mini):
    assert mini.fingerprint() == MINI_FINGERPRINT
    assert [len(mini.split(split).documents) for split in SPLITS] == [60, 20, 30]
    assert len(mini.ontology) == 120


def test_other_files_are_told(monkeypatch):
    without_test = load("mini").visible()
    monkeypatch.setattr("study.corpora.mini", lambda: without_test)
    with pytest.raises(WrongContent, match="mini: .* expected 591d75ea82fa…"):
        load("mini")


def test_names_help_more_than_equality_and_do_not_suffice(mini):
    def score(system, match: str) -> float:
        predictions = system.fit(mini.visible()).link(mini.test.hidden().documents)
        return recall(outcomes(predictions, mini.test, mini.ontology), 1, Scoring(match)).mean()

    exact, lenient = (score(ExactLinker(), match) for match in ("strict", "lenient"))
    assert 0.3 < exact < 0.7
    assert lenient - exact > 0.05
    assert exact + 0.1 < score(TfidfLinker(), "strict") < 0.9
