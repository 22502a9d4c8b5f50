"""What a user types first: ``evaluate``, ``compare``, ``link``, ``NameLinker``, ``Encoder``, the programs."""

import json
import re
import shutil
import sys
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
import torch
from scipy.sparse import csr_matrix
from sklearn.feature_extraction.text import TfidfVectorizer
from toy import BENCHMARK, ONTOLOGY

import benchlib
import study.command
from benchlib import Encoder, NameLinker, command, compare, evaluate, link
from benchlib.corpus import Document
from benchlib.losses.by_name import LOSSES
from benchlib.mends import mend_of_answers
from benchlib.ontology import Concept, Ontology
from benchlib.predictions import COLUMNS, Candidate, Predictions, Query

GOLD = "1|t|Flu and\n1|a|a cold.\n1\t0\t3\tFlu\tD\tX1\n1\t10\t14\tcold\tD\tX2\n"
NAMES = "X1\tflu\tgrippe\nX2\tcommon cold\tchill\nX3\tcolt\n"
ROWS = pd.DataFrame(
    {"document": ["1", "1"], "start": [0, 10], "end": [3, 14], "ids": [["X1"], ["X3"]], "score": [0.9, 0.2]}
)
KNOWN = ROWS.assign(ids=[["X1"], ["X2"]])

FIRST = (Query("3", 0, 4),)
ONCE, TWICE = (
    Predictions(FIRST, (Candidate("Cold", ("D1",)),), np.zeros((1, n), dtype=int), np.ones((1, n)))
    for n in (1, 2)
)


