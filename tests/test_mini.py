"""The embedded corpus, whose files are pinned and from which linkers learn."""

import pytest
from linking import MINI

from benchlib.benchmark import SPLITS
from benchlib.scoring import Scoring, outcomes, recall
from study.corpora import WrongContent, load
from study.systems import ExactLinker, TfidfLinker


def test_sizes_and_form():
    assert [len(MINI.split(split).documents) for split in SPLITS] == [60, 20, 30]
    assert len(MINI.ontology) == 120


def test_other_files_are_told(monkeypatch):
    without_test = load("mini").visible()
    monkeypatch.setattr("study.corpora.mini", lambda: without_test)
    with pytest.raises(WrongContent, match="mini: .* expected 591d75ea82fa…"):
        load("mini")


def test_names_help_more_than_equality_and_do_not_suffice():
    def score(system, match: str) -> float:
        predictions = system.fit(MINI.visible()).link(MINI.test.hidden().documents)
        return recall(outcomes(predictions, MINI.test, MINI.ontology), 1, Scoring(match)).mean()

    exact, lenient = (score(ExactLinker(), match) for match in ("strict", "lenient"))
    assert 0.3 < exact < 0.7
    assert lenient - exact > 0.05
    assert exact + 0.1 < score(TfidfLinker(), "strict") < 0.9
