"""A predictions file scored from the command line gives what the library gives."""

import json
import re
from pathlib import Path

import pandas as pd
import pytest
from toy import DEV_TELLS

from benchlib import command, evaluate, link
from benchlib.formats.predictions import write_predictions
from benchlib.scoring import PRESETS, choose_threshold, outcomes
from study.corpora import load
from study.systems import ExactLinker, TfidfLinker


def main(arguments) -> int:
    return command.main(["score", *arguments])


def score(path, benchmark, dev=None):
    return evaluate(path, benchmark, dev_predictions=dev).values()


def linked(system, split: str):
    mini = load("mini")
    return system.fit(mini.visible()).link(mini.split(split).hidden().documents, 10)


def value(rows, **keys) -> float:
    [row] = [row for row in rows if all(row[name] == key for name, key in keys.items())]
    return row["value"]


def right(found) -> float:
    return value(found["published"], protocol="krissbert", measure="recall@1")


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder, paths = tmp_path_factory.mktemp("predictions"), {}
    for system in (ExactLinker(), TfidfLinker()):
        for split in ("test", "dev"):
            paths[system.name, split] = folder / f"{system.name}.{split}.jsonl"
            write_predictions(linked(system, split), paths[system.name, split])
    return paths


OWN = "{n}|t|Flu and\n{n}|a|a cold.\n{n}\t0\t3\tFlu\tD\tX1\n{n}\t10\t14\tcold\tD\tX2\n"


class Own:
    """Two documents of two mentions each, both linked right at the first place, as files to be changed."""

    def __init__(self, folder: Path, capsys) -> None:
        self.folder, self.capsys = folder, capsys
        (folder / "own.txt").write_text("\n".join(OWN.format(n=n) for n in (1, 2)))
        (folder / "names.tsv").write_text("X1\tflu\nX2\tcold\tchill\n")
        rows = [f"{n}\t{span}\n" for n in (1, 2) for span in ("0\t3\tflu\tX1\t1", "10\t14\tchill\tX2\t1")]
        (folder / "p.tsv").write_text("document\tstart\tend\tname\tids\tscore\n" + "".join(rows))
        self.dataset = ["--dataset", str(folder / "own.txt"), "--ontology", str(folder / "names.tsv")]

    def change(self, name: str, *pairs: tuple[str, str], more: str = "") -> None:
        text = (self.folder / name).read_text()
        for old, new in pairs:
            text = text.replace(old, new)
        (self.folder / name).write_text(text + more)

    def run(self, *options, file: str = "p.tsv", status: int = 0) -> tuple[dict, str]:
        """What the command writes as JSON, and what it says."""
        json_file = self.folder / "s.json"
        named = [str(self.folder / file), *self.dataset, "--json", str(json_file)]
        assert main([*named, *map(str, options)]) == status
        content = json.loads(json_file.read_text(), parse_constant=pytest.fail) if status == 0 else {}
        return content, self.capsys.readouterr().err


@pytest.fixture
def own(tmp_path, capsys) -> Own:
    return Own(tmp_path, capsys)


@pytest.mark.parametrize(
    ("option", "choices"), [("spans", "given, predicted"), ("duplicates", "refused, best")]
)
def test_an_unknown_choice_is_refused_for_files_and_predictions(files, option, choices):
    for predictions in (files["exact", "test"], linked(ExactLinker(), "test")):
        with pytest.raises(ValueError, match=f"{option} is 'all'; expected one of {choices}"):
            evaluate(predictions, load("mini"), **{option: "all"})


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
    assert {row["protocol"] for row in without["published"]} == set(PRESETS)
    asked = [row for row in without["published"] if row["protocol"] == "pel-with-nil"]
    told = {(row["n"], row["value"], row["note"]) for row in asked}
    assert told == {(0, None, "needs predictions for a dev with NIL")}
    found = score(files["tfidf", "test"], mini, dev=files["tfidf", "dev"])
    dev = outcomes(linked(TfidfLinker(), "dev"), mini.dev, mini.ontology)
    assert found["nil"]["threshold"] == pytest.approx(choose_threshold(dev), abs=1e-6)
    assert {row["protocol"] for row in found["published"]} == set(PRESETS)