@pytest.fixture
def own(tmp_path, monkeypatch):
    """A corpus of two mentions, and a dictionary, as files in the working directory."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "gold.txt").write_text(GOLD)
    (tmp_path / "more.txt").write_text(GOLD.replace("Flu", "Cold"))
    (tmp_path / "names.tsv").write_text(NAMES)
    (tmp_path / "plain.txt").write_text("A flu.")
    return tmp_path


def recall_at_1(result, protocol: str = "krissbert") -> float:
    rows = result.published.set_index(["protocol", "measure"])
    return rows.loc[(protocol, "recall@1"), "value"]


def test_the_package_offers_its_names_and_no_other():
    assert [name for name in benchlib.__all__ if not hasattr(benchlib, name)] == []
    assert {*benchlib.__all__} < {*dir(benchlib)}
    with pytest.raises(AttributeError, match="no attribute 'evaluated'"):
        _ = benchlib.evaluated


def test_a_file_a_table_and_predictions_score_alike(own):
    ROWS.assign(ids=["X1", "X3"]).to_csv("p.tsv", sep="\t", index=False)
    from_file, from_table = (evaluate(p, "gold.txt", "names.tsv") for p in ("p.tsv", ROWS))
    again = evaluate(from_file.predictions, from_file.benchmark.test, from_file.benchmark.ontology)
    for result in (from_file, from_table, again):
        assert recall_at_1(result) == 0.5 and result.outcomes.counts["n_scored"] == 2
        pd.testing.assert_frame_equal(result.grid, from_file.grid)
    assert all(own.name not in text for text in from_table.warnings)
    assert evaluate(ONCE, BENCHMARK).warnings[0].startswith("predictions: 6 mentions without an answer")


def test_offsets_count_in_passages_where_that_explains_more_rows(own):
    passage = "1|t|fever\n1|a|{} cold.\n1\t0\t5\tfever\tD\tX1\n{}"
    cold = "1\t11\t15\tcold\tD\tX2\n"
    (own / "own.txt").write_text("\n".join(passage.format(*each) for each in (("and", ""), ("then", cold))))
    (own / "fever.tsv").write_text("X1\tfever\nX2\tchill\n")
    one = pd.DataFrame({"document": ["1"], "start": [0], "end": [5], "ids": [["X1"]], "score": [1.0]})
    found = evaluate(one, "own.txt", "fever.tsv")
    assert found.mentions["answer"].tolist() == ["X1", "", ""]
    of_passages = pd.concat([one, one.assign(start=11, end=15, ids=[["X2"]])])
    assert evaluate(of_passages, found.benchmark).mentions["answer"].tolist() == ["X1", "X1", "X2"]
    # A linker's own answers are where it saw the mentions.
    answers = NameLinker("fever.tsv", how="exact").link(found.benchmark.test.hidden().documents)
    assert evaluate(answers, found.benchmark).mentions["answer"].tolist() == ["X1", "X1", ""]


def test_train_and_dev_tell_what_was_seen_and_the_threshold(own):
    (own / "train.txt").write_text(GOLD)
    seen = evaluate(ROWS, "gold.txt", "names.tsv", train="train.txt")
    assert seen.kinds.set_index(["kind", "is"]).loc[("seen name", "yes"), "n"] == 2
    corpus = seen.benchmark.test
    again = evaluate(ROWS, corpus, "names.tsv", train=seen.benchmark.train, dev=corpus, dev_predictions=ROWS)
    assert again.benchmark.dev is corpus and again.threshold is None  # dev has no NIL
    pd.testing.assert_frame_equal(again.kinds, seen.kinds)


def test_a_linker_that_answers_nil_is_scored_without_dev(own):
    (own / "nil.txt").write_text(GOLD + "1\t0\t1\tF\tD\t-1\n1\t1\t2\tl\tD\t-1\n1\t2\t3\tu\tD\tX1\n")
    spans = {"document": ["1"] * 5, "start": [0, 10, 0, 1, 2], "end": [3, 14, 1, 2, 3]}
    rows = pd.DataFrame(spans | {"ids": [["X1"], [], [], ["X2"], ["X1"]], "score": [0.9, 0.2, 0.8, 0.1, 0.1]})
    result = evaluate(rows, "nil.txt", "names.tsv")  # two are answered NIL, of which one is
    assert result.nil["n_called"] == 2 and result.nil["precision"] == result.nil["recall"] == 0.5
    assert recall_at_1(result, "pel-with-nil") == pytest.approx(3 / 5)  # Flu, F and u
    assert result.values()["nil"]["threshold"] == "-inf"
    plain = evaluate(rows.assign(ids=[["X1"]] * 5), "nil.txt", "names.tsv")
    assert "f1" not in plain.nil and plain.threshold is None
    # One that could answer NIL and does not calls no mention NIL.
    [row] = compare(result, plain).query("protocol == 'pel-with-nil'").itertuples()
    assert row.value == pytest.approx(3 / 5 - 2 / 5)  # Flu and u
    assert not any("ALL BEST SCORES" in text for text in plain.alerts)
    ranks = rows.assign(ids=[["X1"]] * 5, rank=1).drop(columns="score")
    assert any("ALL BEST SCORES ARE EQUAL" in text for text in evaluate(ranks, "nil.txt", "names.tsv").alerts)


def test_a_tie_with_nil_and_a_row_without_an_answer_are_shown_as_they_are_scored(own):
    tied = pd.concat([ROWS.assign(ids=[[]] * 2), ROWS.assign(ids=[["X1"], []])]).assign(score=1.0)
    found = evaluate(tied.drop_duplicates(["start", "end"], keep="last"), "gold.txt", "names.tsv")
    assert found.mentions[["answer", "strict"]].values.tolist() == [["X1", 1.0], ["", 0.0]]
    found = evaluate(tied[:3], "gold.txt", "names.tsv")
    assert found.mentions[["answer", "strict"]].values.tolist() == [["X1", 0.5], ["", 0.0]]
    # A blank is no name: an answer without one is NIL, and not the concept that has it.
    blank = Ontology("blank", [Concept("X1", ("",)), Concept("X2", ("cold", " "))])
    nil = evaluate(ROWS.assign(ids=[[]] * 2, name=""), found.benchmark.test, blank)
    assert nil.mentions["answer"].tolist() == ["", ""]


def test_nil_is_answered_by_those_who_use_it(own):
    linker = NameLinker("names.tsv", how="tfidf", threshold=-1.0)
    (own / "nil.txt").write_text(GOLD + "1\t1\t2\tl\tD\t-1\n")
    corpus = evaluate(ROWS, "nil.txt", "names.tsv").benchmark.test
    answers = linker.link(corpus.hidden().documents, 2)
    of_object, of_table = (evaluate(each, corpus, "names.tsv") for each in (answers, answers.frame()))
    assert Candidate("", ()) in answers.candidates and of_object.threshold is of_table.threshold is None
    pd.testing.assert_frame_equal(of_object.published, of_table.published)


def test_a_comparison_is_the_difference_of_what_is_compared():
    first, second = (
        NameLinker(ONTOLOGY, how=how).link(BENCHMARK.test.hidden().documents) for how in ("tfidf", "exact")
    )
    found = compare(first, second, BENCHMARK).set_index("protocol")
    results = [evaluate(each, BENCHMARK) for each in (first, second)]
    assert found.loc["krissbert", "value"] == pytest.approx(
        recall_at_1(results[0]) - recall_at_1(results[1]), abs=2e-6
    )
    pd.testing.assert_frame_equal(compare(*results), found.reset_index()[compare(*results).columns])


def test_a_comparison_of_results_with_other_dictionaries_and_train_has_another_sign_the_other_way(own):
    (own / "fewer.tsv").write_text("X1\tflu\n")
    results = [
        evaluate(ROWS, "gold.txt", "names.tsv", train="more.txt"),
        evaluate(ROWS.assign(ids=[["X3"], ["X3"]]), "gold.txt", "fewer.tsv"),
    ]
    one, other = compare(*results), compare(*reversed(results))
    assert one["value"].notna().sum() > 5 and one.loc[one["note"] == "needs train", "value"].isna().all()
    pd.testing.assert_series_equal(one["value"], -other["value"])
    pd.testing.assert_frame_equal(one[["n", "p", "note"]], other[["n", "p", "note"]])


def test_holm_counts_each_scoring_with_numbers_once(own):
    corpora = [f"{n}|t|flu cold\n{n}|a|x\n{n}\t0\t3\tflu\tD\tX1\n" for n in range(9)]
    (own / "nine.txt").write_text("\n".join(corpora))
    rows = pd.DataFrame({"document": range(9), "start": 0, "end": 3, "ids": "X1", "score": 1.0})
    found = compare(rows, rows.assign(ids="X2"), "nine.txt", "names.tsv").set_index("protocol")
    assert found.loc["cosines-refined", ["p", "p_holm"]].isna().all()
    # Of the protocols with a p, belb-standard, krissbert and pel have one scoring.
    n = found["p"].notna().sum() - 2
    assert found.loc["pel", "p"] == 2 / 2**9 and found.loc["pel", "p_holm"] == pytest.approx(n * 2 / 2**9)


@pytest.mark.parametrize("spans", ["given", "predicted"])
def test_one_document_has_no_interval(own, spans):
    assert any(
        "THERE IS ONE DOCUMENT" in text
        for text in evaluate(ROWS, "gold.txt", "names.tsv", spans=spans).alerts
    )


def test_scores_of_0_at_predicted_spans_are_told_with_the_reason(own):
    prefixed = ROWS.assign(ids=[["EX:X1"], ["EX:X2"]])
    _, alert = evaluate(prefixed, "gold.txt", "names.tsv", spans="predicted").alerts
    assert "SCORES ARE EXACTLY 0 %" in alert and "without EX: before them, 2 mentions instead of 0" in alert
    moved = ROWS.assign(ids=[["X1"], ["X2"]], end=ROWS["end"] - 1)
    _, alert, *_ = evaluate(moved, "gold.txt", "names.tsv", spans="predicted").alerts
    assert "EXACTLY 0 %" in alert and "may be off by one, or the ends inclusive" in alert
    _, alert, *_ = evaluate(moved[:0], "gold.txt", "names.tsv", spans="predicted").alerts
    assert "No span is claimed." in alert


def test_what_a_person_handles_prints_short_compares_and_is_a_key(encoder):
    linker, scored = NameLinker(ONTOLOGY, how="exact"), evaluate(ONCE, BENCHMARK)
    at_spans = evaluate(ONCE, BENCHMARK, spans="predicted").outcomes
    shown = {
        ONCE: "Predictions(1 queries, 1 candidates)",
        scored.outcomes: "Outcomes(6 mentions scored, 10 lines)",
        at_spans: "SpanOutcomes(2 documents, 1 claims, 7 golds)",
        linker: "NameLinker(Ontology('toy', 4 concepts), how='exact')",
        NameLinker(): "NameLinker(None, how='both')",
        Encoder(encoder): "Encoder(1 layers of width 64, pooling='mean', max_length=32, precision='fp32')",
    }
    assert [*map(repr, shown)] == [*shown.values()]
    assert ONCE == ONCE != TWICE and scored == scored != evaluate(ONCE, BENCHMARK)
    assert {BENCHMARK: 1}[replace(BENCHMARK)] == 1


def test_no_mend_is_tried_where_every_id_is_known(monkeypatch):
    monkeypatch.setattr("benchlib.mends.id_mends", None)
    assert mend_of_answers(ONCE, BENCHMARK.test, ONTOLOGY) == ""


def test_dev_chooses_the_threshold_of_nil_when_linking(own):
    (own / "dev.txt").write_text("2|t|flu, cold\n2|a|x\n2\t0\t3\tflu\tD\tX1\n2\t5\t9\tcold\tD\t-\n")
    how = ["gold.txt", "--dictionary", "names.tsv", "--how", "tfidf"]
    for more, nil in (["-o", "plain.tsv"], 0), (["-o", "p.tsv", "--dev", "dev.txt"], 1):
        assert command.main(["link", *how, *more]) == 0
        assert sum(pd.read_csv(more[1], sep="\t").drop_duplicates("start")["ids"].isna()) == nil


def test_a_result_prints_short_and_its_html_is_escaped(own):
    (own / "gold.txt").rename(own / "<b>.txt")
    result = evaluate(ROWS, "<b>.txt", "names.tsv")
    text, html = repr(result), result._repr_html_()
    assert text.startswith("<b>: 2 mentions scored") and "krissbert" in text and len(text.splitlines()) < 40
    assert "<b>" not in html and "&lt;b&gt;: 2 mentions" in html and "<table" in html


def test_a_linker_that_answers_nothing_scores_nothing():
    other = Ontology("other", [Concept("X9", ("no such name",))])
    linked = NameLinker(other, how="exact").link(BENCHMARK.test.hidden())
    for given in (linked, Predictions((), (), np.zeros((0, 1), dtype=int), np.zeros((0, 1)))):
        result = evaluate(given, BENCHMARK)
        counts = result.outcomes.counts
        assert recall_at_1(result) == 0 and counts["unanswered"] == counts["n_scored"] > 0
        assert result.warnings == ("predictions: no mention is answered",)


@pytest.mark.parametrize(
    ("call", "told"),
    [
        (lambda: evaluate(ROWS, "gold.txt"), "gold.txt: a corpus given by its path needs a dictionary"),
        (lambda: evaluate(ROWS, "nowhere", "names.tsv"), "nowhere: no such file"),
        (lambda: evaluate(ROWS, BENCHMARK.test), "gold is a Corpus; expected a dictionary"),
        (lambda: evaluate(ROWS, BENCHMARK, ONTOLOGY), "gold that is read already"),
        (lambda: evaluate(ROWS, "gold.txt", "names.tsv", train=BENCHMARK.train), "train and dev as paths"),
        (lambda: evaluate(ROWS.drop(columns="start"), "gold.txt", "names.tsv"), "^DataFrame.* start"),
        (lambda: evaluate(ROWS.assign(start=[0, 9]), "gold.txt", "names.tsv"), r"^DataFrame: row 2"),
        (lambda: evaluate(ROWS.assign(ids=[["X1"], "X2"]), "gold.txt", "names.tsv"), "list"),
        (
            lambda: evaluate(ROWS, "gold.txt", "names.tsv", type="D"),
            "option 'type' is unknown; expected one of",
        ),
        (lambda: evaluate(ROWS[:0], "gold.txt", "names.tsv"), "expected at least one row"),
        (lambda: evaluate([("1", 0, 3)], "gold.txt", "names.tsv"), "predictions: .* found a list"),
        (
            lambda: evaluate(ROWS.assign(ids=[np.array([]), np.array(["X1"])]), "gold.txt", "names.tsv"),
            "^DataFrame",
        ),
        (
            lambda: evaluate(ROWS, "gold.txt", "names.tsv", dev_predictions=ROWS),
            "dev_predictions: expected a dev corpus, --dev FILE",
        ),
        (lambda: compare(ROWS, ROWS), "expected two results of evaluate"),
        (lambda: compare(*[evaluate(ONCE, BENCHMARK)] * 2, spans="predicted"), "no further argument"),
        (lambda: compare(*[evaluate(ONCE, BENCHMARK)] * 2, BENCHMARK), "no further argument"),
        (lambda: compare(ONCE, evaluate(ONCE, BENCHMARK), BENCHMARK), "no further argument"),
        (lambda: evaluate(ROWS, ROWS, "names.tsv"), "gold: expected a path, .* found a DataFrame"),
        (lambda: compare(ROWS, ROWS, "gold.txt", "names.tsv", dev_predictions=ROWS), "two results of eval"),
        (
            lambda: compare(*(evaluate(ROWS, at, "names.tsv") for at in ("gold.txt", "more.txt"))),
            "other ment",
        ),
        (
            lambda: compare(*(evaluate(ONCE, replace(BENCHMARK, cluster=of)) for of in ("document", "gold"))),
            "expected one unit of resampling, found document and gold",
        ),
        (lambda: evaluate(TWICE, BENCHMARK), "predictions: row 2: expected each candidate once in a list"),
        (lambda: NameLinker(how="tfdif"), "how is 'tfdif'; expected one of both, encoder, tfidf"),
        (lambda: NameLinker(how="exact", encoder="minilm"), "expected how='encoder'"),
        (lambda: NameLinker(threshold=float("nan")), "threshold is nan"),
        (
            lambda: NameLinker(ONTOLOGY, how="encoder", encoder=OneForAll()),
            "expected 5 vectors .* found \\(1, 2\\)",
        ),
        (lambda: NameLinker(ONTOLOGY, how="encoder", encoder=Sparse()), "found sparse ones"),
        (lambda: link(["flu"]), "mentions without a dictionary"),
        (lambda: link(["flu"], "names.tsv", how="exact", k=0), "k is 0; expected a whole number"),
        (lambda: link(["flu"], "names.tsv", how="exact", k=1.5), "k is 1.5; expected a whole number"),
        (lambda: link(["flu"], "names.tsv", synonym="|"), "option 'synonym' is unknown"),
        (lambda: link(["flu"], ONTOLOGY, synonyms="|"), "option 'synonyms' would be ignored"),
        (lambda: link("gold.txt", ONTOLOGY, strict=True), "option 'strict' would be ignored"),
        (lambda: evaluate(ROWS, "gold.txt", ONTOLOGY, strict=True), "option 'strict' would be ignored"),
        (lambda: link("plain.txt", ONTOLOGY, synonyms="|"), "option 'synonyms' would be ignored"),
        (lambda: link(["flu"], "names.tsv", types="D"), "option 'types' would be ignored"),
        (lambda: link(["flu"], ONTOLOGY, how="encoder", encoder=5), "encoder is 5; expected a model"),
        (lambda: link(None, ONTOLOGY), "list of texts or of documents, found a NoneType"),
        (lambda: link(["a\ud800"], ONTOLOGY, how="encoder"), "text 0: expected a text, found 'a.ud800'"),
        (lambda: link(["flu", " "], "names.tsv"), "text 1: expected a text that is not empty"),
        (
            lambda: NameLinker(ONTOLOGY, how="exact").explain("flu"),
            "list of texts or of documents, found a str",
        ),
        (lambda: link(ROWS, "names.tsv"), "list of texts or of documents, found a DataFrame"),
        (lambda: link(["flu", None], "names.tsv"), "text 1: expected a text .* found None"),
        (lambda: link(["flu"], "no.tsv"), "no.tsv: no such file"),
        (lambda: link([Document("1", "flu")] * 2, ONTOLOGY, how="exact"), "1: expected one with this id"),
        (lambda: NameLinker(ONTOLOGY, "gold.txt", how="exact"), "train: expected a Corpus, found a str"),
        (lambda: NameLinker(ONTOLOGY, how="exact").calibrate("gold.txt"), "dev: expected a Corpus"),
        (lambda: NameLinker(how="exact").link(["flu"]), "expected a dictionary"),
        (lambda: NameLinker(how="exact").explain(["flu"]), "expected a dictionary"),
        (lambda: NameLinker(how="exact").calibrate(BENCHMARK.test), "expected a dictionary"),
        (lambda: link(["flu"], "no-such-name"), "no data set 'no-such-name'"),
        (lambda: link(["flu"], ROWS), "dictionary: expected a file, .* found a DataFrame"),
    ],
)
def test_what_cannot_be_meant_is_one_sentence(own, call, told):
    with pytest.raises((ValueError, OSError), match=told):
        call()


def test_a_dictionary_is_read_as_asked_and_a_list_has_no_more_than_there_is(own):
    (own / "joined.csv").write_text("id,name,synonyms\nX1,fever,pyrexia|febris\nX2,flu,grippe\n")
    found = link(["febris", "grippe"], "joined.csv", how="exact", k=10**12, synonyms="|")
    assert found["ids"].tolist() == [("X1",), ("X2",)]


def test_equal_names_are_linked_case_aside(own):
    table = link(["FLU", "chill ", "x"], "names.tsv", how="exact")
    assert [*table] == [*COLUMNS]
    assert table[["document", "start", "end", "name", "ids"]].to_numpy().tolist() == [
        ["0", 0, 3, "flu", ("X1",)],
        ["1", 0, 6, "chill", ("X2",)],
    ]


def test_a_name_is_one_however_its_accents_are_written(write):
    composed = write("names.tsv", "D4\tSj\u00f6gren syndrome\n")
    [ids] = link(["Sjo\u0308gren syndrome"], composed, how="exact")["ids"]
    assert ids == ("D4",)


def test_tfidf_is_that_of_scikit_learn(own):
    table = link(["cold", "influenza"], "names.tsv", how="tfidf", k=5)
    names = ["flu", "grippe", "common cold", "chill", "colt"]
    vectors = TfidfVectorizer(analyzer="char", ngram_range=(1, 2)).fit(names)
    cosine = (vectors.transform(["cold", "influenza"]) @ vectors.transform(names).T).toarray()
    for row, (_, found) in zip(cosine, table.groupby("document"), strict=True):
        assert found["name"].iloc[0] == names[row.argmax()] and len(found) == 5
        np.testing.assert_allclose(found["score"], np.sort(row)[::-1], atol=1e-6)


def test_texts_may_be_any_iterable_and_vectors_lists_or_half_precision(own):
    class Listed(Lengths):
        encode = lambda self, texts: Lengths.encode(self, texts).tolist()  # noqa: E731

    class Half(Lengths):
        encode = lambda self, texts: Lengths.encode(self, texts).astype(np.float16)  # noqa: E731

    texts, how = ["b", "ab"], {"how": "encoder", "k": 2}
    table = link(texts, "names.tsv", encoder=Lengths(), **how)
    for given in (np.array(texts), pd.Series(texts), iter(texts)):
        pd.testing.assert_frame_equal(link(given, "names.tsv", encoder=Lengths(), **how), table)
    for encoder in (Listed(), Half()):
        pd.testing.assert_frame_equal(link(texts, "names.tsv", encoder=encoder, **how), table)


def test_a_text_of_options_is_split_at_commas_and_columns_that_are_not_read_are_named(own):
    (own / "gold.txt").write_text((own / "gold.txt").read_text().replace("\tX", "\tB:X"))
    result = evaluate(ROWS.assign(extra=[1, "a"]), "gold.txt", "names.tsv", strip_prefix="A:, B:")
    assert recall_at_1(result) == 0.5
    assert "DataFrame: 1 columns that are not read: extra" in result.warnings


def test_a_comparison_warns_of_what_is_odd_in_either_file(own):
    with pytest.warns(UserWarning, match="^DataFrame: 1 rows with ids outside names.*X77"):
        compare(ROWS, ROWS.assign(ids=[["X1"], ["X77"]]), "gold.txt", "names.tsv")


def test_vectors_that_numpy_cannot_read_are_refused(own):
    class Graded:
        encode = lambda self, texts: torch.ones(len(texts), 2, requires_grad=True)  # noqa: E731

    with pytest.raises(ValueError, match="encoder: expected vectors that numpy reads, found: .*grad"):
        link(["b"], "names.tsv", how="encoder", encoder=Graded())


def test_what_nobody_should_miss_is_printed_above_the_table(own):
    (own / "gold.txt").write_text((own / "gold.txt").read_text().replace("\tX", "\tB:X"))
    text, html = repr(found := evaluate(ROWS, "gold.txt", "names.tsv")), found._repr_html_()
    headline = "WARNING: 100 % OF THE GOLD IDS ARE OUTSIDE THE ONTOLOGY"
    assert (
        headline in text.splitlines()[1]
        and headline in html
        and text.index(headline) < text.index("krissbert")
    )


def test_lines_of_a_dictionary_that_are_left_out_are_warned_of(own):
    (own / "long.tsv").write_text("".join(f"X{i}\tname {i}\n" for i in range(300)) + "alone\n")
    with pytest.warns(UserWarning, match=r"^1 of 301 lines of long.tsv are left out .* line 301: "):
        table = link(["name 7"], "long.tsv", how="exact")
    assert table["ids"].tolist() == [("X7",)]


@pytest.mark.parametrize(
    "call",
    [
        lambda: link(["flu"], "names.csv", how="exact"),
        lambda: link("gold.txt", "names.csv", how="exact"),
        lambda: compare(KNOWN, KNOWN, "gold.txt", "names.csv"),
        lambda: compare(KNOWN, KNOWN, evaluate(ROWS, "gold.txt", "names.tsv").benchmark.test, "names.csv"),
        lambda: NameLinker("names.csv", how="exact"),
        lambda: NameLinker(how="exact").fit("names.csv"),
    ],
)
def test_what_is_not_read_of_a_dictionary_is_warned_of_at_the_line_that_asks(own, call):
    (own / "names.csv").write_text("id,name,extra\nX1,flu,a\nX2,cold,b\n")
    with pytest.warns(UserWarning, match="^Columns of names.csv that are not read: extra") as told:
        call()
    assert [warning.filename for warning in told] == [__file__]


class Lengths:
    """Encodes a text as its length, and its first letter's place in the alphabet."""

    def encode(self, texts):
        return np.array([[len(text), ord(text[0]) - 96] for text in texts], dtype=np.float32)


