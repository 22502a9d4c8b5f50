"""Explore the outcomes: its numbers are those of the records, over http and as a file."""

import base64
import gzip
import re
from functools import cache

import numpy as np
import pytest
from rendered import HTML, NARROW, watched

from benchlib.scoring import Estimate, Outcomes, Scoring, compare, credits, over_seeds
from study.book.explorer import Shown, systems
from study.chapters.results import stratum
from study.pages.page import Page
from study.tables.published_systems import alike

pytestmark = pytest.mark.browser
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
def aligned() -> dict[str, np.ndarray]:
    return alike(Page.published("side_by_side").measured("recount"))


def kept(system: Shown, view: str, only: str) -> np.ndarray:
    """Which scored mentions the page counts."""
    of = system.runs.record.outcomes
    mask = np.ones(len(of.scored), dtype=bool) if "composite=none" not in view else ~of.composite
    if system.runs.system.linker.startswith("published,"):
        mask &= aligned()[system.runs.data][of.scored]
    if only:
        plain = [one.runs for one in shown(system.runs.data).values() if not one.runs.system.changes]
        mask &= stratum(plain, *STRATA[only])[system.runs.data][of.scored]
    return mask


def opened(page, address: str, view: str, troubles=()):
    page.goto("about:blank")  # what the page before still loads is broken off here, and is no trouble
    troubles and troubles.clear()
    page.goto(f"{address}book/explorer.html#{view}")
    page.wait_for_selector("form[data-state=done]", timeout=120_000)
    return page


def sentence(page) -> str:
    return page.inner_text(".sentence")


def are(row: dict[str, str], recall: Estimate) -> None:
    """The numbers of a row are those of the library."""
    assert int(row["n"]) == recall.n
    told = [float(row[name]) for name in ("mean", "low", "high")]
    assert told == pytest.approx([recall.value, recall.low, recall.high], abs=1e-9), row["key"]


def differs(page, first: np.ndarray, second: np.ndarray, clusters: np.ndarray) -> None:
    """What the page says of a pair is what the library says of its credits."""
    own = compare(first, second, clusters)
    told = page.evaluate("({...document.querySelector('.sentence').dataset})")
    numbers = [own.difference.value, own.difference.low, own.difference.high]
    assert [float(told[name]) for name in ("difference", "low", "high")] == pytest.approx(numbers, abs=1e-9)
    assert float(told["p"]) == own.p
    ahead = re.findall(r"[\d,]+(?= mentions|[ ]\S)", page.inner_text(".counts"))
    assert int(ahead[0].replace(",", "")) == (first > second).sum()


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
        are(row, over_seeds([*system.runs.credits(k, scoring)[:, mask]], system.runs.clusters[mask]))
    a, b = (shown(corpus)[key] for key in ("names", "biosyn-published"))
    mask = kept(a, view, only) & kept(b, view, only)
    first, second = (of.runs.credits(k, scoring).mean(axis=0)[mask] for of in (a, b))
    differs(page, first, second, a.runs.clusters[mask])
    assert troubles == []


def threshold(outcomes: Outcomes, percent: int) -> float:
    """The highest top score that calls at most so many percent of all mentions NIL."""
    scores = outcomes.top_scores
    few = [score for score in np.unique(scores) if 100 * np.sum(scores <= score) <= percent * len(scores)]
    return max(few, default=-np.inf)


@pytest.mark.parametrize("corpus", ["bc5cdr-disease", "bc2gn"])
@pytest.mark.parametrize("percent", [0, 6])
def test_nil_mentions_count_as_in_the_library(tab, address, troubles, corpus, percent):
    page = opened(tab, address, f"corpus={corpus}&nil=counted&least={percent}&a=names&b=tfidf", troubles)
    rows = {row["key"]: row for row in page.evaluate(ROWS)}
    assert set(rows) == {key for key, of in shown(corpus).items() if of.group == "main"}
    scoring, found = Scoring(nil="with-nil"), {}
    for key, row in rows.items():
        runs = shown(corpus)[key].runs
        seeds = [credits(of, "recall@1", scoring, threshold=threshold(of, percent)) for of in runs.outcomes]
        values, first = np.stack([seed.values for seed in seeds]), runs.outcomes[0]
        mask = np.ones(len(first.is_nil), dtype=bool)
        if runs.recounted:
            mask = aligned()[corpus][first.mention[first.every]]
            assert not (first.is_nil & mask).any()
        are(row, over_seeds([*values[:, mask]], seeds[0].clusters[mask]))
        found[key] = values.mean(axis=0)
    differs(page, found["names"], found["tfidf"], seeds[0].clusters)
    assert f"NIL counted and answered to the least sure {percent}\xa0%:" in sentence(page)
    page.fill("#explorer [name=q]", "nil nil")  # the gold and the answer of the first
    cells = [page.locator(f".mentions tbody td:nth-child({at})").all_inner_texts() for at in (2, 3)]
    ahead = (first.is_nil & (found["names"] > found["tfidf"])).any()
    assert [set(of) for of in cells] == ([{"NIL"}, {"NIL\nright"}] if ahead else [set(), set()])
    assert troubles == []


