"""A list of one's own: what its files may hold, when a mention is answered, and what is written."""

import json
import math
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from tiny import tiny_encoder
from transformers import AutoModel, AutoTokenizer

from benchlib import Encoder, NameLinker
from benchlib.corpus import Corpus, Document, Mention
from benchlib.ontology import Concept, Ontology
from benchlib.predictions import Candidate, Predictions, Query
from study.systems import CosinesLinker
from study.systems.cosines.own_list import (
    LEAST,
    answer_table,
    choose_threshold,
    read_mentions,
    read_names,
    save,
)

NAMES = 'id,name\n007,Tomcat\n007,Apache Tomcat\n8,"Server, HTTP"\n9,MySQL\n9,tomcat\n'


@pytest.fixture
def ontology(write):
    return read_names(write("names.csv", NAMES))


def test_the_first_name_of_an_id_is_canonical_and_an_id_is_text(ontology, write):
    assert {c.id: c.names for c in ontology.concepts.values()} == {
        "007": ("Tomcat", "Apache Tomcat"),
        "8": ("Server, HTTP",),
        "9": ("MySQL", "tomcat"),
    }
    # With the columns the other way round, a byte order mark, Windows line ends, empty lines and blanks.
    rows = ["name, id", "Tomcat , 007", "", "Apache Tomcat,007", '"Server, HTTP", 8', "MySQL,9", "tomcat,9 "]
    text = "\ufeff" + "\r\n".join(rows)
    assert read_names(write("names.csv", text)).fingerprint() == ontology.fingerprint()


WRONG = [
    (read_names, "", 1, "expected a first line with id,name, found ''"),
    (read_names, "id,label\n1,x\n", 1, "expected a first line with id,name, found 'id,label'"),
    (read_names, "id,name,name\n1,x,y\n", 1, "expected a first line with id,name"),
    (read_names, "id,name\n", 2, "expected at least one row"),
    (read_names, "id,name\n1,x\n2, \n", 3, "expected a non-empty name"),
    (read_names, "id,name\n1,x\n,y\n", 3, "expected a non-empty id"),
    (read_names, "id,name\n1,x,y\n", 2, "expected 2 cells, found '3: 1,x,y'"),
    (read_names, "id,name\n1,x\n2,y\n1,x\n", 4, "expected no row twice (line 2), found '1,x'"),
    (read_names, "id,name\nNIL,nothing\n", 2, "expected another id than NIL"),
    (read_names, 'id,name\n1,"x"y\n', 2, "expected cells quoted as in CSV"),
    (read_names, 'id,name\n1,x\n2,"y\n3,z\n', 3, "expected cells quoted as in CSV"),
    (read_mentions, "id\n007\n", 1, "expected a first line with mention, and maybe id"),
    (read_mentions, "mention,ID\nx,007\n", 1, "expected a first line with mention, and maybe id"),
    (read_mentions, "mention,id\n", 2, "expected at least one row"),
    (read_mentions, "mention,id\nx,007\n,007\n", 3, "expected a non-empty mention"),
    (read_mentions, "mention,id\nx,007\ny,7\n", 3, "expected an id of names.csv, NIL or none, found '7'"),
    (read_mentions, "mention,id\nx,9\ny,8\nX,8\n", 4, "one id for 'X', which line 2 labels 9, found '8'"),
    (read_mentions, "mention,id\nx  y,9\nz,\nx y,NIL\n", 4, "one id for 'x y', which line 2 labels 9"),
    (read_mentions, "mention,id\nx\n", 2, "expected 2 cells, found '1: x'"),
]


@pytest.mark.parametrize(("read", "text", "line", "told"), WRONG)
def test_a_file_that_cannot_be_read_names_line_and_expectation(write, ontology, read, text, line, told):
    path = write("wrong.csv", text)
    with pytest.raises(ValueError) as error:
        read(path, *([ontology] if read is read_mentions else []))
    assert str(error.value).startswith(f"{path}:{line}: ") and told in str(error.value)


def test_every_fifth_labelled_string_is_held_out_and_counts_once(write, ontology):
    lines = ["mention,id", "free,", "a,9", "b,NIL", "A,9", "c,8", "d,8", "E  e,9", "f,9", "e E,9", "a,9"]
    found = read_mentions(write("m.csv", "\n".join([*lines, "also free,", "free,", "a,"])), ontology)
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
    found = read_mentions(write("m.csv", "mention\nx\ny\n"), ontology)
    assert (found.train.n_mentions, found.dev.n_mentions, found.test.n_mentions) == (0, 0, 2)
    assert found.notes == ()


