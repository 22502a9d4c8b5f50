"""How heavy a page of the built book is, and that what it builds on demand is found."""

import json

import pytest
from rendered import HTML, PAGES, soup

from study.book.light import MOST_BYTES, MOST_NODES
from study.claims import read_claims

pytestmark = pytest.mark.browser
NODES = "document.getElementsByTagName('*').length"


@pytest.mark.parametrize("name", PAGES)
def test_a_page_is_light_and_has_mathjax_only_for_formulas(visit, name):
    page = visit(name)
    assert page.evaluate(NODES) <= MOST_NODES and (HTML / f"{name}.html").stat().st_size <= MOST_BYTES
    assert page.locator("script[src*=mathjax]").count() == bool(soup(HTML / f"{name}.html").select(".math"))


def test_the_front_page_loads_at_most_a_megabyte(visit):
    page = visit("book/index")
    page.wait_for_load_state("networkidle")
    sizes = page.evaluate("performance.getEntries().map(one => one.decodedBodySize || 0)")
    assert len(sizes) > 10 and sum(sizes) <= 1_000_000


def folded(page) -> list[str]:
    """The places that a page has in its folds."""
    return page.evaluate("""[...document.querySelectorAll('article template')].flatMap(
      template => [...template.content.querySelectorAll('[id]')].map(place => place.id))""")


@pytest.mark.parametrize("name", [name for name in PAGES if name.startswith("notebooks/")])
def test_an_address_opens_the_fold_that_holds_its_place(visit, name):
    page = visit(name)
    for place in folded(page)[-2:]:
        page.evaluate("place => { location.hash = place }", place)
        page.locator(f"[id={json.dumps(place)}]").wait_for(state="attached", timeout=2000)


def test_a_search_opens_the_folds_that_hold_the_word(visit):
    page = visit("notebooks/cosines")
    assert "claims_section" not in page.locator("article").inner_text()
    page.goto(f"{page.url}?highlight=claims_section", wait_until="load")
    page.locator("span.highlighted").first.wait_for()
    assert page.locator("span.highlighted:visible").count() > 0


@pytest.mark.parametrize("asked", [
    "document.querySelector('#claims-table tfoot button').click()",
    "document.querySelector('#claims-table thead th').click()",
    "window.dispatchEvent(new Event('beforeprint'))",
])  # fmt: skip
def test_the_further_rows_of_a_table_come_by_its_button_by_sorting_and_for_print(visit, asked):
    page = visit("book/claims")
    rows = page.locator("#claims-table tbody tr")
    first = rows.count()
    page.evaluate(asked)
    assert first < rows.count() == len(read_claims())
    assert page.locator("#claims-table template, #claims-table tfoot").count() == 0
