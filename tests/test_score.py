"""A predictions file scored from the command line gives what the library gives."""

import json
import re
from pathlib import Path

import pandas as pd
import pytest
from toy import DEV_TELLS

from benchlib import command, evaluate
from benchlib.formats.predictions import write_predictions
from benchlib.scoring import PRESETS, Scoring, choose_threshold, outcomes, recall
from study.corpora import load
from study.systems import ExactLinker, TfidfLinker


def main(arguments) -> int:
    return command.main(["score", *arguments])


def score(path, benchmark, dev=None):
    return evaluate(path, benchmark, dev_predictions=dev).values()


def linked(system, split: str):
    mini = load("mini")
    return system.fit(mini.visible()).link(mini.split(split).hidden().documents, 10)


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder, made = tmp_path_factory.mktemp("predictions"), {}
    for system in (ExactLinker(), TfidfLinker()):
        for split in ("test", "dev"):
            made[system.name, split] = folder / f"{system.name}.{split}.jsonl"
            write_predictions(linked(system, split), made[system.name, split])
    return made


def value(rows, **keys) -> float:
    [row] = [row for row in rows if all(row[name] == key for name, key in keys.items())]
    return row["value"]


def test_a_file_scores_as_the_predictions_it_was_written_from(files):
    mini = load("mini")
    found = score(files["tfidf", "test"], mini)
    direct = outcomes(linked(TfidfLinker(), "test"), mini.test, mini.ontology)
    for scoring in (Scoring("strict", "names"), Scoring("lenient", "names"), Scoring()):
        expected = recall(direct, 1, scoring).mean()
        assert value(found["grid"], measure="recall@1", scoring=str(scoring)) == pytest.approx(
            expected, abs=1e-6
        )
    expected = recall(direct, 1, Scoring()).mean()
    assert value(found["published"], protocol="krissbert", measure="recall@1") == pytest.approx(
        expected, abs=1e-6
    )
    assert value(found["kinds"], kind="all") == pytest.approx(expected, abs=1e-6)
    dropped = sum(found["counts"]["dropped"].values())
    assert found["counts"]["n_raw"] == found["counts"]["n_scored"] + dropped


def test_dev_counts_as_seen(tmp_path):
    predictions = TfidfLinker().fit(DEV_TELLS.visible()).link(DEV_TELLS.test.hidden().documents)
    write_predictions(predictions, tmp_path / "p.jsonl")
    rows = score(tmp_path / "p.jsonl", DEV_TELLS)["kinds"]
    # Of four strings two stand in train or dev, one in train; of their concepts likewise.
    seen = {row["kind"]: row["n"] for row in rows if row["is"] == "yes"}
    assert (seen["seen name"], seen["seen concept"], seen["refined"]) == (2, 2, 2)


def test_the_threshold_of_nil_is_that_of_dev(files):
    mini = load("mini")
    without = score(files["tfidf", "test"], mini)
    assert without["nil"]["n_nil"] == without["counts"]["dropped"]["nil"]
    assert "threshold" not in without["nil"]
    assert {row["protocol"] for row in without["published"]} == set(PRESETS) - {"pel-with-nil"}
    found = score(files["tfidf", "test"], mini, dev=files["tfidf", "dev"])
    dev = outcomes(linked(TfidfLinker(), "dev"), mini.dev, mini.ontology)
    assert found["nil"]["threshold"] == pytest.approx(choose_threshold(dev), abs=1e-6)
    assert {row["protocol"] for row in found["published"]} == set(PRESETS)


