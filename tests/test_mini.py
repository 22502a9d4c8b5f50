"""The embedded corpus, whose files are pinned: each difficulty in its share, and that it is learnable."""

import re
from collections import Counter
from pathlib import Path

import pytest
import yaml

from benchlib.benchmark import SPLITS
from benchlib.ontology import fold_name
from benchlib.scoring import Scoring, outcomes, recall
from study.corpora import MINI_FINGERPRINT, WrongContent, load
from study.systems import ExactLinker, TfidfLinker

CUES = yaml.safe_load(Path(__file__).with_name("data").joinpath("mini_cues.yaml").read_text("utf-8"))


@pytest.fixture(scope="module")
def mini():
    return load("mini")


def mentions(benchmark, *splits):
    for split in splits or SPLITS:
        yield from benchmark.split(split).mentions()


def one_edit_apart(a: str, b: str) -> bool:
    """Whether one letter added, lost or replaced makes one string the other."""
    short, long = sorted((a, b), key=len)
    if len(short) == len(long):
        return sum(x != y for x, y in zip(a, b, strict=True)) == 1
    return any(long[:i] + long[i + 1 :] == short for i in range(len(long)))


def sentence(document, mention) -> str:
    """The sentence around a mention, lower-cased."""
    ends = [0, *(match.end() for match in re.finditer(r"[.?] ", document.text)), len(document.text)]
    start = max(end for end in ends if end <= mention.start)
    return document.text[start : min(end for end in ends if end > mention.start)].lower()


def kind(benchmark, mention) -> str:
    """The kind of a mention, from its text, its gold and the dictionary alone."""
    gold, owners = mention.gold, benchmark.ontology.owners().get(fold_name(mention.text), ())
    if len(gold.parts) != 1:
        return "composite" if gold.parts else "nil"
    if owners:
        return "ambiguous" if len(owners) > 1 else "plain"
    (id,) = gold.ids
    names = map(fold_name, benchmark.ontology.concepts[id].names)
    return "typo" if any(one_edit_apart(fold_name(mention.text), name) for name in names) else "synonym"


def test_sizes_and_form(mini):
    assert mini.fingerprint() == MINI_FINGERPRINT
    assert [len(mini.split(split).documents) for split in SPLITS] == [60, 20, 30]
    assert len(mini.ontology) == 120


def test_other_files_are_told(monkeypatch):
    without_test = load("mini").visible()
    monkeypatch.setattr("study.corpora.mini", lambda: without_test)
    with pytest.raises(WrongContent, match="mini: .* expected 591d75ea82fa…"):
        load("mini")


def test_each_kind_of_mention_has_its_share(mini):
    kinds = Counter(kind(mini, mention) for _, mention in mentions(mini))
    shares = {name: count / kinds.total() for name, count in kinds.items()}
    said = {"ambiguous": 0.2, "synonym": 0.25, "composite": 0.05, "nil": 0.05, "typo": 0.05, "plain": 0.4}
    assert shares == pytest.approx(said, abs=0.005)
    train = {id for _, mention in mentions(mini, "train") for id in mention.gold.ids}
    later = [mention.gold.ids for _, mention in mentions(mini, "dev", "test") if mention.gold.parts]
    assert sum(not ids & train for ids in later) / len(later) == pytest.approx(0.25, abs=0.005)


def test_names_help_more_than_equality_and_do_not_suffice(mini):
    def score(system, match: str) -> float:
        predictions = system.fit(mini.visible()).link(mini.test.hidden().documents)
        return recall(outcomes(predictions, mini.test, mini.ontology), 1, Scoring(match)).mean()

    exact, lenient = (score(ExactLinker(), match) for match in ("strict", "lenient"))
    assert 0.3 < exact < 0.7
    assert lenient - exact > 0.05
    assert exact + 0.1 < score(TfidfLinker(), "strict") < 0.9


def test_four_mentions_of_five_stand_with_a_cue_which_tells_shared_names_apart(mini):
    concepts, marked, decided = mini.ontology.concepts, [], []
    for document, mention in mentions(mini):
        if len(mention.gold.parts) == 1:
            words = sentence(document, mention)
            organs = {organ for organ, cues in CUES.items() if any(cue.lower() in words for cue in cues)}
            owners = mini.ontology.owners().get(fold_name(mention.text), ())
            cued = {id for id in {*owners, *mention.gold.ids} if organs & {*concepts[id].types}}
            marked.append(mention.gold.ids <= cued)
            if len(owners) > 1:
                decided.append(mention.gold.ids == cued)
    assert sum(marked) / len(marked) == pytest.approx(0.8, abs=0.005)
    assert sum(decided) / len(decided) == pytest.approx(0.8, abs=0.01)
