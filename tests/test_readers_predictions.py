"""Predictions files: every format there and back, and every way in which a file can be wrong."""

import gzip
import json

import numpy as np
import pandas as pd
import pytest
import toy
from pandas.testing import assert_frame_equal

from benchlib.corpus import Corpus
from benchlib.formats.predictions import read_predictions, write_predictions
from benchlib.ontology import Concept, Ontology
from benchlib.predictions import Candidate, Predictions, Query

CORPUS = Corpus("two", (toy.document("1", ("cold", "D2"), ("Fever", "D3")),))
FIRST, SECOND = Query("1", 0, 4), Query("1", 5, 10)
FORMATS = ("jsonl", "jsonl.gz", "tsv", "tsv.gz", "csv", "csv.gz", "parquet")


def read(path, corpus=CORPUS, ontology=toy.ONTOLOGY):
    return read_predictions(path, corpus, ontology)


def table(tmp_path, *lines):
    """A CSV file of these lines."""
    path = tmp_path / "p.csv"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def write(predictions, path):
    """The table in any format: JSON lines by the project, the others as a user of pandas writes them."""
    if ".jsonl" in path.name:
        return write_predictions(predictions, path)
    frame = predictions.frame()
    if path.suffix == ".parquet":
        return frame.assign(ids=frame["ids"].map(list)).to_parquet(path, index=False)
    text = frame.assign(ids=frame["ids"].map("|".join))
    return text.to_csv(path, sep="\t" if ".tsv" in path.name else ",", index=False)


def lists(predictions):
    """Query -> its (name, ids) in order."""
    return {
        query: [tuple(predictions.candidates[i]) for i in row if i >= 0]
        for query, row in zip(predictions.queries, predictions.index, strict=True)
    }


@pytest.mark.parametrize("ending", FORMATS)
def test_every_format_there_and_back(tmp_path, ending):
    candidates = (
        Candidate("Cold", ("D1", "D2")),
        Candidate('"Fieber", hoch', ("D3",)),
        Candidate("", ("D4",)),
        Candidate("", ()),
        Candidate("nowhere", ()),
    )
    queries = (FIRST, Query("1", 5, 10, 1), SECOND)
    index = np.array([[0, 1, 2], [3, -1, -1], [4, 0, -1]])
    scores = np.array([[0.9, 0.1, 1 / 3], [-2.5e-8, 0, 0], [7, 7, 0]], dtype=np.float32)
    predictions = Predictions(queries, candidates, index, scores)
    write(predictions, tmp_path / f"p.{ending}")
    again, _ = read(tmp_path / f"p.{ending}")
    assert_frame_equal(again.frame(), predictions.frame())
    assert [p.name for p in tmp_path.iterdir()] == [f"p.{ending}"]


def test_a_failed_write_leaves_the_old_file(tmp_path):
    broken = Predictions((FIRST,), (Candidate("\ud800", ("D1",)),), np.zeros((1, 1)), np.ones((1, 1)))
    path = tmp_path / "p.jsonl"
    path.write_text("old")
    with pytest.raises(UnicodeEncodeError):
        write_predictions(broken, path)
    assert path.read_text() == "old" and list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize(
    ("candidate", "ending"),
    [
        (Candidate("a", ("",)), "jsonl"),
        *[(Candidate("a", ("D1",)), ending) for ending in ("csv", "tsv.gz", "parquet", "json", "gz")],
    ],
)
def test_what_would_not_come_back_is_not_written(tmp_path, candidate, ending):
    predictions = Predictions((FIRST,), (candidate,), np.zeros((1, 1)), np.ones((1, 1)))
    with pytest.raises(ValueError, match=f"p.{ending}: "):
        write_predictions(predictions, tmp_path / f"p.{ending}")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("score", [np.inf, -np.inf, np.nan])
def test_a_score_is_a_number(score):
    with pytest.raises(ValueError, match=rf"finite, found {score} for Query\(document='1'"):
        Predictions((FIRST,), (Candidate("a", ("D1",)),), np.array([[0, -1]]), np.array([[score, np.nan]]))