def test_the_command_prints_compares_and_writes(files, tmp_path, capsys):
    first, second = files["tfidf", "test"], files["exact", "test"]
    arguments = [str(first), "--dataset", "mini", "--against", str(second)]
    assert main([*arguments, "--json", str(tmp_path / "s.json"), "--csv", str(tmp_path / "s.csv")]) == 0
    printed = capsys.readouterr()
    assert all(word in printed.out for word in ("strict/names/any-of", "biosyn-sapbert", "p_holm", "NIL:"))
    # Exact match leaves mentions without an answer, which is said; and mini is no finding.
    assert "warning:" in printed.err and "note: synthetic" in printed.err
    content = json.loads((tmp_path / "s.json").read_text(), parse_constant=pytest.fail)
    assert len(pd.read_csv(tmp_path / "s.csv")) == len(content["grid"]) + len(content["published"])
    ahead = value(content["against"], protocol="krissbert")
    values = [value(score(path, load("mini"))["published"], protocol="krissbert", measure="recall@1")
              for path in (first, second)]  # fmt: skip
    assert ahead == pytest.approx(values[0] - values[1], abs=1e-5)


def test_a_linker_that_ranks_ids_and_one_that_answers_once_are_scored(tmp_path):
    mini = load("mini")
    mentions = [(d.id, m) for d, m in mini.test.mentions() if not m.gold.nil]
    for columns in (["name"], ["ids"], ["name", "ids"]):
        rows = []
        for document, m in mentions:
            id = sorted(m.gold.parts[0])[0]
            name = mini.ontology.concepts[id].names[0]
            row = {"document": document, "start": m.start, "end": m.end, "name": name, "ids": [id]}
            rows.append({key: row[key] for key in ("document", "start", "end", *columns)})
        path = tmp_path / f"{'-'.join(columns)}.jsonl"
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
        found = score(path, mini)
        expected = 1.0 if "ids" in columns else pytest.approx(1.0, abs=0.35)
        assert value(found["published"], protocol="krissbert", measure="recall@1") == expected
        assert value(found["published"], protocol="biosyn-sapbert", measure="recall@1") == 1.0


def test_a_file_that_cannot_be_scored_is_one_clear_line(tmp_path, capsys):
    (tmp_path / "p.tsv").write_text("document\tstart\tend\tname\n1\tx\t3\tflu\n")
    assert main([str(tmp_path / "p.tsv"), "--dataset", "mini"]) == 1
    note, error = capsys.readouterr().err.splitlines()
    assert note.startswith("note: synthetic") and error.startswith(f"not scored: {tmp_path / 'p.tsv'}:2:")
    assert main([str(tmp_path / "none.tsv"), "--dataset", "mini"]) == 1
    assert main([str(tmp_path / "p.tsv"), "--dataset", "mini", "--against-dev", "d.tsv"]) == 1
    assert "expected it with --against" in capsys.readouterr().err
    assert main([str(tmp_path / "p.tsv"), "--dataset", "nowhere"]) == 1
    assert "no data set 'nowhere'; expected" in capsys.readouterr().err
    assert main([str(tmp_path / "p.tsv"), "--dataset", "Mini"]) == 1
    assert "no data set 'Mini' (did you mean 'mini'?); expected" in capsys.readouterr().err


def test_an_own_corpus_is_scored_by_its_path_and_its_oddities_are_said(tmp_path, capsys):
    corpus = "1|t|Flu and\n1|a|a cold.\n1\t0\t3\tFlu\tD\tX1\n1\t10\t14\tcold\tD\tX2\n1\t4\t7\tand\tD\tX9\n"
    (tmp_path / "own.pubtator").write_text(corpus)
    (tmp_path / "names.tsv").write_text("X1\tflu\nX2\tcold\tchill\n")
    rows = [(0, 3, "flu", "X1"), (10, 14, "flu", "X1"), (10, 14, "chill", "X2"), (4, 7, "flu", "X7")]
    lines = [f"1\t{a}\t{b}\t{name}\t{id}\t{-i}" for i, (a, b, name, id) in enumerate(rows)]
    predictions = tmp_path / "p.tsv"
    predictions.write_text("\n".join(["document\tstart\tend\tname\tids\tscore", *lines]) + "\n")
    named = ["--dataset", str(tmp_path / "own.pubtator"), "--ontology", str(tmp_path / "names.tsv")]
    assert main([str(predictions), *named, "--json", str(tmp_path / "s.json")]) == 0
    said = capsys.readouterr().err
    assert "1 gold ids of own.pubtator are not in names.tsv: X9 (document 1)" in said
    assert re.search(r"p\.tsv: 1 rows with ids outside \S+: 5 \(X7\)", said)
    found = json.loads((tmp_path / "s.json").read_text())
    # Of three mentions one is right at once, one at the second place, one has no concept in the dictionary.
    assert value(found["published"], protocol="krissbert", measure="recall@1") == pytest.approx(
        1 / 3, abs=1e-6
    )
    assert value(found["published"], protocol="dual-encoder", measure="mrr") == pytest.approx(
        1.5 / 3, abs=1e-6
    )
    assert value(found["published"], protocol="biocom", measure="recall@1") == pytest.approx(1 / 2, abs=1e-6)
    kind = {(row["kind"], row["is"]): row for row in found["kinds"]}["all", ""]
    assert (kind["not_listed"], kind["misranked"]) == (pytest.approx(1 / 3, abs=1e-6),) * 2