def by_hand(scores, right, precision):
    """The lowest threshold, how many it answers and how many of these are right: tried in turn."""
    for threshold in sorted({score for score in scores if score > -math.inf}):
        hits = [hit for score, hit in zip(scores, right, strict=True) if score >= threshold]
        if sum(hits) / len(hits) >= precision:
            return threshold, len(hits), sum(hits)
    return None


def chosen(scores, right, precision):
    """The threshold for guesses with these scores; -inf stands for a tie, which is never answered,
    and is given a high score here."""
    ties = np.isneginf(scores)
    guesses = pd.DataFrame({"id": np.where(right, "1", "2"), "score": np.where(ties, 0.95, scores)})
    return choose_threshold(
        guesses.assign(answered=np.where(ties, "no", "yes")), ["1"] * len(right), precision
    )


def test_the_threshold_is_the_lowest_that_is_precise_enough():
    rng = np.random.default_rng(0)
    reached = 0
    for _ in range(200):
        # Few values, so that scores tie.
        scores = rng.choice([-np.inf, 0.1, 0.4, 0.7, 0.9], LEAST + rng.integers(0, 12))
        right = rng.random(len(scores)) < rng.choice([0.3, 0.6])
        precision = rng.choice([0.5, 0.6, 0.75, 0.9, 1.0])
        threshold, expected = chosen(scores, right, precision), by_hand(scores, right, precision)
        assert (threshold is None) == (expected is None)
        if threshold:
            reached += 1
            assert (threshold.score, threshold.answered) == expected[:2]
            assert threshold.precision == expected[2] / expected[1] and threshold.n == len(scores)
    assert 50 < reached < 150
    # It wants enough held-out mentions.
    assert chosen(np.ones(LEAST - 1), np.ones(LEAST - 1, bool), 0.9) is None
    assert chosen(np.ones(LEAST), np.ones(LEAST, bool), 0.9)[:2] == (1, 1)
    assert chosen(np.full(LEAST, -np.inf), np.ones(LEAST, bool), 0.1) is None


def test_the_interval_of_the_precision_is_that_of_wilson():
    found = chosen(np.ones(20), np.array([True] * 18 + [False] * 2), 0.9)
    z, n, p = 1.959964, 20, 0.9
    middle = (p + z**2 / (2 * n)) / (1 + z**2 / n)
    half = z / (1 + z**2 / n) * math.sqrt(p * (1 - p) / n + z**2 / (4 * n**2))
    assert (found.low, found.high) == (pytest.approx(middle - half, abs=1e-6), pytest.approx(middle + half))


def test_a_row_is_answered_from_the_threshold_on_and_not_where_two_entries_tie():
    ontology = Ontology("o", [Concept("1", ("One", "uno")), Concept("2", ("Two",)), Concept("3", ("Two",))])
    candidates = (Candidate("one", ("1",)), Candidate("uno", ("1",)), Candidate("two", ("2", "3")))
    texts = ("first", "second", "third", "fourth", "third")
    corpus = Corpus("c", tuple(Document(str(i), t, (Mention(0, len(t), t),)) for i, t in enumerate(texts)))
    queries = tuple(Query(str(i), 0, len(text)) for i, text in enumerate(texts))
    index = np.array([[0, 1, 2], [2, 0, 1], [0, 1, -1], [0, 2, -1], [0, 1, -1]])
    scores = np.array([[0.9, 0.8, 0.3], [0.95, 0.1, 0.1], [0.5, 0.4, 0], [0.7000001, 0.7, 0], [0.5, 0.4, 0]])
    predictions = Predictions(queries, candidates, index, scores)
    table = answer_table(predictions, ontology, corpus, 0.7)
    assert table["mention"].tolist() == list(texts)
    assert table["id"].tolist() == ["1", "2", "1", "1", "1"] and table["name"].tolist()[1] == "Two"
    assert table["second_id"].tolist() == ["2", "3", "", "2", ""]
    assert table["second_name"].tolist() == ["Two", "Two", "", "Two", ""]
    # The candidates of the fourth differ by less than rounding does.
    assert table["answered"].tolist() == ["yes", "no", "no", "no", "no"]
    assert set(answer_table(predictions, ontology, corpus, None)["answered"]) == {"no"}
    assert answer_table(predictions, ontology, corpus, 0.9)["answered"].tolist()[0] == "yes"
    empty = Predictions((), candidates, np.empty((0, 2)), np.empty((0, 2)))
    assert answer_table(empty, ontology, Corpus("e", ()), 0.9).columns.tolist() == table.columns.tolist()