def test_json_lines_hold_any_name_and_id(tmp_path):
    odd = (Candidate("a\nb\t\u2028", ("D1|D2",)), Candidate(' "x" ', ("é",)))
    predictions = Predictions((FIRST,), odd, np.array([[0, 1]]), np.array([[2, 1]]))
    write_predictions(predictions, tmp_path / "p.jsonl")
    assert len((tmp_path / "p.jsonl").read_text(encoding="utf-8").split("\n")) == 3
    again, _ = read(tmp_path / "p.jsonl")
    assert_frame_equal(again.frame(), predictions.frame())


def test_names_only_takes_the_owners_of_the_folded_name(tmp_path):
    path = table(tmp_path, "document,start,end,rank,name", "1,0,4,2,fever", "1,0,4,1,COLD", "1,5,10,1,Fever")
    predictions, warnings = read(path)
    assert lists(predictions) == {
        FIRST: [("COLD", ("D1", "D2")), ("fever", ("D3",))],
        SECOND: [("Fever", ("D3",))],
    }
    assert predictions.scores[0].tolist() == [-1, -2]
    assert warnings == ()


def test_ids_only(tmp_path):
    path = tmp_path / "p.jsonl"
    rows = [
        {"document": "1", "start": 0, "end": 4, "ids": ["D2", "D1"], "score": 0.5},
        {"document": 1, "start": 0, "end": 4, "ids": "D3|D4", "score": 0.7},
        {"document": "1", "start": 5, "end": 10, "ids": ["OMIM:3"], "score": 1},
    ]
    path.write_text("\n".join(map(json.dumps, rows)))
    predictions, warnings = read(path)
    assert lists(predictions) == {
        FIRST: [("", ("D3", "D4")), ("", ("D2", "D1"))],
        SECOND: [("", ("OMIM:3",))],
    }
    assert warnings == ()


def test_one_answer_each_and_nil(tmp_path):
    predictions, warnings = read(table(tmp_path, "document,start,end,ids", "1,0,4,D1", "1,5,10,"))
    assert lists(predictions) == {FIRST: [("", ("D1",))], SECOND: [("", ())]}
    assert warnings == ()  # nothing to rank


@pytest.mark.parametrize("id", ["NIL", "NIL0001", "-1", "-", "CUI-less", "None", "NaN"])
@pytest.mark.parametrize("ending", FORMATS)
def test_an_answer_that_spells_nil_is_nil_and_counted(tmp_path, id, ending):
    candidates = (Candidate("", ("D1",)), Candidate("", (id,)), Candidate("", ("D2", id)))
    index = np.array([[0, 1], [2, -1]])
    write(
        Predictions((FIRST, SECOND), candidates, index, np.array([[2, 1], [1, 0]])), tmp_path / f"p.{ending}"
    )
    predictions, [warning] = read(tmp_path / f"p.{ending}")
    assert lists(predictions) == {FIRST: [("", ("D1",)), ("", ())], SECOND: [("", ("D2",))]}
    first, second = (2, 3) if "parquet" in ending or "jsonl" in ending else (3, 4)
    said = (
        f"2 rows with a spelling of NIL, read as NIL (beside an id left out): {first} ({id}), {second} ({id})"
    )
    assert warning.endswith(said)
    # Not where the ontology has that id.
    named = Ontology("toy", [*toy.ONTOLOGY.concepts.values(), Concept(id, ("nothing",))])
    predictions, warnings = read(tmp_path / f"p.{ending}", ontology=named)
    assert lists(predictions) == {FIRST: [("", ("D1",)), ("", (id,))], SECOND: [("", ("D2", id))]}
    assert warnings == ()


def test_a_name_spells_nil_where_there_are_no_ids_and_no_concept_has_it(tmp_path):
    path = table(tmp_path, "document,start,end,name,ids", "1,0,4,NIL,", "1,5,10,cold,-1")
    predictions, [warning] = read(path)
    # An id says more than a name.
    assert lists(predictions) == {FIRST: [("", ())], SECOND: [("", ())]}
    assert warning.endswith(": 2 (NIL), 3 (-1)")
    named = Ontology("toy", [*toy.ONTOLOGY.concepts.values(), Concept("D9", ("Nil",))])
    assert lists(read(path, ontology=named)[0])[FIRST] == [("NIL", ("D9",))]


def test_without_rank_and_score_the_file_ranks(tmp_path):
    path = table(tmp_path, "document,start,end,ids", "1,0,4,D3", "1,5,10,D3", "1,0,4,D1", "1,0,4,D2")
    predictions, warnings = read(path)
    assert lists(predictions)[FIRST] == [("", ("D3",)), ("", ("D1",)), ("", ("D2",))]
    assert len(warnings) == 1 and warnings[0].endswith(": 2, 4, 5")