@pytest.fixture
def own(tmp_path):
    """Two documents of two mentions each, both linked right at the first place, and how to name them."""
    texts = [
        f"{n}|t|Flu and\n{n}|a|a cold.\n{n}\t0\t3\tFlu\tD\tX1\n{n}\t10\t14\tcold\tD\tX2\n" for n in (1, 2)
    ]
    (tmp_path / "own.txt").write_text("\n".join(texts))
    (tmp_path / "names.tsv").write_text("X1\tflu\nX2\tcold\tchill\n")
    rows = [f"{n}\t{span}\n" for n in (1, 2) for span in ("0\t3\tflu\tX1\t1", "10\t14\tchill\tX2\t1")]
    (tmp_path / "p.tsv").write_text("document\tstart\tend\tname\tids\tscore\n" + "".join(rows))
    named = ["--dataset", str(tmp_path / "own.txt"), "--ontology", str(tmp_path / "names.tsv")]
    return tmp_path, [str(tmp_path / "p.tsv"), *named]


def test_without_train_what_needs_it_has_no_number_but_says_so(own, capsys):
    folder, arguments = own
    assert main([*arguments, "--json", str(folder / "s.json")]) == 0
    printed = capsys.readouterr()
    assert "WARNING: THERE IS NO TRAIN CORPUS." in printed.err and "--train FILE" in printed.err
    found = json.loads((folder / "s.json").read_text())
    blank = [
        row for row in found["kinds"] if row["kind"] in ("seen name", "seen concept", "refined", "frequency")
    ]
    assert len(blank) == 4  # one row each, whatever the kind may be
    blank += [row for row in found["published"] if row["protocol"] == "cosines-refined"]
    assert len(blank) == 7
    assert main([*arguments, "--against", arguments[0], "--json", str(folder / "s.json")]) == 0
    [row] = [r for r in json.loads((folder / "s.json").read_text())["against"] if r["note"]]
    capsys.readouterr()
    assert row["protocol"] == "cosines-refined" and row["value"] is row["p"] is row["gained"] is None
    assert all(row["note"] == "needs train" and row["value"] is None and row["n"] == 0 for row in blank)
    others = [row for row in (*found["kinds"], *found["published"]) if row not in blank]
    assert all(row["note"] is None for row in others) and any(row["value"] == 1 for row in others)
    # With train, seen by hand: "flu" is a string of train, "cold" is none.
    (folder / "train.txt").write_text("9|t|Flu\n9|a|\n9\t0\t3\tFlu\tD\tX1\n")
    assert main([*arguments, "--train", str(folder / "train.txt"), "--json", str(folder / "s.json")]) == 0
    assert "TRAIN CORPUS" not in capsys.readouterr().err
    found = json.loads((folder / "s.json").read_text())
    seen = {row["is"]: row["n"] for row in found["kinds"] if row["kind"] == "seen name"}
    assert seen == {"yes": 2, "no": 2} and "note" not in found["kinds"][0]
    refined = [row["n"] for row in found["published"] if row["protocol"] == "cosines-refined"]
    assert refined == [1, 1, 1]  # "cold" once


