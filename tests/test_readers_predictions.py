"""Predictions files: every format there and back, and every way in which a file can be wrong."""

import json
from decimal import Decimal

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import toy
from pandas.testing import assert_frame_equal

from benchlib.corpus import Corpus, Document, Gold
from benchlib.formats.gold_ids import generic_gold
from benchlib.formats.predictions import read_predictions, write_predictions
from benchlib.formats.pubtator import read_pubtator
from benchlib.ontology import Concept, Ontology
from benchlib.predictions import Candidate, Predictions, Query
from benchlib.scoring import by_match, span_outcomes

CORPUS = Corpus("two", (toy.document("1", ("cold", "D2"), ("Fever", "D3")),))
FIRST, SECOND = Query("1", 0, 4), Query("1", 5, 10)
FORMATS = ("jsonl", "JSONL.gz", "tsv", "TSV.gz", "csv", "csv.gz", "parquet")


def read(path, corpus=CORPUS, ontology=toy.ONTOLOGY, **options):
    return read_predictions(path, corpus, ontology, **options)


def write_as(predictions, path):
    """The table in any format: JSON lines and TSV by the project, the others as pandas writes them."""
    if ".csv" not in path.name and path.suffix != ".parquet":
        return write_predictions(predictions, path)
    frame = predictions.frame()
    if path.suffix == ".parquet":
        return frame.assign(ids=frame["ids"].map(list)).to_parquet(path, index=False)
    text = frame.assign(ids=frame["ids"].map("|".join))
    return text.to_csv(path, index=False)


def lists(predictions):
    """Query -> its (name, ids) in order."""
    return {query: [row[:2] for row in rows] for query, rows in scored_lists(predictions).items()}


def scored_lists(predictions):
    """Query -> its (name, ids, score) in order."""
    rows = zip(predictions.queries, predictions.index, predictions.scores.tolist(), strict=True)
    return {
        query: [(*predictions.candidates[i], score) for i, score in zip(index, scores, strict=True) if i >= 0]
        for query, index, scores in rows
    }


def ids(*rows):
    return [("", (id,)) for id in rows]


@pytest.mark.parametrize("ending", FORMATS)
def test_every_format_there_and_back_where_documents_and_ids_are_text(tmp_path, ending):
    candidates = (
        Candidate("Cold", ("D1", "007")),
        Candidate('"Fieber", hoch', ("1e3",)),
        Candidate("", ("D4",)),
        Candidate("", ()),
        Candidate("null", ("D3",)),
        Candidate("nowhere", ()),
    )
    corpus = Corpus("c", (toy.document("0012", ("cold", "D2"), ("Fever", "D3")),))
    queries = (Query("0012", 0, 4), Query("0012", 5, 10, 1), Query("0012", 5, 10))
    index = np.array([[0, 1, 2, 4], [3, -1, -1, -1], [5, 0, -1, -1]])
    scores = np.array([[0.9, 0.1, 1 / 3, 0], [-2.5e-8, 0, 0, 0], [7, 7, 0, 0]], dtype=np.float32)
    predictions = Predictions(queries, candidates, index, scores)
    write_as(predictions, path := tmp_path / f"p.{ending}")
    assert_frame_equal(read(path, corpus)[0].frame(), predictions.frame(), check_exact=True)
    assert [*tmp_path.iterdir()] == [path]


def one_row(candidate, score=1.0, query=FIRST):
    return Predictions((query,), (candidate,), np.zeros((1, 1)), np.full((1, 1), score))


@pytest.mark.parametrize(
    ("name", "ids", "document", "ending"),
    [
        ("a", "", "1", "jsonl"),
        ("a", " D1", "1", "jsonl"),
        ("a\0", "D1", "1", "jsonl"),
        ("a", "D\0", "1", "jsonl"),
        ("a", "D1", "1\0", "jsonl"),
        ("a", "D1|D2", "1", "tsv.gz"),
        ("a\rb", "D1", "1", "tsv"),
        ("a\n\tb", "D1", "1", "tsv"),
    ]
    + [("a", "D1", "1", ending) for ending in ("csv", "parquet", "json", "gz")],
)
def test_what_would_not_come_back_is_not_written(tmp_path, name, ids, document, ending):
    predictions = one_row(Candidate(name, (ids,)), query=FIRST._replace(document=document))
    with pytest.raises(ValueError, match=f"p.{ending}: "):
        write_predictions(predictions, tmp_path / f"p.{ending}")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("score", [np.inf, -np.inf, np.nan])
