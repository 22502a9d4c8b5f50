"""A page at work: its parameters, the records of its chapter computed once, and what it says is missing."""

from dataclasses import replace

import pytest
from linking import called
from small_study import page, write_study

from benchlib.ontology import fold_name
from study.chapters import plan as plans
from study.chapters.results import shared_stratum
from study.corpora import load
from study.pages import page as pages
from study.pages.page import Page
from study.places import ROOT
from study.records import Record, Store
from study.systems import ExactLinker

CHAPTER = """
datasets:
  real: {bc2gn: BC2}
scales:
  mini: {drop: [dropped]}
systems:
  exact: {label: Exact, linker: exact}
  again: {label: Exact again, linker: exact}
  prior: {label: Prior, linker: prior, seeds: "{seeds}"}
  dropped: {label: Dropped, linker: tfidf}
  paid: {label: Paid, reason: "NOT RUN: paid service"}
  sampled:
    label: "Exact, {share:g}"
    each: {share: [0.5, 0.25]}
    linker: exact
    changes: ["sample-names:{share}:0"]
  with-text: {label: "Exact, with text", linker: exact, changes: ["unlabelled:train"]}
runs:
  test: {data: real, systems: [exact, again, prior, dropped, paid], kinds: true}
  cut: {data: real, systems: [exact], folds: 2}
  sizes: {data: real, systems: [exact, sampled, with-text], kinds: true}
measured:
  cards: {measurement: card, data: real}
  errors: {measurement: errors, data: real, of: exact}
"""
EXAMPLE = ROOT / "data" / "examples" / "own-corpus"
OWN = {"dataset": str(EXAMPLE / "corpus.txt"), "ontology": str(EXAMPLE / "dictionary.tsv")}
CELL = 'scale = "open"\ncompute = "missing"\ndataset = "all"\nontology = ""\nseeds = [0, 1]\n'


@pytest.fixture(autouse=True)
def root(tmp_path, monkeypatch):
    """A study of one small chapter, whose records go nowhere near the checkout."""
    write_study(tmp_path, CELL, tiny=CHAPTER)
    monkeypatch.setattr(plans, "local", lambda: Store(tmp_path / "local" / "records"))
    monkeypatch.setattr(plans, "published", lambda: Store(tmp_path / "published" / "records"))
    return tmp_path


@pytest.fixture
def fits(monkeypatch):
    """Every fit of exact match."""
    return called(monkeypatch, ExactLinker, "fit")


def test_runs_are_rows_of_systems_with_a_record_for_each_seed_and_fold(root):
    here = page(root, scale="mini")
    found = here.runs("test")
    assert [(one.label, one.data, len(one.records), one.made) for one in found] == [
        ("Exact", "mini", 1, True), ("Prior", "mini", 2, True), ("Paid", "mini", 0, False),
    ]  # fmt: skip
    assert found[0].system.keys == ("exact", "again") and found[2].kinds is None
    assert found[0].kinds is found[1].kinds and found[0].kinds.strata is not None
    [cut] = here.runs("cut")
    assert cut.folds == 2 and cut.made and cut.kinds is None
    assert len(cut.clusters) == sum(len(record.outcomes.clusters) for record in cut.records[0])
    assert set(here.measured("cards")) == {"mini"}
    # Exact match, two seeds, the kinds of all; two folds; a card.
    assert len(here.shown) == 4 + 2 + 1


def test_each_run_has_the_kinds_of_its_own_dictionary(root):
    *found, with_text = page(root, scale="mini").runs("sizes")
    mini = load("mini")
    # Of n names ⌊share × n⌋ are left, so that a concept with fewer than 1 / share has none.
    names = {id: len({*map(fold_name, of.names)}) for id, of in mini.ontology.concepts.items()}
    golds = [mention.gold.ids for _, mention in mini.test.mentions()]
    reachable = [runs.kinds.strata["reachable"].tolist() for runs in found]
    assert reachable == [[any(names[id] >= least for id in ids) for ids in golds] for least in (1, 2, 4)]
    assert sum(reachable[0]) > sum(reachable[1]) > sum(reachable[2])
    assert shared_stratum(found, "reachable")["mini"].tolist() == reachable[2]
    # Text beside changes neither mentions nor dictionary.
    assert with_text.made and with_text.kinds is found[0].kinds


def test_missing_computes_a_run_once_and_then_loads_it(root, fits, monkeypatch):
    first = page(root, scale="mini")
    [one] = [runs for runs in first.runs("test") if runs.label == "Exact"]
    assert first.runs("test")[0].record is one.record and len(fits) == 1
    assert len(first.shown) == 4  # exact, prior twice, and the kinds that they share
    again = page(root, scale="mini")
    assert again.runs("test")[0].record.key == one.record.key and len(fits) == 1
    # Nothing is missing, so that the foot has the costs alone.
    told, tables = [], []
    monkeypatch.setattr(pages, "markdown", told.append)
    monkeypatch.setattr(pages, "table", lambda frame, *of: tables.append(frame))
    assert 'id="rerun"' in again.end().data and told == []
    assert [frame["records"].tolist() for frame in tables] == [["4"]]