def test_scores_of_nothing_and_of_everything_are_loud(own, capsys):
    folder, arguments = own
    assert main([*arguments, "--json", str(folder / "s.json")]) == 0
    assert "SCORES ARE EXACTLY 100 %." in capsys.readouterr().err
    assert any("EXACTLY 100 %" in text for text in json.loads((folder / "s.json").read_text())["warnings"])
    text = (folder / "p.tsv").read_text()
    (folder / "p.tsv").write_text(text.replace("X1", "MESH:X1").replace("X2", "MESH:X2"))
    assert main(arguments) == 0
    said = capsys.readouterr().err
    assert "SCORES ARE EXACTLY 0 %." in said and "they are like MESH:X1, MESH:X2, its own like X1, X2" in said
    assert main([*arguments, "--strip-prefix", "MESH:"]) == 0
    assert "EXACTLY 0 %" not in capsys.readouterr().err
    (folder / "p.tsv").write_text(text.replace("X1", "X9").replace("X2", "X1").replace("X9", "X2"))
    assert main(arguments) == 0
    assert "SCORES ARE EXACTLY 0 %." in capsys.readouterr().err


def test_ids_unlike_those_of_a_data_set_are_told_and_what_helps_with_files_of_ones_own(tmp_path, capsys):
    document, mention = next(load("mini").test.mentions())
    row = {"document": document.id, "start": mention.start, "end": mention.end, "ids": ["MESH:M0001"]}
    (tmp_path / "p.jsonl").write_text(json.dumps(row) + "\n")
    assert main([str(tmp_path / "p.jsonl"), "--dataset", "mini"]) == 0
    said = capsys.readouterr().err
    assert "No id of the answers is in mini" in said and "For files of one's own, --strip-prefix" in said


def test_of_one_document_no_interval_can_be_had_and_that_is_said(own, capsys):
    folder, arguments = own
    corpus, predictions = (folder / "own.txt").read_text(), (folder / "p.tsv").read_text()
    assert main(arguments) == 0 and "THERE IS ONE" not in capsys.readouterr().err
    (folder / "own.txt").write_text(corpus.split("\n\n")[0] + "\n")
    (folder / "p.tsv").write_text("\n".join(predictions.splitlines()[:3]) + "\n")
    assert main(arguments) == 0
    assert "THERE IS ONE DOCUMENT." in capsys.readouterr().err


def test_a_corpus_of_nil_alone_has_nothing_to_score_but_can_be_checked(own, capsys):
    folder, arguments = own
    text = (folder / "own.txt").read_text()
    (folder / "own.txt").write_text(text.replace("X1", "-1").replace("X2", "-"))
    assert main(arguments) == 1
    assert capsys.readouterr().err == "not scored: no mention to average over\n"
    assert command.main(["check", *arguments[1:]]) == 0
    assert "-1: NIL" in capsys.readouterr().out


def test_notes_stand_in_the_json_and_before_an_error(own, capsys):
    folder, arguments = own
    text = (folder / "own.txt").read_text()
    (folder / "own.txt").write_text(text + "2\t4\t7\tand\tD\tX\x1b[2J9\n")
    assert main([*arguments, "--json", str(folder / "s.json")]) == 0
    [note] = json.loads((folder / "s.json").read_text())["notes"]
    assert note.startswith("1 gold ids of own.txt are not in names.tsv")
    (folder / "p.tsv").write_text("document\tstart\tend\tname\n1\tx\t3\tflu\n")
    capsys.readouterr()
    assert main(arguments) == 1
    said = capsys.readouterr().err
    assert "\x1b" not in said and "X\\x1b[2J9" in said
    assert said.index("note: 1 gold ids") < said.index("not scored: ")


