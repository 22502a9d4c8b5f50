"""BM25 over names, by a plain loop."""

import math
from collections import Counter

import pytest
from toy import BENCHMARK, document

from study.corpora import load
from study.systems import Bm25Linker, linker


def by_hand(mention: str, name: str, names: list[str], k1: float, b: float) -> float:
    """Names and mention of words between blanks alone."""
    own, mean = name.split(), sum(len(one.split()) for one in names) / len(names)
    total = 0.0
    for word, times in Counter(mention.lower().split()).items():
        having = sum(word in one.split() for one in names)
        f = own.count(word)
        idf = math.log(1 + (len(names) - having + 0.5) / (having + 0.5))
        total += times * idf * f / (f + k1 * (1 - b + b * len(own) / mean))
    return total


@pytest.mark.parametrize(("k1", "b"), [(1.2, 0.75), (0.9, 0.4), (2.0, 0.0)])
def test_scores_by_a_plain_loop(k1, b):
    fitted = Bm25Linker(k1, b).fit(BENCHMARK.visible())
    strings = ["common COLD", "cold cold fever", "a low cold temperature", "chills", ""]
    names = [candidate.name for candidate in fitted._candidates]
    assert names == ["cold", "common cold", "low temperature", "fever", "pyrexia"]
    index, scores = fitted._rank([string.lower() for string in strings], 5)
    for row, string in enumerate(strings):
        expected = {i: by_hand(string, name, names, k1, b) for i, name in enumerate(names)}
        found = {i: s for i, s in zip(index[row].tolist(), scores[row].tolist(), strict=True) if i >= 0}
        assert found == pytest.approx({i: score for i, score in expected.items() if score > 0}, rel=1e-5)
        assert list(found.values()) == sorted(found.values(), reverse=True)


def test_a_mention_without_a_known_word_has_no_answer():
    fitted = Bm25Linker().fit(BENCHMARK.visible())
    found = fitted.link([document("1", ("shivers", "D3"), ("cold-fever", "D1"))])
    assert (found.index[0] == -1).all()
    # Words end at what is no letter or digit.
    assert {found.candidates[i].name for i in found.index[1] if i >= 0} == {"cold", "common cold", "fever"}


def test_it_is_in_the_catalogue_and_finds_the_names_of_a_corpus():
    assert linker("bm25,k1=0.9,b=0.4") == Bm25Linker(0.9, 0.4)
    mini = load("mini")
    fitted = linker("bm25").fit(mini.visible())
    names = [candidate.name for candidate in fitted._candidates]
    index, _ = fitted._rank(names, 1)
    # Nearly every name finds itself; some have the words of another, more of them or fewer besides.
    assert (index[:, 0] == range(len(names))).mean() > 0.9
