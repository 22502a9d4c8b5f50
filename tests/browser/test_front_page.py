"""The built book's front page, its numbers, its search, what can be copied, and the way from page to page."""

import re

import pytest
from bs4 import BeautifulSoup
from test_browser import HTML, NARROW, PAGES, address, browser, tab, troubles, visit  # noqa: F401

from study.book.reading import parts

pytestmark = pytest.mark.browser

ROOT = HTML.parents[1]
CHAPTERS = parts(ROOT)["Read"]
FOLDS = [{"width": 1280, "height": 800}, NARROW]
PROMPT = re.compile(r"^\s*(?:\$|>>>|In \[\d*\]:|%) ", re.M)


def article(name: str) -> BeautifulSoup:
    page = BeautifulSoup((HTML / f"{name}.html").read_text(encoding="utf-8"), "html.parser")
    return page.find("article", class_="bd-article")


@pytest.mark.parametrize("size", FOLDS, ids=["wide", "phone"])
def test_what_was_asked_found_and_can_be_done_stand_above_the_fold(visit, size):  # noqa: F811
    page = visit("book/index")
    page.set_viewport_size(size)
    for place in ("what-was-asked", "what-was-found", "what-you-can-do"):
        box = page.locator(f"section#{place}").bounding_box()
        assert box["y"] >= 0 and box["y"] + box["height"] <= size["height"], place
        assert len(page.locator(f"section#{place}").inner_text()) > 100


def test_the_front_page_lists_the_pages_of_the_contents_in_their_order():
    lines = article("book/index").select("section#every-page li")
    links = [line.find("a", class_="reference")["href"] for line in lines]
    listed = [re.sub(r"^(?=[\w-]+\.html)", "book/", link).removeprefix("../") for link in links]
    assert [link.removesuffix(".html") for link in listed] == [page for page in PAGES if page != "book/index"]


@pytest.mark.parametrize("name", CHAPTERS)
def test_tables_and_figures_are_numbered_within_their_chapter(name):
    chapter = CHAPTERS.index(name) + 1
    assert article(name).select_one("h1 .section-number").get_text().strip() == f"{chapter}."
    assert not article(name).select("h2 .section-number, h3 .section-number")
    for kind in ("Table", "Fig."):
        told = [number.get_text().strip() for number in article(name).select(".caption-number")]
        told = [number for number in told if number.startswith(kind)]
        assert told == [f"{kind} {chapter}.{i}" for i in range(1, len(told) + 1)]


def test_a_reference_has_the_number_of_what_it_leads_to():
    found = 0
    for name in PAGES:
        for link in article(name).select("a.reference .std-numref"):
            target, _, place = link.parent["href"].partition("#")
            there = article(name if not target else "/".join([*name.split("/")[:-1], target[:-5]]))
            number = there.find(id=place).select_one(".caption-number").get_text().strip()
            assert link.get_text().strip() == number
            found += 1
    assert found > 0


@pytest.mark.parametrize("size", FOLDS, ids=["wide", "phone"])
@pytest.mark.parametrize("name", PAGES)
def test_a_page_leads_to_the_one_before_and_the_one_after(visit, name, size):  # noqa: F811
    page, at = visit(name), PAGES.index(name)
    page.set_viewport_size(size)
    for which, other in (("left-prev", at - 1), ("right-next", at + 1)):
        link = page.locator(f".prev-next-area a.{which}:visible")
        assert link.count() == (0 <= other < len(PAGES))
        if link.count():
            assert link.evaluate("a => a.href").endswith(f"/{PAGES[other]}.html")
            box = link.bounding_box()
            assert box["x"] >= 0 and box["x"] + box["width"] <= size["width"]


def test_the_contents_open_on_a_phone_and_lead_on(visit):  # noqa: F811
    page = visit("notebooks/cosines")
    page.set_viewport_size(NARROW)
    wanted = page.locator("#pst-primary-sidebar a, #pst-primary-sidebar-modal a").filter(has_text="The data")
    wanted.first.wait_for(state="hidden")  # the page needs a moment to become narrow
    page.locator("button.primary-toggle:visible").first.click()
    wanted.first.click()
    page.wait_for_url("**/notebooks/datasets.html")


@pytest.mark.parametrize("name", PAGES)
def test_a_page_says_how_to_cite_it(visit, name):  # noqa: F811
    page = visit(name)
    assert not page.locator("details.cite pre").is_visible()
    page.locator("details.cite summary").click()
    bibtex = page.locator("details.cite pre").inner_text()
    title = article(name).h1
    for part in title.select(".section-number, .headerlink"):
        part.decompose()
    assert f"{{{{{title.get_text().strip()}}}}}" in bibtex
    assert bibtex.count("{") == bibtex.count("}")
    assert "url" not in bibtex or re.search(r"url = \{https://[^\s{}]+\}", bibtex)


