"""The tables of the built book: in view on a phone, sorted, filtered, saved and printed."""

import re

import pandas as pd
import pytest
from rendered import NARROW, OPEN, PAGES, THEME, saved

pytestmark = pytest.mark.browser

PROSE = {"book/how-to", "book/start", "book/glossary"}  # their tables explain, and hold no results
OF_RESULTS = [name for name in PAGES if name not in PROSE]
# Of each table the numbers of the columns in view, and of those that it says are decisive.
IN_VIEW = """() => [...document.querySelectorAll('article table:has(thead)')].map(table => {
  const box = table.parentElement.getBoundingClientRect();
  const shown = [...table.tHead.rows[0].cells].flatMap((cell, i) => {
    const of = cell.getBoundingClientRect();
    const inView = of.width && of.left >= box.left - 1 && of.right <= Math.min(box.right, innerWidth) + 1;
    return inView ? [i + 1] : [];
  });
  const kept = [...table.classList].filter(name => name.startsWith('keep-')).map(name => +name.slice(5));
  return {table: table.caption?.textContent || table.tHead.textContent, shown, kept};
})"""


def on_a_phone(page):
    page.set_viewport_size(NARROW)
    page.evaluate(OPEN)
    page.wait_for_timeout(300)
    return page


def cells(page, table: str, number: int) -> list[str]:
    """The visible cells of a column."""
    return page.locator(f"{table} tbody tr:visible td:nth-child({number})").all_inner_texts()


def number_of(text: str) -> float:
    return float(re.match(r"[-+]?[\d,]*\.?\d+", text)[0].replace(",", ""))


def head(page, table: str, name: str):
    found = [text.strip() for text in page.locator(f"{table} thead th").all_inner_texts()]
    return found.index(name) + 1, page.locator(f"{table} thead th").nth(found.index(name))


@pytest.mark.parametrize("name", PAGES)
def test_the_decisive_columns_are_in_view_on_a_phone(visit, name):
    for table in on_a_phone(visit(name)).evaluate(IN_VIEW):
        assert table["shown"][0] == 1, table
        assert len(table["shown"]) >= 2 and set(table["kept"]) <= set(table["shown"]), table


def test_the_tables_that_decide_say_which_columns_do(visit):
    kept = {}
    for table in visit("notebooks/cosines_results").query_selector_all("table[id^=tab-]"):
        heads = table.eval_on_selector_all("thead th", "all => all.map(th => th.textContent.trim())")
        numbers = re.findall(r"keep-(\d+)", table.get_attribute("class"))
        kept[table.get_attribute("id")] = {heads[int(number) - 1] for number in numbers}
    assert kept["tab-cosines-glance"] == {"what", "printed", "ours", "status"}
    assert kept["tab-cosines-1"] == {"@1", "printed @1"}


def test_folded_columns_can_be_unfolded(visit):
    page = on_a_phone(visit("notebooks/cosines_results"))
    bar = page.locator("#tab-cosines-1").locator("xpath=../preceding-sibling::*[1]")
    button = bar.locator("button[aria-expanded]")
    heads = page.locator("#tab-cosines-1 thead th")
    folded = int(re.match(r"(\d+) more columns?$", button.inner_text())[1])
    everything = heads.count()
    assert heads.locator("visible=true").count() == everything - folded < everything
    button.click()
    assert button.get_attribute("aria-expanded") == "true"
    assert heads.locator("visible=true").count() == everything
    button.click()
    assert heads.locator("visible=true").count() == everything - folded
    page.set_viewport_size({"width": 1280, "height": 900})
    page.wait_for_timeout(300)
    assert heads.locator("visible=true").count() == everything and not button.is_visible()


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_columns_that_name_a_row_stay_and_a_shadow_says_that_there_is_more(visit, theme):
    page = visit("notebooks/protocols")
    page.evaluate(THEME, theme)
    box = page.locator("#tab-deep").locator("xpath=..")
    classes = lambda: box.get_attribute("class").split()  # noqa: E731
    row = page.locator("#tab-deep tbody tr").first.locator("td")
    before = [row.nth(i).bounding_box()["x"] for i in (0, 1, 2)]
    assert "more-right" in classes() and "more-left" not in classes()
    box.evaluate("box => { box.scrollLeft = 1e6 }")
    page.wait_for_timeout(100)
    assert "more-left" in classes() and "more-right" not in classes()
    after = [row.nth(i).bounding_box()["x"] for i in (0, 1, 2)]
    assert after[:2] == pytest.approx(before[:2], abs=1) and after[2] < before[2] - 50
    # What goes by behind a column that stays is not seen.
    colours = [row.nth(i).evaluate("td => getComputedStyle(td).backgroundColor") for i in (0, 1)]
    assert set(colours) == {page.evaluate("getComputedStyle(document.body).backgroundColor")}
    assert "rgba" not in colours[0]


