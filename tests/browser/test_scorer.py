"""Files scored in the browser as the library scores and refuses them, and the page that does it."""

import base64
import csv
import io
import json
import math
import re

import pytest
from rendered import HTML, NARROW, ROOT, WIDE, saved, watched
from scored_files import by_library, case

pytestmark = pytest.mark.browser

STATIC = ROOT / "book" / "_static"
PAGE = ROOT / "book" / "score_in_browser.md"
SCRIPTS = re.findall(r'src="\.\./_static/(\w+\.js)"', PAGE.read_text(encoding="utf-8"))
SCORE = """async ({ files, best }) => {
  const { text, dictionaries, pubtator, predictions, scoring } = Benchlib;
  const file = ([name, data]) => new File([Uint8Array.from(atob(data), (c) => c.charCodeAt(0))], name);
  try {
    const ontology = await dictionaries.readDictionary(file(files.dictionary));
    const corpus = await pubtator.readCorpus(file(files.corpus), ontology);
    const evaluated = async (given) => new scoring.Evaluation(
      await predictions.readPredictions(file(given), corpus, ontology, best), corpus, ontology);
    const first = await evaluated(files.predictions);
    const second = files.second && await evaluated(files.second);
    const warnings = [first, second].flatMap((one) => (one ? one.predictions.warnings : []));
    return {
      published: first.published(), grid: first.grid(), kinds: first.kinds(), nil: first.nil(),
      counts: first.counts, mentions: first.mentionsCsv(), warnings,
      ...(second ? { against: first.against(second) } : {}),
      notes: [...ontology.notes, ...corpus.notes(ontology)],
    };
  } catch (error) {
    if (error instanceof text.Refused) return { refused: error.message };
    throw error;
  }
}"""
NOTED = re.compile(
    "Left out of|gold ids of|not read:|each read as one name|^gold.txt: [\\d,]+ (?!mentions have)"
)
TRAINED = ("WARNING: ", "needs train")  # how what the page does not have begins


@pytest.fixture(scope="module")
def engine(browser):
    page = browser.new_page()
    for script in SCRIPTS[:-1]:
        page.add_script_tag(path=STATIC / script)
    yield page
    page.close()


def scored(page, files, best):
    given = {what: [name, base64.b64encode(data).decode()] for what, (name, data) in files.items()}
    return page.evaluate(SCORE, {"files": given, "best": best})


def number(value):
    """A cell of a CSV as a number, or text."""
    try:
        return float(value)
    except ValueError:
        return {"True": True, "False": False, "": None}.get(value, value)


def plain(values):
    """Values of the page or the library alike: without what needs training mentions, and None for nothing."""
    if isinstance(values, dict):
        return {key: plain(value) for key, value in values.items() if value is not None}
    if isinstance(values, list):
        rows = [v for v in values if not (isinstance(v, dict) and str(v.get("note")).startswith(TRAINED))]
        return [plain(v) for v in rows if not (isinstance(v, str) and v.startswith(TRAINED))]
    return number(values) if isinstance(values, str) else values


def differences(ours, theirs, place=""):
    """Where two nested values differ, numbers by more than 1e-9."""
    if isinstance(ours, dict) and isinstance(theirs, dict):
        for key in ours.keys() | theirs.keys():
            yield from differences(ours.get(key), theirs.get(key), f"{place}.{key}")
    elif isinstance(ours, list) and isinstance(theirs, list) and len(ours) == len(theirs):
        for i, pair in enumerate(zip(ours, theirs, strict=True)):
            yield from differences(*pair, f"{place}[{i}]")
    elif isinstance(ours, int | float) and isinstance(theirs, int | float):
        if not math.isclose(ours, theirs, rel_tol=0, abs_tol=1e-9):
            yield f"{place}: {ours} and {theirs}"
    elif ours != theirs:
        yield f"{place}: {ours} and {theirs}"