def test_a_score_is_a_number_and_a_query_is_answered_once(score):
    with pytest.raises(ValueError, match=rf"finite, found {score} for Query\(document='1'"):
        one_row(Candidate("a", ("D1",)), score)
    part = FIRST._replace(part=2)
    with pytest.raises(ValueError, match=r"part=2\) is answered twice"):
        Predictions((FIRST, part, SECOND, part), (Candidate("a", ("D1",)),), [[0]] * 4, [[1]] * 4)


def test_json_lines_hold_any_name_and_id(tmp_path):
    odd = (Candidate("a\nb\t\u2028", ("D1|D2",)), Candidate(' "x" ', ("é",)))
    predictions = Predictions((FIRST,), odd, np.array([[0, 1]]), np.array([[2, 1]]))
    for name in ("p.jsonl", "p.Jsonl"):
        write_predictions(predictions, tmp_path / "p.jsonl")
        (tmp_path / "p.jsonl").rename(tmp_path / name)
        assert len((tmp_path / name).read_text(encoding="utf-8").split("\n")) == 3
        assert_frame_equal(read(tmp_path / name)[0].frame(), predictions.frame())


SPAN = "document,start,end"
ANSWERS = {  # rows of a file -> the lists of both mentions, and the warnings
    f"{SPAN},rank,name 1,0,4,2,fever 1,0,4,1,COLD 1,5,10,1,Fever": (
        [("COLD", ("D1", "D2")), ("fever", ("D3",))], [("Fever", ("D3",))], []),
    f"{SPAN},ids 1,0,4,D1 1,5,10,": (ids("D1"), [("", ())], []),
    f"{SPAN},part,ids,score 1,0,4,,D1, 1,5,10,,D3,": (ids("D1"), ids("D3"), []),
    # An id says more than a name.
    f"{SPAN},name,ids 1,0,4,NIL, 1,5,10,cold,-1": (
        [("", ())], [("", ())],
        ["2 rows with a spelling of NIL, read as NIL (beside an id left out): 2 (NIL), 3 (-1)"]),
    f"{SPAN},ids 1,0,4,D3 1,5,10,D3 1,0,4,D1 1,0,4,D2 1,0,4,D4": (
        ids("D3", "D1", "D2", "D4"), ids("D3"),
        ["4 rows without rank or score, ranked in the order of the file: 2, 4, 5, ..."]),
    f"{SPAN},ids,score 1,0,4,D1,2 1,0,4,D2|X9,1 1,5,10,OMIM:3,1 1,5,10,X8,0": (
        [*ids("D1"), ("", ("D2", "X9"))], ids("OMIM:3", "X8"),
        ["2 rows with ids outside toy: 3 (X9), 5 (X8)"]),
    f"{SPAN},ids,score 1,0,4,D1,1": (
        ids("D1"), None, ["1 mentions without an answer (part 0): ('1', 5, 10)"]),
    f"{SPAN},part,ids,score 1,0,4,0,D1,1 1,0,4,1,D1,1 1,5,10,0,D3,1": (
        ids("D1"), ids("D3"),
        ["1 rows of a part that their mention does not have, which count in no score: 3"]),
    f"{SPAN},ids,rank,score 1,5,10,D3,2,9 1,5,10,D4,1,9 1,0,4,D1,3,1 1,0,4,D2,1,2 1,0,4,D3,2,3": (
        ids("D3", "D2", "D1"), ids("D3", "D4"),
        ["1 rows that score higher than a row ranked before them (the score decides): 6"]),
    f"{SPAN},name,score 1,0,4,grippe,2 1,0,4,cold,1 1,5,10,PYREXIA,1": (
        [("grippe", ()), ("cold", ("D1", "D2"))], [("PYREXIA", ("D3",))],
        ["1 rows with neither ids nor a name of toy: 2 (grippe)"]),
    f"{SPAN},ids,rank,Score 1,0,4,D1,1,5 1,5,10,D3,1,5": (
        ids("D1"), ids("D3"), ["1 columns that are not read: Score"]),
}  # fmt: skip


