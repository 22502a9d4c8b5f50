"""Damaged test mentions: one error each, text and offsets consistent, nothing else moved."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from toy import BENCHMARK

from benchlib.corpus import Corpus, Document, Mention
from study.corpora import load
from study.corpora.perturb import acronym_of, acronyms, add_typo, perturbation_masks, typo
from study.corpora.transforms import apply


def one_error_apart(before: str, after: str) -> bool:
    """By trying every swap, drop and doubling, and every place where another letter may stand."""
    places = range(1, len(before))
    tried = {before[:i] + before[i + 1 :] for i in places}
    tried |= {before[:i] + before[i] + before[i:] for i in places}
    tried |= {before[:i] + before[i + 1] + before[i] + before[i + 2 :] for i in places[:-1]}
    replaced = len(before) == len(after) and sum(a != b for a, b in zip(before, after, strict=True)) == 1
    return after != before and (after in tried or replaced)


@given(st.text(st.sampled_from("aabBcé(- 12"), max_size=12), st.integers(0, 999))
def test_one_error_in_four_letters_or_more_and_never_first(text, seed):
    found = typo(text, np.random.default_rng(seed))
    if sum(c.isalpha() for c in text) < 4:
        assert found == text
    else:
        assert one_error_apart(text, found)
        assert found[0] == text[0]
        # What is no letter stays.
        assert [c for c in found if not c.isalpha()] == [c for c in text if not c.isalpha()]


def test_every_kind_of_error_is_made_and_as_often():
    # In "abcd" a swap keeps the letters, a doubling has two of one, a drop is shorter.
    kinds = []
    for seed in range(2000):
        found = typo("abcd", np.random.default_rng(seed))
        kinds.append("swap" if sorted(found) == list("abcd") else len(found))
    assert {kind: kinds.count(kind) / 2000 for kind in set(kinds)} == pytest.approx(
        {"swap": 0.25, 3: 0.25, 5: 0.25, 4: 0.25}, abs=0.04
    )
    # Equal neighbours cannot be swapped: the other three are made.
    assert "aaaa" not in {typo("aaaa", np.random.default_rng(seed)) for seed in range(50)}
    assert typo("ABCD", np.random.default_rng(0)).isupper()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("red hat Enterprise Linux", "RHEL"), ("WebSphere", "WS"), ("WebLogic Server 10.3", "WLS 10.3"),
        ("Internet Information Services (IIS) [7]", "IIS"), ("real-time", "RT"),
        ("Parkinson's disease", "PD"),
        ("Microsoft(R) Windows(R) Server 2003, Enterprise Edition", "MWS 2003, EE"),
        ("SQL Server 2012 Standard", "SS 2012 Standard"),
        *[(same, same) for same in ("Windows 7 Enterprise", "DB2 v10", "Database (DB)", "ORACLE", "C")],
    ],
)  # fmt: skip
def test_initials(text, expected):
    assert acronym_of(text) == expected


@pytest.mark.parametrize("kind", ["misspelt", "acronyms"])
def test_only_test_mentions_change_and_stay_aligned(kind):
    mini = load("mini")
    found = apply(mini, (f"{kind}:test",))
    assert found == replace(mini, test=found.test, transforms=found.transforms)
    assert found.transforms == (f"{kind}:test",) and found.visible().transforms == found.transforms
    assert found.test.dropped == mini.test.dropped
    pairs = list(zip(mini.test.mentions(), found.test.mentions(), strict=True))
    which = perturbation_masks(mini)[kind]
    assert which and which == [n for n, ((_, a), (_, b)) in enumerate(pairs) if a.text != b.text]
    for (document, before), (rewritten, after) in pairs:
        assert (document.id, before.gold, before.type) == (rewritten.id, after.gold, after.type)
        # The words around a mention are where they were, seen from it.
        if before is document.mentions[0]:
            assert rewritten.text[: after.start] == document.text[: before.start]
        if before is document.mentions[-1]:
            assert rewritten.text[after.end :] == document.text[before.end :]
    nil = np.array([before.gold.nil for (_, before), _ in pairs])
    assert nil[which].any()


def test_the_same_each_time_and_by_document():
    mini = load("mini")
    once, again = add_typo(mini), add_typo(mini)
    assert once.fingerprint() == again.fingerprint() != mini.fingerprint()
    # A document does not depend on its company.
    fewer = replace(mini, test=Corpus("few", mini.test.documents[1:2]))
    assert add_typo(fewer).test.documents == once.test.documents[1:2]
    twins = (Document(id, "disease", (Mention(0, 7, "disease"),)) for id in "abcdefgh")
    found = add_typo(replace(mini, test=Corpus("t", tuple(twins))))
    assert len({m.text for _, m in found.test.mentions()}) > 1


def test_offsets_of_spans_that_are_shared_nested_or_unordered():
    text = "heart attack, then red blood cell count; lung disease"
    strings = ("lung disease", "heart attack", "red blood cell", "red blood cell count", "heart attack")
    mentions = tuple(Mention(text.index(s), text.index(s) + len(s), s) for s in strings)
    before = replace(BENCHMARK, test=Corpus("t", (Document("1", text, mentions),)))
    after = acronyms(before).test
    [document] = after.documents
    assert document.text == "HA, then red blood cell count; LD"
    expected = ["LD", "HA", "red blood cell", "red blood cell count", "HA"]
    assert [m.text for m in document.mentions] == expected
    assert perturbation_masks(before)["acronyms"] == [0, 1, 4]
