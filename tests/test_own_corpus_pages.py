"""A corpus of one's own on the pages: papermill runs them on a small one, and what its parameters say of how
it is read changes the numbers. What is expected is counted by hand in data/examples/own-corpus."""

from pathlib import Path

import nbformat
import pytest

from benchlib.formats.own import DEFAULT_READING
from study.book.pages import papermill
from study.chapters.jobs import STRATA, reading_of
from study.chapters.parameters import checked, defaults_of
from study.chapters.plan import plan_of
from study.chapters.run import plan_with
from study.places import ROOT
from study.records import Store

OWN = ROOT / "data" / "examples" / "own-corpus"
FILES = {"dataset": str(OWN / "corpus.txt"), "ontology": str(OWN / "dictionary.tsv")}
CONTRACT = {"train": str(OWN / "train.txt"), "types": "Disease", "strip_prefix": "EX:", "all_of": "/",
            "synonyms": "|"}  # fmt: skip
PAGES = [path for path in sorted((ROOT / "notebooks").glob("*.ipynb")) if "types" in defaults_of(path)]


def shown(checkout: Path, name: str, **given: str) -> tuple[str, str]:
    """All that a page shows, and the last line of what went wrong."""
    out = checkout / f"{name}.out.ipynb"
    error, *_ = papermill(checkout / "notebooks" / f"{name}.ipynb", out, checkout, given)
    outputs = [one for cell in nbformat.read(out, 4).cells for one in cell.get("outputs", [])]
    return "\n".join("".join(one.get("data", {}).values()) for one in outputs), error


def cells(text: str, *first: str) -> list[str]:
    """The cells of the one row of a table that begins with these."""
    rows = [line.strip("| ").split(" | ") for line in text.splitlines() if line.startswith("| ")]
    [found] = [row for row in rows if tuple(row[: len(first)]) == first]
    return found[len(first) :]


def tfidf_made(checkout: Path, name: str, runs: str, **given: str) -> None:
    """Makes the records of TF-IDF and of the kinds of mentions alone, for a page that computes nothing."""
    for job in plan_with(name, given, checkout).jobs([runs]):
        if job.linker == "tfidf" or job.measurement == STRATA:
            job.record(Store(checkout / "_build" / "records"))


def contract(page: Path) -> str:
    """The last group of a parameters cell."""
    [cell] = [c for c in nbformat.read(page, 4).cells if "parameters" in c.metadata.get("tags", [])]
    return cell.source.split("\n\n")[-1]


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.stem)
def test_the_parameters_of_an_own_corpus_are_alike_on_every_page_and_change_nothing_by_default(page):
    assert contract(page) == contract(PAGES[0]) and len(PAGES) > 8
    assert contract(page).startswith("# ---- where dataset is a path")
    read = checked({}, defaults_of(page)).values()
    # A page has no switches, so it reads what `strict` would refuse, with a note.
    assert {*vars(DEFAULT_READING)} - {"strict"} < set(read) and reading_of(read) == DEFAULT_READING


def test_one_separator_may_take_a_character_of_the_other():
    usual = checked({}, defaults_of(PAGES[0])).values()
    comma, bar = reading_of(usual | {"any_of": ","}), reading_of(usual | {"all_of": "|"})
    assert (comma.any_of, comma.all_of, bar.any_of, bar.all_of) == (",", ";+", "", "|")


def test_what_is_evaluated_on_dev_is_not_run_without_it():
    [clean] = [row for row in plan_with("cosines", FILES).rows("table3") if "clean" in row.system.keys]
    assert clean.system.reason == "NOT RUN: needs a dev corpus" and not clean.jobs
    given = FILES | {"dev": CONTRACT["train"]}
    [clean] = [row for row in plan_with("cosines", given).rows("table3") if "clean" in row.system.keys]
    assert clean.jobs and "evaluate_steps" in clean.system.linker


def test_a_weight_is_not_chosen_on_a_dev_that_is_not_there(tmp_path):
    chapter = "systems: {mixed: {label: Mixed, linker: 'cross-encoder,first=tfidf,mix=dev'}}\n"
    chapter += "runs: {test: {data: bc2gn, systems: [mixed]}}\n"
    (tmp_path / "c.yaml").write_text(chapter, encoding="utf-8")
    given = defaults_of(PAGES[0]) | FILES | {"train": CONTRACT["train"]}
    for dev, reason in (("", "NOT RUN: needs a dev corpus"), (CONTRACT["train"], "")):
        [row] = plan_of("c", given | {"dev": dev}, tmp_path).rows("test")
        assert row.system.reason == reason and bool(row.jobs) is not bool(reason)


def test_pretraining_is_measured_of_encoders_that_the_study_adapts_alone():
    assert [str(job) for job in plan_with("parts").measured("adaptation")]
    assert plan_with("parts", {"adapted": "minilm"}).measured("adaptation") == []


def test_the_data_page_counts_as_the_parameters_say(checkout):
    text, _ = shown(checkout, "datasets", **FILES, **CONTRACT)
    # Seven rows, two of them chemicals; a composite of two; E1 to E4.
    found = cells(text, "corpus", "test")
    assert found == ["2", "7", "type Chemical 2", "5", "0", "1", "4", "5", "100.0"]
    assert cells(text, "corpus", "train") == ["1", "2", "none", "2", "0", "0", "2", "2", "100.0"]
    assert cells(text, "corpus", "4")[:3] == ["8", "11", "11"]  # each id with and without its prefix
    assert "OUTSIDE THE ONTOLOGY" not in text


@pytest.mark.parametrize(
    ("name", "label", "share"), [("cosines", "", "80.0 "), ("biocom", ", reachable", "100.0 ")]
)
def test_a_page_scores_as_the_parameters_say_beside_no_printed_number(checkout, name, label, share):
    given = FILES | CONTRACT | {"all_of": ",;+"}
    tfidf_made(checkout, name, "table1", **given)
    text, _ = shown(checkout, f"{name}_results", compute="never", **given)
    # Unseparated, the id of the composite is none of the ontology: 4 of 5, or all of the 4 that are left.
    glance = f'<a href="#{name}-table-1">Table 1</a>', f"TF-IDF, char 1-2, Recall@1{label}"
    printed, ours, verdict, difference = cells(text, *glance)[:4]
    assert ours.startswith(share) and verdict == "shown, not compared"
    assert printed.strip() == difference.strip() == ""
    assert "Not the published parameters" in text
    assert "-p all_of" not in text and "-p strip_prefix '[\"EX:\"]'" in text
