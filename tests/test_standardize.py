"""An own list standardised: what its files may hold, when a mention is answered, and what is written."""

import json
import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from tiny import tiny_encoder
from transformers import AutoModel, AutoTokenizer

from benchlib.corpus import Corpus, Document, Mention
from benchlib.encoders import Backbone, NameEncoder
from benchlib.ontology import Concept, Ontology
from benchlib.predictions import Candidate, Predictions, Query
from study.standardize import (
    ALIKE,
    LEAST,
    answer_threshold,
    answers,
    baselines,
    expected,
    expected_seconds,
    read_mentions,
    read_names,
    standardize,
    write_names,
)
from study.systems import CosinesLinker, EncoderLinker, TfidfLinker, linker

NAMES = 'id,name\n007,Tomcat\n007,Apache Tomcat\n8,"Server, HTTP"\n9,MySQL\n9,tomcat\n'


def written(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


@pytest.fixture
def ontology(tmp_path):
    return read_names(written(tmp_path, "names.csv", NAMES))


class Stub(TfidfLinker):
    """A linker that learns nothing, with a folder to save."""

    def save(self, folder):
        folder.mkdir()
        (folder / "weights").write_text("new")


def test_the_first_name_of_an_id_is_canonical_and_an_id_is_text(ontology, tmp_path):
    assert {c.id: c.names for c in ontology.concepts.values()} == {
        "007": ("Tomcat", "Apache Tomcat"),
        "8": ("Server, HTTP",),
        "9": ("MySQL", "tomcat"),
    }
    # With the columns the other way round, a byte order mark, Windows line ends, empty lines and blanks.
    rows = ["name, id", "Tomcat , 007", "", "Apache Tomcat,007", '"Server, HTTP", 8', "MySQL,9", "tomcat,9 "]
    text = "\ufeff" + "\r\n".join(rows)
    assert read_names(written(tmp_path, "names.csv", text)).fingerprint() == ontology.fingerprint()
    write_names(ontology, tmp_path / "again.csv")
    assert read_names(tmp_path / "again.csv").fingerprint() == ontology.fingerprint()


@pytest.mark.parametrize(
    ("text", "line", "told"),
    [
        ("", 1, "expected a first line with id,name, found ''"),
        ("id,label\n1,x\n", 1, "expected a first line with id,name, found 'id,label'"),
        ("name\nx\n", 1, "expected a first line with id,name, found 'name'"),
        ("id;name\n1;x\n", 1, "expected a first line with id,name, found 'id;name'"),
        ("id,name,name\n1,x,y\n", 1, "expected a first line with id,name"),
        ("id,name\n", 2, "expected at least one row"),
        ("id,name\n1,x\n2, \n", 3, "expected a non-empty name"),
        ("id,name\n1,x\n,y\n", 3, "expected a non-empty id"),
        ("id,name\n1,x,y\n", 2, "expected 2 cells, found '3: 1,x,y'"),
        ("id,name\n1,x\n2,y\n1,x\n", 4, "expected no row twice (line 2), found '1,x'"),
        ("id,name\nNIL,nothing\n", 2, "expected another id than NIL"),
        ('id,name\n1,"x"y\n', 2, "expected cells quoted as in CSV"),
    ],
)
def test_a_list_that_cannot_be_read_names_line_and_expectation(tmp_path, text, line, told):
    path = written(tmp_path, "names.csv", text)
    with pytest.raises(ValueError) as error:
        read_names(path)
    assert str(error.value).startswith(f"{path}:{line}: ") and told in str(error.value)


@pytest.mark.parametrize(
    ("text", "line", "told"),
    [
        ("", 1, "expected a first line with mention, and maybe id, found ''"),
        ("id\n007\n", 1, "expected a first line with mention, and maybe id"),
        ("mention,ID\nx,007\n", 1, "expected a first line with mention, and maybe id"),
        ("mention,id\n", 2, "expected at least one row"),
        ("mention,id\nx,007\n,007\n", 3, "expected a non-empty mention"),
        ("mention,id\nx,007\ny,7\n", 3, "expected an id of names.csv, NIL or none, found '7'"),
        ("mention,id\nx,9\ny,8\nX,8\n", 4, "expected one id for 'X', which line 2 labels 9, found '8'"),
        ("mention,id\nx  y,9\nz,\nx y,NIL\n", 4, "one id for 'x y', which line 2 labels 9, found 'NIL'"),
        ("mention,id\nx\n", 2, "expected 2 cells, found '1: x'"),
    ],
)
def test_mentions_that_cannot_be_read_name_line_and_expectation(tmp_path, ontology, text, line, told):
    path = written(tmp_path, "mentions.csv", text)
    with pytest.raises(ValueError) as error:
        read_mentions(path, ontology)
    assert str(error.value).startswith(f"{path}:{line}: ") and told in str(error.value)


def test_every_fifth_labelled_string_is_held_out_and_counts_once(tmp_path, ontology):
    lines = ["mention,id", "free,", "a,9", "b,NIL", "A,9", "c,8", "d,8", "E  e,9", "f,9", "e E,9", "a,9"]
    found = read_mentions(
        written(tmp_path, "m.csv", "\n".join([*lines, "also free,", "free,", "a,"])), ontology
    )
    texts = {split: [m.text for _, m in found.split(split).mentions()] for split in ("train", "dev", "test")}
    assert texts == {
        "train": ["a", "b", "c", "d", "f"],
        "dev": ["E  e"],
        "test": ["free", "also free", "free", "a"],
    }
    golds = [mention.gold for _, mention in found.train.mentions()]
    assert [gold.nil for gold in golds] == [False, True, False, False, False]
    assert golds[0].parts == (frozenset({"9"}),)
    assert all(mention.gold is None for _, mention in found.test.mentions())
    assert [document.id for document in found.test.documents] == ["2", "12", "13", "14"]
    # "A", "e E" and the second "a".
    assert found.notes == ("3 labelled rows repeat a string of an earlier one: each string counts once.",)


def test_mentions_without_ids_are_all_to_be_standardised(tmp_path, ontology):
    found = read_mentions(written(tmp_path, "m.csv", "mention\nx\ny\n"), ontology)
    assert (found.train.n_mentions, found.dev.n_mentions, found.test.n_mentions) == (0, 0, 2)
    assert found.notes == ()


def by_hand(scores, right, precision):
    """The lowest threshold, how many it answers and how many of these are right: tried one by one."""
    for threshold in sorted({score for score in scores if score > -math.inf}):
        hits = [hit for score, hit in zip(scores, right, strict=True) if score >= threshold]
        if sum(hits) / len(hits) >= precision:
            return threshold, len(hits), sum(hits)
    return None


def test_the_threshold_is_the_lowest_that_is_precise_enough():
    rng = np.random.default_rng(0)
    reached = 0
    for _ in range(300):
        # Few values, so that scores tie; sometimes one that is never answered.
        scores = rng.choice([-np.inf, 0.1, 0.4, 0.7, 0.9], rng.integers(0, 12))
        right, precision = rng.random(len(scores)) < 0.6, rng.choice([0.5, 0.6, 0.75, 0.9, 1.0])
        found, expected = answer_threshold(scores, right, precision), by_hand(scores, right, precision)
        assert (found is None) == (expected is None)
        if found:
            reached += 1
            assert (found.score, found.answered) == expected[:2]
            assert found.precision == expected[2] / expected[1] and found.n == len(scores)
    assert 50 < reached < 290


def test_equal_scores_are_answered_together_and_none_may_reach_it():
    scores, right = np.array([0.9, 0.8, 0.8, 0.7]), np.array([True, True, False, True])
    assert answer_threshold(scores, right, 0.75).score == 0.7
    assert answer_threshold(scores, right, 0.76).score == 0.9
    assert answer_threshold(scores, ~right, 0.5) is None
    assert answer_threshold(np.full(3, -np.inf), np.ones(3, bool), 0.1) is None


def test_the_interval_of_the_precision_is_that_of_wilson():
    right = np.array([True] * 18 + [False] * 2)
    found = answer_threshold(np.ones(20), right, 0.9)
    z, n, p = 1.959964, 20, 0.9
    middle = (p + z**2 / (2 * n)) / (1 + z**2 / n)
    half = z / (1 + z**2 / n) * math.sqrt(p * (1 - p) / n + z**2 / (4 * n**2))
    assert (found.low, found.high) == (pytest.approx(middle - half, abs=1e-6), pytest.approx(middle + half))


def test_a_row_is_answered_from_the_threshold_on_and_not_where_two_entries_tie():
    ontology = Ontology("o", [Concept("1", ("One", "uno")), Concept("2", ("Two",)), Concept("3", ("Two",))])
    candidates = (Candidate("one", ("1",)), Candidate("uno", ("1",)), Candidate("two", ("2", "3")))
    texts = ("first", "second", "third", "fourth")
    corpus = Corpus("c", tuple(Document(t, t, (Mention(0, len(t), t),)) for t in texts))
    queries = tuple(Query(text, 0, len(text)) for text in texts)
    index = np.array([[0, 1, 2], [2, 0, 1], [0, 1, -1], [0, 2, -1]])
    scores = np.array([[0.9, 0.8, 0.3], [0.95, 0.1, 0.1], [0.5, 0.4, 0], [0.7000001, 0.7, 0]])
    predictions = Predictions(queries, candidates, index, scores)
    table = answers(predictions, ontology, corpus, 0.7)
    assert table["mention"].tolist() == list(texts)
    assert table["id"].tolist() == ["1", "2", "1", "1"] and table["name"].tolist()[1] == "Two"
    assert table["second_id"].tolist() == ["2", "3", "", "2"]
    assert table["second_name"].tolist() == ["Two", "Two", "", "Two"]
    # The last two candidates differ by less than rounding does.
    assert table["answered"].tolist() == ["yes", "no", "no", "no"]
    assert set(answers(predictions, ontology, corpus, None)["answered"]) == {"no"}
    assert answers(predictions, ontology, corpus, 0.9)["answered"].tolist()[0] == "yes"


def labelled(folder: Path, n: int, right: bool = True) -> Path:
    """``n`` labelled strings, each close to its entry's name, and three without an id."""
    rows = [f"entry number {i}," + (str(i) if right else "NIL") for i in range(n)]
    return written(folder, "m.csv", "\n".join(["mention,id", "Entry 3,", *rows, "number 1,", "ENTRY 2,"]))


@pytest.fixture
def entries(tmp_path):
    text = "id,name\n" + "".join(f"{i},entry number {i}\n" for i in range(5 * LEAST))
    return read_names(written(tmp_path, "n.csv", text))


def test_a_threshold_wants_enough_held_out_mentions(tmp_path, entries):
    few = read_mentions(labelled(tmp_path, 5 * LEAST - 1), entries)
    found = standardize(few, tmp_path / "out", Stub(), 0.9)
    assert found.threshold is None and found.accuracy[1].n == LEAST - 1
    assert f"{LEAST - 1} labelled mentions were held out" in found.in_words()
    assert set(found.table["answered"]) == {"no"} and len(found.table) == 3
    enough = read_mentions(labelled(tmp_path, 5 * LEAST), entries)
    found = standardize(enough, tmp_path / "out", Stub(), 0.9)
    # Every held-out string is a name of the list: all are right, at a score of 1.
    assert found.accuracy[1].value == 1 and found.threshold.score == pytest.approx(1)
    assert (found.threshold.precision, found.threshold.answered, found.threshold.n) == (1, LEAST, LEAST)
    assert "a coverage of 100.0 %" in found.in_words()


def test_where_no_threshold_is_precise_enough_nothing_is_answered(tmp_path, entries):
    # Every labelled mention is none of the list: every answer is wrong, and accuracy has nothing to count.
    wrong = read_mentions(labelled(tmp_path, 5 * LEAST, right=False), entries)
    found = standardize(wrong, tmp_path / "out", Stub(), 0.5)
    assert found.threshold is None and found.accuracy == {}
    assert "no score reaches a precision of 50 %" in found.in_words()
    assert set(found.table["answered"]) == {"no"}
    assert json.loads((tmp_path / "out" / "settings.json").read_text())["threshold"] is None


@pytest.mark.parametrize("precision", [0, -0.1, 1.1, math.nan])
def test_a_precision_that_is_no_share_is_refused_before_training(tmp_path, entries, precision):
    with pytest.raises(ValueError, match="precision: expected a share"):
        standardize(read_mentions(labelled(tmp_path, 5), entries), tmp_path / "out", None, precision)
    assert not (tmp_path / "out").exists()


def test_a_character_graph_is_refused_before_training(tmp_path, entries):
    graph = linker("cosines,model=character-graph,epochs=1")
    with pytest.raises(ValueError, match="which can be saved, found cosines,model=character-graph,epochs=1"):
        standardize(read_mentions(labelled(tmp_path, 5), entries), tmp_path / "out", graph)
    assert not (tmp_path / "out").exists()


def test_what_is_linked_is_not_fitted_and_held_out_ids_are_hidden(tmp_path, entries):
    class Spy(Stub):
        linked = ()

        def fit(self, benchmark, seed=0):
            self.given = benchmark
            return super().fit(benchmark, seed)

        def link(self, documents, k=64):
            self.linked += tuple(m for d in documents for m in d.mentions)
            return super().link(documents, k)

    benchmark, spy = read_mentions(labelled(tmp_path, 10), entries), Spy()
    standardize(benchmark, tmp_path / "out", spy)
    assert (spy.given.train, spy.given.test.n_mentions) == (benchmark.train, 0)
    held_out, asked = ["entry number 4", "entry number 9"], ["Entry 3", "number 1", "ENTRY 2"]
    assert [mention.text for mention in spy.linked] == held_out + asked
    assert all(mention.gold is None for mention in spy.linked)


def content(folder: Path) -> dict[str, bytes]:
    return {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


def test_a_run_that_fails_leaves_what_an_earlier_one_wrote(tmp_path, entries):
    class NoLink(Stub):
        def link(self, documents, k=64):
            raise RuntimeError("no link")

    class NoSave(Stub):
        def save(self, folder):
            super().save(folder)
            raise RuntimeError("no save")

    benchmark, out = read_mentions(labelled(tmp_path, 5), entries), tmp_path / "out"
    with pytest.raises(RuntimeError, match="no link"):
        standardize(benchmark, out, NoLink())
    assert not out.exists()
    standardize(benchmark, out, Stub())
    (out / "encoder" / "weights").write_text("old")
    before = content(out)
    assert set(before) == {"standardised.csv", "names.csv", "settings.json", "encoder/weights"}
    for broken in (NoLink(), NoSave()):
        with pytest.raises(RuntimeError):
            standardize(benchmark, out, broken)
        assert content(out) == before
    standardize(benchmark, out, Stub())
    assert content(out) == before | {"encoder/weights": b"new"}


@pytest.fixture
def trained(tmp_path, ontology):
    encoder = tiny_encoder(tmp_path / "tiny")
    small = CosinesLinker(encoder, epochs=2, learning_rate=1e-3, precision="fp32", progress=False)
    lines = ['"a, ""quoted"" one",', "mysql,", "apache  TOMCAT,", "Tomcat,", "db,9", "zzz,"]
    path = written(tmp_path, "m.csv", "mention,id\n" + "\n".join(lines))
    return standardize(read_mentions(path, ontology), tmp_path / "out", small), tmp_path / "out"


def test_the_table_holds_every_mention_without_an_id_in_the_order_of_the_file(trained, ontology):
    found, out = trained
    table = pd.read_csv(out / "standardised.csv", dtype={"id": str, "second_id": str}, keep_default_na=False)
    pd.testing.assert_frame_equal(table, found.table, check_dtype=False)
    assert table["mention"].tolist() == ['a, "quoted" one', "mysql", "apache  TOMCAT", "Tomcat", "zzz"]
    assert table["id"].tolist()[1:4] == ["9", "007", "007"]
    assert table["name"].tolist()[1:4] == ["MySQL", "Tomcat", "Tomcat"]
    assert (table["score"].iloc[1:4] == 1).all() and (table["second_id"] != table["id"]).all()
    # "tomcat" is a name of two entries.
    assert table["second_id"].iloc[3] == "9"
    assert found.benchmark.ontology is ontology and found.accuracy == {}


def test_the_saved_encoder_gives_the_same_vectors_when_it_is_loaded_by_its_path(trained):
    found, out = trained
    texts = ["mysql", "server, http", "something else"]
    expected = found.linker.encoder.encode(texts)
    again = NameEncoder(Backbone.load(str(out / "encoder")), "cls").encode(texts)
    np.testing.assert_allclose(again, expected, atol=1e-5)
    network, tokenizer = (kind.from_pretrained(out / "encoder") for kind in (AutoModel, AutoTokenizer))
    states = network(**tokenizer(texts, padding=True, return_tensors="pt")).last_hidden_state[:, 0]
    plain = states.detach().numpy()
    np.testing.assert_allclose(plain / np.linalg.norm(plain, axis=1, keepdims=True), expected, atol=1e-5)
    untrained = NameEncoder(Backbone.load(found.linker.model), "cls").encode(texts)
    assert np.abs(untrained - expected).max() > 1e-3


def test_what_was_saved_links_new_mentions(trained):
    found, out = trained
    new = found.benchmark
    again = linker(EncoderLinker(f"{out}/encoder", pooling="cls").name).fit(new)
    table = answers(again.link(new.test.documents), read_names(out / "names.csv"), new.test, 0.5)
    assert table["id"].tolist()[1:4] == found.table["id"].tolist()[1:4]
    np.testing.assert_allclose(table["score"].iloc[1:4], 1, atol=1e-4)


def test_the_lines_that_link_again_say_what_differs_from_the_linker_as_it_comes(trained):
    found, _ = trained
    assert "EncoderLinker('o/encoder', pooling='cls', precision='fp32')" in found.again("o")
    other = replace(found, linker=CosinesLinker(pooling="mean", max_length=64))
    assert "EncoderLinker('o/encoder', max_length=64)" in other.again("o")


def test_a_mention_that_stands_twice_is_answered_twice(tmp_path, entries):
    rows = "mention\nentry number 3\nEntry  number 3\nentry number 3\n"
    found = standardize(
        read_mentions(written(tmp_path, "m.csv", rows), entries), tmp_path / "out", Stub("2-4", "char_wb")
    )
    table = pd.read_csv(tmp_path / "out" / "standardised.csv", dtype=str)
    assert table["mention"].tolist() == ["entry number 3", "Entry  number 3", "entry number 3"]
    assert table["id"].tolist() == ["3"] * 3 and len(set(found.table["score"])) == 1


def test_the_baselines_are_scored_on_the_same_held_out_mentions(tmp_path):
    names = "id,name\n" + "".join(f"{i},{word}\n" for i, word in enumerate(("fever", "cough", "anaemia")))
    ontology = read_names(written(tmp_path, "n.csv", names))
    # Every fifth is held out: two that are close to their name, and one close to another's.
    rows = [f"word{i},0" for i in range(4)] + ["fevers,0"]
    rows += [f"term{i},1" for i in range(4)] + ["coughs,1"] + [f"thing{i},2" for i in range(4)] + ["fever!,2"]
    benchmark = read_mentions(written(tmp_path, "m.csv", "mention,id\n" + "\n".join(rows)), ontology)
    assert [m.text for _, m in benchmark.dev.mentions()] == ["fevers", "coughs", "fever!"]
    encoder = tiny_encoder(tmp_path / "tiny")
    found = baselines(benchmark, CosinesLinker(encoder, precision="fp32", progress=False))
    assert list(found) == ["TF-IDF, char 2-4 in words", f"untuned {encoder}, mean"]
    tfidf, untuned = found.values()
    assert tfidf[1].value == pytest.approx(2 / 3) and tfidf[1].n == untuned[1].n == 3
    # All three entries are among the first three of whatever lists them.
    assert tfidf[3].value == untuned[3].value == 1
    linked = (
        EncoderLinker(encoder, precision="fp32", progress=False)
        .fit(benchmark)
        .link(benchmark.dev.hidden().documents, 1)
    )
    right = [
        linked.candidates[place].ids[0] in mention.gold.ids
        for (place,), (_, mention) in zip(linked.index, benchmark.dev.mentions(), strict=True)
    ]
    assert untuned[1].value == pytest.approx(np.mean(right))


def test_the_time_that_a_training_takes_is_told_by_its_first_updates(tmp_path, entries, monkeypatch):
    benchmark = read_mentions(labelled(tmp_path, 10), entries)
    small = CosinesLinker(tiny_encoder(tmp_path / "tiny"), epochs=7, precision="fp32", progress=False)
    # A hundred entries with a group each, 16 a batch; the labelled strings are names and make no more.
    assert small.updates(benchmark) == 7 * 7
    assert len(small.fit(benchmark.visible()).trace) == 7 * 7
    # An update takes 2 s but the first 5 s, loading and encoding 100 names 10 s; five strings are linked.
    clock = iter([0.0, 19.0])
    monkeypatch.setattr(expected.time, "perf_counter", lambda: next(clock))

    class Fitted:
        trace = tuple({"step": step, "seconds": seconds} for step, seconds in ((1, 5.0), (2, 7.0), (3, 9.0)))

    tried = []
    monkeypatch.setattr(CosinesLinker, "fit", lambda self, benchmark, seed: tried.append(self) or Fitted)
    assert expected_seconds(benchmark, small) == pytest.approx(49 * 2 + 10 * (1 + 5 / 100))
    assert tried[0].steps == 3 and small.steps is None


def test_cosines_that_are_all_alike_are_warned_of(tmp_path, entries):
    class Collapsed(Stub):
        spread = 0.0

        def link(self, documents, k=64):
            found = super().link(documents, k)
            return replace(found, scores=0.99 + self.spread * np.where(found.scores > 0.5, 1.0, 0.0))

    benchmark, linker = read_mentions(labelled(tmp_path, 10), entries), Collapsed("2-4", "char_wb")
    told = standardize(benchmark, tmp_path / "out", linker).warning()
    assert told.startswith("WARNING: ALL COSINES ARE ALIKE, from 0.9900 to 0.9900.")
    linker.spread = 2 * ALIKE
    assert standardize(benchmark, tmp_path / "out", linker).warning() == ""
    # One name is as alike as any, and there is nothing to tell apart.
    alone = read_names(written(tmp_path, "one.csv", "id,name\n1,a name\n"))
    mentions = read_mentions(written(tmp_path, "m1.csv", "mention\na name\n"), alone)
    assert standardize(mentions, tmp_path / "out", Stub()).warning() == ""