def test_always_computes_every_run_once_but_not_what_the_mentions_are(root, fits, monkeypatch):
    page(root, scale="mini").runs("test")
    kinds = called(monkeypatch, Record, "of_strata")
    afresh = page(root, scale="mini", compute="always")
    before = len(fits)
    afresh.runs("test")
    afresh.runs("test")
    assert len(fits) == before + 1 and kinds == [] and afresh.missing == []


def test_never_computes_nothing_and_says_the_one_command_that_would(root, fits, monkeypatch):
    told = []
    monkeypatch.setattr(pages, "markdown", told.append)
    here = page(root, compute="never", seeds="[0, 7]")
    found = here.runs("test")
    assert [one.made for one in found] == [False] * 4 and all(one.record is None for one in found)
    assert here.measured("cards") == {"bc2gn": None} and here.shown == [] and fits == []
    # exact, prior twice, tfidf, their kinds, and the card; asking again adds none.
    assert len(here.missing) == 6 and here.runs("test") and len(here.missing) == 6
    html = here.end().data
    [note] = told
    assert note.count("study run") == 1 and "6 records are missing" in note
    assert "study run tiny -p seeds '[0, 7]'\n" in note
    assert "missing here: of unknown length, estimated" in note  # there is no record of anything
    assert "<th>Records</th><td>none</td>" in html and not (root / "published").exists()


def test_an_own_corpus_and_the_embedded_one_have_records_of_this_machine_alone(root):
    (root / "own.txt").write_text(
        "1|t|Cold and fever.\n1|a|\n1\t0\t4\tCold\tDisease\tD1\n1\t9\t14\tfever\tDisease\tD2\n\n"
    )
    (root / "own.tsv").write_text("D1\tcold\nD2\tfever\n")
    own = page(root, dataset=str(root / "own.txt"), ontology=str(root / "own.tsv"))
    [exact] = [one for one in own.runs("test") if one.label == "Exact"]
    assert exact.made and exact.record.outcomes.counts["n_scored"] == 2
    assert exact.record.path == "" and set(own.editions()) == {exact.data}
    assert not own.real and page(root).real
    page(root, scale="mini").measured("cards")
    assert not (root / "published").exists() and list((root / "local" / "records").glob("new/*.json"))
    assert page(root).plan.store == plans.published()


def test_the_page_is_made_of_the_parameters_cell(monkeypatch):
    told = []
    monkeypatch.setattr(pages, "markdown", told.append)
    written = {"scale": "mini", "dataset": "all", "In": ["", '# Parameters\nscale = "mini"\n', ""]}
    here = Page.of("datasets", written)
    assert here.parameters.scale == here.value("scale") == "mini" and told == [here.banner()]
    assert not here.real and [data.name for data in here.plan.data] == ["mini"]


def test_a_page_names_the_parameters_that_are_not_the_published_ones(tmp_path):
    def said(**given) -> str:
        return page(ROOT, "cosines", **given).banner()

    assert said() == said(compute="never") == Page.published("cosines").banner() == ""
    differing = said(epochs=3, seeds=(7, 8), synonyms="|", dataset=OWN["dataset"], ontology=OWN["ontology"])
    assert "`epochs` is 3 (published: 20)" in differing and "`rates`" not in differing
    assert "`seeds` is 7, 8 (published: 0, 1, 2); " in differing and "(published: empty)" in differing
    # Of what the scale sets, its value is told.
    mini = said(scale="mini", epochs=7)
    assert "`scale` is mini (published: open)" in mini and "`seeds` is 0 (published: 0, 1, 2)" in mini
    assert "`epochs` is 1, as the scale sets it, not 7 (published: 20)" in mini
    assert mini.endswith(
        "Tables and figures below show these; sentences about results describe the published ones."
    )
    summary = replace(page(ROOT, "cosines", scale="mini"), notebook="cosines").banner()
    assert summary.endswith("are the published ones; the notebook `cosines_results` shows these.")
    # What is odd in a corpus of one's own follows.
    (tmp_path / "own.txt").write_text("1|t|Flu\n1|a|\n1\t0\t3\tFlu\tDisease\tMESH:X1\n")
    (tmp_path / "names.tsv").write_text("X1\tflu\n")
    given = {"dataset": str(tmp_path / "own.txt"), "ontology": str(tmp_path / "names.tsv")}
    assert "\n\n- WARNING: 100 % OF THE GOLD IDS ARE OUTSIDE THE ONTOLOGY." in said(**given)
    mended = said(**given, strip_prefix="MESH:")
    assert "`strip_prefix` is MESH:" in mended and "- WARNING" not in mended


def test_printed_numbers_stand_beside_real_corpora_only_in_our_words():
    open_page = Page.published("cosines")
    assert len(open_page.printed("table1")) and open_page.datasets("biomedical")["bc2gn"] == "bc2gm"
    assert not len(page(ROOT, "cosines", scale="mini").printed("table1"))
    accuracies = Page.published("biocom").printed("table1")
    assert set(accuracies["metric"]) == {"recall_at_1"} and len(accuracies) == 12
    [ours] = accuracies[(accuracies["system"] == "BioCoM") & (accuracies["dataset"] == "NCBID")]["value"]
    assert float(ours) == 60.3
    printed = Page.published("dual_encoder").printed("table3")
    assert printed["metric"].value_counts().to_dict() == {"recall_at_1": 8, "mrr": 8}