def test_answers_for_mentions_left_out_or_moved_need_no_work_by_hand(own, capsys):
    folder, arguments = own
    text = (folder / "own.txt").read_text()
    # Of the second document one mention is of another type, the other stands one character further left.
    text = text.replace("2\t0\t3\tFlu\tD\tX1", "2\t0\t3\tFlu\tE\tX1").replace("2\t10\t14", "2\t11\t15")
    (folder / "own.txt").write_text(text)
    answers = (folder / "p.tsv").read_text()
    (folder / "p.tsv").write_text(answers.replace("2\t10\t14", "2\t11\t15"))
    assert main([*arguments, "--types", "D", "--json", str(folder / "s.json")]) == 0
    said = capsys.readouterr().err
    assert "1 rows of mentions that own-test leaves out: 4" in said
    assert "1 rows of mentions that own-test has elsewhere, moved there: 5" in said
    found = json.loads((folder / "s.json").read_text())
    assert found["counts"]["n_scored"] == 3 and found["counts"]["unanswered"] == 0
    assert value(found["published"], protocol="krissbert", measure="recall@1") == 1.0
    # A span that is no mention at all is refused all the same, and so are answers for nothing that counts.
    (folder / "p.tsv").write_text(answers.replace("2\t0\t3", "2\t1\t3"))
    assert main([*arguments, "--types", "D"]) == 1
    assert "expected spans of mentions" in capsys.readouterr().err
    (folder / "p.tsv").write_text("document\tstart\tend\tname\n2\t0\t3\tflu\n")
    assert main([*arguments, "--types", "D"]) == 1
    assert "p.tsv:2: expected mentions of own-test that count" in capsys.readouterr().err


def test_a_candidate_that_a_list_has_twice_is_refused_or_counts_at_its_best(own, capsys):
    folder, arguments = own
    with (folder / "p.tsv").open("a") as file:
        file.write("1\t0\t3\tchill\tX2\t0.5\n1\t0\t3\tflu\tX1\t0.2\n")
    assert main(arguments) == 1
    assert "each candidate once" in capsys.readouterr().err
    assert main([*arguments, "--duplicates", "best", "--json", str(folder / "s.json")]) == 0
    assert "1 rows of a candidate that has a better one in its list" in capsys.readouterr().err
    found = json.loads((folder / "s.json").read_text())
    assert value(found["published"], protocol="krissbert", measure="recall@1") == 1.0


@pytest.fixture
def end_to_end(own):
    """Claims: in the first document "Flu", right, and "a cold" for "cold"; in the second "cold", wrong."""
    folder, arguments = own
    rows = ["1\t0\t3\tX1", "1\t8\t14\tX2", "2\t10\t14\tX1"]
    (folder / "spans.tsv").write_text("document\tstart\tend\tids\n" + "\n".join(rows) + "\n")
    return folder, [str(folder / "spans.tsv"), *arguments[1:], "--spans"]


def test_predicted_spans_have_precision_and_recall(end_to_end, capsys):
    folder, arguments = end_to_end
    assert main([*arguments, "--json", str(folder / "s.json"), "--csv", str(folder / "s.csv")]) == 0
    printed = capsys.readouterr()
    assert "Concepts at predicted spans, in percent" in printed.out and "33.33" in printed.out
    found = json.loads((folder / "s.json").read_text())["spans"]
    assert pd.read_csv(folder / "s.csv")["value"].tolist() == [row["value"] for row in found]
    # Three claims and four golds: one claim is right; of the six characters of "a cold" four are gold.
    by_hand = {
        ("strict", "precision"): 1 / 3,
        ("strict", "recall"): 1 / 4,
        ("strict", "f1"): 2 / 7,
        ("partial", "precision"): (1 + 4 / 6) / 3,
        ("partial", "recall"): 2 / 4,
        ("partial", "f1"): 10 / 19,
        ("overlap", "precision"): 2 / 3,
        ("overlap", "recall"): 2 / 4,
        ("overlap", "f1"): 4 / 7,
    }
    values = {(row["match"], row["measure"]): row["value"] for row in found}
    assert values == pytest.approx(by_hand, abs=1e-6)
    # Against the gold of given mentions as a second file: what it misses.
    arguments += ["--against", str(folder / "p.tsv"), "--json", str(folder / "s.json")]
    assert main(arguments) == 0
    assert "Minus" in capsys.readouterr().out
    found = json.loads((folder / "s.json").read_text())
    assert value(found["against"], match="strict", measure="f1") == pytest.approx(2 / 7 - 1, abs=1e-6)
    assert found["counts"]["claims"]["n_scored"] == 3 and found["counts"]["golds"]["n_scored"] == 4


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        ("2\tx\t3\tX1", r"5: expected a whole number as start"),
        ("2\t0\t3", r"5: expected 4 cells"),
        ("9\t0\t3\tX1", r"5: expected documents of own-test"),
        ("2\t0\t16\tX1", r"5: expected start below end, both within the text"),
        ("2\t3\t3\tX1", r"5: expected start below end, both within the text"),
        ("1\t0\t3\tX1", r"5: expected each candidate once"),
    ],
)
def test_a_predicted_span_that_is_wrong_is_an_error_that_names_its_line(end_to_end, capsys, row, expected):
    folder, arguments = end_to_end
    with (folder / "spans.tsv").open("a") as file:
        file.write(row + "\n")
    assert main(arguments) == 1
    said = capsys.readouterr().err
    assert re.search(r"not scored: \S+spans\.tsv:" + expected, said)


