"""What a reader sees: no phrase of ``data/phrases.txt``, short summaries, and an order as in the records."""

import ast
import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from benchlib.scoring import Scoring
from study.chapters.results import stratum
from study.pages.page import Page
from study.tables.published_systems import where_alike
from study.tables.rows import mean_credit

ROOT = Path(__file__).resolve().parents[1]
PHRASES = (ROOT / "data" / "phrases.txt").read_text(encoding="utf-8").splitlines()
PATTERN = re.compile(rf"(?<![\w-])({'|'.join(map(re.escape, PHRASES))})(?![\w-])", re.IGNORECASE)
CODE = re.compile(
    r"^```.*?^```|`[^`\n]*`|\$\$.*?\$\$|\{[\w:]+\}`[^`]*`|\]\([^)]*\)", re.DOTALL | re.MULTILINE
)
KEYS = {"wording", "quantity", "why", "note", "notes", "reason", "what", "size", "label", "here", "obtain"}
FOLDERS = ["notebooks", "book", *(f"data/{name}" for name in ("claims", "chapters", "registry"))]
FOLDERS += [f"study/{name}" for name in ("tables", "figures", "pages", "claims", "book")]
EXEMPT = {"changelog.md", "bibliography.md"}


def strings(source: str) -> Iterator[str]:
    """The texts of Python code that have several words, without docstrings."""
    nodes = list(ast.walk(ast.parse(source)))
    alone = {id(node.value) for node in nodes if isinstance(node, ast.Expr)}
    texts = (node for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str))
    yield from (node.value for node in texts if id(node) not in alone and len(node.value.split()) > 2)


def values(content: object, key: object = None) -> Iterator[str]:
    """The texts of a YAML file that a page shows."""
    if isinstance(content, dict | list):
        pairs = content.items() if isinstance(content, dict) else ((key, one) for one in content)
        for of, value in pairs:
            yield from values(value, of)
    elif key in KEYS:
        yield str(content)


def cells(path: Path) -> Iterator[tuple[str, str]]:
    """(type, source) of the cells of a notebook."""
    for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
        yield cell["cell_type"], "".join(cell["source"])


def seen(path: Path) -> Iterator[str]:
    """What a reader sees of a file: prose, captions and notes."""
    if path.suffix == ".ipynb":
        for kind, source in cells(path):
            yield from [source] if kind == "markdown" else strings(source)
    else:
        text = path.read_text(encoding="utf-8")
        read = {".py": strings, ".yaml": lambda text: values(yaml.safe_load(text))}
        yield from read.get(path.suffix, lambda text: [text])(text)


@pytest.mark.parametrize("folder", FOLDERS)
def test_prose_has_no_phrase_of_the_list(folder):
    suffixes = {".md", ".ipynb", ".py", ".yaml"}
    for path in sorted(path for path in (ROOT / folder).glob("*.*") if path.suffix in suffixes):
        for text in (CODE.sub(" ", text) for text in seen(path) if path.name not in EXEMPT):
            found = [text[max(at.start() - 40, 0) : at.end() + 30] for at in PATTERN.finditer(text)]
            assert not found, path.name


def test_a_summary_has_350_words_or_less():
    summaries = [
        path.with_name(path.name.replace("_results", "")) for path in ROOT.glob("notebooks/*_results.ipynb")
    ]
    assert len(summaries) == 5
    for path in summaries:
        words = " ".join(source for kind, source in cells(path) if kind == "markdown").split()
        assert len(words) <= 350, path.name


def test_side_by_side_states_the_order_of_its_records():
    page = Page.published("side_by_side")
    found = [of for of in where_alike(page.runs("all"), page.measured("recount")) if of.made]
    unseen = stratum(found, "seen name", False)

    def order(data: str, match: str = "strict", mentions: dict | None = None) -> list[str]:
        of_data = [of for of in found if of.data == data]
        kept = [of.among(mentions) for of in of_data]
        scores = [mean_credit(of, Scoring(match))[on].mean() for of, on in zip(of_data, kept, strict=True)]
        best = sorted(zip(scores, of_data, strict=True), key=lambda pair: pair[0], reverse=True)
        return [of.system.keys[0] for _, of in best]

    diseases = ["ncbi-disease", "bc5cdr-disease"]
    assert {order(data)[0] for data in [*diseases, "medmentions-st21pv"]} == {"names"}
    assert {order(data, mentions=unseen)[0] for data in diseases} == {"names"}
    assert set(order("bc5cdr-chemical")[:2]) == {"genbioel-published", "belhd-published"}
    assert order("bc2gn")[0] == "belhd-published"
    assert (order("bc2gn")[-1], order("bc2gn", "lenient")[0]) == ("genbioel-published",) * 2
    trained = {
        "sapbert",
        "biocom",
        "self",
        "biosyn",
        "cosines",
        "supervised",
        "lazy",
        "single",
        "proxy",
        "collective",
    }
    for data in (*diseases, "bc5cdr-chemical", "medmentions-st21pv", "bc2gn"):
        assert not trained & set(order(data)[: order(data).index("memory")]), data
