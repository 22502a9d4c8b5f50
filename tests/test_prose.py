"""What a reader sees: no phrase of ``data/phrases.txt``, short summaries, and numbers that are so."""

import ast
import json
import re
from collections.abc import Iterator
from operator import lt
from pathlib import Path

import pytest
import yaml

from benchlib.scoring import Scoring
from study.chapters.results import stratum
from study.claims import read_claims
from study.claims.claim_tests import read_test
from study.claims.evidence import Evidence, Untrained
from study.pages.page import Page
from study.places import ROOT
from study.printed import reported
from study.tables.published_systems import where_alike
from study.tables.rows import mean_credit

PHRASES = (ROOT / "data" / "phrases.txt").read_text(encoding="utf-8").splitlines()
PATTERN = re.compile(rf"(?<![\w-])({'|'.join(map(re.escape, PHRASES))})(?![\w-])", re.IGNORECASE)
CODE = re.compile(
    r"^```.*?^```|`[^`\n]*`|\$\$.*?\$\$|\{[\w:]+\}`[^`]*`|\]\([^)]*\)", re.DOTALL | re.MULTILINE
)
KEYS = {"wording", "quantity", "why", "note", "notes", "reason", "what", "size", "label", "here", "obtain"}
FOLDERS = ["notebooks", "book", *(f"data/{name}" for name in ("claims", "chapters", "registry"))]
FOLDERS += [f"study/{name}" for name in ("tables", "figures", "pages", "claims", "book")]
EXEMPT = {"changelog.md", "bibliography.md"}


def cells(path: Path, kind: str) -> list[str]:
    found = json.loads(path.read_text(encoding="utf-8"))["cells"]
    return ["".join(cell["source"]) for cell in found if cell["cell_type"] == kind]


def strings(source: str) -> Iterator[str]:
    """The texts of Python code that have several words, without docstrings."""
    nodes = list(ast.walk(ast.parse(source)))
    alone = {id(node.value) for node in nodes if isinstance(node, ast.Expr)}
    texts = (node for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str))
    yield from (node.value for node in texts if id(node) not in alone and len(node.value.split()) > 2)


def values(content: object, key: object = None) -> Iterator[str]:
    """The texts of a YAML file that a page shows."""
    if isinstance(content, dict | list):
        for of, value in content.items() if isinstance(content, dict) else ((key, one) for one in content):
            yield from values(value, of)
    elif key in KEYS:
        yield str(content)


def seen(path: Path) -> Iterator[str]:
    if path.suffix == ".ipynb":
        yield from cells(path, "markdown")
        yield from (text for source in cells(path, "code") for text in strings(source))
    elif path.suffix in (".md", ".py", ".yaml"):
        text = path.read_text(encoding="utf-8")
        read = {".py": strings, ".yaml": lambda text: values(yaml.safe_load(text))}
        yield from read.get(path.suffix, lambda text: [text])(text)


@pytest.mark.parametrize("folder", FOLDERS)
def test_prose_has_no_phrase_of_the_list(folder):
    for path in sorted(path for path in (ROOT / folder).iterdir() if path.name not in EXEMPT):
        for text in (CODE.sub(" ", text) for text in seen(path)):
            found = [text[max(at.start() - 40, 0) : at.end() + 30] for at in PATTERN.finditer(text)]
            assert not found, path.name


def test_a_summary_is_short_and_repeats_the_numbers_of_its_paper():
    results = [*ROOT.glob("notebooks/*_results.ipynb")]
    pages = {path.stem.removesuffix("_results"): path for path in results}
    prose = {name: " ".join(cells(path.with_stem(name), "markdown")) for name, path in pages.items()}
    assert len(prose) == 5 and max(len(text.split()) for text in prose.values()) <= 350
    mean = reported.select(reported.table("krissbert", "table2"), system="KRISSBERT", dataset="Mean")
    lazy, alone = (reported.pick(mean, variant=of) for of in ("lazy supervised", "self-supervised"))
    best = "self-supervised minus best prior self-supervised"
    lead = reported.cell("krissbert", "text", variant=best, dataset="Mean")
    assert f"by {lead:.0f} points on average" in prose["krissbert"]
    assert f"add {lazy - alone:.0f} more" in prose["krissbert"].replace("seven", "7")
    faster = reported.cell("dual_encoder", "text", variant="vs BLINK", metric="inference_speedup")
    assert f"up to {faster:.0f} times as fast" in prose["dual_encoder"].replace("twenty-five", "25")


