"""What a page says of parameters that are not the published ones."""

from types import SimpleNamespace

from study.chapters.parameters import Parameters, defaults_of
from study.chapters.run import plan_with
from study.pages.banner import banner
from study.pages.page import Page
from study.places import ROOT

PUBLISHED = {
    name: tuple(value) if isinstance(value, list) else value
    for name, value in defaults_of(ROOT / "notebooks" / "cosines.ipynb").items()
}


def page(**changed) -> Page:
    values = PUBLISHED | changed
    return Page("cosines", Parameters(values), SimpleNamespace(values=values, data=()))


def test_a_page_as_published_says_nothing_however_its_records_are_come_by():
    assert banner(page()) == banner(page(compute="never")) == ""


def test_what_differs_is_named_with_its_published_value():
    said = banner(page(epochs=3, seeds=(7, 8), dataset=""))
    assert "`rates` is empty (published: 0.0001" in banner(page(rates=()))
    assert "`epochs` is 3 (published: 20)" in said and "`seeds` is 7, 8 (published: 0, 1, 2)" in said
    assert "`dataset` is empty (published: all)" in said and "`rates`" not in said


def test_of_what_the_scale_sets_its_value_is_told():
    given = {"scale": "mini", "epochs": 7}
    said = banner(Page("cosines", Parameters(PUBLISHED | given), plan_with("cosines", given)))
    assert "`scale` is mini (published: open)" in said and "`seeds` is 0 (published: 0, 1, 2)" in said
    assert "`epochs` is 1 (published: 20)" in said


def test_what_an_own_corpus_has_of_oddities_is_said(tmp_path):
    (tmp_path / "own.txt").write_text("1|t|Flu\n1|a|\n1\t0\t3\tFlu\tDisease\tMESH:X1\n")
    (tmp_path / "names.tsv").write_text("X1\tflu\n")
    given = {"dataset": str(tmp_path / "own.txt"), "ontology": str(tmp_path / "names.tsv")}
    said = banner(Page("cosines", Parameters(PUBLISHED | given), plan_with("cosines", given)))
    assert "\n\n- WARNING: 100 % OF THE GOLD IDS ARE OUTSIDE THE ONTOLOGY." in said
    given["strip_prefix"] = ("MESH:",)
    mended = banner(Page("cosines", Parameters(PUBLISHED | given), plan_with("cosines", given)))
    assert "`strip_prefix` is MESH:" in mended and "- WARNING" not in mended
