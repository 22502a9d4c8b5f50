"""Predictions files with something wrong in them: read as by a plain loop, or refused with the line."""

import csv
import io
import json
import math
import random
import re
from collections.abc import Sequence

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import toy
from test_readers_predictions import CORPUS, FIRST, SECOND, scored_lists

from benchlib.formats import predictions_columns
from benchlib.formats.predictions import read_predictions
from benchlib.ontology import fold_name
from benchlib.predictions import COLUMNS

SPANS = {FIRST[:3], SECOND[:3]}
ROWS = [
    dict(zip(COLUMNS, row, strict=True))
    for row in (
        ("1", 0, 4, 0, 1, "Cold", ["D1"], 0.5),
        ("1", 0, 4, 0, 2, "é 😀", ["D2", "X"], 0.25),
        ("1", 5, 10, 0, 1, "pyrexia", [], 7),
        ("1", 5, 10, 1, 1, "", [], -1e-9),
        ("1", 5, 10, 0, 3, 'a"b', ["D4"], 6.5),
    )
]
TOKENS = [
    b"null", b"NaN", b"1e400", b"-1", b"0.5", b"07", b"4.0", b"99999999999999999999", b"1" + b"0" * 400,
    b"true", b'"', b",", b":", b"|", b"||", b"\t", b"\n", b"\r", b"\r\n", b"\n\n", b"{", b"}", b"[", b"]",
    b"[]", b"[" * 100_000, b'{"a":' * 100_000, b"\\ud800", b"\\u0000", b"\x00", b"\xff", b"\xef\xbb\xbf",
    b"\xc2\xa0", b'"score":', b'"rank": 1,', b'"part": 1,', b'"more": [[1], {"a": 2}],', b'"document": 1,',
    b" ", b"D1", b"",
]  # fmt: skip


def json_lines():
    return b"".join(json.dumps(row, ensure_ascii=False).encode() + b"\n" for row in ROWS)


def cells(delimiter):
    rows = [list(ROWS[0]), *({**row, "ids": "|".join(row["ids"])}.values() for row in ROWS)]
    quoted = [
        ['"' + str(c).replace('"', '""') + '"' if '"' in str(c) else str(c) for c in row] for row in rows
    ]
    return "".join(delimiter.join(row) + "\n" for row in quoted).encode()


DELIMITERS = {".csv": ",", ".tsv": "\t"}
FILES = {"jsonl": json_lines(), "csv": cells(","), "tsv": cells("\t")}


def mutated(data: bytes, draw: random.Random, tokens: Sequence[bytes] = TOKENS) -> bytes:
    """A file after an accident or two; ``tokens`` come in where they do not belong."""
    for _ in range(draw.choice((1, 1, 1, 2))):
        lines, place = data.splitlines(keepends=True) or [b""], draw.randrange(len(data) + 1)
        if (way := draw.randrange(6)) == 0:
            data = data[:place] + data[place + draw.choice((1, 2, 9)) :]
        elif way == 1:
            data = data[:place] + draw.choice(tokens) + data[place:]
        elif way == 2:
            line = draw.choice(lines)
            data = b"".join([*lines, line.replace(b"D1", b"D5")] if draw.random() < 0.5 else [*lines, line])
        elif way == 3:
            # A number is replaced, a text or a key.
            found = draw.choice(list(re.finditer(rb"-?[0-9.e-]+|\"[^\"\n]*\"|[a-zA-Z]+", data)) or [None])
            data = data[: found.start()] + draw.choice(tokens) + data[found.end() :] if found else data
        elif way == 4:
            data = b"".join(draw.sample(lines, len(lines)))
        else:
            data = data[:place]
    return data


class Refused(Exception):
    """With the numbers of the lines that are wrong, any of which may be named."""


def refuse_if(lines):
    if lines:
        raise Refused(set(lines))


def rows_of_json(data: bytes) -> list[tuple[int, dict]]:
    def once(pairs):
        assert len({key for key, _ in pairs}) == len(pairs)
        return dict(pairs)

    rows, bad = [], []
    for number, line in enumerate(data.removeprefix(b"\xef\xbb\xbf").split(b"\n"), start=1):
        if line.strip():
            try:
                row = json.loads(line.decode(), object_pairs_hook=once)
                assert isinstance(row, dict)
                "".join(row).encode()
                rows.append((number, row))
            except (ValueError, AssertionError, RecursionError):
                bad.append(number)
    refuse_if(bad)
    return rows


