"""The built book's front page, its numbers, its start page, and the way to the pages."""

import re

import pytest
import yaml
from rendered import NARROW, PAGES, ROOT, THEME, article, coloured
from seen import contrast

from study.papers import RESULTS

pytestmark = pytest.mark.browser
CONTENTS = yaml.safe_load((ROOT / "_toc.yml").read_text(encoding="utf-8"))
CHAPTERS = [page["file"] for page in CONTENTS["parts"][0]["chapters"]]  # without the sections of full results


def test_the_front_page_has_three_screens_and_begins_with_what_was_found(visit):
    page = visit("index")
    page.wait_for_url("**/book/index.html")
    page.set_viewport_size({"width": 1280, "height": 800})
    assert page.locator("article").bounding_box()["height"] <= 3 * 800
    for size in ({"width": 1280, "height": 800}, NARROW):
        page.set_viewport_size(size)
        assert page.locator("section#what-was-found li").first.bounding_box()["y"] < size["height"] / 2
    for place in ("what-was-asked", "what-was-found", "what-you-can-do"):
        assert len(page.locator(f"section#{place}").inner_text()) > 100


def test_each_finding_has_a_number_and_a_link_and_no_label_is_left_in_the_text():
    findings = article("book/index").select("section#what-was-found ol > li")
    assert len(findings) == 5
    for finding in findings:
        assert re.search(r"\d", finding.strong.get_text() + finding.get_text()) and finding.find("a")["href"]
    assert not re.search(r"\b(?:tab|fig)-\w", article("book/index").get_text())


@pytest.mark.parametrize("name", CHAPTERS)
def test_tables_and_figures_are_numbered_within_their_chapter(name):
    chapter = CHAPTERS.index(name) + 1
    assert article(name).select_one("h1 .section-number").get_text().strip() == f"{chapter}."
    assert not article(name).select("h2 .section-number, h3 .section-number")
    pages = [page for page in (name, f"{name}{RESULTS}") if page in PAGES]
    numbers = [of.get_text().strip() for page in pages for of in article(page).select(".caption-number")]
    for kind in ("Table", "Fig."):
        told = [number for number in numbers if number.startswith(kind)]
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


def test_the_contents_open_on_a_phone_and_lead_on(visit):
    page = visit("notebooks/cosines")
    page.set_viewport_size(NARROW)
    wanted = page.locator("#pst-primary-sidebar a, #pst-primary-sidebar-modal a").filter(has_text="The data")
    wanted.first.wait_for(state="hidden")  # the page needs a moment to become narrow
    page.locator("button.primary-toggle:visible").first.click()
    wanted.first.click()
    page.wait_for_url("**/notebooks/datasets.html")


def test_the_first_page_to_read_is_the_start_and_its_terms_are_explained(visit):
    first = visit("book/index").locator("nav.bd-links li a").first
    assert first.get_attribute("href").endswith("start.html")
    assert 700 < len(article("book/start").get_text(" ").split()) < 1300  # three to five minutes
    linked = {mark.find_parent("a")["href"] for mark in article("book/start").select("a .std-term")}
    assert len(linked) > 25
    page = visit("book/start")
    page.get_by_role("link", name=re.compile("^surface form$")).click()
    page.wait_for_url("**/book/glossary.html#term-surface-form")
    assert page.locator("#term-surface-form + dd").is_visible()


# Of each text of a drawing its colour, that of the boxes behind it, its height in pixels and its place.
DRAWN = """svg => {
  const solid = colour => colour.match(/[\\d.]+/g).map(Number)
  const over = (top, share, below) => below.map((c, i) => Math.round(share * top[i] + (1 - share) * c))
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
            colour: style.fill, below: below.join(" "), left: box.left, right: box.right}
  })
}"""


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_drawings_of_the_start_page_can_be_read_on_a_phone(visit, theme):
    page = visit("book/start")
    page.set_viewport_size(NARROW)
    page.evaluate(THEME, theme)
    drawings = page.query_selector_all("article svg[role=img]")
    assert len(drawings) == 4
    for drawing in drawings:
        for text in drawing.evaluate(DRAWN):
            assert contrast(coloured(text["colour"]), coloured(text["below"])) >= 4.5, text
            assert text["pixels"] >= 10 and 0 <= text["left"] < text["right"] <= NARROW["width"], text