class Sparse:
    def encode(self, texts):
        return csr_matrix(np.ones((len(texts), 2)))


class OneForAll:
    def encode(self, texts):
        return np.ones((1, 2))


def test_names_are_compared_by_any_encoder_and_nil_is_called_up_to_a_threshold(own):
    # flu (3, 6), grippe (6, 7), common cold (11, 3), chill (5, 3), colt (4, 3); asked: (1, 2), (2, 1), flu.
    table = link(["b", "ab", "flu"], "names.tsv", how="encoder", encoder=Lengths(), k=2)
    assert table["name"].tolist() == ["flu", "grippe", "chill", "colt", "flu", "grippe"]
    cosines = [1, 20 / 425**0.5, 13 / 170**0.5, 11 / 125**0.5]
    assert table["score"].tolist() == pytest.approx([*cosines, 2, 60 / 3825**0.5])
    table = link(["b", "ab"], "names.tsv", how="encoder", encoder=Lengths(), k=2, threshold=0.999)
    assert table[["document", "name", "ids"]].to_numpy().tolist() == [
        ["0", "flu", ("X1",)],
        ["0", "grippe", ("X1",)],
        ["1", "", ()],
    ]
    nil = link(["x"], "names.tsv", how="exact", threshold=0.5)
    assert nil["ids"].tolist() == [()] and nil["name"].tolist() == [""]