@pytest.mark.parametrize("lines", ANSWERS)
def test_rows_are_lists_and_oddities_are_warned_of(write, lines):
    path = write("p.csv", lines.replace(" ", "\n"))
    predictions, warnings = read(path)
    first, second, expected = ANSWERS[lines]
    found = lists(predictions)
    assert (found[FIRST], found.get(SECOND)) == (first, second)
    assert list(warnings) == [f"{path}: {warning}" for warning in expected]


def test_ids_may_be_text_and_documents_numbers(write):
    rows = [
        {"document": "1", "start": 0, "end": 4, "ids": ["D2", "D1"], "score": 0.5},
        {"document": 1, "start": 0, "end": 4, "ids": "D3|D4", "score": 0.7},
        {"document": "1", "start": 5, "end": 10, "ids": [" OMIM:3 "], "score": 1},
    ]
    predictions, warnings = read(write("p.jsonl", "\n".join(map(json.dumps, rows))))
    assert lists(predictions) == {
        FIRST: [("", ("D3", "D4")), ("", ("D2", "D1"))], SECOND: [("", ("OMIM:3",))]
    }  # fmt: skip
    assert warnings == ()


@pytest.mark.parametrize("id", ["NIL", "NIL0001", "-1", "-", "CUI-less", "None", "NaN"])
@pytest.mark.parametrize("ending", FORMATS)
def test_an_answer_that_spells_nil_is_nil_and_counted(tmp_path, id, ending):
    candidates = (Candidate("", ("D1",)), Candidate("", (id,)), Candidate("", ("D2", id)))
    given = Predictions((FIRST, SECOND), candidates, np.array([[0, 1], [2, -1]]), np.array([[2, 1], [1, 0]]))
    write_as(given, tmp_path / f"p.{ending}")
    predictions, [warning] = read(tmp_path / f"p.{ending}")
    assert lists(predictions) == {FIRST: [("", ("D1",)), ("", ())], SECOND: [("", ("D2",))]}
    first, second = (2, 3) if "parquet" in ending or "json" in ending.lower() else (3, 4)
    assert warning.endswith(f" (beside an id left out): {first} ({id}), {second} ({id})")
    # Not where the ontology has that id, or that name.
    named = Ontology("toy", [*toy.ONTOLOGY.concepts.values(), Concept(id, ("nothing",))])
    predictions, warnings = read(tmp_path / f"p.{ending}", ontology=named)
    assert lists(predictions) == {FIRST: [("", ("D1",)), ("", (id,))], SECOND: [("", ("D2", id))]}
    assert warnings == ()


def test_a_name_that_spells_nil_is_that_of_a_concept_which_has_it(write):
    named = Ontology("toy", [*toy.ONTOLOGY.concepts.values(), Concept("D9", ("Nil",))])
    path = write("p.csv", f"{SPAN},name,ids\n1,0,4,NIL,\n1,5,10,nil ,\n")
    assert lists(read(path, ontology=named)[0]) == {FIRST: [("NIL", ("D9",))], SECOND: [("nil ", ("D9",))]}
    assert lists(read(path)[0]) == {FIRST: [("", ())], SECOND: [("", ())]}


def test_of_a_candidate_given_twice_the_best_row_can_be_taken(write):
    rows = ["1,0,4,D1,0.2", "1,0,4,D2,0.5", "1,0,4,D1,0.9", "1,5,10,D1,0.1", "1,0,4,D1,0.9"]
    path = write("p.csv", "\n".join([f"{SPAN},ids,score", *rows]))
    with pytest.raises(ValueError, match=r"p\.csv:4: expected each candidate once .* found 2 rows without"):
        read(path)
    predictions, [warning] = read(path, duplicates="best")
    assert scored_lists(predictions) == {
        FIRST: [("", ("D1",), 0.9), ("", ("D2",), 0.5)], SECOND: [("", ("D1",), 0.1)]
    }  # fmt: skip
    assert warning.endswith("2 rows of a candidate that has a better one in its list, left out: 2, 6")
    path = write("p.csv", f"{SPAN},ids,rank\n1,0,4,D1,3\n1,0,4,D2,2\n1,0,4,D1,1\n")
    predictions, _ = read(path, duplicates="best")
    assert scored_lists(predictions)[FIRST] == [("", ("D1",), -1.0), ("", ("D2",), -2.0)]