@pytest.mark.parametrize("seeds", [range(first, first + 20) for first in range(0, 200, 20)], ids=str)
def test_files_are_scored_and_refused_as_by_the_library(engine, seeds, tmp_path, monkeypatch):
    refused = 0
    for seed in seeds:
        files, best = case(seed), seed % 4 > 0
        theirs = by_library(files, "best" if best else "refused", tmp_path, monkeypatch)
        ours = scored(engine, files, best)
        refused += "refused" in theirs
        if "mentions" in theirs:
            ours["mentions"] = list(csv.DictReader(io.StringIO(ours["mentions"])))
            theirs["mentions"] = [{**row, "refined": None} for row in theirs["mentions"]]
            theirs["nil"] = {k: v for k, v in (theirs["nil"] or {}).items() if k[:5] != "aupr_"} or None
            theirs["notes"] = [
                note for note in theirs["notes"] if NOTED.search(note) and "at most" not in note
            ]
        theirs = json.loads(json.dumps(theirs, default=lambda value: value.item()))
        assert not list(differences(plain(ours), plain(theirs)))[:5], f"seed {seed}"
    assert 0 < refused < len(seeds)


@pytest.fixture(params=["http", "file"])
def opened(request, browser, address):
    """The page of the built book, on which nothing may go wrong, and which may load nothing foreign."""
    root = address if request.param == "http" else f"{HTML.as_uri()}/"
    page = browser.new_page(viewport=WIDE, color_scheme="light")
    troubles = watched(page, root, "data:", "blob:")
    page.goto(f"{root}book/score_in_browser.html")
    yield page
    page.close()
    assert troubles == []


def said(page, *click):
    """What the page says at the end of the work that a click begins."""
    page.evaluate("(names) => names.forEach((name) => document.querySelector(name).click())", click)
    page.wait_for_function("document.querySelector('#scorer [type=submit]').disabled === false")
    return page.locator("#scorer output").inner_text()


def test_the_page_scores_compares_saves_cancels_and_refuses(opened, tmp_path, monkeypatch):
    files = case(63)
    theirs = by_library(files, "best", tmp_path, monkeypatch)
    for what, (name, _) in files.items():
        opened.set_input_files(f"#scorer [name={what}]", tmp_path / name)
    submit, cancel = "#scorer [type=submit]", "#scorer [name=cancel]"
    assert said(opened, "#scorer [name=best]", submit, cancel) == "Cancelled."
    assert re.fullmatch(r"Scored in \d+\.\d s\.", said(opened, submit))
    for name, column in (("published", 3), ("against", 3), ("grid", 3)):
        values = [row["value"] for row in theirs[name] if row["value"] is not None or not row.get("note")]
        cells = opened.locator(f"#scored-{name} td:nth-child({column})").all_text_contents()
        shown = [cell.split(" [")[0].replace("−", "-") for cell in cells]
        numbers = [math.nan if text == "no mention left" else float(text) for text in shown]
        expected = [math.nan if value is None else 100 * value for value in values]
        assert len(values) > 9 and numbers == pytest.approx(expected, abs=0.0051, nan_ok=True)
    download = saved(opened, lambda: opened.get_by_text("Save a row for each mention").click())
    with open(download.path(), encoding="utf-8", newline="") as file:
        assert len(list(csv.DictReader(file))) == len(theirs["mentions"])
    opened.set_viewport_size(NARROW)
    assert opened.evaluate("document.scrollingElement.scrollWidth") == NARROW["width"]

    (tmp_path / "bad.tsv").write_text("document\tstart\tend\tids\n1000\tx\t2\tD1\n")
    opened.set_input_files("#scorer [name=predictions]", tmp_path / "bad.tsv")
    sentence = "bad.tsv:2: expected a whole number as start, below 2,147,483,648, found 'x'"
    assert said(opened, submit) == f"Not scored: {sentence}"
    assert opened.locator("#scored").inner_text() == ""
    (tmp_path / "names.obo").write_text("format-version: 1.2\n")
    opened.set_input_files("#scorer [name=dictionary]", tmp_path / "names.obo")
    assert re.fullmatch(r"Not scored: names\.obo: .*\bbenchlib score.*", said(opened, submit))
