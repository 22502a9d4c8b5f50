"""The figures of the built book: text that can be read in light and dark and on a phone, data, records."""

import re

import pandas as pd
import pytest
from rendered import HTML, NARROW, PAGES, THEME, coloured, saved
from seen import contrast

pytestmark = pytest.mark.browser

ON_COLOUR = {"#ffffff", "#010101"}  # of text in the boxes of a figure; their colours are tested there
# Of each figure its name, its size, and of its texts the colour and the height of letters in pixels.
DRAWN = """() => [...document.querySelectorAll('article svg.drawn')].map(svg => {
  const box = svg.getBoundingClientRect();
  const written = [...svg.querySelectorAll('text, tspan')].filter(text => text.textContent.trim());
  const texts = written.map(text => ({
    text: text.textContent,
    fill: getComputedStyle(text).fill,
    size: parseFloat(getComputedStyle(text).fontSize) * svg.getScreenCTM().a,
  }));
  return {name: svg.getAttribute('aria-label'), left: box.left, right: box.right, height: box.height, texts};
})"""


@pytest.mark.parametrize("name", PAGES)
def test_the_text_of_a_figure_can_be_read_in_light_and_dark_on_a_phone_and_a_desk(visit, name):
    page = visit(name)
    body = page.evaluate("parseFloat(getComputedStyle(document.querySelector('article p')).fontSize)")
    for figure in page.evaluate(DRAWN):
        assert all(10 <= text["size"] <= body + 1 for text in figure["texts"]), figure["name"]
    page.set_viewport_size(NARROW)
    for theme in ("light", "dark"):
        page.evaluate(THEME, theme)
        page.wait_for_timeout(300)  # the theme changes its colours by and by
        behind = coloured(page.evaluate("getComputedStyle(document.body).backgroundColor"))
        assert (contrast(behind, "#000000") < 2) == (theme == "dark")
        for figure in page.evaluate(DRAWN):
            assert len(figure["name"]) > 10 and figure["texts"], figure["name"]
            assert figure["left"] >= 0 and figure["right"] <= NARROW["width"] and figure["height"] > 100
            for text in figure["texts"]:
                fill = coloured(text["fill"])
                assert text["size"] >= 10, text
                assert contrast(fill, behind) >= 4.5 or fill in ON_COLOUR, text


@pytest.mark.parametrize("name", PAGES)
def test_the_data_of_a_figure_is_one_click_away(visit, name):
    page = visit(name)
    figures = page.locator("article .cell_output figure, article figure:is(#fig-counts, #fig-claims)")
    for figure in figures.all():
        file = saved(page, figure.locator("a.csv").click)
        assert file.suggested_filename == f"{figure.get_attribute('id')}.csv"
        frame = pd.read_csv(file.path())
        assert len(frame.columns) >= 2
        assert len(frame) or "NOT RUN" in figure.inner_text()
        # What is drawn has the same names in the data.
        shown, told = figure.locator("svg").text_content(), frame.select_dtypes(exclude="number")
        assert frame.empty or any(value in shown for column in told for value in told[column].dropna())


@pytest.mark.parametrize("name", PAGES)
def test_a_picture_is_part_of_its_page(name):
    text = (HTML / f"{name}.html").read_text(encoding="utf-8").split("<article", 1)[1]
    assert not re.search(r'<img[^>]+src="[^"]*(\.svg|data:)', text)
    ids = re.findall(r' id="(svg[^"]*)"', text)
    assert len(ids) == len({*ids})