PAIRS = [("cold", "D1"), ("chill", "D1"), ("fever", "D2"), ("pyrexia", "D2"), ("alone", "D3")]


def test_an_encoder_is_trained_saved_and_read(encoder, tmp_path):
    fresh = Encoder(encoder)
    texts = [text for text, _ in PAIRS]
    before = fresh.encode(texts)
    assert before.dtype == np.float32 and before.shape == (5, fresh.names.backbone.width)
    np.testing.assert_allclose(np.linalg.norm(before, axis=1), 1, atol=1e-5)
    trained = fresh.train(PAIRS, loss="info-nce", steps=20, learning_rate=1e-3)
    after = trained.encode(texts)
    assert trained is fresh and trained.trace[-1]["step"] == 20

    def margin(vectors):
        cosine = vectors @ vectors.T
        return cosine[[0, 2], [1, 3]].mean() - cosine[[0, 0, 1, 1], [2, 3, 2, 3]].mean()

    assert margin(after) > margin(before) + 0.1
    trained.save(tmp_path / "saved")
    np.testing.assert_array_equal(Encoder(tmp_path / "saved").encode(texts), after)
    with pytest.raises(ValueError, match="loss is 'nce'; expected one of info-nce, multi-similarity"):
        fresh.train(PAIRS, loss="nce")
    with pytest.raises(ValueError, match="expected a concept of two items"):
        fresh.train(PAIRS[-1:])
    with pytest.raises(ValueError, match="two concepts of two texts, found 1"):
        fresh.train(PAIRS[:2])
    for wrong in (("ague", float("nan")), ("ague", pd.NA), ("ague", ""), (None, "D1"), ("ague",), "a1", 2):
        with pytest.raises(ValueError, match="pairs: expected a text and the id of its concept"):
            fresh.train(pair for pair in (*PAIRS, wrong))
    for wrong, told in (({"steps": 0}, "steps is 0; expected greater than 0"), ({"loss": 5}, "loss is 5")):
        with pytest.raises(ValueError, match=f"^{told}"):
            fresh.train(PAIRS, **wrong)
    with pytest.raises(ValueError, match="pairs: expected ids that are all texts or all numbers, found both"):
        fresh.train([("cold", 1), ("chill", 1), ("fever", "1"), ("pyrexia", "1")])
    (tmp_path / "file").write_text("kept")
    with pytest.raises(FileExistsError):
        fresh.save(tmp_path / "file")
    with pytest.raises(ValueError, match="expected a sequence of texts, found the text 'fever'"):
        fresh.encode("fever")


