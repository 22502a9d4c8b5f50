"""Chapters as data: every one resolves at every scale, mistakes in one are said with file and key, and its
rankers learned."""

import json
import math
import re
from dataclasses import replace
from types import SimpleNamespace

import pytest

from study.chapters.chapter import SCALES, chapters, read_chapter
from study.chapters.jobs import Job
from study.chapters.parameters import defaults_of
from study.chapters.plan import plan_of
from study.chapters.run import plan_with
from study.chapters.trainings import final_loss
from study.corpora import registry
from study.papers import papers, results_page
from study.places import ROOT
from study.printed import reported
from study.systems import linker
from study.tables import setup_table

RANKED = [name for name in chapters() if "rankers-dev" in read_chapter(name).runs]
EVERY = [(name, scale) for name in chapters() for scale in SCALES]


def at(name: str, scale: str):
    """The plan of a chapter at a scale; that of the papers wants an encoder."""
    wants = scale == "paper" and "encoder" in defaults_of(ROOT / "notebooks" / f"{name}.ipynb")
    return plan_with(name, {"scale": scale} | ({"encoder": "someone/bert-small"} if wants else {}))


def runs(plan) -> list[Job]:
    return [job for job in plan.jobs() if job.linker]


@pytest.mark.parametrize(("name", "scale"), EVERY)
def test_a_chapter_resolves_at_every_scale(name, scale):
    plan = at(name, scale)
    jobs = plan.jobs()
    assert jobs and len(set(jobs)) == len(jobs)
    for job in jobs:
        assert not job.linker or linker(job.linker).name == job.linker
    for run_set in plan.chapter.runs:
        rows = plan.rows(run_set)
        # Two rows of one data set are two systems, with two names.
        shown = [(row.data, row.system.label) for row in rows]
        assert len(set(shown)) == len(shown), run_set
    if scale == "mini":
        assert {job.data.name for job in jobs} == {"mini"}


def test_rows_are_in_the_order_of_the_papers_table():
    plan = plan_with("cosines")
    labels = [row.system.label for row in plan.rows("table1")]
    printed = [row.system.printed for row in plan.rows("table1") if row.system.printed]
    assert labels[0] == "TF-IDF, char 1-2" and labels[-1] == "CoSiNES, rate 0.0001"
    assert printed == ["TF-IDF", "BERT", "GPT3", "GNN", "CoSiNES"]
    [paid] = [row for row in plan.rows("table1") if row.system.printed == "GPT3"]
    assert not paid.jobs and paid.system.reason.startswith("NOT RUN")
    data = [row.data.name for row in plan.rows("table3")]
    assert list(dict.fromkeys(data)) == ["ncbi-disease", "bc5cdr-disease", "bc5cdr-chemical", "bc2gn"]


def test_two_systems_that_are_one_run_are_one_and_found_by_either_key():
    [merged] = [row.system for row in plan_with("cosines", {"scale": "mini"}).rows("table1")
                if "higher" in row.system.keys]  # fmt: skip
    assert merged.keys == ("cosines", "longer", "higher") and merged.label == "CoSiNES"


def test_the_embedded_corpus_has_one_small_network_and_no_other():
    made = [linker(job.linker) for job in runs(plan_with("cosines", {"scale": "mini"}))]
    trained = [one for one in made if one.base == "cosines"]
    assert {(one.layers, one.epochs) for one in trained if one.model == "minilm"} == {(1, 1)}


def test_the_paper_scale_trains_as_long_as_the_paper_with_every_layer_of_any_encoder():
    plan = at("cosines", "paper")
    rates = {row.system.label: linker(row.system.linker) for row in plan.rows("figure3")}
    one = rates["1e-05"]
    assert (one.model, one.epochs, one.layers, one.pooling) == ("someone/bert-small", 200, None, "cls")
    assert len(plan.rows("figure3")[0].jobs[0]) == 5