def test_a_list_that_goes_on_elsewhere_in_the_file_is_one_list(write):
    """Rows of another query between two rows of one do not part it: a repeat is found there too."""
    rows = [f"{SPAN},part,ids,score", "1,0,4,1,D1,5", "1,0,4,0,D1,4", "1,5,10,0,D1,3", "1,0,4,0,D2,2",
            "1,0,4,1,D2,1"]  # fmt: skip
    found = scored_lists(read(write("p.csv", "\n".join(rows)))[0])
    assert found[FIRST] == [("", ("D1",), 4.0), ("", ("D2",), 2.0)]
    assert found[FIRST._replace(part=1)] == [("", ("D1",), 5.0), ("", ("D2",), 1.0)]
    with pytest.raises(ValueError, match=r"p\.csv:7: expected each candidate once"):
        read(write("p.csv", "\n".join([*rows, "1,0,4,1,D1,0"])))


def test_columns_of_other_types_in_parquet(tmp_path):
    """As pandas and Arrow may store them: documents as numbers, texts as categories, ids as large lists."""
    columns = {
        "document": pa.array([1, 1], pa.uint32()),
        "start": pa.array([0, 5], pa.int16()),
        "end": pa.array([4, 10], pa.uint8()),
        "name": pa.array(["cold", None], pa.large_string()).dictionary_encode(),
        "ids": pa.array([["D1", "D2"], None], pa.large_list(pa.large_string())),
        "score": pa.array([Decimal("130000000.25"), Decimal(2)]),
    }
    pq.write_table(pa.table(columns), tmp_path / "p.parquet", row_group_size=1)
    predictions, warnings = read(tmp_path / "p.parquet")
    assert scored_lists(predictions) == {
        FIRST: [("cold", ("D1", "D2"), 130000000.25)], SECOND: [("", (), 2.0)]
    }  # fmt: skip
    assert warnings == ()