def test_a_saved_encoder_reads_as_it_did_unless_it_is_told_otherwise(encoder, tmp_path):
    fresh = Encoder(encoder, pooling="cls", max_length=3)
    fresh.save(tmp_path)
    saved, other = Encoder(tmp_path), Encoder(tmp_path, pooling="mean", max_length=32)
    assert saved.fingerprint() == fresh.fingerprint() != other.fingerprint()
    for read, expected in ((saved, fresh), (other, Encoder(encoder))):
        np.testing.assert_array_equal(read.encode(["common cold"]), expected.encode(["common cold"]))
    one, two, three, seven = np.array([1, 2, 3, 7])  # integers of numpy are as good
    counted = Encoder(encoder, layers=one, pooling="cls", max_length=three)
    assert counted.fingerprint() == fresh.fingerprint()
    counted.train(PAIRS, steps=one, concepts=two, seed=seven).save(tmp_path)
    assert Encoder(tmp_path).fingerprint() == counted.fingerprint()
    with pytest.raises(ValueError, match=r"two concepts of two texts, found 2 of 2\.0"):
        counted.train(PAIRS, concepts=2.0)


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ({"pooling": "start"}, "pooling is 'start'; expected mean or cls"),
        ({"pooling": len}, "pooling is <built-in function len>; expected mean or cls"),
        ({"precision": "fp16"}, "precision is 'fp16'"),
        ({"max_length": 1_000}, "expected a length of 3 to"),
        ({"max_length": 8.0}, "expected a length of 3 to .* found 8.0"),
        ({"layers": "1"}, "has 1 layers, not '1'"),
    ],
)
def test_an_encoder_that_could_never_encode_is_refused(encoder, settings, told):
    with pytest.raises(ValueError, match=told):
        Encoder(encoder, **settings)
    assert Encoder(encoder).encode(text for text in ("flu", "cold")).shape[0] == 2
    for place, texts in enumerate(([float("nan"), "flu"], ["flu", float("nan")])):
        with pytest.raises(ValueError, match=f"text {place}: expected a text, found nan"):
            Encoder(encoder).encode(texts)