def content(folder: Path) -> dict[str, bytes]:
    return {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


def test_saving_that_fails_leaves_what_an_earlier_run_wrote(write, tmp_path):
    class Stub:
        weights, fails = "old", False

        def save(self, folder):
            folder.mkdir()
            (folder / self.weights).write_text(self.weights)
            if self.fails:
                raise RuntimeError("no save")

    names, out, stub = write("names.csv", NAMES), tmp_path / "out", Stub()
    table, settings = pd.DataFrame({"mention": ["x"]}), {"threshold": None}
    save(out, stub, names, table, settings)
    before = content(out)
    assert set(before) == {"standardised.csv", "names.csv", "settings.json", "encoder/old"}
    assert json.loads(before["settings.json"]) == settings and before["names.csv"] == NAMES.encode()
    stub.weights, stub.fails = "new", True
    with pytest.raises(RuntimeError, match="no save"):
        save(out, stub, names, table, settings)
    assert content(out) == before
    stub.fails = False
    save(out, stub, out / "names.csv", table, settings)  # the list of an earlier run, used again
    assert set(content(out)) == set(before) - {"encoder/old"} | {"encoder/new"}


@pytest.fixture
def trained(write, tmp_path, ontology):
    """A fitted linker, its benchmark, its table, and the folder that it was saved into."""
    small = CosinesLinker(tiny_encoder(tmp_path / "tiny"), epochs=2, learning_rate=1e-3, precision="fp32")
    small.progress = False
    lines = ['"a, ""quoted"" one",', "mysql,", "apache  TOMCAT,", "Tomcat,", "db,9", "zzz,"]
    new = read_mentions(write("m.csv", "mention,id\n" + "\n".join(lines)), ontology)
    linked = small.fit(new.visible()).link(new.test.documents)
    table = answer_table(linked, ontology, new.test, 0.5)
    save(tmp_path / "out", small, tmp_path / "names.csv", table, {})
    return small, new, table, tmp_path / "out"


def test_the_table_holds_every_mention_without_an_id_in_the_order_of_the_file(trained):
    _, _, expected, out = trained
    table = pd.read_csv(out / "standardised.csv", dtype={"id": str, "second_id": str}, keep_default_na=False)
    pd.testing.assert_frame_equal(table, expected, check_dtype=False)
    assert table["mention"].tolist() == ['a, "quoted" one', "mysql", "apache  TOMCAT", "Tomcat", "zzz"]
    assert table["id"].tolist()[1:4] == ["9", "007", "007"]
    assert table["name"].tolist()[1:4] == ["MySQL", "Tomcat", "Tomcat"]
    assert (table["score"].iloc[1:4] == 1).all() and (table["second_id"] != table["id"]).all()
    # "tomcat" is a name of two entries.
    assert table["second_id"].iloc[3] == "9" and table["answered"].tolist()[1:4] == ["yes", "yes", "no"]


def test_the_saved_encoder_gives_the_same_vectors_and_answers_here_and_in_transformers(trained):
    linker, new, table, out = trained
    texts = ["mysql", "server, http", "something else"]
    expected = linker.encoder.encode(texts)
    np.testing.assert_allclose(Encoder(out / "encoder", pooling="cls").encode(texts), expected, atol=1e-5)
    network, tokenizer = (kind.from_pretrained(out / "encoder") for kind in (AutoModel, AutoTokenizer))
    states = network(**tokenizer(texts, padding=True, return_tensors="pt")).last_hidden_state[:, 0]
    plain = states.detach().numpy()
    np.testing.assert_allclose(plain / np.linalg.norm(plain, axis=1, keepdims=True), expected, atol=1e-5)
    untrained = Encoder(linker.model, pooling="cls").encode(texts)
    assert np.abs(untrained - expected).max() > 1e-3
    names = read_names(out / "names.csv")
    linker = NameLinker(names, how="encoder", encoder=Encoder(out / "encoder", pooling="cls"))
    again = answer_table(linker.link(new.test.documents), names, new.test, 0.5)
    # The name linker scores an equal name above every cosine.
    exact = again["score"] == 2
    assert (table["score"][exact] > 0.999).all()
    again["score"] = again["score"].where(~exact, table["score"])
    pd.testing.assert_frame_equal(again, table, atol=1e-4)
