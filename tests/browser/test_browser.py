"""Every page of the built book: it loads cleanly, fits, leads somewhere, and has what a page should have."""

import csv
import re
from dataclasses import fields
from urllib.parse import unquote, urldefrag, urljoin

import pytest
from rendered import HTML, NARROW, NOTEBOOKS, OPEN, PAGES, article, coloured, saved, soup
from seen import contrast

from study.claims.answers import Answer

pytestmark = pytest.mark.browser


@pytest.mark.parametrize("name", ["index", *PAGES, "search", "genindex"])
def test_a_page_loads_cleanly_needs_nothing_from_elsewhere_and_has_no_empty_output(visit, troubles, name):
    page = visit(name)
    page.wait_for_load_state("networkidle")
    assert troubles == []
    boxes = "[...document.querySelectorAll('article .cell_output pre')]"
    assert page.evaluate(f"{boxes}.filter(box => !box.textContent.trim()).length") == 0


@pytest.mark.parametrize("name", PAGES)
def test_no_page_scrolls_sideways(visit, name):
    page = visit(name)
    page.evaluate(OPEN)
    for width in (1280, NARROW["width"]):
        page.set_viewport_size({"width": width, "height": 900})
        page.wait_for_timeout(100)
        wide, seen = page.evaluate(
            "[document.scrollingElement.scrollWidth, document.scrollingElement.clientWidth]"
        )
        assert wide <= seen == width


@pytest.mark.parametrize("name", PAGES)
def test_every_image_has_a_text_and_every_formula_is_set(visit, name):
    page = visit(name)
    images = page.eval_on_selector_all(
        "article img", "images => images.map(i => [i.alt, i.src, i.naturalWidth])"
    )
    for text, source, width in images:
        # Sphinx falls back on the address of the image.
        assert len(text) > 10 and not text.endswith((".png", ".svg")), source
        assert width > 0, f"{source} is not drawn"
    formulas = page.locator("article .math")
    if formulas.count():
        page.wait_for_selector("article mjx-container svg")
        assert page.locator("article mjx-container").count() >= formulas.count()
        assert page.locator("article mjx-container [data-mjx-error], article mjx-merror").count() == 0


@pytest.mark.parametrize("name", PAGES)
def test_every_internal_link_leads_somewhere(name):
    for tag in soup(HTML / f"{name}.html").find_all("a", href=True):
        if re.match(r"[a-z]+:", link := tag["href"]):
            continue
        target, fragment = urldefrag(urljoin(f"/{name}.html", link))
        path = HTML / unquote(target).lstrip("/")
        assert path.exists(), f"{link}: there is no {target}"
        if path.suffix == ".html" and fragment:
            assert soup(path).find(id=unquote(fragment)), f"{link}: no such place"


@pytest.mark.parametrize("name", PAGES)
def test_a_page_leads_to_the_one_before_and_the_one_after(visit, name):
    page, at = visit(name), PAGES.index(name)
    for size in ({"width": 1280, "height": 800}, NARROW):
        page.set_viewport_size(size)
        for which, other in (("left-prev", at - 1), ("right-next", at + 1)):
            link = page.locator(f".prev-next-area a.{which}:visible")
            assert link.count() == (0 <= other < len(PAGES))
            if link.count():
                assert link.evaluate("a => a.href").endswith(f"/{PAGES[other]}.html")
                box = link.bounding_box()
                assert box["x"] >= 0 and box["x"] + box["width"] <= size["width"]


@pytest.mark.parametrize("name", PAGES)
def test_a_page_says_how_to_cite_it(visit, name):
    page = visit(name)
    assert not page.locator("details.cite pre").is_visible()
    page.locator("details.cite summary").click()
    bibtex, title = page.locator("details.cite pre").inner_text(), article(name).h1
    parts = title.select(".section-number, .headerlink")
    plain = title.get_text()
    for part in parts:
        plain = plain.replace(part.get_text(), "", 1)
    assert f"{{{{{plain.strip()}}}}}" in bibtex and bibtex.count("{") == bibtex.count("}")
    assert "url" not in bibtex or re.search(r"url = \{https://[^\s{}]+\}", bibtex)


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_a_notebook_carries_its_stamp_and_its_command_and_prints_without_code(visit, name):
    page = visit(name)
    assert page.locator("details.stamp").count() == 1
    assert f"papermill {name}.ipynb" in page.locator("#rerun pre").inner_text()
    assert not re.search(r"\d+%\|", page.locator("article").inner_text())
    page.set_viewport_size({"width": 794, "height": 1123})  # A4 at 96 dpi
    page.emulate_media(media="print")
    assert page.locator("div.cell_input:visible, details.stamp:visible, .table-bar:visible").count() == 0
    # More than the title stands on the first sheet.
    assert page.locator("article p:visible").first.bounding_box()["y"] < 300
    assert page.locator("article table thead:visible").count() > 0


PROMPT = re.compile(r"^\s*(?:\$|>>>|In \[\d*\]:|%) ", re.M)


