"""The dump of what is published: equal for equal records and pages, and different for the least change."""

import json
import runpy
from base64 import b64encode
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from toy import BENCHMARK

from study.pages import show
from study.pages.cells import Markup
from study.places import ROOT
from study.records import Store, linking_record
from study.systems import ExactLinker, TfidfLinker

oracle = SimpleNamespace(**runpy.run_path(str(ROOT / "benchmarks" / "oracle.py")))
FRAME = pd.DataFrame(
    [["a", Markup('<a href="x.html">s</a>'), "1.0 [0.5, 2.0]"], ["a", "t", "NOT RUN"]],
    columns=["data", "system", "@1"],
    dtype=object,
)


def lines(records) -> list[tuple[str, ...]]:
    return [line for record in records for line in oracle.of_record(record)]


def test_a_changed_score_or_metric_is_a_difference_at_its_place(tmp_path):
    store = Store(tmp_path / "records")
    record, other = (linking_record(linker, BENCHMARK, store) for linker in (TfidfLinker(), ExactLinker()))
    before = lines(store)
    assert len(lines(store)) == len(set(before)) and oracle.compare(before, lines([other, record])) == []

    frame = record.table.to_pandas()
    frame.loc[0, "top_score"] = np.nextafter(frame["top_score"][0], np.float32(0))  # the last bit
    changed = replace(record, table=pa.Table.from_pandas(frame, preserve_index=False))
    [difference] = oracle.compare(before, lines([changed, other]))
    assert difference.startswith(f"record | {record.key[:16]} | outcomes | array 9: ")

    metric = {**record.metrics[0], "value": record.metrics[0]["value"] + 1e-9}  # too little for verify
    changed = replace(record, metrics=(metric, *record.metrics[1:]))
    [difference] = oracle.compare(before, lines([changed, other]))
    assert f"{metric['scoring']} | {metric['measure']}: " in difference
    assert difference.endswith(f'"value": {metric["value"]}}}')

    [at] = {line[1] for line in before} - {line[1] for line in lines([other])}
    assert all(at in text and text.endswith("(absent)") for text in oracle.compare(before, lines([other])))


def page(tmp_path, frame: pd.DataFrame, monkeypatch, rendered: str) -> list[tuple[str, ...]]:
    """The lines of a notebook with a table, a figure's data, and a stamp with the time of rendering."""
    outputs = []
    monkeypatch.setattr(show, "display", lambda data, raw: outputs.append({"data": data}))
    show.table(frame, "tab-x", "A caption.")
    csv = b64encode(b"x,y\n1,2\n1,3\n").decode()
    figure = f'<figure><a class="csv" download="fig-x.csv" href="data:text/csv;base64,{csv}">CSV</a></figure>'
    stamp = f"<tr><th>Seeds</th><td>0</td></tr><tbody class='varying'><tr><td>{rendered}</td></tr></tbody>"
    outputs += [{"data": {"text/html": [html]}} for html in (figure, f"<table>{stamp}</table>")]
    path = tmp_path / "p.ipynb"
    path.write_text(json.dumps({"cells": [{"source": ""}, {"outputs": outputs}]}), encoding="utf-8")
    return oracle.of_page(path)


def test_a_cell_is_known_by_page_table_row_and_column(tmp_path, monkeypatch):
    before = page(tmp_path, FRAME, monkeypatch, "today")
    assert set(before) >= {
        ("page", "p", "tab-x", "a / s", "system", "s"),
        ("page", "p", "tab-x", "a / s", "@1", "1.0 [0.5, 2.0]"),
        ("page", "p", "tab-x", "a / t", "@1", "NOT RUN"),
        ("page", "p", "fig-x.csv", "1 / 3", "y", "3"),
        ("page", "p", "table", "Seeds", "1", "0"),
    }
    assert len(before) == 2 * 3 + 2 * 2 + 2
    assert oracle.row_names([["a", "1", "x", "2"], ["a", "1", "x", "3"]]) == ["a / 1 / x", "a / 1 / x #2"]
    assert oracle.compare(before, page(tmp_path, FRAME, monkeypatch, "later")) == []

    turned = FRAME.iloc[::-1].replace("NOT RUN", "3.0")
    [difference] = oracle.compare(before, page(tmp_path, turned, monkeypatch, "today"))
    assert difference == "page | p | tab-x | a / t | @1: NOT RUN -> 3.0"

    renamed = page(tmp_path, FRAME.rename(columns={"@1": "Recall@1"}), monkeypatch, "today")
    assert len(oracle.compare(before, renamed)) == 4  # two cells, each gone and new
    monkeypatch.setitem(oracle.RENAMED, "@1", "Recall@1")
    assert oracle.compare(before, renamed) == []


def test_the_program_exits_with_1_for_a_difference(tmp_path, capsys):
    files = [tmp_path / name for name in "ab"]
    for file, cell in zip(files, ("1\u2028", "2"), strict=True):
        line = oracle.canonical(["page", "p", "t", "r", "c", cell])
        file.write_text(f"{line}\n", encoding="utf-8")
    assert oracle.main(["compare", str(files[0]), str(files[0])]) == 0
    assert oracle.main(["compare", *map(str, files)]) == 1
    assert capsys.readouterr().out.endswith("page | p | t | r | c: 1\u2028 -> 2\n1 differences\n")
    with pytest.raises(SystemExit):
        oracle.main(["dump", str(files[0]), "--pages", str(tmp_path)])
    assert f"{tmp_path}: expected executed pages" in capsys.readouterr().err