def test_the_command_prints_compares_and_writes(files, tmp_path, capsys):
    first, second = files["tfidf", "test"], files["exact", "test"]
    arguments = [str(first), "--dataset", "mini", "--against", str(second)]
    assert main([*arguments, "--json", str(tmp_path / "s.json"), "--csv", str(tmp_path / "s.csv")]) == 0
    printed = capsys.readouterr()
    assert all(
        word in printed.out
        for word in ("strict/names/any-of", "biosyn-sapbert", "p_holm", "NIL by the best score")
    )
    # Exact match leaves mentions without an answer, and the mini corpus is made up.
    assert "warning:" in printed.err and "note: synthetic" in printed.err
    content = json.loads((tmp_path / "s.json").read_text(), parse_constant=pytest.fail)
    assert len(pd.read_csv(tmp_path / "s.csv")) == len(content["grid"]) + len(content["published"])
    ahead = value(content["against"], protocol="krissbert")
    values = [right(score(path, load("mini"))) for path in (first, second)]
    assert ahead == pytest.approx(values[0] - values[1], abs=1e-5)
    # The file has the keys that the book lists.
    page = (Path(__file__).parent.parent / "book" / "how-to.md").read_text(encoding="utf-8")
    [table] = re.findall(r"The JSON file is one object:\n\n(.*?)\n\n", page, re.S)
    listed = {key for row in table.split("\n")[2:] for key in re.findall("`(.*?)`", row.split("|")[1])}
    assert listed - {"spans"} == set(content)
    assert content["dataset"] == {"name": "mini", "fingerprint": load("mini").fingerprint()}
    assert content["versions"]["pandas"] == pd.__version__
    options = content["options"]
    assert options["against"] == arguments[-1] and options["scopes"] == ["exact"] and not options["strict"]


def test_a_linker_that_ranks_ids_and_one_that_answers_once_are_scored(tmp_path):
    mini = load("mini")
    mentions = [(d.id, m) for d, m in mini.test.mentions() if not m.gold.nil]
    for columns in (["name"], ["ids"], ["name", "ids"]):
        rows = []
        for document, m in mentions:
            id = sorted(m.gold.parts[0])[0]
            row = {"name": mini.ontology.concepts[id].names[0], "ids": [id]}
            row = {"document": document, "start": m.start, "end": m.end} | {key: row[key] for key in columns}
            rows.append(json.dumps(row) + "\n")
        path = tmp_path / f"{'-'.join(columns)}.jsonl"
        path.write_text("".join(rows))
        found = score(path, mini)
        assert right(found) == (1.0 if "ids" in columns else pytest.approx(1.0, abs=0.35))
        assert value(found["published"], protocol="biosyn-sapbert", measure="recall@1") == 1.0


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["p.tsv", "--dataset", "mini"], r"note: synthetic.*\nnot scored: \S+p\.tsv:2:"),
        (["none.tsv", "--dataset", "mini"], "none.tsv: no such file"),
        (["p.tsv", "--dataset", "mini", "--against-dev", "d.tsv"], "expected it with --against"),
        (["p.tsv", "--dataset", "nowhere"], "no data set 'nowhere'; expected"),
        (["p.tsv", "--dataset", "Mini"], r"no data set 'Mini' \(did you mean 'mini'\?\); expected"),
    ],
)
def test_a_file_that_cannot_be_scored_is_one_clear_line(tmp_path, capsys, arguments, words):
    (tmp_path / "p.tsv").write_text("document\tstart\tend\tname\n1\tx\t3\tflu\n")
    assert main([str(tmp_path / arguments[0]), *arguments[1:]]) == 1
    error = capsys.readouterr().err
    assert re.search(words, error) and error.splitlines()[-1].startswith("not scored: ")


def test_an_own_corpus_is_scored_by_its_path_and_its_oddities_are_said(own):
    corpus = "1|t|Flu and\n1|a|a cold.\n1\t0\t3\tFlu\tD\tX1\n1\t10\t14\tcold\tD\tX2\n1\t4\t7\tand\tD\tX9\n"
    (own.folder / "own.txt").write_text(corpus)
    rows = [(0, 3, "flu", "X1"), (10, 14, "flu", "X1"), (10, 14, "chill", "X2"), (4, 7, "flu", "X7")]
    lines = [f"1\t{a}\t{b}\t{name}\t{id}\t{-i}" for i, (a, b, name, id) in enumerate(rows)]
    (own.folder / "p.tsv").write_text("\n".join(["document\tstart\tend\tname\tids\tscore", *lines]) + "\n")
    found, said = own.run()
    assert "1 gold ids of own.txt are not in names.tsv: X9 (document 1)" in said
    assert re.search(r"p\.tsv: 1 rows with ids outside \S+: 5 \(X7\)", said)
    # Of three mentions one is right at once, one at the second place, one has no concept in the dictionary.
    by_hand = {"krissbert": 1 / 3, "dual-encoder": 1.5 / 3, "biocom": 1 / 2}
    for protocol, expected in by_hand.items():
        measure = "mrr" if protocol == "dual-encoder" else "recall@1"
        assert value(found["published"], protocol=protocol, measure=measure) == pytest.approx(
            expected, abs=1e-6
        )
    kind = {(row["kind"], row["is"]): row for row in found["kinds"]}["all", ""]
    assert (kind["not_listed"], kind["misranked"]) == (pytest.approx(1 / 3, abs=1e-6),) * 2