@pytest.mark.parametrize("ending", FORMATS)
def test_ids_and_documents_are_text(tmp_path, ending):
    ontology = Ontology("numbers", [Concept("007", ("Bond",)), Concept("1e3", ("NA",))])
    corpus = Corpus("c", (toy.document("0012", ("Bond", "007")),))
    query = Query("0012", 0, 4)
    told = (Candidate("null", ("007",)), Candidate("NA", ("1e3",)))
    predictions = Predictions((query,), told, np.array([[0, 1]]), np.array([[2, 1]]))
    path = tmp_path / f"p.{ending}"
    write(predictions, path)
    again, warnings = read(path, corpus, ontology)
    assert lists(again) == {query: [("null", ("007",)), ("NA", ("1e3",))]}
    assert warnings == ()


IDS = "document,start,end,ids"
GOOD = '{"document": "1", "start": 0, "end": 4, "ids": ["D1"], "score": 1}'
PARQUET = {"document": ["1"] * 2, "start": [0] * 2, "end": [4] * 2, "ids": ["D1", "D2"], "score": [2.0, 1.0]}
WHOLE, FINITE = "a whole number as {}, below 2,147,483,648, found {}", "a finite number as score, found {}"
MESSAGES = [
    ("p.csv", "document,start,ids\n1,0,D1", "1: expected columns document, start, end, and name or ids"),
    ("p.csv", "document,start,end,score\n1,0,4,1", "1: expected columns document, start, end"),
    ("p.csv", f"{IDS},ids\n1,0,4,D1,D1", "1: expected columns document, start, end"),
    ("p.csv", IDS, "1: expected at least one row"),
    ("p.csv", f"{IDS}\n1,0,4", "2: expected 4 cells, found 3"),
    ("p.csv", f"{IDS}\n1,0,4,D1\n\n1,0.5,4,D1", "4: expected " + WHOLE.format("start", "'0.5'")),
    ("p.csv", f"{IDS}\n1,0,,D1", "2: expected " + WHOLE.format("end", "''")),
    ("p.csv", f"{IDS},rank\n1,0,4,D1,first", "2: expected " + WHOLE.format("rank", "'first'")),
    *(
        ("p.csv", f"{IDS},part\n1,0,4,D1,0\n1,5,10,D2,{n}", "3: expected " + WHOLE.format("part", f"'{n}'"))
        for n in ("-1", "+1", "0x1", "99999999999999999999")
    ),
    *(
        ("p.csv", f"{IDS},score\n1,0,4,D1,1\n1,0,4,D2,{n}", "3: expected " + FINITE.format(f"'{n}'"))
        for n in ("high", "nan", "inf", "1e309")
    ),
    ("p.csv", f"{IDS}\n1,0,4,D1||D2", "2: expected ids stored as text"),
    ("p.csv", "document,start,end,name\n1,0,4,\"a\"b", "2: expected cells quoted"),
    ("p.csv", "document,start,end,name\n1,0,4,\"a\n1,0,4,b", "3: expected cells quoted"),
    ("p.csv", f"{IDS}\n1,0,4,D1\n1,5,10,D\0", "3: expected text without NUL"),
    ("p.jsonl", '{"document": "1",', "2: expected a JSON object"),
    ("p.jsonl", "[1]", "2: expected a JSON object"),
    ("p.jsonl", GOOD + GOOD, "2: expected a JSON object"),
    ("p.jsonl", "[" * 100_000 + "]" * 100_000, "2: expected a JSON object"),
    ("p.jsonl", '{"a": ' * 100_000 + "1" + "}" * 100_000, "2: expected a JSON object"),
    ("p.jsonl", '{"document": ' + "[" * 100_000, "2: expected a JSON object"),
    *(
        ("p.jsonl", GOOD.replace(old, new), f"2: expected {message}")
        for old, new, message in (
            ('"score": 1', '"score": 1' + "0" * 5000, "a JSON object"),
            ("D1", "\\ud800", "a JSON object"),
            ('"score"', '"name": "\\udc00x", "score"', "a JSON object"),
            ('"score"', '"\\ud800": 1, "score"', "a JSON object"),
            ('"score"', '"start": 0, "score"', "a JSON object"),
            ('"score"', '"mine": {"a": 1, "a": 2}, "score"', "a JSON object"),
            ("D1", "\udcff", "UTF-8"),
            (GOOD, "{}", "text as document, found None"),
            ('"1"', "1.0", "text as document, found 1.0"),
            ('"1"', '"1\\u0000"', "text as document"),
            ('"score"', '"name": 5, "score"', "text as name, found 5"),
            ('"score"', '"name": "a\\u0000b", "score"', "text as name"),
            ('["D1"]', "[7]", "ids stored as text, joined by | or in a list, as ids, found [7]"),
            ('["D1"]', "7", "ids stored as text"),
            ('["D1"]', '{"D1": 1}', "ids stored as text"),
            ("D1", "D1\\u0000", "ids stored as text"),
            ('"start": 0', '"start": true', WHOLE.format("start", True)),
            ('"start": 0, ', "", WHOLE.format("start", None)),
            ('"score"', '"part": 2147483648, "score"', WHOLE.format("part", 2147483648)),
            ('"score"', '"part": 99999999999999999999, "score"', WHOLE.format("part", "9" * 20)),
            ('"score": 1', '"score": NaN', FINITE.format("nan")),
            (', "score": 1', "", FINITE.format(None)),
            ('"score": 1', '"score": 1' + "0" * 400, FINITE.format("1000")),
            ('"score": 1', '"score": true', FINITE.format(True)),
        )
    ),
    ("p.parquet", {"ids": [1, 2]}, " row 1: expected ids stored as text"),
    ("p.parquet", {"score": [1.0, np.nan]}, " row 2: expected a finite number as score, found None"),
    ("p.parquet", {"start": [0, 0.5]}, " row 1: expected " + WHOLE.format("start", 0.0)),
    ("p.parquet", {"end": [4, 99]}, " row 2: expected spans of mentions of two"),
    ("p.parquet", {"ids": ["D1", "D1"]}, " row 2: expected each candidate once"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "content", "message"), MESSAGES)
