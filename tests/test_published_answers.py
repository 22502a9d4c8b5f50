"""Published answers of other systems: read, counted as their authors count, translated by aligned gold."""

from functools import cache
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from test_imports import modules
from toy import annotated

from benchlib.corpus import Corpus
from benchlib.predictions import Query
from benchlib.scoring import Scoring
from study.chapters.run import plan_with
from study.corpora import load, published
from study.measurements.recount import recount
from study.pages.page import Page
from study.places import ROOT
from study.systems import FIRST_STAGE, linker
from study.tables import published_systems

# Percent strict and lenient over all mentions of BELB, by a count that used none of this code.
REPLICATED = pd.read_csv(ROOT / "tests" / "data" / "replicated_counts.csv").groupby("dataset")
COUNTS = {  # mentions of BELB, those of them at the same place in the corpus here
    "ncbi-disease": (960, 960),
    "bc5cdr-disease": (4363, 4363),
    "bc5cdr-chemical": (5334, 5278),
    "bc2gn": (3222, 3182),
}


@pytest.fixture(scope="module")
def corpus():
    return cache(load)


@pytest.fixture(scope="module")
def counted(data_folder, corpus):
    if not (data_folder / "published_predictions").is_dir():
        pytest.skip("the published answers are not there: run `make data`")
    return {dataset: recount(corpus(dataset)) for dataset in published.CORPORA}


@pytest.mark.parametrize("dataset", COUNTS)
def test_the_count_of_the_authors_is_replicated(counted, dataset):
    found = counted[dataset]
    n = found["mentions"]
    assert (n, found["aligned"]) == COUNTS[dataset]
    for row in REPLICATED.get_group(dataset).itertuples():
        of = found["systems"][row.system]
        shares = [round(100 * of[count] / n, 2) for count in ("strict", "lenient")]
        assert shares == [row.strict, row.lenient], row.system


def test_files_of_one_content_are_one_system(counted):
    assert "arboel_ar" in published.systems("bc2gn")
    assert "arboel_ar" not in published.systems("ncbi-disease")  # byte by byte the file of arboel


@pytest.mark.parametrize("dataset", published.CORPORA)
def test_where_gold_is_alike_the_translated_answers_are_right_as_by_the_authors(counted, corpus, dataset):
    """By a plain loop over mentions with one concept on both sides that align and are not merged."""
    benchmark = corpus(dataset)
    unlike = set(counted[dataset]["unlike"])
    for system in published.systems(dataset):
        theirs = {one.span: one for one in published.answers(dataset, system)}
        fitted = linker(f"published,system={system}").fit(benchmark.visible())
        linked = fitted.link(benchmark.test.hidden().documents)
        first = linked.index[:, 0]
        ours = {query: linked.candidates[top] for query, top in zip(linked.queries, first, strict=True)}
        compared = 0
        for number, (document, mention) in enumerate(benchmark.test.mentions()):
            span = Query(document.id, mention.start, mention.end)
            if number in unlike or span not in theirs or len(mention.gold.parts) != 1:
                continue
            compared += 1
            assert bool(mention.gold.ids & set(ours[span].ids)) == bool(
                theirs[span].gold & set(theirs[span].ranked[0])
            ), (system, span)
        assert compared > 0.7 * len(ours)


def test_ids_are_translated_by_the_gold_of_most_mentions():
    golds = zip("abcdef", ("D1", "D1", "O9", "D2", "D1+D2", ""), strict=True)
    corpus = Corpus("made", (annotated("a b c d e f", *golds),))
    golds = ["7", "7", "7", "8", "78"]
    theirs = {Query("1", 2 * i, 2 * i + 1): frozenset(ids) for i, ids in enumerate(golds)}
    theirs[Query("1", 10, 12)] = frozenset(["8"])  # another span: not aligned
    found = published.translation(theirs, corpus)
    assert dict(found.ids) == {"7": "D1", "8": "D2"}
    assert len(found.spans) == 5
    assert found.merged == {Query("1", 4, 5)}  # O9, which BELB has as D1
    assert found.answer(["8", "7", "8", "99"]) == ("D2", "D1", "BELB:99")


def test_an_id_of_the_corpus_stands_for_one_of_belb():
    corpus = Corpus("made", (annotated("abc", *((letter, "D1") for letter in "abc")),))
    theirs = {Query("1", i, i + 1): frozenset([id]) for i, id in enumerate("778")}
    found = published.translation(theirs, corpus)
    assert dict(found.ids) == {"7": "D1"} and found.merged == {Query("1", 2, 3)}
    assert found.answer("8") == ("BELB:8",)


def test_what_is_not_published_is_refused(counted):
    with pytest.raises(ValueError, match="medmentions-st21pv: nothing is published; expected one of ncbi"):
        published.systems("medmentions-st21pv")
    with pytest.raises(ValueError, match="ncbi-disease: no answers of 'gilda'; expected one of arboel"):
        published.answers("ncbi-disease", "gilda")


def test_a_system_is_not_run_where_its_answers_are_not_published():
    rows = [row for row in plan_with("side_by_side").rows("all") if row.system.label == "BioSyn, published"]
    reasons = {row.data.name: row.system.reason for row in rows}
    without = {name for name, reason in reasons.items() if reason == "NOT RUN: needs published answers"}
    assert without == {"medmentions-st21pv", "bc2gn"} and len(reasons) == 5
    assert all(bool(row.jobs) == (row.data.name not in without) for row in rows)


def test_no_linker_but_the_recount_itself_reads_published_answers():
    """What others answered to test mentions is data to score: nothing here may learn from it."""
    own, reading = "study.corpora.published", set()
    for path in (path for package in ("benchlib", "study") for path in (ROOT / package).rglob("*.py")):
        place, source = path.relative_to(ROOT).as_posix(), path.read_text(encoding="utf-8")
        names = [name for name in modules(place, source) if name == own or name.startswith(f"{own}.")]
        if names or "published_predictions" in source:
            reading.add(place)
    assert reading == {
        "study/corpora/published.py",
        "study/systems/baselines/others.py",
        "study/measurements/recount.py",
        "study/measurements/shared_names.py",
        "study/tables/published_systems.py",
    }
    assert not any(base.startswith("published") for base in FIRST_STAGE)  # nothing ranks their answers anew


@pytest.fixture(scope="module")
def baselines():
    return [runs for runs in Page.published("protocols").runs("baselines") if runs.data == "ncbi-disease"]


def test_agreement_is_counted_by_mention(baselines):
    right = np.array([runs.credits(1, Scoring())[0] >= 0.5 for runs in baselines])
    [row] = published_systems.agreement(baselines, Scoring()).to_dict("records")
    by_all, by_any = (sum(map(of, right.T)) for of in (all, any))
    shares = [by_all, by_any - by_all, 960 - by_any, by_any]
    heads = ("all", "some", "none", "any of them")
    assert [row[name] for name in heads] == [f"{100 * n / 960:.1f}" for n in shares]


def test_what_is_alike_is_a_mask_by_data_set():
    records = {"a": SimpleNamespace(values={"here": 4, "unlike": [1, 3]}), "b": None}
    assert {data: mask.tolist() for data, mask in published_systems.alike(records).items()} == {
        "a": [True, False, True, False]
    }
