"""Name memory on strings whose answers are worked out by hand."""

from dataclasses import replace

import pytest
from tiny import tiny_encoder
from toy import BENCHMARK, ONTOLOGY, document

from benchlib.corpus import Corpus
from benchlib.ontology import Ontology
from study.systems import EncoderLinker, NameMemoryLinker, TfidfLinker, linker


def ranked(
    system: NameMemoryLinker, *strings: str, k: int = 64
) -> list[list[tuple[str, tuple[str, ...], float]]]:
    """(name, concepts, score) of the answers to each string, of a linker that has seen no test split."""
    asked = [document(str(i), (string, "")) for i, string in enumerate(strings)]
    found = system.fit(BENCHMARK.visible()).link(asked, k)
    return [
        [(*found.candidates[i], score) for i, score in zip(row, scores, strict=True) if i >= 0]
        for row, scores in zip(found.index, found.scores, strict=True)
    ]


def test_a_remembered_string_means_what_it_meant_most_often():
    # In train cold meant D2 twice and D1 once; with dev D1 three times and D2 twice.
    [cold] = ranked(NameMemoryLinker(), "COLD")
    assert [ids for _, ids, _ in cold[:2]] == [("D2",), ("D1",)]
    [cold] = ranked(NameMemoryLinker("train+dev"), "cold")
    assert [ids for _, ids, _ in cold[:2]] == [("D1",), ("D2",)]


def test_a_string_that_no_training_mention_has_means_the_name_it_equals():
    [fever, common] = ranked(NameMemoryLinker(), "fever", "Common  cold")
    assert fever[0][1] == ("D3",) and common[0][1] == ("D1",)
    # The name itself follows as the nearest: nothing near comes before what is remembered.
    assert fever[1][:2] == ("fever", ("D3",)) and fever[1][2] == pytest.approx(1) and fever[0][2] > 1.5


def test_owners_of_a_name_that_no_training_mention_has_are_a_tie():
    other = replace(BENCHMARK, train=Corpus("t", (document("1", ("chill", "D3")),)))
    found = NameMemoryLinker().fit(other).link([document("1", ("cold", ""))])
    answers = [found.candidates[i].ids for i in found.index[0, :2]]
    assert sorted(answers) == [("D1",), ("D2",)] and found.scores[0, 0] == found.scores[0, 1]


def test_an_unknown_string_means_the_nearest_name_of_dictionary_or_training():
    [shiver, low] = ranked(NameMemoryLinker(), "shiver", "low temperatures")
    # shivers is no name of the dictionary: a training mention of D3 is.
    assert shiver[0][:2] == ("shivers", ("D3",)) and low[0][:2] == ("low temperature", ("D2",))
    assert all(score <= 1 + 1e-6 for _, _, score in (*shiver, *low))
    # They stand as TF-IDF over both has them.
    named = replace(ONTOLOGY.concepts["D3"], names=("Fever", "pyrexia", "shivers"))
    known = Ontology("with", [named if c.id == "D3" else c for c in ONTOLOGY.concepts.values()])
    near = TfidfLinker().fit(replace(BENCHMARK, ontology=known)).link([document("1", ("shiver", ""))])
    assert [name for name, _, _ in shiver] == [near.candidates[i].name for i in near.index[0]]


def test_no_more_than_k_answers_the_remembered_first():
    for k in (1, 2, 3):
        [cold, chilly] = ranked(NameMemoryLinker(), "cold", "chilly", k=k)
        assert len(cold) == len(chilly) == k and cold[0][1] == ("D2",)
    assert all(score > 1.5 for _, _, score in ranked(NameMemoryLinker(), "cold", k=2)[0])


def test_what_is_near_can_be_told_by_an_encoder(tmp_path):
    folder = str(tiny_encoder(tmp_path / "tiny"))
    made = linker(f"name-memory,nearest=encoder;model={folder};precision=fp32")
    [shiver] = ranked(made, "shiver")
    alone = EncoderLinker(folder, precision="fp32", progress=False)
    alone.fit(BENCHMARK.visible())
    assert len(shiver) == 6 and made.weights == alone.weights
    assert made.config["nearest"]["config"] == alone.config and made.config["nearest"]["version"] == "2"


def test_its_settings_are_spelt_one_way():
    assert linker("name-memory,nearest=tfidf;analyzer=char_wb;ngrams=2-4").name == (
        "name-memory,nearest=tfidf;ngrams=2-4;analyzer=char_wb"
    )
    assert linker("name-memory,nearest=tfidf;ngrams=1-2") == NameMemoryLinker()
    with pytest.raises(ValueError, match="no linker 'exact'; expected one of tfidf, encoder, tuned"):
        linker("name-memory,nearest=exact")
    with pytest.raises(ValueError, match="learns is 'test'; expected one of train, train.dev"):
        linker("name-memory,learns=test")
