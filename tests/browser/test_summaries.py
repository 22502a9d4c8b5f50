"""The summary of each paper in the built book: what a reader sees first, and where old addresses lead."""

import re

import pytest
from rendered import article

from study.papers import papers

pytestmark = pytest.mark.browser

SUMMARIES = [f"notebooks/{name}" for name in papers() if name != "shared"]
SCREEN = {"width": 1280, "height": 800}


@pytest.mark.parametrize("name", SUMMARIES)
def test_a_summary_begins_with_its_box_then_its_figure_and_has_three_screens_without_code(visit, name):
    page = visit(name)
    page.set_viewport_size(SCREEN)
    box, figure = (page.locator(of).first.bounding_box() for of in ("aside.in-short", "article svg.drawn"))
    assert box["y"] + box["height"] <= SCREEN["height"] and box["y"] + box["height"] < figure["y"] <= 1000
    foot = page.locator("article details.stamp").bounding_box()
    assert foot["y"] <= 3 * SCREEN["height"]
    assert page.locator("article div.cell_input:visible").count() == 0


@pytest.mark.parametrize("name", SUMMARIES)
def test_a_summary_has_at_most_five_findings_each_short_with_a_number_and_a_verdict(name):
    found = [of.get_text() for of in article(name).select("#findings li")]
    assert 1 <= len(found) <= 5
    for text in found:
        assert re.search(r"\d", text) and len(text.split()) <= 25, text


@pytest.mark.parametrize("name", SUMMARIES)
def test_the_box_answers_what_a_reader_asks_in_two_minutes(name):
    box = article(name).select_one("aside.in-short")
    answers = {of.get_text(): of.find_next_sibling("dd").get_text() for of in box.select("dt")}
    questions = {  # each with what its answer must have
        "What reproduced": r"Of \d+ printed numbers .*Of \d+ measured claims ",
        "By how much": r"Ours minus printed.* [-+]\d+\.\d points.*zero updates: .* [-+]\d+\.\d",
        "On what scale": r"Here: .*\d.*The paper: ",
        "What to do": r"^[A-Z][^.]+\.",
    }
    assert list(answers) == list(questions)
    for question, answer in answers.items():
        assert re.search(questions[question], answer), f"{question} {answer}"


@pytest.mark.parametrize(("old", "now"), [
    ("pel#pel-table-1", "pel_results#pel-table-1"),
    ("dual_encoder#tab-dual-encoder-2", "dual_encoder_results#tab-dual-encoder-2"),
    ("pel#claim-p1", "pel#claim-p1"),
])  # fmt: skip
def test_an_old_address_leads_to_where_its_place_is_now(visit, address, old, now):
    page = visit("notebooks/pel")
    page.goto("about:blank")
    page.goto(f"{address}notebooks/{old.replace('#', '.html#')}")
    page.wait_for_url(f"**/{now.replace('#', '.html#')}")
    assert page.locator(f"[id='{now.partition('#')[2]}']").count() == 1