def test_one_error_names_the_line_and_what_was_expected(tmp_path, name, content, message):
    path = tmp_path / name
    if name == "p.parquet":
        pd.DataFrame(PARQUET | content).to_parquet(path)
        texts = [None]
    elif name == "p.jsonl":
        # A blank at an end of line is enough for the file to be read by Python rather than Arrow.
        texts = [f"{GOOD}{after}\n{content}\n{GOOD.replace('D1', 'D2')}" for after in ("", " ")]
    else:
        texts = [content]
    for text in texts:
        if text is not None:
            path.write_bytes(text.encode(errors="surrogateescape"))
        with pytest.raises(ValueError) as error:
            read(path)
        assert str(error.value).startswith(f"{path}:{message}")
        assert len(str(error.value)) < len(str(path)) + 400


def test_a_column_that_no_row_has(tmp_path):
    (tmp_path / "p.jsonl").write_text(GOOD.replace(', "ids": ["D1"]', ""))
    with pytest.raises(
        ValueError, match=r"p\.jsonl:1: expected columns document, start, end, and name or ids"
    ):
        read(tmp_path / "p.jsonl")


def test_spans_that_are_no_mention(tmp_path):
    rows = [f"{document},0,{end},D1" for document, end in (("1", 4), ("1", 3), ("9", 4), ("1", 5), ("1", 6))]
    with pytest.raises(ValueError, match=r"p\.csv:3: .*two.* 4 rows without") as error:
        read(table(tmp_path, "document,start,end,ids", *rows))
    assert "'9', 0, 4" in str(error.value) and "0, 5" in str(error.value)
    assert "0, 6" not in str(error.value)


def test_the_same_candidate_twice(tmp_path):
    header = "document,start,end,name,ids,score"
    fine = ["1,0,4,Cold,D1,3", "1,0,4,Cold,D2,2", "1,0,4,cold,D1,1", "1,5,10,Cold,D1,1"]
    read(table(tmp_path, header, *fine))
    with pytest.raises(ValueError, match=r"p\.csv:6: .*once.* 1 rows without"):
        read(table(tmp_path, header, *fine, "1,0,4,Cold,D1,0"))