def rows_of_cells(data: bytes, delimiter: str) -> list[tuple[int, dict]]:
    lines = data.removeprefix(b"\xef\xbb\xbf").split(b"\n")
    lines = lines[:-1] if not lines[-1] else lines
    rows, header = [], None
    try:
        reader = csv.reader(
            (one.rstrip(b"\r").decode() + "\n" for one in lines), delimiter=delimiter, strict=True
        )
        for row in filter(None, reader):
            if header is None:
                header, needed = row, {"document", "start", "end"} <= set(row) and {"name", "ids"} & set(row)
                refuse_if([] if needed and len(set(row)) == len(row) else [reader.line_num])
            else:
                refuse_if([] if len(row) == len(header) else [reader.line_num])
                cells = dict(zip(header, row, strict=True))
                absent = [c for c in ("part", "rank", "score") if cells.get(c) == ""]
                rows.append((reader.line_num, cells | dict.fromkeys(absent)))
    except (csv.Error, UnicodeDecodeError):
        raise Refused(set(range(1, len(lines) + 1))) from None
    return rows


def whole(cell):
    number = re.fullmatch(r"([0-9]+)(\.0*)?", str(cell))
    assert not isinstance(cell, bool) and number and int(number[1]) < 2**31
    return int(number[1])


def text(cell):
    assert isinstance(cell, str) and "\0" not in cell
    cell.encode()
    return cell


def ids(cell):
    cell = cell.split("|") if isinstance(cell, str) and cell else cell
    assert isinstance(cell, list | str)
    assert all(text(one).strip() for one in cell)
    return tuple(map(str.strip, cell))


def score(cell):
    assert not isinstance(cell, bool) and math.isfinite(float(cell))
    return float(cell)


def document(cell):
    return (str(cell) if type(cell) in (int, float) else text(cell)).removesuffix(".0")


READ = {"document": document, "start": whole, "end": whole, "part": whole, "rank": whole, "name": text,
        "ids": ids, "score": score}  # fmt: skip
ABSENT = {"part": 0, "name": "", "ids": ()}


def expected(rows: list[tuple[int, dict]]) -> dict[tuple, list]:
    """By query the (name, ids, score) in order, row by row; raises Refused."""
    refuse_if([] if rows else [1])
    given = {column for _, row in rows for column in READ if row.get(column) is not None}
    read, bad = [], []
    for number, row in rows:
        one = {}
        for column in READ.keys() - ({"rank", "score"} - given):
            try:
                absent = column in ABSENT and row.get(column) is None
                one[column] = ABSENT[column] if absent else READ[column](row.get(column))
            except (AssertionError, ValueError, TypeError, OverflowError):
                bad.append(number)
        read.append((number, one))
    refuse_if(bad or ([] if given & {"name", "ids"} else [rows[0][0]]))
    refuse_if([n for n, row in read if (row["document"], row["start"], row["end"]) not in SPANS])
    lists, seen, twice = {}, set(), []
    for number, row in read:
        query = (row["document"], row["start"], row["end"], row["part"])
        one = lists.setdefault(query, [])
        owned = row["ids"] or toy.ONTOLOGY.owners().get(fold_name(row["name"]), ())
        key = (query, row["name"], frozenset(owned))
        twice += [number] if key in seen else []
        seen.add(key)
        one.append((row["name"], owned, row.get("score", -float(row.get("rank", len(one) + 1)))))
    refuse_if(twice)
    return {query: sorted(one, key=lambda row: -row[2]) for query, one in lists.items()}


def rows_of(path, data: bytes) -> list[tuple[int, dict]]:
    if path.suffix == ".parquet":
        return list(enumerate(pq.read_table(io.BytesIO(data)).to_pylist(), start=1))
    if b"\0" in data:  # found as the lines are read, before what else is wrong
        raise Refused(set(range(1, data.count(b"\n") + 2)))
    return rows_of_json(data) if path.suffix == ".jsonl" else rows_of_cells(data, DELIMITERS[path.suffix])