def test_without_train_what_needs_it_has_no_number_but_says_so(own):
    found, said = own.run("--against", own.folder / "p.tsv")
    assert "WARNING: THERE IS NO TRAIN CORPUS." in said and "--train FILE" in said
    needs = ("seen name", "seen concept", "refined", "frequency")
    blank = [row for row in found["kinds"] if row["kind"] in needs]
    assert len(blank) == 4  # one row each, whatever the kind may be
    blank += [row for row in found["published"] if row["protocol"] == "cosines-refined"]
    assert len(blank) == 7
    [row] = [row for row in found["against"] if row["note"]]
    assert row["protocol"] == "cosines-refined" and row["p"] is row["gained"] is None
    assert all(r["note"] == "needs train" and r["value"] is None and r["n"] == 0 for r in (*blank, row))
    others = [row for row in (*found["kinds"], *found["published"]) if row not in blank]
    of_one = [row for row in others if row["note"]]
    assert {row["note"] for row in of_one} == {"lists of one", "lists of one: always 100 %"}
    assert all((row["value"] is None) == (row["note"] == "lists of one") for row in of_one)
    measures = {row["measure"] for row in others if "measure" in row and row["value"] is not None}
    assert measures == {"recall@1", "mrr"}
    assert any(row["value"] == 1 for row in others)
    # With train, seen by hand: "flu" is a string of train, "cold" is none.
    (own.folder / "train.txt").write_text("9|t|Flu\n9|a|\n9\t0\t3\tFlu\tD\tX1\n")
    found, said = own.run("--train", own.folder / "train.txt")
    seen = {row["is"]: row["n"] for row in found["kinds"] if row["kind"] == "seen name"}
    assert "TRAIN CORPUS" not in said and seen == {"yes": 2, "no": 2} and "note" not in found["kinds"][0]
    refined = [row["n"] for row in found["published"] if row["protocol"] == "cosines-refined"]
    assert refined == [1, 1, 1]  # "cold" once


def test_scores_of_nothing_and_of_everything_are_loud(own):
    found, said = own.run()
    assert "SCORES ARE EXACTLY 100 %." in said and any("EXACTLY 100 %" in text for text in found["warnings"])
    assert "THERE IS ONE" not in said
    own.change("p.tsv", ("X1", "MESH:X1"), ("X2", "MESH:X2"))
    said = own.run()[1]
    assert "SCORES ARE EXACTLY 0 %." in said
    assert "read without MESH: before them, 4 mentions instead of 0 have their gold among the answers" in said
    assert "write them so, or --strip-prefix MESH: (in Python `strip_prefix`) for files of one's own." in said
    assert "EXACTLY 0 %" not in own.run("--strip-prefix", "MESH:")[1]
    own.change("p.tsv", ("MESH:X1", "X9"), ("MESH:X2", "X1"), ("X9", "X2"))
    assert "EXACTLY 0 %. " in (said := own.run()[1]) and "the candidate lists may be short" in said
    own.change("names.tsv", more="X3\tpain\n")
    own.change("p.tsv", ("X1", "X3"), ("X2", "X3"))
    assert "No concept that is answered is the gold of any mention" in own.run()[1]


def test_a_corpus_of_nil_alone_has_nothing_to_score_but_can_be_checked(own):
    own.change("own.txt", ("X1", "-1"), ("X2", "-"))
    assert (
        own.run(status=1)[1]
        == "not scored: own-test: expected a mention whose gold is a concept, found none\n"
    )
    assert command.main(["check", *own.dataset]) == 0
    assert "-1: NIL" in own.capsys.readouterr().out


def test_notes_stand_in_the_json_and_before_an_error(own):
    own.change("own.txt", more="2\t4\t7\tand\tD\tX\x1b[2J9\n")
    [note] = own.run()[0]["notes"]
    assert note.startswith("1 gold ids of own.txt are not in names.tsv")
    (own.folder / "p.tsv").write_text("document\tstart\tend\tname\n1\tx\t3\tflu\n")
    said = own.run(status=1)[1]
    assert "\x1b" not in said and "X\\x1b[2J9" in said
    assert said.index("note: 1 gold ids") < said.index("not scored: ")