@pytest.mark.parametrize("name", ["p.csv", "p.jsonl", "p.parquet", "p.tsv.gz"])
def test_an_empty_file(tmp_path, name):
    (tmp_path / name).touch()
    with pytest.raises(ValueError, match=name):
        read(tmp_path / name)


@pytest.mark.parametrize("name", ["p.txt", "p", "p.parquet.gz", "p.gz"])
def test_an_unknown_extension(tmp_path, name):
    (tmp_path / name).touch()
    with pytest.raises(ValueError, match=f"{name}: expected .jsonl"):
        read(tmp_path / name)


def test_a_truncated_archive(tmp_path):
    path = tmp_path / "p.csv.gz"
    path.write_bytes(gzip.compress(b"document,start,end,ids\n1,0,4,D1\n")[:-10])
    with pytest.raises(ValueError, match=r"p\.csv\.gz:\d+: expected a whole gzip"):
        read(path)


def test_a_truncated_parquet_file(tmp_path):
    path = tmp_path / "p.parquet"
    pd.DataFrame({"document": ["1"]}).to_parquet(path)
    path.write_bytes(path.read_bytes()[:-10])
    with pytest.raises(ValueError, match=r"p\.parquet: expected a Parquet file"):
        read(path)


def warned(tmp_path, *lines):
    _, warnings = read(table(tmp_path, *lines))
    assert len(warnings) == 1
    return warnings[0]


def test_warns_of_ids_outside_the_ontology(tmp_path):
    warning = warned(
        tmp_path,
        "document,start,end,ids,score",
        "1,0,4,D1,2",
        "1,0,4,D2|X9,1",
        "1,5,10,OMIM:3,1",
        "1,5,10,X8,0",
    )
    assert "2 rows with ids outside toy: 3 (X9), 5 (X8)" in warning


def test_warns_of_mentions_without_an_answer(tmp_path):
    warning = warned(tmp_path, "document,start,end,ids,score", "1,0,4,D1,1")
    assert "1 mentions without an answer (part 0): ('1', 5, 10)" in warning


def test_warns_of_parts_that_no_score_looks_at(tmp_path):
    lines = ("document,start,end,part,ids,score", "1,0,4,0,D1,1", "1,0,4,1,D1,1", "1,5,10,0,D3,1")
    assert "1 rows of a part that their mention does not have" in (warning := warned(tmp_path, *lines))
    assert warning.endswith(": 3")


def test_warns_of_ranks_that_disagree_and_the_score_decides(tmp_path):
    lines = ["document,start,end,ids,rank,score", "1,5,10,D3,2,9", "1,5,10,D4,1,9"]
    path = table(tmp_path, *lines, "1,0,4,D1,3,1", "1,0,4,D2,1,2", "1,0,4,D3,2,3")
    predictions, (warning,) = read(path)
    assert lists(predictions)[FIRST] == [("", ("D3",)), ("", ("D2",)), ("", ("D1",))]
    assert "1 rows that score higher" in warning and warning.endswith(": 6")


def test_warns_of_names_outside_the_dictionary(tmp_path):
    lines = ["document,start,end,name,score", "1,0,4,grippe,2", "1,0,4,cold,1", "1,5,10,PYREXIA,1"]
    predictions, (warning,) = read(table(tmp_path, *lines))
    assert lists(predictions)[FIRST] == [("grippe", ()), ("cold", ("D1", "D2"))]
    assert "1 rows with neither ids nor a name of toy: 2 (grippe)" in warning


def test_warns_of_columns_that_are_not_read(tmp_path):
    warning = warned(tmp_path, "document,start,end,ids,rank,Score", "1,0,4,D1,1,5", "1,5,10,D3,1,5")
    assert "1 columns that are not read: Score" in warning


def test_the_benchmark_that_is_worked_by_hand(tmp_path):
    """Seven mentions, six spans answered: the one left over is named."""
    corpus = toy.BENCHMARK.test
    rows = [f"{d.id},{m.start},{m.end},{m.text},1" for d, m in corpus.mentions()]
    path = table(tmp_path, "document,start,end,name,rank", *rows[:-1])
    predictions, warnings = read(path, corpus)
    assert len(predictions) == 6
    assert any("1 mentions without an answer" in w and "('4', 27, 31)" in w for w in warnings)
    assert any(
        "4 rows with neither" in w and "4 (ague), 5 (shivers), 6 (nothing), ..." in w for w in warnings
    )