@pytest.mark.parametrize("name", PAGES)
def test_what_is_copied_has_no_prompt_and_begins_with_a_command(visit, address, name):  # noqa: F811
    page = visit(name)
    page.context.grant_permissions(["clipboard-read", "clipboard-write"], origin=address.rstrip("/"))
    page.evaluate(
        "document.querySelectorAll('article details, details.cite').forEach(d => { d.open = true })"
    )
    blocks = page.locator("div.highlight:has(> button.copybtn)")
    page.wait_for_timeout(300)  # the buttons come after the page
    shown = page.locator("div.highlight > pre:visible").count()
    assert page.locator("div.highlight:has(> button.copybtn):visible").count() == shown > 0
    for i in range(blocks.count()):
        block = blocks.nth(i)
        if not block.locator("pre").is_visible():
            continue
        block.locator("button.copybtn").evaluate("button => button.click()")
        page.wait_for_function("navigator.clipboard.readText().then(text => text.length > 0)")
        text, source = page.evaluate("navigator.clipboard.readText()"), block.locator("pre").inner_text()
        page.evaluate("navigator.clipboard.writeText('')")
        assert not PROMPT.search(text), text
        prompted = [line[2:] for line in source.splitlines() if line.startswith("$ ")]
        assert [line for line in prompted if line not in text.splitlines()] == []


@pytest.mark.parametrize("name", [name for name in PAGES if name.startswith("notebooks/")])
def test_on_paper_a_page_has_prose_and_tables_and_no_code(visit, name):  # noqa: F811
    page = visit(name)
    page.set_viewport_size({"width": 794, "height": 1123})  # A4 at 96 dpi
    try:
        page.emulate_media(media="print")
        assert page.locator("div.cell_input:visible, details.stamp:visible, .table-bar:visible").count() == 0
        # More than the title stands on the first sheet.
        assert page.locator("article p:visible").first.bounding_box()["y"] < 300
        assert page.locator("article table:visible, article img:visible").count() > 0
    finally:
        page.emulate_media(media="screen")


def results(visit, query: str) -> list[tuple[str, str]]:  # noqa: F811
    """The pages found and the text shown of each, best first."""
    page = visit("search")
    page.goto(f"{page.url}?q={query}", wait_until="load")
    page.wait_for_function(
        "!document.querySelector('#search-results h2').textContent.startsWith('Searching')"
    )
    page.wait_for_function(
        "[...document.querySelectorAll('#search-results li')].every(li => li.querySelector('p.context'))"
    )
    return page.eval_on_selector_all(
        "#search-results li",
        "all => all.map(li => [li.querySelector('a').href, li.querySelector('p.context').textContent])",
    )


def page_of(link: str) -> str:
    return re.search(r"((?:book|notebooks)/[\w-]+)\.html", link)[1]


def test_a_search_finds_words_and_not_letters_within_others(visit):  # noqa: F811
    found = results(visit, "NIL")
    pages = {page_of(link) for link, _ in found}
    word = re.compile(r"(?<!\w)nils?(?!\w)", re.I)
    assert pages == {name for name in PAGES if word.search(article(name).get_text(" "))}
    assert all(word.search(text) for _, text in found)
    assert not any(re.search("minilm", text, re.I) and not word.search(text) for _, text in found)
    assert page_of(found[0][0]) != "book/bibliography"


def test_a_search_finds_longer_words_by_their_beginning(visit):  # noqa: F811
    assert {page_of(link) for link, _ in results(visit, "pessimis")} >= {"notebooks/protocols", "book/how-to"}


def test_what_stands_in_code_alone_comes_last(visit):  # noqa: F811
    found = [page_of(link) for link, _ in results(visit, "globals")]
    assert "notebooks/cosines" in found
    # As a word: the name of a page, dual_encoder, is another one.
    prose = {name for name in PAGES if re.search(r"\bencoders?\b", _prose(name))}
    pages = list(dict.fromkeys(page_of(link) for link, _ in results(visit, "encoder")))
    assert set(pages[: len(prose)]) == prose


def _prose(name: str) -> str:
    found = article(name)
    for part in found.select("div.cell_input, details.stamp"):
        part.decompose()
    return found.get_text(" ").lower()


def test_nothing_found_says_so(visit):  # noqa: F811
    page = visit("search")
    page.goto(f"{page.url}?q=zzzq", wait_until="load")
    page.get_by_text("did not match any documents").wait_for()