def test_answers_for_mentions_left_out_or_moved_need_no_work_by_hand(own):
    answers = (own.folder / "p.tsv").read_text()
    # Of the second document one mention is of another type, the other stands one character further left.
    own.change("own.txt", ("2\t0\t3\tFlu\tD\tX1", "2\t0\t3\tFlu\tE\tX1"), ("2\t10\t14", "2\t11\t15"))
    own.change("p.tsv", ("2\t10\t14", "2\t11\t15"))
    found, said = own.run("--types", "D")
    assert "1 rows of mentions that own-test leaves out: 4" in said
    assert "1 rows of mentions that own-test has elsewhere, moved there: 5" in said
    assert found["counts"]["n_scored"] == 3 and found["counts"]["unanswered"] == 0 and right(found) == 1.0
    # A span that is no mention at all is refused all the same, and so are answers for nothing that counts.
    (own.folder / "p.tsv").write_text(answers.replace("2\t0\t3", "2\t1\t3"))
    assert "expected spans of mentions" in own.run("--types", "D", status=1)[1]
    (own.folder / "p.tsv").write_text("document\tstart\tend\tname\n2\t0\t3\tflu\n")
    assert "p.tsv:2: expected mentions of own-test that count" in own.run("--types", "D", status=1)[1]


def test_of_a_candidate_that_a_list_has_twice_the_best_counts_where_that_is_asked_for(own):
    own.change("p.tsv", more="1\t0\t3\tchill\tX2\t0.5\n1\t0\t3\tflu\tX1\t0.2\n")
    assert "each candidate once" in own.run(status=1)[1]
    assert right(own.run("--duplicates", "best")[0]) == 1.0


@pytest.fixture
def spans(own) -> Own:
    """Claims: in the first document "Flu", right, and "a cold" for "cold"; in the second "cold", wrong."""
    rows = ["document\tstart\tend\tids", "1\t0\t3\tX1", "1\t8\t14\tX2", "2\t10\t14\tX1"]
    (own.folder / "spans.tsv").write_text("\n".join(rows) + "\n")
    return own


def test_predicted_spans_have_precision_and_recall(spans):
    found = spans.run("--spans", "--csv", spans.folder / "s.csv", file="spans.tsv")[0]["spans"]
    assert pd.read_csv(spans.folder / "s.csv")["value"].tolist() == [row["value"] for row in found]
    # Three claims and four golds: one claim is right; of the six characters of "a cold" four are gold.
    by_hand = [1 / 3, 1 / 4, 2 / 7, (1 + 4 / 6) / 3, 2 / 4, 10 / 19, 2 / 3, 2 / 4, 4 / 7]
    names = [(m, s) for m in ("strict", "partial", "overlap") for s in ("precision", "recall", "f1")]
    values = {(row["match"], row["measure"]): row["value"] for row in found}
    assert values == pytest.approx(dict(zip(names, by_hand, strict=True)), abs=1e-6)
    # Against the gold of given mentions as a second file: what it misses.
    found, _ = spans.run("--spans", "--against", spans.folder / "p.tsv", file="spans.tsv")
    assert value(found["against"], match="strict", measure="f1") == pytest.approx(2 / 7 - 1, abs=1e-6)
    assert found["counts"]["claims"]["n_scored"] == 3 and found["counts"]["golds"]["n_scored"] == 4


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        ("9\t0\t3\tX1", r"5: expected documents of own-test"),
        ("2\t0\t16\tX1", r"5: expected start below end, both within the text"),
        ("2\t3\t3\tX1", r"5: expected start below end, both within the text"),
        ("1\t0\t3\tX1", r"5: expected each candidate once"),
    ],
)
def test_a_predicted_span_that_is_wrong_is_an_error_that_names_its_line(spans, row, expected):
    spans.change("spans.tsv", more=row + "\n")
    said = spans.run("--spans", file="spans.tsv", status=1)[1]
    assert re.search(r"not scored: \S+spans\.tsv:" + expected, said)


def test_what_predicted_spans_do_not_have_is_refused_and_what_is_unclear_is_said(spans):
    for option in ("--mentions", "--predictions-dev"):
        said = spans.run("--spans", option, spans.folder / "m.csv", file="spans.tsv", status=1)[1]
        assert "are for given mentions, not --spans" in said
    assert "expected spans of mentions of own-test" in spans.run(file="spans.tsv", status=1)[1]
    # Two concepts at a span are a list, of which the better counts, unless they are parts.
    spans.change("spans.tsv", more="2\t10\t14\tX2\n")
    found, said = spans.run("--spans", file="spans.tsv")
    assert "1 rows beside another of their span and part" in said
    assert found["counts"]["claims"]["n_scored"] == 3


