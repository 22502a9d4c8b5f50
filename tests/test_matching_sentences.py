"""Sentences of abstracts, listed by hand and, with the real data, of those that other projects cut out."""

import gzip
import json

import pytest

from study.systems.sentences import sentences_of

TEXTS = [
    ["It is rare. ", "We saw two cases (Fig. 2). ", "Both died."],
    ["Does it help? ", "Yes! ", "In 4.5% vs. 3% (p < 0.05) it did."],
    ["Smith et al. 2001 and P. syringae pv. Tomato (i.e. DC3000) differ. ", "(See above.) ", "Ends here"],
    ['They called it "mild." ', "Of CF. ", "2. Prior work"[:3], "Prior work, in ref. 7, says so ."],
    ["METHODS : 12 patients . ", "RESULTS : none ."],
    ["no capital follows. so it goes on"],
    ["One\nline. ", "Another"],
]


@pytest.mark.parametrize("expected", TEXTS)
def test_sentences_are_as_listed(expected):
    text = "".join(expected)
    found = sentences_of(text, [(i, i + 1) for i in range(len(text))])
    assert [text[start:end] for start, end in dict.fromkeys(found)] == expected
    assert all(start <= i < end for i, (start, end) in enumerate(found))


def test_no_sentence_ends_inside_a_mention():
    text = "Vitamin D. It helps. St. Louis. B"
    assert sentences_of(text, [(0, 10), (11, 13)]) == [(0, 11), (11, 21)]
    assert sentences_of(text, [(0, 13), (26, 33)]) == [(0, 21), (21, 33)]
    assert sentences_of(text, []) == []


def test_sentences_of_other_projects_are_found(data_folder):
    cut, whole, joints, pairs = 0, 0, 0, 0
    for name in ("ade_corpus_sentences", "bc2gm_sentences"):
        with gzip.open(
            data_folder / "unlabelled_pubmed" / f"{name}.jsonl.gz", "rt", encoding="utf-8"
        ) as file:
            texts = [json.loads(line)["text"].strip() for line in file]
        whole += len(texts)
        cut += sum(sentences_of(text, [(0, 1)]) != [(0, len(text))] for text in texts)
        ended = [text for text in texts if text[-1] in ".?!"]
        for first, second in zip(ended[::2], ended[1::2], strict=False):
            joint = len(first) + 1
            joints += sentences_of(f"{first} {second}", [(joint, joint + 1)])[0][0] == joint
            pairs += 1
    # What the docstring says.
    assert (whole, pairs, round(100 * cut / whole, 1), round(100 * joints / pairs, 1)) == (
        28054,
        13936,
        0.2,
        99.8,
    )
