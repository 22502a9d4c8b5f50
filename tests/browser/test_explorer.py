"""Explore the outcomes: its numbers are those of the records, over http and as a file."""

import base64
import gzip
import re
from functools import cache

import numpy as np
import pytest
from rendered import HTML, NARROW

from benchlib.scoring import Scoring, compare, over_seeds
from study.book.explorer import Shown, systems
from study.chapters.results import stratum
from study.pages.page import Page
from study.tables.published_systems import alike

pytestmark = pytest.mark.browser
PAGE = "book/explorer"
FOLDER = HTML / "_static"
CORPORA = ["bc5cdr-disease", "ncbi-disease", "bc5cdr-chemical", "bc2gn", "medmentions-st21pv"]
FURTHER = "&rows=further&rows=dictionary&rows=test"
COUNTS = {
    "match=strict&over=concepts&k=1&composite=any": (Scoring(), 1),
    "match=lenient&over=names&k=1&composite=all": (Scoring("lenient", "names", "all-of"), 1),
    "match=pessimistic&over=names&k=5&composite=none": (Scoring("pessimistic", "names"), 5),
}
STRATA = {"": None, "strings": ("seen name", False), "abbreviations": ("abbreviation", True)}
ROWS = "[...document.querySelectorAll('.ranking tbody tr')].map(row => ({...row.dataset}))"


@cache
def shown(corpus: str) -> dict[str, Shown]:
    return {system.key: system for system in systems() if system.runs.data == corpus}


@cache
def aligned(corpus: str) -> np.ndarray | None:
    return alike(Page.published("side_by_side").measured("recount")).get(corpus)


def kept(system: Shown, view: str, only: str) -> np.ndarray:
    """Which scored mentions the page counts."""
    of = system.runs.record.outcomes
    mask = np.ones(len(of.scored), dtype=bool) if "composite=none" not in view else ~of.composite
    if system.runs.system.linker.startswith("published,"):
        mask &= aligned(system.runs.data)[of.scored]
    if only:
        plain = [one.runs for one in shown(system.runs.data).values() if not one.runs.system.changes]
        mask &= stratum(plain, *STRATA[only])[system.runs.data][of.scored]
    return mask


def opened(page, address: str, view: str, troubles=()):
    page.goto("about:blank")  # what the page before still loads is broken off here, and is no trouble
    troubles and troubles.clear()
    page.goto(f"{address}{PAGE}.html#{view}")
    page.wait_for_selector("form[data-state=done]", timeout=120_000)
    return page


@pytest.mark.parametrize("corpus", CORPORA[:2])
@pytest.mark.parametrize("view", COUNTS)
@pytest.mark.parametrize("only", STRATA)
def test_the_numbers_are_those_of_the_records(tab, address, troubles, corpus, view, only):
    scoring, k = COUNTS[view]
    more = FURTHER if not only else ""  # every system once under each count
    asked = f"corpus={corpus}&{view}&only={only}&a=names&b=biosyn-published{more}"
    page = opened(tab, address, asked, troubles)
    rows = {row["key"]: row for row in page.evaluate(ROWS)}
    groups = {"main", "further", "dictionary", "test"} if more else {"main"}
    assert set(rows) == {key for key, of in shown(corpus).items() if of.group in groups}
    for key, row in rows.items():
        system = shown(corpus)[key]
        mask = kept(system, view, only)
        recall = over_seeds([*system.runs.credits(k, scoring)[:, mask]], system.runs.clusters[mask])
        assert int(row["n"]) == recall.n
        told = [float(row[name]) for name in ("mean", "low", "high")]
        assert told == pytest.approx([recall.value, recall.low, recall.high], abs=1e-6), key
    a, b = (shown(corpus)[key] for key in ("names", "biosyn-published"))
    mask = kept(a, view, only) & kept(b, view, only)
    first, second = (of.runs.credits(k, scoring).mean(axis=0)[mask] for of in (a, b))
    own = compare(first, second, a.runs.clusters[mask])
    told = page.evaluate("({...document.querySelector('.sentence').dataset})")
    numbers = [own.difference.value, own.difference.low, own.difference.high]
    assert [float(told[name]) for name in ("difference", "low", "high")] == pytest.approx(numbers, abs=1e-6)
    assert float(told["p"]) == own.p
    ahead = re.findall(r"[\d,]+(?= mentions|[ ]\S)", page.inner_text(".counts"))
    assert int(ahead[0].replace(",", "")) == (first > second).sum()
    assert troubles == []


