"""The page that scores a reader's own file: what it is given, and what it shows."""

from types import SimpleNamespace

import pytest
from toy import BENCHMARK

from benchlib.linkers import ExactLinker
from benchlib.readers.predictions_writing import write_predictions
from benchlib.report import own
from benchlib.score import Scored


def page(**given):
    names = ("predictions", "dev", "against", "against_dev", "ontology")
    return SimpleNamespace(scale="open", dataset="mini", **dict.fromkeys(names, "") | given)


@pytest.fixture
def scored(tmp_path):
    predictions = ExactLinker().fit(BENCHMARK.visible()).link(BENCHMARK.test.hidden().documents, 5)
    write_predictions(predictions, tmp_path / "p.jsonl")
    return Scored.read(tmp_path / "p.jsonl", BENCHMARK)


def test_without_a_file_an_example_is_made(tmp_path):
    benchmark, files = own.files(page(), tmp_path)
    assert benchmark.name == "mini"
    assert list(files) == ["predictions", "dev", "against", "against_dev"]
    first = Scored.read(files["predictions"], benchmark, files["dev"])
    assert first.threshold is not None and first.nil is not None
    assert own.head(files["predictions"], 1).count("document") == 1


def test_files_that_are_given_are_taken_unless_the_scale_is_mini(tmp_path):
    given = page(predictions="p.jsonl", against="q.jsonl")
    assert own.files(given, tmp_path)[1] == {"predictions": "p.jsonl", "against": "q.jsonl"}
    given.scale = "mini"
    assert own.files(given, tmp_path)[1]["predictions"].startswith(str(tmp_path))
    with pytest.raises(ValueError, match="against without predictions"):
        own.files(page(against="q.jsonl"), tmp_path)


def test_errors_are_listed_with_context_gold_and_answer(scored):
    table = own.errors_table(scored, 10)
    # "Cold" is carried by D1 and D2, so it is half right; "ague" was not answered; "cold" means D4 there.
    assert table["mention"].tolist()[0] == "<mark>Cold</mark> FEVER ague "
    assert table.iloc[0]["credit"] == "0.50" and table.iloc[0]["rank of gold"] == "1"
    assert table.iloc[0]["gold"] == "D1 Cold"
    assert table.iloc[0]["predicted"] == "“cold”: D1 Cold; D2 cold"
    assert table.iloc[1]["predicted"] == "(no answer)" and table.iloc[1]["rank of gold"] == "not listed"
    assert len(own.errors_table(scored, 1)) == 1
    assert "FEVER" not in "".join(m.partition("<mark>")[2].partition("</mark>")[0] for m in table["mention"])


def test_text_of_a_corpus_is_escaped_inside_a_table_of_markdown():
    shown = own._in_context("a <b> | `x` hit *y*", 12, 15)
    assert shown == "a &lt;b&gt; &#124; &#96;x&#96; <mark>hit</mark> &#42;y&#42;"


def test_tables_say_what_is_missing(scored):
    published = own.published_table(scored.published)
    assert published["protocol"].tolist().count("cosines") == 3
    assert " to " in published[published["protocol"] == "sapbert-unmerged"]["if ties fall"].iloc[0]
    grid = own.grid_table(scored.grid)
    assert list(grid.columns) == ["protocol", "recall@1", "recall@5", "mrr"] and len(grid) == 12
    assert own.kinds_table(scored.kinds)["n"].iloc[0] == "6"
    against = own.against_table(scored.against(scored))
    assert set(against["p (Holm)"]) == {"1.0000"}
    assert own.warnings([scored]).startswith("- `p.jsonl`:")
