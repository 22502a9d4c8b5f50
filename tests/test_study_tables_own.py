"""What a reader's own predictions file is worth, as tables."""

import pytest
from toy import BENCHMARK

from benchlib import evaluate
from benchlib.formats.predictions import write_predictions
from benchlib.scoring import CLASSES, STRATA
from study.pages import own_files
from study.systems import ExactLinker
from study.tables import own


@pytest.fixture(scope="module")
def scored(tmp_path_factory):
    path = tmp_path_factory.mktemp("own") / "p.jsonl"
    write_predictions(ExactLinker().fit(BENCHMARK.visible()).link(BENCHMARK.test.hidden().documents, 5), path)
    return evaluate(path, BENCHMARK)


def test_errors_are_listed_with_context_gold_and_answer(scored):
    table = own.errors(scored, 10)
    # "Cold" is carried by D1 and D2, so it is half right; "ague" was not answered; "cold" means D4 there.
    assert table["mention"].tolist()[0] == "<mark>Cold</mark> FEVER ague "
    assert table.iloc[0]["credit"] == "0.50" and table.iloc[0]["rank of gold"] == "1"
    assert table.iloc[0]["gold"] == "D1 Cold"
    assert table.iloc[0]["predicted"] == "“cold”: D1 Cold; D2 cold"
    assert table.iloc[1]["predicted"] == "(no answer)" and table.iloc[1]["rank of gold"] == "not listed"
    assert len(own.errors(scored, 1)) == 1 and own.errors(scored, 0).empty
    assert "FEVER" not in "".join(m.partition("<mark>")[2].partition("</mark>")[0] for m in table["mention"])


def test_text_of_a_corpus_is_escaped_inside_a_table_of_markdown():
    shown = own._in_context("a <b> | `x` hit *y*", 12, 15)
    assert shown == "a &lt;b&gt; &#124; &#96;x&#96; <mark>hit</mark> &#42;y&#42;"


def test_answers_are_those_to_the_first_mention(scored):
    table = own.files_summary({"exact": scored})
    assert table["linker"].tolist()[0] == "exact" and table["name"].tolist()[0] == "cold"
    assert table["concepts"].tolist()[0] == "D1, D2" and table["rank"].tolist()[0] == 1


def test_every_protocol_kind_and_difference_has_its_row(scored):
    published = own.published(scored.published)
    assert published["protocol"].tolist().count("cosines") == 3
    assert " to " in published[published["protocol"] == "sapbert-unmerged"]["if ties fall"].iloc[0]
    grid = own.grid(scored.grid)
    assert list(grid.columns) == ["protocol", "recall@1", "recall@5", "mrr"] and len(grid) == 12
    # Half of Cold and the whole of FEVER, of six.
    of = grid.set_index("protocol")["recall@1"]
    assert of["strict/names/any-of"].startswith("25.0 [") and of["lenient/names/any-of"].startswith("33.3 [")
    assert own.kinds(scored.kinds)["n"].iloc[0] == "6"
    against = own.against(scored.against(scored))
    assert set(against["p (Holm)"]) == {"1.0000"}
    assert own.legend().count("- **") == len(STRATA) + len(CLASSES)


def test_what_reading_found_odd_is_said_without_a_folder_or_markup(scored):
    told = own_files.warnings([scored])
    assert told.startswith("- `p.jsonl`:") and "/" not in told.partition(":")[0]
    assert own_files.warnings([]) == "Nothing odd was found in the files."
