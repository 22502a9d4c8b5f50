"""The built book as a reader meets it: headless Chromium on localhost, and nothing else reachable."""

import csv
import functools
import http.server
import re
import shutil
import threading
from dataclasses import fields
from pathlib import Path
from urllib.parse import unquote, urldefrag, urljoin

import pytest
from bs4 import BeautifulSoup

from study.book.check import documents
from study.claims.answers import Answer

pytestmark = pytest.mark.browser
sync_api = pytest.importorskip("playwright.sync_api")

ROOT = Path(__file__).resolve().parents[2]
HTML = ROOT / "_build" / "html"
PAGES = documents(ROOT / "_toc.yml")
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
NARROW, WIDE = {"width": 390, "height": 844}, {"width": 1280, "height": 900}


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


@pytest.fixture(scope="module")
def address():
    if not (HTML / "index.html").exists():
        pytest.fail("there is no book: run `make book` first")
    handler = functools.partial(Quiet, directory=str(HTML))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


@pytest.fixture(scope="module")
def browser():
    names = ("chromium", "chromium-browser", "google-chrome")
    chromium = next(filter(None, map(shutil.which, names)), None)
    if chromium is None:
        pytest.fail(f"no browser: none of {', '.join(names)} is on the PATH")
    with sync_api.sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=chromium, args=FLAGS)
        yield started
        started.close()


@pytest.fixture(scope="module")
def troubles():
    """What went wrong since it was last emptied: console errors, failed and foreign requests."""
    return []


@pytest.fixture(scope="module")
def tab(browser, address, troubles):
    context = browser.new_context(viewport=WIDE, color_scheme="light", accept_downloads=True)

    def judge(route):
        if route.request.url.startswith((address, "data:", "blob:")):
            return route.continue_()
        troubles.append(f"leaves localhost: {route.request.url}")
        return route.abort()

    context.route("**/*", judge)
    page = context.new_page()
    page.on("console", lambda m: m.type == "error" and troubles.append(f"console: {m.text}"))
    page.on("pageerror", lambda error: troubles.append(f"script: {error}"))
    page.on("requestfailed", lambda request: troubles.append(f"failed: {request.url}"))
    page.on("response", lambda r: r.status >= 400 and troubles.append(f"{r.status}: {r.url}"))
    yield page
    context.close()


@pytest.fixture
def visit(tab, address, troubles):
    """Open a page of the book afresh and wide."""

    def open_page(name: str):
        tab.goto("about:blank")  # what the page before still loads is broken off here, and is no trouble
        troubles.clear()
        tab.set_viewport_size(WIDE)
        tab.goto(f"{address}{name}.html", wait_until="load")
        return tab

    return open_page


@pytest.mark.parametrize("name", ["index", *PAGES, "search", "genindex"])
def test_a_page_loads_cleanly_and_needs_nothing_from_elsewhere(visit, troubles, name):
    visit(name).wait_for_load_state("networkidle")
    assert troubles == []


@pytest.mark.parametrize("name", PAGES)
def test_no_output_is_an_empty_box(visit, name):
    boxes = "[...document.querySelectorAll('article .cell_output pre')]"
    assert visit(name).evaluate(f"{boxes}.filter(box => !box.textContent.trim()).length") == 0


@pytest.mark.parametrize("name", PAGES)
def test_no_page_scrolls_sideways_on_a_phone(visit, name):
    page = visit(name)
    page.set_viewport_size(NARROW)
    page.wait_for_timeout(100)
    for details in page.query_selector_all("article details:not([open])"):
        details.evaluate("element => { element.open = true }")
    wide, seen = page.evaluate(
        "[document.scrollingElement.scrollWidth, document.scrollingElement.clientWidth]"
    )
    assert wide <= seen
    assert seen == NARROW["width"]


@pytest.mark.parametrize("name", PAGES)
def test_every_image_has_a_text(visit, name):
    images = visit(name).eval_on_selector_all(
        "article img", "images => images.map(i => [i.alt, i.src, i.naturalWidth])"
    )
    for text, source, width in images:
        # Sphinx falls back on the address of the image.
        assert len(text) > 10 and not text.endswith((".png", ".svg")), source
        assert width > 0, f"{source} is not drawn"


@pytest.mark.parametrize("name", PAGES)
def test_mathematics_is_set(visit, name):
    page = visit(name)
    formulas = page.locator("article .math")
    if formulas.count():
        page.wait_for_selector("article mjx-container svg")
        page.wait_for_function("document.querySelectorAll('article mjx-container').length > 0")
        assert page.locator("article mjx-container").count() >= formulas.count()
        assert page.locator("article mjx-container [data-mjx-error], article mjx-merror").count() == 0


@functools.cache
def anchors(path: Path) -> tuple[list[str], set[str]]:
    """The links of a rendered page, and the fragments it offers."""
    soup = BeautifulSoup(path.read_text(encoding="utf-8"), "html.parser")
    links = [tag["href"] for tag in soup.find_all("a", href=True)]
    return links, {tag["id"] for tag in soup.find_all(id=True)} | {""}


@pytest.mark.parametrize("name", PAGES)
def test_every_internal_link_leads_somewhere(name):
    here = HTML / f"{name}.html"
    for link in anchors(here)[0]:
        if re.match(r"[a-z]+:", link):
            continue
        target, fragment = urldefrag(urljoin(f"/{name}.html", link))
        path = HTML / unquote(target).lstrip("/")
        assert path.exists(), f"{link}: there is no {target}"
        if path.suffix == ".html":
            assert unquote(fragment) in anchors(path)[1], f"{link}: no such place"


