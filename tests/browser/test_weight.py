"""How heavy a page of the built book is, and that what it builds on demand is found."""

import json

import pytest
from rendered import HTML, PAGES, soup

from study.book.light import MOST_BYTES, MOST_NODES

pytestmark = pytest.mark.browser
NODES = "document.getElementsByTagName('*').length"


@pytest.mark.parametrize("name", PAGES)
def test_a_page_is_light_and_has_mathjax_only_for_formulas(visit, name):
    page = visit(name)
    assert page.evaluate(NODES) <= MOST_NODES and (HTML / f"{name}.html").stat().st_size <= MOST_BYTES
    assert page.locator("script[src*=mathjax]").count() == bool(soup(HTML / f"{name}.html").select(".math"))


def test_the_front_page_loads_at_most_a_megabyte(visit):
    got = []
    page = visit("book/glossary")
    page.on("response", got.append)
    page.goto(page.url.replace("glossary", "index"), wait_until="networkidle")
    assert sum(len(response.body()) for response in got) <= 1_000_000


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


def test_the_further_rows_of_a_table_come_by_its_button_by_sorting_and_for_print(visit):
    page, table = visit("notebooks/side_by_side"), "#tab-side-1"
    rows = page.locator(f"{table} tbody tr")
    first = rows.count()
    page.locator(f"{table} tfoot button").click()
    whole = rows.count()
    assert whole > first and page.locator(f"{table} tfoot").count() == 0
    page.locator("#tab-side-2 thead th").nth(3).click()
    assert page.locator("#tab-side-2 tbody tr").count() > first
    page.evaluate("window.dispatchEvent(new Event('beforeprint'))")
    assert page.locator("article tbody > template").count() == 0