@pytest.mark.parametrize("corpus", CORPORA)
def test_each_corpus_opens_from_a_file_as_well(browser, corpus):
    page = browser.new_page()
    troubles = []
    page.on("console", lambda m: m.type == "error" and troubles.append(m.text))
    page.on("pageerror", lambda error: troubles.append(str(error)))
    page.on("request", lambda r: r.url.startswith(("file:", "blob:", "data:")) or troubles.append(r.url))
    opened(page, f"{HTML.as_uri()}/", f"corpus={corpus}")
    assert len(page.evaluate(ROWS)) >= 17
    assert page.evaluate(ROWS) == sorted(page.evaluate(ROWS), key=lambda row: -float(row["mean"]))
    assert page.input_value("[name=a]") == "names" and page.input_value("[name=b]") != "names"
    assert re.search(
        r"mentions in \d+ documents.* points \[.*\], p = [01]\.\d{4}\.$", page.inner_text(".sentence")
    )
    assert troubles == []
    page.close()


def test_it_opens_on_the_name_linker_against_a_published_system(visit):
    page = visit(PAGE)
    page.wait_for_selector("form[data-state=done]", timeout=60_000)
    assert page.inner_text(".sentence").startswith(
        "BC5CDR diseases, 4,362 mentions in 500 documents, Recall@1, strict"
    )
    assert page.input_value("[name=a]") == "names" and page.input_value("[name=b]").endswith("-published")
    # A published system's answers are not shown, the other's are.
    cells = page.locator(".mentions tbody tr td:nth-child(4)").all_inner_texts()
    assert cells and set(cells) <= {"right", "wrong"} | {c for c in cells if c.endswith("% right")}
    assert any("\n" in cell for cell in page.locator(".mentions tbody tr td:nth-child(3)").all_inner_texts())


def test_a_view_is_in_its_address_and_is_changed_by_key(tab, address):
    page = opened(tab, address, "corpus=ncbi-disease&match=lenient&k=5&only=concepts&a=memory&b=tfidf")
    assert [page.input_value(f"[name={name}]") for name in ("match", "k", "a", "b")] == [
        "lenient",
        "5",
        "memory",
        "tfidf",
    ]
    before = page.inner_text(".sentence")
    page.locator("tr[data-key=bm25] button").focus()
    page.keyboard.press("Enter")
    page.wait_for_function("document.querySelector('[name=b]').value === 'bm25'")
    page.wait_for_selector("form[data-state=done]")
    assert "b=bm25" in page.url and page.inner_text(".sentence") != before
    page.locator("[name=only][value=concepts]").focus()
    page.keyboard.press(" ")
    page.wait_for_function("!location.hash.includes('only=')")
    page.fill("#explorer [name=q]", "cancer")
    rows = page.locator(".mentions tbody tr")
    assert rows.count() > 0 and all("cancer" in text.lower() for text in rows.all_inner_texts())
    again = page.url
    page.goto("about:blank")
    page.goto(again)
    page.wait_for_selector("form[data-state=done]")
    assert page.input_value("#explorer [name=q]") == "cancer" and page.input_value("[name=b]") == "bm25"


def test_a_redraw_is_quick_and_a_phone_has_the_controls_folded(tab, address):
    page = opened(tab, address, "corpus=bc5cdr-disease")
    times = []
    for k in ("5", "1", "10", "2"):
        times.append(
            page.evaluate(
                """async (k) => {
              const begin = performance.now(), field = document.querySelector('[name=k]');
              field.value = k;
              field.dispatchEvent(new Event('change', {bubbles: true}));
              await new Promise(done => requestAnimationFrame(() => setTimeout(done)));
              return performance.now() - begin;
            }""",
                k,
            )
        )
    assert min(times) < 500
    page.set_viewport_size(NARROW)
    opened(page, address, "corpus=ncbi-disease")
    assert not page.locator("[name=corpus]").is_visible()
    assert page.evaluate("document.scrollingElement.scrollWidth") <= NARROW["width"]


def test_the_scripts_are_small_and_hold_no_answer_of_a_published_system():
    scripts = {corpus: (FOLDER / f"explorer-{corpus}.js").read_text("ascii") for corpus in CORPORA}
    assert sum(map(len, scripts.values())) <= 4_000_000
    for corpus, text in scripts.items():
        content = gzip.decompress(base64.b64decode(re.search(r'", "([^"]+)"', text)[1]))
        assert b"BELB:" not in content, corpus