def test_a_training_is_found_again_by_its_pairs_and_leaves_the_callers_generator_alone(encoder, tmp_path):
    others = [(text, {"D1": "D2", "D2": "D3"}.get(id, "D1")) for text, id in PAIRS[1:] + PAIRS[:1]]
    ends = [
        Encoder(encoder).train(pairs, loss="info-nce", steps=2, checkpoints=tmp_path).encode(["cold"])
        for pairs in (PAIRS, others, PAIRS)
    ]
    np.testing.assert_array_equal(ends[0], ends[2])
    assert (ends[0] != ends[1]).any() and len(list(tmp_path.iterdir())) == 2
    own = [
        Encoder(encoder).train(pairs, LOSSES["info-nce"], steps=2, checkpoints=str(tmp_path / "own"))
        for pairs in (PAIRS, others)
    ]
    assert [(own[i].encode(["cold"]) == ends[i]).all() for i in (0, 1)] == [True, True]
    fresh = Encoder(encoder)
    torch.manual_seed(1)
    fresh.train(PAIRS, steps=1)
    drawn = torch.rand(1)
    torch.manual_seed(1)
    assert drawn == torch.rand(1)


def test_what_an_encoder_reads_by_is_in_its_fingerprint(encoder, tmp_path):
    first = Encoder(encoder)
    first.encode(["Cold"])
    first.save(tmp_path / "same")
    seen = {first.fingerprint(), Encoder(tmp_path / "same").fingerprint()}
    assert len(seen) == 1
    for name, key, value in (
        ("tokenizer_config.json", "do_lower_case", False),
        ("config.json", "hidden_act", "relu"),
    ):
        folder = shutil.copytree(tmp_path / "same", tmp_path / key)
        content = json.loads((folder / name).read_text())
        assert content[key] != value
        (folder / name).write_text(json.dumps(content | {key: value}))
        edited = Encoder(folder)
        assert (edited.encode(["Cold"]) != first.encode(["Cold"])).any()
        seen.add(edited.fingerprint())
    assert len(seen) == 3