def test_the_front_page_leads_to_every_page(visit):
    page = visit("index")
    page.wait_for_url("**/book/index.html")
    links = {urldefrag(link)[0] for link in page.eval_on_selector_all("a", "all => all.map(a => a.href)")}
    assert all(any(link.endswith(f"/{name}.html") for link in links) for name in PAGES)


@pytest.mark.parametrize("word", ["pessimistic", "KRISSBERT"])
def test_search_finds(visit, word):
    page = visit("search")
    page.goto(f"{page.url}?q={word}", wait_until="load")
    page.wait_for_selector("#search-results ul.search li")
    found = page.eval_on_selector_all("#search-results li a", "all => all.map(a => a.href)")
    assert any("/notebooks/" in link or "/book/" in link for link in found)


def column(page, number: int) -> list[str]:
    """The visible cells of a column of the claims table."""
    rows = page.locator("#claims-table tbody tr:visible")
    return [text.strip() for text in rows.locator(f"td:nth-child({number})").all_inner_texts()]


def test_the_claims_table_sorts_by_click_and_by_key(visit):
    page = visit("book/index")
    head = page.locator("#claims-table thead th").first
    before = column(page, 1)
    head.click()
    assert head.get_attribute("aria-sort") == "ascending"
    ascending = column(page, 1)
    assert ascending.index("B2") < ascending.index("B10") < ascending.index("K1")
    head.press("Enter")
    assert head.get_attribute("aria-sort") == "descending"
    descending = column(page, 1)
    assert descending == ascending[::-1]
    assert sorted(before) == sorted(ascending)


def test_the_claims_table_filters_by_paper_verdict_and_words(visit):
    page = visit("book/index")
    everything = len(column(page, 1))
    page.locator("select[data-column=paper]").select_option("KRISSBERT")
    assert {key[0] for key in column(page, 1)} == {"K"}
    assert 0 < len(column(page, 1)) < everything
    page.locator("select[data-column=verdict]").select_option("not run")
    assert set(column(page, 5)) == {"not run"}
    page.locator(".table-bar input").fill("no such words anywhere")
    assert column(page, 1) == []
    page.locator(".table-bar input").fill("")
    page.locator("select[data-column=paper]").select_option("")
    page.locator("select[data-column=verdict]").select_option("")
    assert len(column(page, 1)) == everything


def test_every_claim_leads_to_a_section_about_it(visit):
    page = visit("book/index")
    links = page.eval_on_selector_all("#claims-table tbody a", "all => all.map(a => a.getAttribute('href'))")
    assert len(links) == len(column(page, 1))
    assert all("#" in link for link in links)


@pytest.mark.parametrize("name", [name for name in PAGES if name.startswith("notebooks/")])
def test_a_page_carries_its_stamp_and_its_command_and_no_progress_bar(visit, name):
    page = visit(name)
    assert page.locator("details.stamp").count() == 1
    assert f"papermill {name}.ipynb" in page.locator("#rerun pre").inner_text()
    assert not re.search(r"\d+%\|", page.locator("article").inner_text())


def test_the_claims_can_be_had_as_a_file(visit):
    page = visit("book/index")
    with page.expect_download() as download:
        page.get_by_text("The claims as CSV").click()
    with open(download.value.path(), encoding="utf-8", newline="") as file:
        head, *rows = csv.reader(file)
    assert head == [field.name for field in fields(Answer)]
    assert sorted(row[0] for row in rows) == sorted(column(page, 1))


def test_errors_stand_in_their_context_and_can_be_searched(visit):
    page = visit("notebooks/score_your_own")
    rows = page.locator("#tab-own-errors tbody tr:visible")
    everything = rows.count()
    assert everything > 20 and page.locator("#tab-own-errors mark").count() == everything
    # The search box stands before the table that it filters.
    box = page.locator("#tab-own-errors").locator("xpath=preceding::input[@type='search'][1]")
    box.fill("several concepts")
    found = rows.all_inner_texts()
    assert 0 < len(found) < everything and all("several concepts" in text for text in found)


def luminance(page, selector: str, of: str) -> float:
    rgb = page.eval_on_selector(selector, f"element => getComputedStyle(element).{of}")
    red, green, blue = map(int, re.findall(r"\d+", rgb)[:3])
    return (0.299 * red + 0.587 * green + 0.114 * blue) / 255


def test_dark_mode_can_be_switched_on_and_is_dark_with_light_text(visit):
    page = visit("notebooks/protocols")
    button = page.locator("button.theme-switch-button:visible").first
    for _ in range(3):
        if page.evaluate("document.documentElement.dataset.theme") == "dark":
            break
        button.click()
    try:
        assert luminance(page, "body", "backgroundColor") < 0.2
        for part in ("article h1", "article table td", "article table th"):
            assert luminance(page, part, "color") > 0.6
        # No figure or table stands on a light card.
        for part in page.query_selector_all("article div.cell_output img, article div.cell_output table"):
            assert part.evaluate("e => getComputedStyle(e).backgroundColor") == "rgba(0, 0, 0, 0)"
    finally:
        page.evaluate("localStorage.clear()")
