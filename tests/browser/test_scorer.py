"""Files scored in the browser as the library scores and refuses them, and the page that does it."""

import base64
import csv
import io
import json
import math
import re

import pytest
from rendered import ROOT
from scored_files import by_library, case

pytestmark = pytest.mark.browser

STATIC = ROOT / "book" / "_static"
PAGE = ROOT / "book" / "score_in_browser.md"
SCRIPTS = re.findall(r'src="\.\./_static/(\w+\.js)"', PAGE.read_text(encoding="utf-8"))
SCORE = """async ({ files, best }) => {
  const { text, corpora, predictions, scoring } = Benchlib;
  const file = ([name, data]) => new File([Uint8Array.from(atob(data), (c) => c.charCodeAt(0))], name);
  try {
    const ontology = await corpora.readDictionary(file(files.dictionary));
    const corpus = await corpora.readCorpus(file(files.corpus), ontology);
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
            theirs["notes"] = [
                note for note in theirs["notes"] if NOTED.search(note) and "at most" not in note
            ]
        theirs = json.loads(json.dumps(theirs, default=lambda value: value.item()))
        assert not list(differences(plain(ours), plain(theirs)))[:5], f"seed {seed}"
    assert 0 < refused < len(seeds)