@pytest.mark.parametrize("corpus", CORPORA)
def test_each_corpus_opens_from_a_file_as_well(browser, corpus):
    page = browser.new_page()
    troubles = watched(page, "file:", "blob:", "data:")
    opened(page, f"{HTML.as_uri()}/", f"corpus={corpus}")
    assert len(page.evaluate(ROWS)) >= 17
    assert page.evaluate(ROWS) == sorted(page.evaluate(ROWS), key=lambda row: -float(row["mean"]))
    both = r"name linker \d+\.\d\xa0%, .* \d+\.\d\xa0%; [+\u2212]\d+\.\d points"
    told = rf"mentions in \d+ documents.*: {both} \[.*\], p = [01]\.\d{{4}}\.$"
    assert re.search(told, sentence(page))
    assert troubles == []
    page.close()


def test_it_opens_on_the_name_linker_against_a_published_system(tab, address):
    page = opened(tab, address, "")
    assert re.match(r"BC5CDR diseases, .* Recall@1, strict: name linker .* published", sentence(page))
    # A published system's answers are not shown, the other's are.
    cells = page.locator(".mentions tbody tr td:nth-child(4)").all_inner_texts()
    assert cells and set(cells) <= {"right", "wrong"} | {c for c in cells if c.endswith("% right")}
    assert any("\n" in cell for cell in page.locator(".mentions tbody tr td:nth-child(3)").all_inner_texts())


def test_a_view_is_in_its_address_and_is_changed_by_key(tab, address):
    page = opened(tab, address, "corpus=ncbi-disease&match=lenient&k=5&only=concepts&a=memory&b=tfidf")
    found = [page.input_value(f"[name={name}]") for name in ("match", "k", "a", "b")]
    assert found == ["lenient", "5", "memory", "tfidf"]
    before = sentence(page)
    page.locator("tr[data-key=bm25] button").focus()
    page.keyboard.press("Enter")
    page.wait_for_function("document.querySelector('[name=b]').value === 'bm25'")
    page.wait_for_selector("form[data-state=done]")
    assert "b=bm25" in page.url and sentence(page) != before
    page.locator("[name=only][value=concepts]").focus()
    page.keyboard.press(" ")
    page.wait_for_function("!location.hash.includes('only=')")
    page.fill("#explorer [name=q]", "cancer")
    rows = page.locator(".mentions tbody tr")
    assert rows.count() > 0 and all("cancer" in text.lower() for text in rows.all_inner_texts())
    opened(page, address, page.url.partition("#")[2])
    assert page.input_value("#explorer [name=q]") == "cancer" and page.input_value("[name=b]") == "bm25"


def test_a_phone_has_the_controls_folded(tab, address):
    tab.set_viewport_size(NARROW)
    page = opened(tab, address, "corpus=ncbi-disease")
    assert not page.locator("[name=corpus]").is_visible()
    assert page.evaluate("document.scrollingElement.scrollWidth") <= NARROW["width"]


def test_the_scripts_are_small_and_hold_no_answer_of_a_published_system():
    scripts = [(HTML / "_static" / f"explorer-{corpus}.js").read_text("ascii") for corpus in CORPORA]
    assert sum(map(len, scripts)) <= 4_000_000
    packed = [base64.b64decode(re.search(r'", "([^"]+)"', text)[1]) for text in scripts]
    assert not any(b"BELB:" in gzip.decompress(content) for content in packed)


def test_a_slider_shows_one_state_at_a_time_and_steps_by_key(visit):
    page = visit("notebooks/krissbert_results")
    slider, states = page.locator(".steps > input").first, page.locator(".steps").first.locator("section")
    before = [section.is_visible() for section in states.all()]
    slider.press("ArrowLeft")
    after = [section.is_visible() for section in states.all()]
    assert before == [False, *after[:-1]] and sum(after) == 1 and len(after) > 4
    assert slider.get_attribute("aria-valuetext") == states.nth(after.index(True)).locator("p").inner_text()
