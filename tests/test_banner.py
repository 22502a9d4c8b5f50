"""What a page says of parameters that are not the published ones."""

from study.banner import banner
from study.chapter import ROOT
from study.page import Page
from study.parameters import Parameters, defaults_of
from study.runs import plan_with

PUBLISHED = {
    name: tuple(value) if isinstance(value, list) else value
    for name, value in defaults_of(ROOT / "notebooks" / "cosines.ipynb").items()
}


def page(**changed) -> Page:
    return Page("cosines", Parameters(PUBLISHED | changed), plan_with("cosines"))


def test_a_page_as_published_says_nothing_however_its_records_are_come_by():
    assert banner(page()) == banner(page(compute="never")) == ""


def test_what_differs_is_named_with_its_published_value():
    said = banner(page(epochs=3, seeds=(7, 8), dataset=""))
    assert "`rates` is empty (published: 0.0001" in banner(page(rates=()))
    assert "`epochs` is 3 (published: 20)" in said and "`seeds` is 7, 8 (published: 0, 1, 2)" in said
    assert "`dataset` is empty (published: all)" in said and "`rates`" not in said