@pytest.mark.parametrize("name", PAGES)
def test_what_is_copied_has_no_prompt_and_begins_with_a_command(visit, address, name):
    page = visit(name)
    page.context.grant_permissions(["clipboard-read", "clipboard-write"], origin=address.rstrip("/"))
    page.evaluate(OPEN)
    page.wait_for_timeout(300)  # the buttons come after the page
    blocks = page.locator("div.highlight:has(> button.copybtn):visible")
    assert blocks.count() == page.locator("div.highlight > pre:visible").count() > 0
    for block in blocks.all():
        block.locator("button.copybtn").evaluate("button => button.click()")
        page.wait_for_function("navigator.clipboard.readText().then(text => text.length > 0)")
        text, source = page.evaluate("navigator.clipboard.readText()"), block.locator("pre").inner_text()
        page.evaluate("navigator.clipboard.writeText('')")
        assert not PROMPT.search(text), text
        prompted = [line[2:] for line in source.splitlines() if line.startswith("$ ")]
        assert [line for line in prompted if line not in text.splitlines()] == []


@pytest.mark.parametrize("word", ["pessimistic", "KRISSBERT", "zzzq"])
def test_search_finds_what_is_there(visit, word):
    page = visit("search")
    page.goto(f"{page.url}?q={word}", wait_until="load")
    if word == "zzzq":
        return page.get_by_text("did not match any documents").wait_for()
    page.wait_for_selector("#search-results ul.search li")
    found = page.eval_on_selector_all("#search-results li a", "all => all.map(a => a.href)")
    assert any("/notebooks/" in link or "/book/" in link for link in found)


def column(page, number: int) -> list[str]:
    """The visible cells of a column of the claims table."""
    rows = page.locator("#claims-table tbody tr:visible")
    return [text.strip() for text in rows.locator(f"td:nth-child({number})").all_inner_texts()]


def test_the_claims_table_sorts_by_click_and_by_key_and_can_be_had_as_a_file(visit):
    page = visit("book/claims")
    page.locator("#claims-table tfoot button").click()
    head, before = page.locator("#claims-table thead th").first, column(page, 1)
    head.click()
    assert head.get_attribute("aria-sort") == "ascending"
    ascending = column(page, 1)
    assert ascending.index("B2") < ascending.index("B10") < ascending.index("K1")
    head.press("Enter")
    assert head.get_attribute("aria-sort") == "descending"
    assert column(page, 1) == ascending[::-1] and sorted(before) == sorted(ascending)
    file = saved(page, page.get_by_text("The claims as CSV").click)
    with open(file.path(), encoding="utf-8", newline="") as lines:
        head, *rows = csv.reader(lines)
    assert head == [field.name for field in fields(Answer)]
    assert sorted(row[0] for row in rows) == sorted(before)


def test_the_claims_table_filters_by_paper_verdict_and_words(visit):
    page = visit("book/claims")
    page.locator("#claims-table tfoot button").click()
    everything = len(column(page, 1))
    page.locator("select[data-column=paper]").select_option("KRISSBERT")
    assert {key[0] for key in column(page, 1)} == {"K"} and len(column(page, 1)) < everything
    page.locator("select[data-column=verdict]").select_option("not run")
    assert set(column(page, 5)) == {"not run"}
    page.locator(".table-bar input").fill("no such words anywhere")
    assert column(page, 1) == []
    page.locator(".table-bar input").fill("")
    page.locator("select[data-column=paper]").select_option("")
    page.locator("select[data-column=verdict]").select_option("")
    assert len(column(page, 1)) == everything


def test_errors_stand_in_their_context_and_can_be_searched(visit):
    page = visit("notebooks/score_your_own")
    page.evaluate(OPEN)
    rows = page.locator("#tab-own-errors tbody tr:visible")
    everything = rows.count()
    assert everything > 20 and page.locator("#tab-own-errors mark").count() == everything
    # The search box stands before the table that it filters.
    box = page.locator("#tab-own-errors").locator("xpath=preceding::input[@type='search'][1]")
    box.fill("several concepts")
    found = rows.all_inner_texts()
    assert 0 < len(found) < everything and all("several concepts" in text for text in found)


def test_dark_mode_can_be_switched_on_and_is_dark_with_light_text(visit):
    page = visit("notebooks/protocols")

    def colour(selector: str, of: str) -> str:
        return coloured(page.eval_on_selector(selector, f"element => getComputedStyle(element).{of}"))

    for _ in range(3):
        if page.evaluate("document.documentElement.dataset.theme") == "dark":
            break
        page.locator("button.theme-switch-button:visible").first.click()
    try:
        page.wait_for_timeout(300)  # the theme changes its colours by and by
        behind = colour("body", "backgroundColor")
        assert contrast(behind, "#000000") < 2
        for part in ("article h1", "article table td", "article table th"):
            assert contrast(colour(part, "color"), behind) > 7
        # No figure or table stands on a light card.
        for part in page.query_selector_all("article div.cell_output img, article div.cell_output table"):
            assert part.evaluate("e => getComputedStyle(e).backgroundColor") == "rgba(0, 0, 0, 0)"
    finally:
        page.evaluate("localStorage.clear()")