def test_the_paper_scale_trains_bi_encoders_and_rankers_for_the_epochs_of_pel():
    # Table 6: 7 epochs, of the cross-encoder 5. The dual encoder prints none, and has as many.
    for name, key, ranker in (("pel", "proxy-mixed", "ranker"), ("dual_encoder", "single-mixed", "blink")):
        open_, paper = at(name, "open"), at(name, "paper")
        assert [linker(of.system(key).linker).epochs for of in (open_, paper)] == [None, 7]
        asked = linker(paper.system(ranker).linker)
        assert (asked.epochs, asked.first_linker().epochs) == (5, 7)
        tables = (setup_table(SimpleNamespace(plan=of)).set_index("setting") for of in (open_, paper))
        sets = ("arms", "longer") if name == "pel" else ("medmentions",)
        run = [linker(row.system.linker) for of in sets for row in open_.rows(of) if row.jobs]
        steps = {str(getattr(of, "steps", 0)) for of in run} - {"None", "0"} | {str(open_.values["steps"])}
        here, longest = (table["here"]["length"] for table in tables)
        assert steps <= {*re.findall(r"\d+", here)} and longest == "7 epochs"
        # What is trained for longer elsewhere is trained for as long here.
        assert {row.system.linker for row in paper.rows("longer" if name == "pel" else "medmentions")} <= {
            row.system.linker for row in paper.rows("arms" if name == "pel" else "bc5cdr")
        }


@pytest.mark.parametrize("name", RANKED)
def test_rankers_stand_beside_their_first_linker_and_have_equal_trials_of_their_rates(name):
    plan = plan_with(name)
    rows = [linker(row.system.linker) for row in plan.rows("rankers-dev")]
    rankers, others = ([one for one in rows if (one.base == "cross-encoder") is of] for of in (True, False))
    firsts = {one.first_linker().name for one in rankers}
    assert {one.name for one in others} == firsts
    trials = {first: {} for first in firsts}
    for run_set in (run_set for run_set in plan.chapter.runs if run_set.endswith("-rates")):
        for row in plan.rows(run_set):
            tried = linker(row.system.linker)
            if tried.base == "cross-encoder":
                assert {row.jobs[0][0].split, row.system.seeds} == {"dev", (0,)}
                trials[tried.first_linker().name][tried.learning_rate] = tried.steps
    [grid] = {tuple(of.items()) for of in trials.values()}
    rates = [rate for rate, _ in grid]
    assert len(rates) >= 4 and all(b / a <= 3.2 for a, b in zip(rates, rates[1:], strict=False))
    for one in rankers:
        assert one.head_rate == 0.003 and one.learning_rate in rates
        assert all(3 * steps >= one.steps for _, steps in grid)
    # With and without the first linker's score, of one training.
    assert {one.mix for one in rankers} == {"none", "dev"}
    assert {replace(one, mix="dev").name for one in rankers} == {
        one.name for one in rankers if one.mix == "dev"
    }


def test_parameters_that_cannot_go_together_are_refused():
    with pytest.raises(ValueError, match="scale is 'paper'.* expected `encoder`.*found 'minilm'"):
        plan_with("protocols", {"scale": "paper"})
    with pytest.raises(ValueError, match="encoder '/no/where': there is no such folder"):
        plan_with("protocols", {"encoder": "/no/where"})
    for dataset in ("all", "mini"):
        with pytest.raises(ValueError, match=f"{dataset}.*registered.*ontology, types would be ignored"):
            plan_with("protocols", {"dataset": dataset, "ontology": "names.tsv", "types": "Disease"})
    with pytest.raises(ValueError, match="scale is 'mini'.*: dataset, ontology would be ignored"):
        plan_with("protocols", {"scale": "mini", "dataset": "bc2gn", "ontology": "names.tsv"})


def test_the_grids_have_the_values_of_the_papers_and_meet_at_its_setting():
    printed = reported.table("cosines", "table5")

    def values(metric):
        return {float(value) for value in reported.select(printed, metric=metric)["value"]}

    plan = plan_with("cosines")
    margins, groups = ([row.system.values for row in plan.rows(name)] for name in ("margins", "groups"))
    assert {of["margin"] for of in margins} == values("hp_margin")
    assert {of["rate"] for of in margins} == values("hp_learning_rate") == {of["rate"] for of in groups}
    linkers = [{row.system.linker for row in plan.rows(name)} for name in ("margins", "groups")]
    assert len(linkers[0] & linkers[1]) == 4  # margin 2 with 16 groups, at each rate


def test_the_grids_are_trained_for_as_many_epochs_as_the_page_says():
    said = {"one": 1, "two": 2, "three": 3, "five": 5, "ten": 10}
    cells = json.loads((ROOT / "notebooks" / "cosines_results.ipynb").read_text(encoding="utf-8"))["cells"]
    [figure] = [source for cell in cells if "figures.grid(" in (source := "".join(cell["source"]))]
    [caption] = re.findall(r"after (\w+) epochs", figure)
    plan = plan_with("cosines")
    grids = [linker(row.system.linker) for name in ("margins", "groups") for row in plan.rows(name)]
    assert {(one.epochs, one.steps) for one in grids} == {(said[caption], None)}