def test_a_row_for_each_mention_is_written(own):
    own.change("p.tsv", ("1\t0\t3\tflu\tX1", "1\t0\t3\tchill\tX2"))
    own.run("--mentions", own.folder / "m.csv")
    table = pd.read_csv(own.folder / "m.csv")
    assert table["document"].tolist() == [1, 1, 2, 2] and table["start"].tolist() == [0, 10, 0, 10]
    assert table["gold"].tolist() == ["X1", "X2"] * 2 and table["answer"].tolist() == ["X2", "X2", "X1", "X2"]
    assert table["strict"].tolist() == [0, 1, 1, 1] == table["lenient"].tolist()
    assert table["seen name"].isna().all() and table["no name"].tolist() == [False] * 4


def test_what_cannot_be_written_is_found_before_anything_is_read(own):
    for option, file in (("--json", "p.tsv"), ("--csv", "names.tsv"), ("--mentions", "own.txt")):
        before, path = (own.folder / file).read_text(), own.folder / file
        assert "expected a file of its own to write" in own.run(option, path, status=1)[1]
        assert path.read_text() == before
        none = own.folder / "none" / "s"
        said = own.run(option, none, file="nowhere.tsv", status=1)[1]
        assert said == f"not scored: {none}: No such file or directory\n"


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


LACKED = """26|t|N.
26|a|foo disease and fever and odd thing and pain
26\t3\t14\tfoo disease\tD\t-
26\t19\t24\tfever\tD\tD5
26\t29\t38\todd thing\tD\tD999
26\t43\t47\tpain\tD\tD6
"""


# The answer NIL is surer than any concept, whatever its score: called at a threshold below all scores.
@pytest.mark.parametrize(("answer", "threshold"), [("D5", 0.5), ("NIL", "-inf")])
def test_a_mention_whose_gold_the_dictionary_lacks_is_neither_nil_nor_linkable(own, answer, threshold):
    (own.folder / "own.txt").write_text(LACKED)
    (own.folder / "names.tsv").write_text("D5\tfever\nD6\tpain\n")
    rows = [(3, 14, answer, 0.5), (19, 24, "D5", 0.9), (29, 38, "D6", 0.3), (43, 47, "D6", 0.8)]
    lines = ["document\tstart\tend\tids\tscore", *("\t".join(map(str, (26, *row))) for row in rows)]
    (own.folder / "p.tsv").write_text("\n".join(lines) + "\n")
    # The corpus is dev as well.
    found, _ = own.run("--dev", own.folder / "own.txt", "--predictions-dev", own.folder / "p.tsv")
    # The unlinkable mention scores lowest. Without it NIL is called first, and at the threshold alone.
    assert found["nil"] == {
        "n": 3, "n_nil": 1, "n_unlinkable": 1, "prevalence": 1 / 3, "aupr": 1.0,
        "aupr_low": 1.0, "aupr_high": 1.0, "threshold": threshold,
        "n_called": 1, "precision": 1.0, "recall": 1.0, "f1": 1.0,
    }  # fmt: skip
    [first, _] = [row for row in found["published"] if row["protocol"] == "pel-with-nil"]
    assert (first["value"], first["n"]) == (1.0, 3)
    # In the other protocols it stays, as wrong.
    [strict] = [r for r in found["published"] if (r["protocol"], r["measure"]) == ("krissbert", "recall@1")]
    assert (strict["value"], strict["n"]) == (pytest.approx(2 / 3, abs=1e-6), 3)


def test_lists_shorter_than_what_is_measured_are_told():
    longest = link("mini", how="tfidf", k=64)
    found = {}
    for k in (3, 15, 64):
        rows = evaluate(longest[longest["rank"] <= k], "mini").published.set_index(["protocol", "measure"])
        found[k] = rows.loc[[("biocom", "recall@1"), ("pel", "recall@64")]]
    # The 15 best names vote, however many there are; the 64th is in no shorter list.
    assert found[3]["note"].tolist() == ["up to 3 votes, 15 in the paper", "lists of up to 3"]
    assert found[15]["note"].fillna("").tolist() == ["", "lists of up to 15"]
    assert found[64].get("note", pd.Series(dtype=object)).isna().all()
    votes, recall = zip(*(found[k]["value"] for k in (3, 15, 64)), strict=True)
    assert votes[0] != votes[1] == votes[2] and recall[0] < recall[1] < recall[2]