def test_side_by_side_states_the_order_of_its_records():
    page = Page.published("side_by_side")
    found = [of for of in where_alike(page.runs("all"), page.measured("recount")) if of.made]
    unseen = stratum(found, "seen name", False)

    def order(data: str, match: str = "strict", mentions: dict | None = None) -> list[str]:
        scores = {
            of.system.keys[0]: mean_credit(of, Scoring(match))[of.among(mentions)].mean()
            for of in found
            if of.data == data
        }
        return sorted(scores, key=scores.get, reverse=True)

    diseases = ["ncbi-disease", "bc5cdr-disease"]
    assert {order(data)[0] for data in [*diseases, "medmentions-st21pv"]} == {"names"}
    assert {order(data, mentions=unseen)[0] for data in diseases} == {"names"}
    assert set(order("bc5cdr-chemical")[:2]) == {"genbioel-published", "belhd-published"}
    assert order("bc2gn")[0] == "belhd-published"
    genes = order("bc2gn")
    assert genes.index("genbioel-published") > genes.index("exact")
    assert order("bc2gn", "lenient")[0] == "genbioel-published"
    trained = {"sapbert", "biocom", "self", "biosyn", "cosines", "supervised", "lazy", "single", "proxy"}
    for data in (*diseases, "bc5cdr-chemical", "medmentions-st21pv", "bc2gn"):
        assert not {*trained, "collective"} & set(order(data)[: order(data).index("memory")]), data


def test_no_row_of_krissbert_is_measurably_ahead_of_the_advice_and_training_gains_less_than_a_point():
    evidence = Evidence()

    def effects(of, over, over_runs="one-model"):
        arms = {"of": [{"system": of, "runs": "one-model"}], "over": [{"system": over, "runs": over_runs}]}
        test = read_test({"name": "gap", "protocol": "strict/names/any-of", **arms}, "krissbert", "")
        return [test.effect(evidence, data) for data in ("ncbi-disease", "bc5cdr-disease", "bc5cdr-chemical")]

    for key in ("self", "self-names", "lazy", "lazy-names", "untuned-lazy", "untuned-lazy-names"):
        assert all(ahead.low <= 0 for ahead in effects(key, "memory-encoder", "table2")), key
    for key in ("self", "self-names", "lazy", "lazy-names"):
        assert all(gained.value < 1 for gained in effects(key, f"untuned-{key.removeprefix('self-')}")), key


def test_what_a_finding_says_besides_its_number_is_so_on_every_corpus():
    evidence, claims = Evidence(), {claim.id: claim for claim in read_claims()}

    def of_corpora(id, test=None, evidence=evidence):
        asked = test or claims[id].test
        return [asked.effect(evidence, corpus).value for corpus in claims[id].rule.corpora]

    def further(id, what):
        [beside] = [one for one in claims[id].beside if what in one.what]
        return of_corpora(id, beside.test)

    closer = further("C1", "the encoder that it is trained from")
    assert all(map(lt, closer, of_corpora("C1"))), "CoSiNES: the encoder it starts from is closer"
    falls = further("B3", "TF-IDF")
    assert all(map(lt, falls, of_corpora("B3"))), "BioCoM: TF-IDF falls more"
    untrained = of_corpora("D15", evidence=Untrained(evidence))
    assert all(map(lt, untrained, of_corpora("D15"))), "dual encoder: untrained, more"