def test_the_page_of_the_data_has_every_corpus_that_is_registered():
    plan = plan_with("datasets")
    assert (
        {job.data.name for job in plan.measured("cards")}
        == set(registry.benchmarks())
        == {data.name for data in plan.data}
    )


@pytest.mark.parametrize("name", chapters())
def test_every_item_is_shown_drawn_or_has_a_reason(name):
    notebook = (ROOT / "notebooks" / f"{results_page(name)}.ipynb").read_text(encoding="utf-8")
    for item, entry in read_chapter(name).items.items():
        assert entry.runs or entry.measured or entry.drawing or entry.as_printed or entry.reason, item
        assert not entry.drawing or (ROOT / entry.drawing).exists(), item
        places = (f"({entry.anchor})=", f":name: {entry.anchor}", f'"name": "{entry.anchor}"')
        assert any(place in notebook for place in places), item


@pytest.mark.parametrize("name", [name for name in papers() if name != "shared"])
def test_both_pages_of_a_paper_have_the_same_parameters(name):
    summary, results = (defaults_of(ROOT / "notebooks" / f"{of}.ipynb") for of in (name, results_page(name)))
    assert results_page(name) == f"{name}_results" and list(summary.items()) == list(results.items())


def test_a_parameter_of_the_page_reaches_its_runs():
    plan = plan_with("cosines", {"seeds": "[7, 8]", "dataset": "ncbi-disease"})
    assert {(job.seed, job.data.name) for job in runs(plan)} == {(seed, "ncbi-disease") for seed in (0, 7, 8)}
    one = plan_of("cosines", defaults_of(ROOT / "notebooks" / "cosines.ipynb") | {"seeds": 7})
    assert {job.seed for job in runs(one)} == {0, 7}
    with pytest.raises(
        ValueError, match="'bc2gn', which chapter pel does not use; expected all, mini, bc5cdr-re"
    ):
        plan_with("pel", {"dataset": "bc2gn"})


CHAPTER = """
scales:
  open: {set: {rate: 0.3, mixed: "{rate}"}}
  mini: {set: {rate: 0.7}}
systems:
  one: {label: One, linker: exact}
  two: {label: "{size:g}", each: {size: [0.1, 0.2]}, linker: "cosines,learning_rate={size}"}
runs:
  both: {data: mini, systems: [one, two]}
"""


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("\nsystems:", "\npath: c.yaml\nsystems:", r"c\.yaml: path: unknown key; expected one of datasets"),
        ("linker: exact", "linker: exactly", r"c\.yaml: systems: one: no linker 'exactly'"),
        ("{size}", "{sizes}", r"c\.yaml: systems: two: .*'sizes'.*there are .*size"),
        ("[one, two]", "[one, tow]", r"c\.yaml: .*runs: both: there is no 'tow'; expected one of one, two"),
        ("linker: exact", "linker: ''", r"c\.yaml: .*a linker, follows another, or has a reason"),
        ("linker: exact", "follows: c/bth/two", r"c\.yaml: no 'c/bth/two'; expected CHAPTER\[/RUNS\]/SYSTEM"),
        ("linker: exact", "follows: c/three", r"c\.yaml: no 'c/three'; expected CHAPTER"),
        ("  both:", "  states:", r"c\.yaml: .*runs: 'states' is the name of all records that say how"),
        ("\nsystems:", "\nstate_folds: {a: 2}\nsystems:", r"c\.yaml: .*state_folds: there is no 'a'"),
        ("linker: exact", "linker: exact, chosen_by: bth", r"c\.yaml: systems: one: chosen_by: .*'bth'"),
        (
            "[one, two]}\n",
            "[one]}\nitems: {t: {runs: both, headlines: [{runs: both, system: one, stratum: seen}]}}\n",
            r"c\.yaml: items\.t\.headlines\[0\]\.stratum: expected .*'seen name'.*, found 'seen'",
        ),
        ("[one, two]}", "[one], set: {sise: 1}}", r"c\.yaml: runs: both: set: .*'sise'.*there are .*rate"),
    ],
)
def test_a_mistake_is_one_sentence_with_file_and_key(tmp_path, old, new, message):
    assert CHAPTER.count(old) == 1
    (tmp_path / "c.yaml").write_text(CHAPTER.replace(old, new), encoding="utf-8")
    with pytest.raises(ValueError, match=message) as error:
        plan_of("c", {"scale": "open"}, tmp_path)
    assert "\n" not in str(error.value)


