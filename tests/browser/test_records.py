"""The pages of the records in the built book: all there, led to, readable in light, dark and narrow."""

from pathlib import Path
from urllib.parse import unquote

import pytest
from bs4 import BeautifulSoup, SoupStrainer
from rendered import HTML, coloured, saved, soup
from seen import luminance

from study.records import published

pytestmark = pytest.mark.browser
FOLDER = HTML / "data" / "records"
RECORDS = list(published())
LINKS = SoupStrainer(["a", "link"], href=True)
KEYS = [record.short_key for record in RECORDS]
# One of each kind: a training that was evaluated, one linking run, a count, kinds of mentions, a pretraining.
KINDS = ["evaluate_epochs=1--", "exact--", "card--", "strata--", "pretraining-", "errors--"]
SHOWN = [next(record.short_key for record in RECORDS if kind in record.stem) for kind in KINDS]


@pytest.fixture
def visit(browser, address):
    """Open the page of a record; what its scripts or requests complain of fails the test."""
    troubles, contexts = [], []

    def open_record(key: str, width: int = 1280, scheme: str = "light"):
        context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme)
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda m: m.type == "error" and troubles.append(m.text))
        page.on("response", lambda r: r.status >= 400 and troubles.append(r.url))
        page.on("request", lambda r: r.url.startswith(address) or troubles.append(r.url))
        page.goto(f"{address}data/records/{key}.html", wait_until="networkidle")
        return page

    yield open_record
    for context in contexts:
        context.close()
    assert troubles == []


def test_every_record_has_a_page_and_its_file_and_no_link_of_it_is_dead():
    places = {}
    for key in KEYS:
        assert (FOLDER / f"{key}.json").exists(), key
        text = (FOLDER / f"{key}.html").read_text(encoding="utf-8")
        for tag in BeautifulSoup(text, "html.parser", parse_only=LINKS).find_all(True):
            target, _, fragment = unquote(tag["href"]).partition("#")
            path = (FOLDER / target).resolve()
            assert path.exists(), f"{key}: {target}"
            if fragment:
                if path not in places:
                    places[path] = {one["id"] for one in soup(path).find_all(id=True)}
                assert fragment in places[path], f"{key}: {target} has no {fragment}"


@pytest.mark.parametrize("key", SHOWN)
def test_a_record_fits_a_screen_and_a_phone(visit, key):
    for width in (1280, 390):
        page = visit(key, width)
        assert page.evaluate("document.scrollingElement.scrollWidth") <= width
        small = page.eval_on_selector_all(
            "svg text", "all => all.map(t => t.getBoundingClientRect().height).filter(h => h < 10)"
        )
        assert not small


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_record_follows_the_setting_of_the_reader_before_that_of_the_system(visit, scheme):
    page = visit(SHOWN[0], scheme=scheme)

    def brightness(selector: str, of: str) -> float:
        return luminance(coloured(page.eval_on_selector(selector, f"e => getComputedStyle(e).{of}")))

    def is_dark() -> bool:
        behind = brightness("body", "backgroundColor")
        assert abs(behind - brightness("svg text", "fill")) > 0.4
        return behind < 0.05 < brightness("article td", "color")

    assert is_dark() == (scheme == "dark")
    chosen = "light" if scheme == "dark" else "dark"
    page.evaluate(f"localStorage.setItem('mode', '{chosen}')")
    page.reload()
    assert is_dark() == (chosen == "dark")


def test_the_scores_of_a_record_sort_and_can_be_saved(visit):
    page = visit(SHOWN[1])
    head = page.locator("#scores thead th").first
    head.click()
    assert head.get_attribute("aria-sort") in ("ascending", "descending")
    file = saved(page, page.locator("button", has_text="CSV").first.click)
    lines = Path(file.path()).read_text(encoding="utf-8").splitlines()
    assert len(lines) == 1 + page.locator("#scores tbody tr").count()
