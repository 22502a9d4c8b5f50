"""What a newcomer meets in the built book: the start page, the glossary, and the links that lead there."""

import functools
import re
from collections import Counter

import pytest
from bs4 import BeautifulSoup
from test_browser import HTML, NARROW, PAGES, address, browser, tab, troubles, visit  # noqa: F401

pytestmark = pytest.mark.browser

START, GLOSSARY = "book/start", "book/glossary"


@functools.cache
def article(name: str) -> BeautifulSoup:
    page = BeautifulSoup((HTML / f"{name}.html").read_text(encoding="utf-8"), "html.parser")
    return page.find("article", class_="bd-article")


def linked(name: str) -> list[str]:
    """The anchors in the glossary to which a page's terms lead."""
    return [mark.find_parent("a")["href"].partition("#")[2] for mark in article(name).select("a .std-term")]


def definitions() -> list[list[str]]:
    """The anchors of each definition's terms."""
    found = []
    for definition in article(GLOSSARY).select("dl.glossary > dd"):
        terms = definition.find_previous_siblings(["dt", "dd"])
        found.append([])
        for term in terms[: next((i for i, one in enumerate(terms) if one.name == "dd"), len(terms))]:
            found[-1].append(term["id"])
    return found


def test_every_term_of_the_glossary_is_linked_on_some_page():
    there = {anchor for name in PAGES if name != GLOSSARY for anchor in linked(name)}
    assert len(definitions()) > 40
    assert [terms for terms in definitions() if there.isdisjoint(terms)] == []


@pytest.mark.parametrize("name", PAGES)
def test_a_page_links_a_term_once_and_not_in_headings_code_or_tables(name):
    of = {anchor: number for number, terms in enumerate(definitions()) for anchor in terms}
    often = Counter(of[anchor] for anchor in linked(name))
    assert [number for number, n in often.items() if n > 1] == []
    for mark in article(name).select("a .std-term"):
        assert mark.find_parent(["h1", "h2", "h3", "h4", "code", "pre", "table", "figcaption", "dt"]) is None
        assert len(mark.find_parents("a")) == 1 and mark.find_parent("a")["title"]


def test_every_page_but_those_about_the_build_leads_to_the_glossary():
    assert {name for name in PAGES if not linked(name)} <= {"book/status", "book/changelog"}


def test_the_first_page_to_read_is_the_start_and_most_of_its_terms_are_explained(visit):  # noqa: F811
    first = visit("book/index").locator("nav.bd-links li a").first
    assert first.get_attribute("href").endswith("start.html")
    words = article(START).get_text(" ").split()
    assert 700 < len(words) < 1300  # three to five minutes
    assert len(linked(START)) > 25


DRAWN = """svg => {
  const solid = colour => colour.match(/[\\d.]+/g).map(Number)
  const over = (top, share, below) => below.map((c, i) => share * top[i] + (1 - share) * c)
  const page = solid(getComputedStyle(document.body).backgroundColor)
  return [...svg.querySelectorAll("text")].map(text => {
    const box = text.getBoundingClientRect(), style = getComputedStyle(text)
    const [x, y] = [box.x + box.width / 2, box.y + box.height / 2]
    let below = page
    for (const rect of svg.querySelectorAll("rect")) {
      const r = rect.getBoundingClientRect(), of = getComputedStyle(rect)
      if (of.fill !== "none" && r.left <= x && x <= r.right && r.top <= y && y <= r.bottom)
        below = over(solid(of.fill), Number(of.fillOpacity), below)
    }
    const scale = svg.getBoundingClientRect().width / svg.viewBox.baseVal.width
    return {text: text.textContent.trim(), pixels: parseFloat(style.fontSize) * scale,
            colour: solid(style.fill), below, left: box.left, right: box.right}
  })
}"""


def luminance(colour: list[float]) -> float:
    parts = [value / 255 for value in colour[:3]]
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_drawings_can_be_read_on_a_phone(visit, theme):  # noqa: F811
    page = visit(START)
    page.set_viewport_size(NARROW)
    page.evaluate("theme => { document.documentElement.dataset.theme = theme }", theme)
    drawings = page.query_selector_all("article svg[role=img]")
    assert len(drawings) == 4
    for drawing in drawings:
        for text in drawing.evaluate(DRAWN):
            low, high = sorted(luminance(text[of]) + 0.05 for of in ("colour", "below"))
            assert high / low >= 4.5, text
            assert text["pixels"] >= 10 and 0 <= text["left"] < text["right"] <= NARROW["width"], text


def test_a_term_leads_to_its_definition(visit):  # noqa: F811
    page = visit(START)
    page.get_by_role("link", name=re.compile("^surface form$")).click()
    page.wait_for_url("**/book/glossary.html#term-surface-form")
    assert page.locator("#term-surface-form + dd").is_visible()