def test_each_is_a_product_whose_values_may_have_names_and_unknown_names_list_what_there_is(tmp_path):
    named = CHAPTER.replace("[0.1, 0.2]", "{little: 0.1, much: 0.2}").replace("[one, two]", "[much, little]")
    (tmp_path / "c.yaml").write_text(named, encoding="utf-8")
    plan = plan_of("c", {"scale": "open"}, tmp_path)
    rows = [(row.system.keys, row.system.label, row.system.values) for row in plan.rows("both")]
    assert rows == [(("much",), "0.2", {"size": 0.2}), (("little",), "0.1", {"size": 0.1})]
    assert plan.system("little").linker == "cosines,learning_rate=0.1"
    (tmp_path / "c.yaml").write_text(CHAPTER, encoding="utf-8")
    plan = plan_of("c", {"scale": "open"}, tmp_path)
    assert [row.system.label for row in plan.rows("both")] == ["One", "0.1", "0.2"]
    with pytest.raises(ValueError, match="no runs 'bth'; expected one of both"):
        plan.rows("bth")
    with pytest.raises(ValueError, match="no runs nothing; expected both"):
        plan.jobs(["nothing"])
    with pytest.raises(ValueError, match="expected one system 'two', found 2"):
        plan.system("two")
    with pytest.raises(ValueError, match="no chapter 'd'; expected one of c"):
        plan_of("d", {"scale": "open"}, tmp_path)


def test_a_run_set_has_parameters_of_its_own_at_the_scale_open(tmp_path):
    more = """
  own: {data: mini, systems: [one, three], set: {rate: 0.9, epochs: "{few}", few: 4}}
  same: {data: mini, systems: [three]}
"""
    three = '  three: {label: "{rate:g}", linker: "cosines,learning_rate={mixed},epochs={epochs}"}\nruns:'
    text = CHAPTER.replace("runs:", three) + more.lstrip("\n")
    (tmp_path / "c.yaml").write_text(text.replace("mixed:", "few: 2, mixed:"), encoding="utf-8")

    def trained(scale):
        plan = plan_of("c", {"scale": scale, "epochs": 8}, tmp_path)
        rows = [
            row.system for name in ("own", "same") for row in plan.rows(name) if row.system.label != "One"
        ]
        return [(of.label, linker(of.linker).learning_rate, linker(of.linker).epochs) for of in rows]

    # The rate that is made of another follows it, and a parameter of the page gives way too.
    assert trained("open") == [("0.9", 0.9, 4), ("0.3", 0.3, 8)]
    assert trained("mini") == [("0.7", 0.7, 8), ("0.7", 0.7, 8)]


# ---------------------------------------------------------------- whether a ranker learned


def ranker(losses, chance):
    """A training of these losses, one an update."""
    rows = [{"step": i, "loss": loss, "chance_loss": chance} for i, loss in enumerate(losses, start=1)]
    return SimpleNamespace(trace=rows, inputs={"name": "cross-encoder"})


def test_the_final_loss_is_that_of_the_last_tenth_as_a_share_of_chance():
    # Of twenty updates the last two: (0.9 + 1.1) / 2 of ln 16.
    record = ranker([2.7] * 18 + [0.9, 1.1], math.log(16))
    assert final_loss(record) == pytest.approx(1 / 2.772589)
    # Of a trace that keeps every second update, that of 20 alone.
    record.trace = record.trace[1::2]
    assert final_loss(record) == pytest.approx(1.1 / 2.772589)
    for lacking in (ranker([], None), ranker([1], None)):
        with pytest.raises(ValueError, match="cross-encoder: expected a trace with the chance loss"):
            final_loss(lacking)


@pytest.mark.parametrize("name", RANKED)
def test_every_ranker_of_which_dev_chose_the_rate_learned(name):
    plan = plan_with(name)
    made = [
        record
        for row in plan.rows("rankers-dev")
        if linker(row.system.linker).base == "cross-encoder"
        for of_seed in row.jobs
        for job in of_seed
        if (record := plan.store.find(job.inputs)) is not None
    ]
    if not made:
        pytest.skip("no ranker of it was run")
    assert [record.stem for record in made if final_loss(record) >= 0.5] == []