def check(path, data: bytes) -> bool:
    """Whether the file is read; fails where a plain loop comes to something else."""
    path.write_bytes(data)
    try:
        wanted = expected(rows_of(path, data))
    except Refused as refused:
        with pytest.raises(ValueError) as error:
            read_predictions(path, CORPUS, toy.ONTOLOGY)
        place = re.match(rf"{re.escape(str(path))}(?:: row |:)(\d+): expected ", str(error.value))
        assert place and int(place[1]) in refused.args[0], str(error.value)
        return False
    found, warnings = read_predictions(path, CORPUS, toy.ONTOLOGY)
    assert scored_lists(found) == wanted
    assert all(re.match(rf"{re.escape(str(path))}: \d+ ", warning) for warning in warnings)
    "".join(warnings).encode()  # can be printed
    return True


@pytest.mark.parametrize("ending", FILES)
def test_mutated_files_are_read_as_by_a_plain_loop_or_refused_with_the_line(tmp_path, ending):
    draw = random.Random(ending)
    assert check(tmp_path / f"p.{ending}", FILES[ending])
    read = [check(tmp_path / f"p.{ending}", mutated(FILES[ending], draw)) for _ in range(600)]
    assert 60 < sum(read) < 540  # neither all nor none


def test_small_blocks_read_as_one(tmp_path, monkeypatch):
    monkeypatch.setattr(predictions_columns, "_BYTES", 150)
    monkeypatch.setattr(predictions_columns, "_ROWS", 2)
    for ending, data in FILES.items():
        draw = random.Random(f"blocks {ending}")
        assert check(tmp_path / f"p.{ending}", data)
        assert any([check(tmp_path / f"p.{ending}", mutated(data, draw)) for _ in range(50)])


@pytest.mark.parametrize(
    ("ending", "old", "new"),
    [
        ("jsonl", b'"name": "Cold"', b'"name": NaN'),
        ("jsonl", b'"part": 0', b'"part": NaN'),
        ("jsonl", b'"rank": 1', b'"\\ud800": 1'),
        ("jsonl", b'"Cold"', b'"2020-01-01"'),
        ("csv", b"rank,name,ids,score", b"place,name,ids,points"),
        ("tsv", b"score", b"\\u0000"),
    ],
)
def test_what_was_once_read_wrong(tmp_path, ending, old, new):
    check(tmp_path / f"p.{ending}", FILES[ending].replace(old, new, 1))


COLUMNS_OF = [
    *([0, 0, 5, 5, 5], [0.0, 0.0, 5.0, 5.0, 5.0], ["0", "0", "5", "5", "5"], [True] * 5, [None] * 5),
    *([1, None, 1, 1, 1], [2**40] * 5, [-1] * 5, [0.5, float("nan"), 1, 2, 3], [1e300] * 5, [1, 2, 3, 4, 5]),
    *(["a|b", "", "c", "x", "y"], ["a||b"] * 5, ["a\0"] * 5, [["D1"], [], None, ["D2"], ["D3"]], [[""]] * 5),
    *([[None]] * 2, [{"a": 1}] * 5, [b"D1"] * 5, [[["D1"]]] * 5, ["Cold", None, "é", "", "Cold"]),
]


def test_columns_of_any_type_in_parquet_are_read_as_by_a_plain_loop_or_refused_with_the_row(tmp_path):
    path, read, draw = tmp_path / "p.parquet", [], random.Random(0)
    for _ in range(500):
        columns = {column: [row[column] for row in ROWS] for column in COLUMNS}
        for column in draw.sample(COLUMNS, draw.choice((0, 1, 1, 2))):
            columns[column] = (draw.choice(COLUMNS_OF) * 5)[:5]
        for column in draw.sample(COLUMNS[3:], draw.choice((0, 0, 1, 2))):
            del columns[column]
        if not {"name", "ids"} & columns.keys():
            continue
        pq.write_table(pa.table(columns), file := io.BytesIO())
        read.append(check(path, file.getvalue()))
    assert len(read) > 450 and 60 < sum(read) < 440


def test_damaged_parquet_is_read_or_refused_by_name(tmp_path):
    path, draw = tmp_path / "p.parquet", random.Random(1)
    pq.write_table(pa.Table.from_pylist(ROWS), file := io.BytesIO())
    for _ in range(300):
        data = bytearray(file.getvalue())
        data[draw.randrange(len(data))] = draw.randrange(256)
        path.write_bytes(data[: draw.choice((len(data), len(data), draw.randrange(len(data))))])
        try:
            read_predictions(path, CORPUS, toy.ONTOLOGY)
        except ValueError as error:
            assert str(error).startswith(str(path)) and "\n" not in str(error)