def test_numbers_are_sorted_best_first_then_the_other_way_then_as_they_were(visit):
    page, table = visit("notebooks/cosines_results"), "#tab-cosines-1"
    page.evaluate(OPEN)
    column, by = head(page, table, "@1")
    before = cells(page, table, column)
    by.click()
    assert by.get_attribute("aria-sort") == "descending"
    best = [number_of(text) for text in cells(page, table, column) if not text.startswith("NOT RUN")]
    assert len(best) > 3 and best == sorted(best, reverse=True) and len(set(best)) > 1
    by.press("Enter")
    assert by.get_attribute("aria-sort") == "ascending"
    worst = [number_of(text) for text in cells(page, table, column) if not text.startswith("NOT RUN")]
    assert worst == sorted(best)
    assert len(best) == len(before) or cells(page, table, column)[-1].startswith("NOT RUN")
    by.press(" ")
    assert by.get_attribute("aria-sort") == "none"
    assert cells(page, table, column) == before


def test_where_less_is_better_the_least_comes_first_and_words_go_by_the_alphabet(visit):
    page, table = visit("notebooks/protocols"), "#tab-detectable"
    column, by = head(page, table, "p (Holm)")
    by.click()
    assert by.get_attribute("aria-sort") == "ascending"
    found = [number_of(text) for text in cells(page, table, column)]
    assert found == sorted(found) and len(found) > 3
    _, other = head(page, table, "data")
    other.click()
    assert by.get_attribute("aria-sort") == "none" and other.get_attribute("aria-sort") == "ascending"
    assert cells(page, table, 1) == sorted(cells(page, table, 1))


@pytest.mark.parametrize("name", OF_RESULTS)
def test_every_table_can_be_sorted_and_put_back_and_a_long_one_has_a_search_box(visit, name):
    changed = """() => Object.values(Object.fromEntries(  // of alike tables one
      [...document.querySelectorAll('table.sortable')].map(table => [table.tHead.textContent, table])
    )).flatMap(table => {
      const order = () => [...table.tBodies[0].rows].map(row => row.textContent).join();
      const before = order();
      return [...table.tHead.rows[0].cells].filter(head => {
        const sorts = [1, 2, 3].map(() => { head.click(); return head.getAttribute('aria-sort') });
        return order() !== before || sorts.at(-1) !== 'none' || new Set(sorts).size !== 3;
      }).map(head => `${table.id}: ${head.textContent}`);
    })"""
    page = visit(name)
    page.evaluate(OPEN)
    for table in page.query_selector_all("article table:has(tbody tr:nth-child(31))"):
        bar = table.evaluate_handle("table => table.parentElement.previousElementSibling").as_element()
        assert bar.query_selector("input[type=search]"), table.get_attribute("id")
    assert page.evaluate(changed) == []