IDS = "document,start,end,ids"
GOOD = '{"document": "1", "start": 0, "end": 4, "ids": ["D1"], "score": 1}'
PARQUET = {"document": ["1"] * 2, "start": [0] * 2, "end": [4] * 2, "ids": ["D1", "D2"], "score": [2.0, 1.0]}
WHOLE, FINITE = "a whole number as {}, below 2,147,483,648, found {}", "a finite number as score, found {}"
NEEDED = "1: expected columns document, start, end, and name or ids, each once"
MESSAGES = [
    ("p.csv", "document,start,ids\n1,0,D1", "1: expected columns document, start, end, and name or ids"),
    ("p.csv", "document,start,end,score\n1,0,4,1", "1: expected columns document, start, end"),
    ("p.csv", f"{IDS},ids\n1,0,4,D1,D1", "1: expected columns document, start, end"),
    ("p.csv", IDS, "1: expected at least one row"),
    ("p.csv", f"{IDS}\n1,0,4", "2: expected 4 cells, found 3"),
    ("p.csv", f"{IDS}\n1,0,4,D1\n\n1,0.5,4,D1", "4: expected " + WHOLE.format("start", "'0.5'")),
    *(
        ("p.csv", f"{IDS},part\n1,0,4,D1,0\n1,5,10,D2,{n}", "3: expected " + WHOLE.format("part", f"'{n}'"))
        for n in ("-1", "+1", "0x1", "99999999999999999999")
    ),
    *(
        ("p.csv", f"{IDS},score\n1,0,4,D1,1\n1,0,4,D2,{n}", "3: expected " + FINITE.format(f"'{n}'"))
        for n in ("high", "nan", "inf", "1e309")
    ),
    ("p.csv", f"{IDS},score\n1,0,4,D1,1\n1,0,4,D2,", "3: expected " + FINITE.format(None)),
    ("p.csv", f"{IDS}\n1,0,4,D1||D2", "2: expected ids stored as text"),
    ("p.csv", "document,start,end,name\n1,0,4,\"a\"b", "2: expected cells quoted"),
    ("p.csv", "document,start,end,name\n1,0,4,\"a\n1,0,4,b", "2: expected cells quoted"),
    ("p.csv", f"{IDS}\n1,0,4,D1\n1,5,10,D\0", "3: expected UTF-8 text without NUL"),
    ("p.jsonl", '{"document": "1",', "2: expected a JSON object"),
    ("p.jsonl", GOOD + GOOD, "2: expected a JSON object"),
    ("p.jsonl", '{"a": ' * 100_000 + "1" + "}" * 100_000, "2: expected a JSON object"),
    *(
        ("p.jsonl", GOOD.replace(old, new), f"2: expected {message}")
        for old, new, message in (
            ('"score": 1', '"score": 1' + "0" * 5000, "a JSON object"),
            ("D1", "\\ud800", "a JSON object"),
            ('"score"', '"start": 0, "score"', "a JSON object"),
            ('"score"', '"mine": {"a": 1, "a": 2}, "score"', "a JSON object"),
            ("D1", "\udcff", "UTF-8"),
            (GOOD, "{}", "text as document, found None"),
            ('"1"', "true", "text as document, found True"),
            ('"score"', '"name": 5, "score"', "text as name, found 5"),
            ('["D1"]', "[7]", "ids stored as text, joined by | or in a list, as ids, found [7]"),
            ('["D1"]', '{"D1": 1}', "ids stored as text"),
            ('"start": 0', '"start": true', WHOLE.format("start", True)),
            ('"start": 0, ', "", WHOLE.format("start", None)),
            ('"score"', '"part": 99999999999999999999, "score"', WHOLE.format("part", "9" * 20)),
            (', "score": 1', "", FINITE.format(None)),
            ('"score": 1', '"score": 1' + "0" * 400, FINITE.format("1000")),
            ('"score": 1', '"score": true', FINITE.format(True)),
        )
    ),
    ("p.tsv", 'document\tstart\tend\tname\n1\t0\t4\t"flu\n1\t0\t4\tb"', "3: expected quotes that are closed"),
    ("p.csv", 'document,start,end,name,ids\n1,0,4,"flu,D1\n1,0,4,cold",D2', "3: expected quotes that are cl"),
    ("p.csv", "document,start,end,name\n1,0,4,flu\n1,0,4,Flu", "3: expected each candidate once"),
    ("p.csv", "", NEEDED + ", found none"),
    ("P.jsonl", GOOD.replace("document", "doc_id"), NEEDED + ", found doc_id, start, end, ids, score"),
    ("P.jsonl", GOOD.replace(', "ids": ["D1"]', ""), "1: expected columns document, start, end, and name"),
    ("P.jsonl", "", "1: expected at least one row"),
    ("p.tsv.gz", b"", "1: expected columns document"),
    ("p.parquet", b"", " expected a Parquet file"),
    ("p.parquet", b"PAR1" + bytes(99), " expected a Parquet file"),
    *((name, "", " expected .jsonl") for name in ("p.txt", "p", "p.parquet.gz", "p.gz")),
    ("p.parquet", {"ids": [1, 2]}, " row 1: expected ids stored as text"),
    ("p.parquet", {"score": [1.0, np.nan]}, " row 2: expected a finite number as score, found None"),
    ("p.parquet", {"start": [0, 0.5]}, " row 2: expected " + WHOLE.format("start", 0.5)),
    ("p.parquet", {"end": [4, 99]}, " row 2: expected spans of mentions of two"),
    ("p.parquet", {"ids": ["D1", "D1"]}, " row 2: expected each candidate once"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "content", "message"), MESSAGES)
def test_one_error_names_the_line_and_what_was_expected(tmp_path, name, content, message):
    path = tmp_path / name
    if isinstance(content, dict):
        pd.DataFrame(PARQUET | content).to_parquet(path)
        texts = [None]
    elif name == "p.jsonl":
        # A blank at an end of line is enough for the file to be read by Python rather than Arrow.
        texts = [f"{GOOD}{after}\n{content}\n{GOOD.replace('D1', 'D2')}" for after in ("", " ")]
    else:
        texts = [content]
    for text in texts:
        if text is not None:
            path.write_bytes(text if isinstance(text, bytes) else text.encode(errors="surrogateescape"))
        with pytest.raises(ValueError) as error:
            read(path)
        assert str(error.value).startswith(f"{path}:{message}")
        assert len(str(error.value)) < len(str(path)) + 400