@pytest.mark.parametrize("path", ["p.jsonl", "p.tsv", "p.tsv.gz"])
def test_the_program_links_what_it_then_scores(own, capsys, path):
    how = ["--how", "exact", "--threshold", "0"]
    assert command.main(["link", "gold.txt", "--dictionary", "names.tsv", "-o", path, *how]) == 0
    assert command.main(["score", path, "--dataset", "gold.txt", "--ontology", "names.tsv"]) == 0
    # "Flu" is a name; "cold" is none, and NIL is a wrong answer.
    assert f"1 of 2 mentions linked: {path}" in capsys.readouterr().out
    assert recall_at_1(evaluate(path, "gold.txt", "names.tsv")) == 0.5


def test_the_program_finds_mentions_in_text(own, capsys):
    text = "No flu.\n\n \nA common cold (CC), CC, not CCs."
    blocks = ("1|t|No flu.\n1|a|\n", "4|t|A common cold (CC), CC, not CCs.\n4|a|\n")
    (own / "gold.txt").write_text("1\t3\t6\tflu\tD\tX1\n\n".join(blocks) + "4\t20\t22\tCC\tD\tX3\n")
    (own / "plain.txt").write_text(text)
    (own / "pubtator.txt").write_text("\n".join(blocks))
    for corpus in ("plain.txt", "pubtator.txt"):
        command.main(
            ["link", corpus, "--dictionary", "names.tsv", "-o", "p.tsv", "--how", "tfidf", "-k", "1"]
        )
        table = pd.read_csv("p.tsv", sep="\t")
        assert [*table] == [*COLUMNS] and "4 of 4 mentions linked: p.tsv" in capsys.readouterr().out
        assert table[["document", "start", "end", "name", "ids"]].to_numpy().tolist() == [
            [1, 3, 6, "flu", "X1"],
            [4, 2, 13, "common cold", "X2"],
            [4, 15, 17, "common cold", "X2"],
            [4, 20, 22, "common cold", "X2"],
        ]
    found = evaluate("p.tsv", "gold.txt", "names.tsv", spans="predicted").spans.groupby("measure")
    assert found["value"].first()[["precision", "recall"]].tolist() == [0.25, 0.5]
    pd.testing.assert_frame_equal(
        *(link(corpus, "names.tsv", "tfidf") for corpus in ("plain.txt", "pubtator.txt"))
    )
    (own / "names.csv").write_text("X1,FLU\n")
    how = ["--dictionary", "names.csv", "-o", "p.tsv", "--how", "exact"]
    assert command.main(["link", "plain.txt", *how]) == 0
    assert "note: names.csv: all names are in capitals" in capsys.readouterr().err