@pytest.mark.parametrize("name", OF_RESULTS)
def test_every_table_can_be_saved_and_opens_in_pandas(visit, name):
    page = visit(name)
    page.evaluate(OPEN)
    for table in page.query_selector_all("article table:has(thead):not(.explorer *)"):
        caption = table.evaluate("table => table.caption?.textContent || ''")
        button = table.evaluate_handle(
            """table => [...table.parentElement.previousElementSibling.querySelectorAll('button')]
            .find(button => button.textContent === 'CSV')"""
        ).as_element()
        assert button is not None, caption
        file = saved(page, button.click)  # by the mouse: a page may save some files only without it
        assert file.suggested_filename.endswith(".csv")
        frame = pd.read_csv(file.path(), dtype=str, keep_default_na=False)
        heads = table.eval_on_selector_all("thead th", "all => all.map(th => th.textContent.trim())")
        kept = [column for column in frame.columns if not re.search(r" (low|high)$", column)]
        assert kept == [head for head in heads if not re.search(r" (low|high)$", head)], caption
        assert len(frame) == len(table.query_selector_all("tbody tr")), caption
        assert not frame.map(lambda text: "↕" in text or "\n" in text).to_numpy().any()


def test_numbers_and_the_ends_of_intervals_are_numbers_in_the_file(visit):
    page = visit("notebooks/protocols")
    bar = page.locator("#tab-protocols").locator("xpath=../preceding-sibling::*[1]")
    file = saved(page, bar.get_by_role("button", name="CSV").click)
    assert file.suggested_filename == "tab-protocols.csv"
    frame = pd.read_csv(file.path())
    last = list(frame.columns[-3:])
    assert last[1:] == [f"{last[0]} low", f"{last[0]} high"]
    values = frame[last].dropna()
    assert len(values) > 10 and {dtype.kind for dtype in values.dtypes} == {"f"}
    assert frame["n"].dtype.kind == "i"
    assert (values[last[1]] <= values[last[0]]).all() and (values[last[0]] <= values[last[2]]).all()
    shown = page.locator("#tab-protocols tbody tr").first.locator("td").last.inner_text()
    assert re.findall(r"[\d.]+", shown) == [f"{number:.1f}" for number in frame[last].iloc[0]]


def test_the_published_protocols_have_menus_and_what_they_leave_is_what_is_saved(visit):
    page = visit("notebooks/protocols")
    page.evaluate(OPEN)
    bar = page.locator("#tab-published").locator("xpath=../preceding-sibling::*[1]")
    everything = len(cells(page, "#tab-published", 1))
    bar.locator("select[data-column=data]").select_option("bc5cdr")
    bar.locator("select[data-column=protocol]").select_option("krissbert")
    assert set(cells(page, "#tab-published", 1)) == {"bc5cdr"}
    assert set(cells(page, "#tab-published", 2)) == {"krissbert"}
    left = len(cells(page, "#tab-published", 1))
    assert 0 < left < everything
    file = saved(page, bar.get_by_role("button", name=f"CSV of the {left} rows shown").click)
    frame = pd.read_csv(file.path())
    assert frame[["data", "protocol"]].drop_duplicates().to_numpy().tolist() == [["bc5cdr", "krissbert"]]
    assert len(frame) == left


@pytest.mark.parametrize("name", PAGES)
def test_decided_claims_come_first_with_the_verdict_in_view_on_a_phone(visit, name):
    page = on_a_phone(visit(name))
    order = ["holds", "does not hold", "mixed", "too small to decide", "not run"]
    for table in page.query_selector_all("table.claims"):
        places = table.eval_on_selector_all(
            "span.verdict", "all => all.map(one => [one.textContent, one.getBoundingClientRect().right])"
        )
        assert [order.index(verdict) for verdict, _ in places] == sorted(order.index(v) for v, _ in places)
        assert max(right for _, right in places) <= NARROW["width"]
        bar = table.evaluate_handle("table => table.parentElement.previousElementSibling").as_element()
        menus = bar.eval_on_selector_all("select", "all => all.map(menu => menu.dataset.column)")
        assert menus[-2:] == ["consistent", "verdict"]