def test_spans_that_are_no_mention(write):
    rows = [f"1,0,{end},D1" for end in (4, 3, 2, 5, 6)]
    with pytest.raises(ValueError, match=r"p\.csv:3: .*spans of mentions of two, .* 4 rows without") as error:
        read(write("p.csv", "\n".join([f"{SPAN},ids", *rows])))
    assert "'1', 0, 2" in str(error.value) and "0, 5" in str(error.value)
    assert "0, 6" not in str(error.value)
    with pytest.raises(
        ValueError, match=r"p\.csv:2: expected documents of two, such as 1, found 1 rows .*'9'"
    ):
        read(write("p.csv", f"{SPAN},ids\n9,0,4,D1\n1,0,3,D1"))


@pytest.mark.parametrize(("start", "end"), [(-1, 0), (0, 1), (-1, -1), (1, 1), (0, -1)])
def test_offsets_counted_otherwise_in_every_row_are_told(write, start, end):
    corpus = Corpus("two", (toy.document("1", ("a", "D1"), ("cold", "D2"), ("Fever", "D3")),))
    rows = [f"1,{2 - start},{6 - end},D1", f"1,{7 - start},{12 - end},D1"]
    told = rf"p\.csv:2: .* two \(all are, with start \{start:+d} and end \{end:+d}\), such as"
    with pytest.raises(ValueError, match=told):
        read(write("p.csv", "\n".join([f"{SPAN},ids", *rows])), corpus)


def test_predicted_spans_that_are_those_of_the_file_of_the_corpus_are_told(write):
    # Of two mentions behind an emoji, which is two units of UTF-16.
    text = "1|t|\N{GRINNING FACE} flu, a cold\n1|a|x\n1\t3\t6\tflu\tD\tD1\n1\t10\t14\tcold\tD\tD2\n"
    corpus = read_pubtator(write("gold.txt", text), "gold", generic_gold)
    for first, second, told in (("3,6", "10,14", True), ("2,5", "9,13", False), ("2,5", "10,14", False)):
        rows = f"{SPAN},ids\n1,{first},D1\n1,{second},D2\n"
        _, warnings = read(write("p.csv", rows), corpus, spans="predicted")
        assert ["2 rows at offsets of the file of gold" in warning for warning in warnings] == [True] * told


@pytest.mark.parametrize("end", ["}", " }"])  # by Arrow and by Python
@pytest.mark.parametrize("cells", ['"name": null', '"ids": null', '"name": null, "ids": null', '"ids": []'])
def test_a_file_may_answer_nil_throughout(write, cells, end):
    found, _ = read(write("p.jsonl", f'{{"document": "1", "start": 0, "end": 4, {cells}{end}'))
    assert lists(found) == {FIRST: [("", ())]}


@pytest.mark.parametrize(("name", "text"), [("p.tsv", "document\tstart\tend\tname\n"), ("p.jsonl", "")])
def test_a_linker_that_finds_no_span_has_a_file_without_a_row(write, name, text):
    found, [warning] = read(write(name, text), spans="predicted")
    assert len(found) == 0 and warning.endswith("no row: no span is found")
    scored = span_outcomes(found, CORPUS, toy.ONTOLOGY)
    [strict] = [row for row in by_match(scored) if row["measure"] == "recall" and row["match"] == "strict"]
    assert strict["value"] == 0


@pytest.mark.parametrize(
    ("make", "told"),
    [
        (lambda: Gold(("D003924",)), "gold parts: expected sets of ids that are texts, found 'D003924'"),
        (lambda: Concept("D1", "fever"), "concept D1: expected names as a tuple, found the text 'fever'"),
        (lambda: Gold(({3924},)), r"expected sets of ids that are texts, found \{3924\}"),
        (lambda: Concept(1, ("fever",)), "concept id: expected a text, found 1"),
        (lambda: Concept("D1", ("a", float("nan"))), "concept D1: expected names that are texts, found nan"),
        (lambda: Document(1, "fever"), "document id: expected a text, found 1"),
        (lambda: Predictions((FIRST,), (("a", "D1"),), [[0]], [[1]]), "the ids of a candidate as a tuple"),
        (lambda: Predictions((FIRST, FIRST[:3]), (("a", ()),), [[0], [0]], [[1], [1]]), "answered twice"),
    ],
)
def test_a_text_in_the_place_of_several_is_refused_and_a_number_in_that_of_a_text(make, told):
    with pytest.raises(ValueError, match=told):
        make()
    [query] = Predictions((FIRST[:3],), (("a", ("D1",)),), [[0]], [[1]]).queries
    assert query == FIRST  # the part is 0 where it is left out
