"""Predictions files to the last digit: scores in double precision, repeats, cells out of range."""

import json
from decimal import Decimal

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import toy

from benchlib.corpus import Corpus
from benchlib.formats.predictions import read_predictions, write_predictions
from benchlib.predictions import Candidate, Predictions, Query

CORPUS = Corpus("two", (toy.document("1", ("cold", "D2"), ("Fever", "D3")),))
FIRST, SECOND = Query("1", 0, 4), Query("1", 5, 10)
GOOD = b'{"document": "1", "start": 0, "end": 4, "ids": ["D1"], "score": 1}\n'


def read(path, **options):
    return read_predictions(path, CORPUS, toy.ONTOLOGY, **options)


def answers(predictions, query):
    """(ids, score) in order."""
    row = predictions.queries.index(query)
    return [
        (predictions.candidates[i].ids, score)
        for i, score in zip(predictions.index[row], predictions.scores[row].tolist(), strict=True)
        if i >= 0
    ]


def scored(tmp_path, ending, *scores):
    """A list of D1, D2, ... with the scores as they are to be written."""
    path = tmp_path / f"p.{ending}"
    rows = list(enumerate(scores, start=1))
    if ending == "jsonl":
        path.write_text(
            "".join(
                f'{{"document": "1", "start": 0, "end": 4, "ids": ["D{i}"], "score": {s}}}\n' for i, s in rows
            )
        )
    elif ending == "csv":
        path.write_text("document,start,end,ids,score\n" + "".join(f"1,0,4,D{i},{s}\n" for i, s in rows))
    else:
        values = pa.array([Decimal(s) for s in scores])
        n, ids = len(rows), [f"D{i}" for i, _ in rows]
        columns = {"document": ["1"] * n, "start": [0] * n, "end": [4] * n, "ids": ids, "score": values}
        pq.write_table(pa.table(columns), path)
    return path


@pytest.mark.parametrize("ending", ["jsonl", "csv", "parquet"])
def test_scores_are_read_in_double_precision(tmp_path, ending):
    written = ["130000000.25", "130000000.75", "130000000.5"]
    predictions, _ = read(scored(tmp_path, ending, *written))
    assert answers(predictions, FIRST) == [
        (("D2",), 130000000.75), (("D3",), 130000000.5), (("D1",), 130000000.25)
    ]  # fmt: skip


def test_of_a_candidate_given_twice_the_best_row_can_be_taken(tmp_path):
    path = tmp_path / "p.csv"
    rows = ["1,0,4,D1,0.2", "1,0,4,D2,0.5", "1,0,4,D1,0.9", "1,5,10,D1,0.1", "1,0,4,D1,0.9"]
    path.write_text("\n".join(["document,start,end,ids,score", *rows]))
    with pytest.raises(ValueError, match=r"p\.csv:4: expected each candidate once .* found 2 rows"):
        read(path)
    predictions, warnings = read(path, duplicates="best")
    assert answers(predictions, FIRST) == [(("D1",), 0.9), (("D2",), 0.5)]
    assert answers(predictions, SECOND) == [(("D1",), 0.1)]
    assert any(
        "2 rows of a candidate that has a better one in its list" in w and w.endswith(": 2, 6")
        for w in warnings
    )
    with pytest.raises(ValueError, match="duplicates is 'all'; expected one of refused, best"):
        read(path, duplicates="all")


def test_of_a_candidate_ranked_twice_the_first_rank_is_taken(tmp_path):
    path = tmp_path / "p.csv"
    path.write_text("document,start,end,ids,rank\n1,0,4,D1,3\n1,0,4,D2,2\n1,0,4,D1,1\n")
    predictions, _ = read(path, duplicates="best")
    assert answers(predictions, FIRST) == [(("D1",), -1.0), (("D2",), -2.0)]


def test_a_list_that_goes_on_elsewhere_in_the_file_is_one_list(tmp_path):
    """Rows of another query between two rows of one do not part it: a repeat is found there too."""
    path = tmp_path / "p.csv"
    rows = ["1,0,4,1,D1,5", "1,0,4,0,D1,4", "1,5,10,0,D1,3", "1,0,4,0,D2,2", "1,0,4,1,D2,1"]
    path.write_text("\n".join(["document,start,end,part,ids,score", *rows]))
    predictions, _ = read(path)
    assert answers(predictions, FIRST) == [(("D1",), 4.0), (("D2",), 2.0)]
    assert answers(predictions, FIRST._replace(part=1)) == [(("D1",), 5.0), (("D2",), 1.0)]
    path.write_text("\n".join(["document,start,end,part,ids,score", *rows, "1,0,4,1,D1,0"]))
    with pytest.raises(ValueError, match=r"p\.csv:7: expected each candidate once"):
        read(path)


def test_a_query_answered_twice_is_refused_wherever_it_stands():
    part = FIRST._replace(part=2)
    index, scores = [[0]] * 4, [[1]] * 4
    Predictions((FIRST, part, SECOND), (Candidate("a", ("D1",)),), index[:3], scores[:3])
    with pytest.raises(ValueError, match=r"part=2\) is answered twice"):
        Predictions((FIRST, part, SECOND, part), (Candidate("a", ("D1",)),), index, scores)


def test_columns_of_other_types_in_parquet(tmp_path):
    """As pandas and Arrow may store them: documents as numbers, texts as categories, ids as large lists."""
    table = pa.table(
        {
            "document": pa.array([1, 1], pa.uint32()),
            "start": pa.array([0, 5], pa.int16()),
            "end": pa.array([4, 10], pa.uint8()),
            "name": pa.array(["cold", None], pa.large_string()).dictionary_encode(),
            "ids": pa.array([["D1", "D2"], None], pa.large_list(pa.large_string())),
            "score": pa.array([0.5, 2.0], pa.float32()),
        }
    )
    pq.write_table(table, tmp_path / "p.parquet", row_group_size=1)
    predictions, warnings = read(tmp_path / "p.parquet")
    assert answers(predictions, FIRST) == [(("D1", "D2"), 0.5)] and answers(predictions, SECOND) == [
        ((), 2.0)
    ]
    assert warnings == ()


def test_names_with_nul_are_not_written(tmp_path):
    for candidate in (Candidate("a\0", ("D1",)), Candidate("a", ("D\0",))):
        with pytest.raises(ValueError, match="without NUL"):
            write_predictions(Predictions((FIRST,), (candidate,), [[0]], [[1]]), tmp_path / "p.jsonl")


def test_many_names_and_blocks_read_as_a_plain_loop_does(tmp_path, monkeypatch):
    from benchlib.formats import predictions_columns

    monkeypatch.setattr(predictions_columns, "_BYTES", 4_000)
    rows = [
        {"document": 1, "start": place[0], "end": place[1], "name": f"n{i % 37}", "ids": f"D{i % 5}|X{i}",
         "score": (i * 7919 % 1000) / 8}
        for i in range(250) for place in ((0, 4), (5, 10))
    ]  # fmt: skip
    path = tmp_path / "p.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    predictions, _ = read(path)
    for place, query in enumerate((FIRST, SECOND)):
        listed = sorted(rows[place::2], key=lambda row: -row["score"])
        assert answers(predictions, query) == [(tuple(row["ids"].split("|")), row["score"]) for row in listed]


def test_an_ending_in_capitals(tmp_path):
    for name in ("P.JSONL", "p.Jsonl"):
        (tmp_path / name).write_bytes(GOOD)
        assert answers(read(tmp_path / name)[0], FIRST) == [(("D1",), 1.0)]