def test_what_predicted_spans_do_not_have_is_refused_and_what_is_unclear_is_said(end_to_end, capsys):
    folder, arguments = end_to_end
    for option in ("--mentions", "--predictions-dev"):
        assert main([*arguments, option, str(folder / "m.csv")]) == 1
        assert "are for given mentions, not --spans" in capsys.readouterr().err
    assert main([one for one in arguments if one != "--spans"]) == 1
    assert "expected spans of mentions of own-test" in capsys.readouterr().err
    # Two concepts at a span are a list, of which the better counts, unless they are parts.
    with (folder / "spans.tsv").open("a") as file:
        file.write("2\t10\t14\tX2\n")
    assert main([*arguments, "--json", str(folder / "s.json")]) == 0
    assert "1 rows beside another of their span and part" in capsys.readouterr().err
    assert json.loads((folder / "s.json").read_text())["counts"]["claims"]["n_scored"] == 3


def test_a_row_for_each_mention_is_written(own):
    folder, arguments = own
    (folder / "p.tsv").write_text(
        (folder / "p.tsv").read_text().replace("1\t0\t3\tflu\tX1", "1\t0\t3\tchill\tX2")
    )
    assert main([*arguments, "--mentions", str(folder / "m.csv")]) == 0
    table = pd.read_csv(folder / "m.csv")
    assert table["document"].tolist() == [1, 1, 2, 2] and table["start"].tolist() == [0, 10, 0, 10]
    assert table["gold"].tolist() == ["X1", "X2"] * 2 and table["answer"].tolist() == ["X2", "X2", "X1", "X2"]
    assert table["strict"].tolist() == [0, 1, 1, 1] == table["lenient"].tolist()
    assert table["seen name"].isna().all() and table["no name"].tolist() == [False] * 4


def test_what_cannot_be_written_is_found_before_anything_is_read(own, capsys):
    folder, arguments = own
    for option, file in (("--json", "p.tsv"), ("--csv", "names.tsv"), ("--mentions", "own.txt")):
        before = (folder / file).read_text()
        assert main([*arguments, option, str(folder / file)]) == 1
        assert "expected a file of its own to write" in capsys.readouterr().err
        assert (folder / file).read_text() == before
    for option in ("--json", "--csv", "--mentions"):
        assert main(["nowhere.tsv", *arguments[1:], option, str(folder / "none" / "s")]) == 1
        assert capsys.readouterr().err == f"not scored: {folder / 'none' / 's'}: No such file or directory\n"


def test_the_book_scores_in_python_as_the_command_does(tmp_path):
    text = (Path(__file__).parent.parent / "book" / "how-to.md").read_text(encoding="utf-8")
    [shown] = [
        block for block in re.findall(r"^```python\n(.*?)^```", text, re.M | re.S) if "compare(" in block
    ]
    exec(shown, names := {})
    write_predictions(names["predictions"], tmp_path / "tfidf.jsonl")
    found = score(tmp_path / "tfidf.jsonl", load("mini"))
    of = value(found["published"], protocol="sapbert-unmerged", measure="recall@1")
    assert names["tfidf"].mean() == pytest.approx(of) and names["exact"].mean() < of