def test_the_program_links_a_registered_data_set(own):
    assert command.main(["link", "mini", "-o", "p.jsonl", "--how", "exact"]) == 0
    assert recall_at_1(evaluate("p.jsonl", "mini")) == recall_at_1(
        evaluate(link("mini", how="exact"), "mini")
    )


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ("plain.txt -o p.tsv", "plain.txt: .* needs a dictionary"),
        ("plain.txt --dictionary no.tsv -o p.tsv", "no.tsv: no such file"),
        ("plain.txt --dictionary nameless.tsv -o p.tsv", "nameless.tsv:1: expected .* a name"),
        ("plain.txt --dictionary names.tsv -o p.xls", "p.xls: expected a name that ends in .tsv or .jsonl"),
        ("plain.txt --dictionary names.tsv -o no/p.tsv", "no/p.tsv: No such file"),
        ("plain.txt --dictionary names.tsv -o names.tsv", "names.tsv: expected a file of its own"),
        (
            "plain.txt --dictionary names.tsv -o p.tsv --types D",
            "plain.txt is plain text: types would be ignored",
        ),
        ("plain.txt --dictionary joined.tsv -o p.tsv", r"p.tsv: expected ids without \|"),
        ("text.pdf --dictionary names.tsv -o p.tsv", "text.pdf:1: expected"),
        ("empty.txt --dictionary names.tsv -o p.tsv", "empty.txt: expected PubTator, or a document a line"),
        ("no.txt --dictionary names.tsv -o p.tsv", "no.txt"),
    ],
)
def test_the_program_says_what_it_cannot_link_and_writes_nothing(own, capsys, arguments, told):
    files = {
        "text.pdf": "A flu.", "empty.txt": " \n", "nameless.tsv": "X1\t\n",
        "joined.tsv": "X1|X2\tcold\n", "p.tsv": "as before",
    }  # fmt: skip
    for name, content in files.items():
        (own / name).write_text(content)
    before = {path.name: path.read_text() for path in own.iterdir()}
    assert command.main(["link", *arguments.split(), "--how", "exact"]) == 1
    assert re.match(f"not linked: {told}", capsys.readouterr().err.splitlines()[-1])
    assert {path.name: path.read_text() for path in own.iterdir()} == before


def test_the_program_says_its_version(capsys):
    with pytest.raises(SystemExit):
        command.main(["--version"])
    assert capsys.readouterr().out == f"benchlib {benchlib.__version__}\n"


def test_the_program_of_the_study_has_its_commands_and_names_them(capsys, monkeypatch):
    for name in study.command.COMMANDS:
        with pytest.raises(SystemExit) as ended:
            study.command.main([name, "--help"])
        shown = capsys.readouterr().out
        assert ended.value.code == 0 and shown.startswith(f"usage: study {name}")
        assert "`" not in shown
    for option in ("-h", "--help"):
        assert study.command.main([option]) == 0
        shown = capsys.readouterr().out
        assert shown.startswith("usage: study {run,claims,book,") and "`" not in shown
    monkeypatch.setattr(sys, "argv", ["study"])
    for given in (None, ["runs"]):
        assert study.command.main(given) == 2
        assert capsys.readouterr().err.startswith("study: expected a command, one of run, claims, book, ")
    assert study.command.main(["data", "nowhere"]) == 1
    assert capsys.readouterr().err.startswith("not fetched: no source 'nowhere' in the registry; expected")
