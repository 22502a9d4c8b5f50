"""Text from elsewhere is shown to the letter by the Markdown of the book and of Jupyter."""

import random
from html import unescape
from types import SimpleNamespace

import pandas as pd
import pytest
import yaml
from bs4 import BeautifulSoup
from docutils import nodes
from docutils.core import publish_doctree
from markdown_it import MarkdownIt
from myst_parser.parsers.docutils_ import Parser
from ranked import record
from toy import BENCHMARK

from study.pages import own_files, show
from study.pages.literal import block, in_code, in_html, in_markdown
from study.pages.page import _said
from study.pages.page import notes as notes_of_page
from study.places import ROOT
from study.tables.data import notes
from study.tables.rows import joined

EXTENSIONS = yaml.safe_load((ROOT / "_config.yml").read_text())["parse"]["myst_enable_extensions"]
LIVE = (nodes.raw, nodes.reference, nodes.target, nodes.image, nodes.math, nodes.math_block, nodes.comment)

HOSTILE = [
    "<img src=x onerror=alert(1)>",
    "<script>alert(1)</script>",
    "</li></ul><svg/onload=alert(1)>",
    "[click](javascript:alert(1))",
    "![](javascript:alert(1))",
    "[click](https://example.org) ![](https://example.org/x.png)",
    "<javascript:alert(1)>",
    "[click][1]\n\n[1]: javascript:alert(1)",
    "a `tick` and ``two`` in a name`.txt",
    "`",
    "``` then\n```\n<b>out</b>",
    "~~~~\n<b>out</b>",
    "*bold* __under__ ~~gone~~ a|b $x^2$ $$y$$",
    "{raw-html}`<b>` {{ 7 * 7 }} {#id} {onclick=alert(1)}",
    ":::{raw} html\n<script>1</script>\n:::",
    "\n# a heading\n\n- a list\n% a comment\n(a-target)=\n+++",
    "\\<b>\\",
    "&lt;b&gt; &#60;b&#62; &amp;",
    "C:\\names\\new $HOME.csv",
    '" onmouseover="alert(1)" \'',
    "\\begin{equation}1\\end{equation}",
    "<!-- a comment -->",
    "<![CDATA[x]]>",
]


def random_texts(n: int):
    rng = random.Random(0)
    signs = [*"`*_<>$|{}\\!#&%='\")\n\t ", "``", "](", "~~", "&lt;", "<b>", "1. ", "- ", ":::", "{{"]
    return ["x" + "".join(rng.choices(signs, k=rng.randint(1, 14))) + "x" for _ in range(n)]


def one_line(text: str) -> str:
    return " ".join(text.split())


def book(source: str) -> nodes.document:
    """Markdown as the book reads it."""
    settings = {"myst_enable_extensions": EXTENSIONS, "report_level": 2, "warning_stream": False}
    document = publish_doctree(source, parser=Parser(), settings_overrides=settings)
    assert not [*document.findall(nodes.system_message)], source
    return document


def jupyter(source: str) -> BeautifulSoup:
    """Markdown with the tables and lists of CommonMark, HTML let through."""
    return BeautifulSoup(MarkdownIt("commonmark").enable("table").render(source), "html.parser")


@pytest.mark.parametrize("text", [*HOSTILE, *random_texts(100)])
def test_text_in_a_line_of_markdown_is_shown_to_the_letter(text):
    source = f"- **a note**: {in_markdown(text)}"
    shown = book(source)
    assert not [node for kind in LIVE for node in shown.findall(kind)], text
    assert one_line(shown.astext()) == one_line(f"a note: {text}")
    html = jupyter(source)
    assert {tag.name for tag in html.find_all(True)} == {"ul", "li", "strong"}
    assert one_line(html.get_text()) == one_line(f"a note: {text}")


@pytest.mark.parametrize("text", [*HOSTILE, *random_texts(100)])
def test_text_in_html_in_markdown_is_shown_to_the_letter(text):
    source = f'| a |\n| - |\n| <mark title="{in_html(text)}">{in_html(text)}</mark> |'
    mark = jupyter(source).find("mark")
    assert one_line(mark.get_text()) == one_line(mark["title"]) == one_line(text)
    assert not mark.find_all(True) and list(mark.attrs) == ["title"]
    raw = [node.astext() for node in book(source).findall(nodes.raw)]
    assert len(raw) == 2 and raw[0].startswith("<mark") and raw[1] == "</mark>", text
    # HTML that is shown as such, without Markdown.
    assert unescape(in_html(text)).split() == text.split()


@pytest.mark.parametrize("text", [*HOSTILE, *random_texts(100)])
def test_a_span_and_a_block_of_code_hold_all_of_it_and_end_after_it(text):
    [span] = book(f"a {in_code(text)} b").findall(nodes.literal)
    assert one_line(span.astext()) == one_line(text)
    assert book(f"a {in_code(text)} b").astext() == f"a {span.astext()} b"
    shown = book(f"{block(text)}\n\nafter")
    [literal] = shown.findall(nodes.literal_block)
    assert literal.astext().strip("\n") == text.strip("\n") and shown.children[-1].astext() == "after"
    assert not [*shown.findall(nodes.raw)]


@pytest.mark.parametrize("text", HOSTILE)
def test_every_place_where_a_page_shows_text_from_elsewhere_escapes_it(text, tmp_path):
    """Notes, names of data sets, files, parameters, table cells and heads, and links to records."""
    own = SimpleNamespace(registered=False, name=text, benchmark=SimpleNamespace(notes=(text,)))
    made = record([1], path="data/records/a.json")
    scored = SimpleNamespace(alerts=[text], warnings=[f"{text.replace('/', '')}: {text}"])
    (tmp_path / "names.csv").write_text(f'id,name\n1,"{text}"\n', encoding="utf-8")
    sources = {
        "notes": notes([own]),
        "notes of a corpus": notes_of_page(own.benchmark),
        "warnings": own_files.warnings([scored]),
        "head": own_files.head(tmp_path / "names.csv", 9),
        "banner": f"> **Not as published.** `dataset` is {_said(text)}",
        "table": show.myst_table(pd.DataFrame({text: [text, "b"]}), "t", "A caption."),
        "links": f"| a |\n| - |\n| {joined([show.linked(text, made), text], ', ')} |",
    }
    for place, source in sources.items():
        live = jupyter(source).find_all(["script", "img", "svg", "b", "iframe"])
        assert not live, place
        links = [tag["href"] for tag in jupyter(source).find_all(href=True)]
        assert set(links) <= {"../data/records/a.html"}, place


def test_a_table_shows_every_cell_to_the_letter_in_jupyter():
    frame = pd.DataFrame({"text": HOSTILE})
    shown = BeautifulSoup(show._html(frame, HOSTILE[0]), "html.parser")
    assert [cell.get_text() for cell in shown.find_all("td")] == HOSTILE
    assert shown.caption.get_text() == HOSTILE[0]
    assert {tag.name for tag in shown.find_all(True)} == {"table", "caption", "tr", "th", "td"}
    registered = SimpleNamespace(registered=True, name="ncbi-disease", dataset="ncbi-disease")
    assert "`+` asks for all of them" in notes([registered])  # Markdown of ours stays
    assert notes([SimpleNamespace(registered=False, name="a", benchmark=BENCHMARK)]) == "Nothing."
