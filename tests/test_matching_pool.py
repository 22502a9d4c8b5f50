"""Self-supervised mentions of a made-up pool, and what of it is left out for the sake of the test."""

import json

import numpy as np
import pytest

from benchlib.benchmark import Benchmark, Unlabelled
from benchlib.corpus import Corpus, Document
from benchlib.ontology import Concept, Ontology
from study.corpora.exclusion import COPIES, WINDOW, exclude
from study.measurements import measure
from study.records import Store
from study.systems import linked_text
from study.systems.linked_text import matched_text

ONTOLOGY = Ontology("toy", [Concept("P", ("pain", "ache")), Concept("F", ("fever",))])
REASONS = ("texts", "same_id", "shared_text", "boilerplate", "kept")
NONE = Corpus("none", ())
TEXTS = {"a": ["pain and fever", "nothing", "Ache", "fever"], "b": ["painful", "(pain)", "no"]}


def write(folder, texts: dict[str, list[str]]):
    folder.mkdir(exist_ok=True)
    for name, lines in texts.items():
        rows = ({"id": f"{name}{i}", "text": text} for i, text in enumerate(lines))
        (folder / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return folder


def found(folder, names="all", excluded=()) -> list[tuple]:
    """The text, start and end of each mention, and its concept."""
    text = Unlabelled(str(write(folder, TEXTS)), frozenset(excluded))
    linked = matched_text(Benchmark("toy", NONE, NONE, NONE, ONTOLOGY, unlabelled=text), False, names)
    assert len(linked.texts) == len(set(linked.text))  # those with a mention
    return [(*linked.span(i), linked.concepts[concept]) for i, concept in enumerate(linked.concept)]


EXPECTED = [
    ("pain and fever", 0, 4, "P"),
    ("pain and fever", 9, 14, "F"),
    ("Ache", 0, 4, "P"),
    ("fever", 0, 5, "F"),
    ("(pain)", 1, 5, "P"),
]


@pytest.mark.parametrize("together", [1, 2, 3, 1_000])
def test_mentions_are_those_of_the_texts_however_many_are_matched_together(tmp_path, monkeypatch, together):
    monkeypatch.setattr(linked_text, "_TOGETHER", together)
    assert found(tmp_path / "pool") == EXPECTED
    assert found(tmp_path / "pool", excluded={"a:1", "b:2"}) == EXPECTED[2:4]
    assert found(tmp_path / "pool", names="preferred") == [*EXPECTED[:2], *EXPECTED[3:]]


def squeezed(text: str) -> str:
    return "".join(one for one in text.lower() if one.isalnum())


def windows(text: str) -> set[str]:
    plain = squeezed(text)
    return {plain[i : i + WINDOW] for i in range(len(plain) - WINDOW + 1)}


def test_texts_with_a_passage_of_a_test_document_are_those_that_a_plain_loop_finds(tmp_path):
    rng = np.random.default_rng(0)

    def prose(n: int) -> str:
        return "".join(rng.choice(list("abcdefgh ,-Éb"), size=n))

    documents = [Document(f"t{i}", prose(rng.integers(30, 400))) for i in range(12)]
    texts = []
    for _ in range(400):
        of = documents[rng.integers(12)].text
        first, n = rng.integers(len(of)), rng.integers(30, 110)
        texts.append(prose(rng.integers(0, 80)) + of[first : first + n].upper() + prose(rng.integers(0, 80)))
    texts += [documents[0].text + prose(9) for _ in range(9)]  # boilerplate, and what was copied from there
    texts += [documents[1].text] * 9  # one text several times is none
    given = exclude(write(tmp_path / "pool", {"x": texts}), documents)
    tested = set().union(*(windows(document.text) for document in documents))
    shared = [windows(text) & tested for text in texts]
    different = {squeezed(text): own for text, own in zip(texts, shared, strict=True)}.values()
    copies = {w: sum(w in own for own in different) for w in tested}
    away = {f"x:{i}" for i, own in enumerate(shared, 1) if any(copies[w] <= COPIES for w in own)}
    assert given.shared_text == given.excluded == away
    assert given.boilerplate == {f"x:{i}" for i, own in enumerate(shared, 1) if own} - away
    assert len(away) > 50 and len(given.boilerplate) > 9 and given.texts == {"x": 418}
    assert {f"x:{i}" for i in range(410, 419)} <= given.excluded


def test_exclusions_are_a_record_of_counts_by_reason_and_file(tmp_path):
    passage = "The quick brown fox jumps over the lazy dog, while the band plays on and on. " * 2
    register = "We searched the central register of all controlled trials and the references of reviews."
    documents = (Document("a1", passage), Document("t2", f"{register} Found."))
    corpus = write(
        tmp_path / "pool",
        {
            "a": ["other", "same id", f"so {passage}"],
            "b": [f"{register} {word}." for word in ("One", "Two", "Six", "Ten")] + ["The quick brown fox"],
        },
    )
    data = Benchmark("toy", NONE, NONE, Corpus("test", documents), ONTOLOGY)
    expected = {
        "test.documents": 2,
        **{f"a.{name}": n for name, n in zip(REASONS, (3, 1, 1, 0, 1), strict=True)},
        **{f"b.{name}": n for name, n in zip(REASONS, (5, 0, 0, 4, 5), strict=True)},
        **{f"all.{name}": n for name, n in zip(REASONS, (8, 1, 1, 4, 6), strict=True)},
    }
    record = measure("excluded", data, Store(tmp_path / "records"), arguments={"corpus": str(corpus)})
    assert record.values == expected
    with pytest.raises(ValueError, match="expected documents of at least 25 letters and digits, found none"):
        exclude(corpus, [Document("t", "short")])
