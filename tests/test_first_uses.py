"""Links from the first use of a term to the glossary, on a book of two pages."""

from pathlib import Path

import pytest
from bs4 import BeautifulSoup, Tag

pytest.importorskip("sphinx")
from sphinx.cmd.build import build_main

GLOSSARY = """
Words
=====

.. glossary::

   mention
      What names a concept.

   concept
   entity
      What a mention names. A concept has an id.

   ontology
      All of them.

   NIL
      None of them.

   Recall@k
      A share of mentions.

   paired test
      A test in pairs.
"""
FIRST = """
Mention
=======

The ``mention`` and `a mention <https://example.org>`_ in a table:

====== =======
cell   mention
====== =======

.. code-block:: text

   mention

**Mentions**, a second mention, and comments; then two ontologies and one ontology.

Nil, minil and NIL. Recall@5 of an *entity*, one concept and an unpaired test; see
:term:`the tests <paired test>` and a paired test.

.. raw:: html

   <p>mention</p>
"""


@pytest.fixture(scope="module")
def book(tmp_path_factory) -> dict[str, Tag]:
    source = tmp_path_factory.mktemp("book")
    (source / "index.rst").write_text(FIRST + "\n.. toctree::\n\n   words\n", encoding="utf-8")
    (source / "words.rst").write_text(GLOSSARY, encoding="utf-8")
    options = ["-q", "-W", "-n", "-C", "-D", "extensions=study.book.first_uses"]
    assert build_main([*options, str(source), str(source / "html")]) == 0
    pages = {
        name: (source / "html" / f"{name}.html").read_text(encoding="utf-8") for name in ("index", "words")
    }
    return {name: BeautifulSoup(page, "html.parser").find("div", role="main") for name, page in pages.items()}


def links(page: Tag) -> list[tuple[str, str]]:
    """(text, target) of the links to terms, in their order."""
    found = [mark.find_parent("a") for mark in page.select("span.std-term")]
    return [(link.get_text(), link["href"]) for link in found]


def test_the_first_use_in_running_text_is_linked_and_no_other(book):
    assert links(book["index"]) == [
        ("Mentions", "words.html#term-mention"),  # not the heading, code, link or cell before it
        ("ontologies", "words.html#term-ontology"),
        ("NIL", "words.html#term-NIL"),  # not Nil, and not within another word
        ("Recall@5", "words.html#term-Recall-k"),
        ("entity", "words.html#term-concept"),  # one definition, one link, whatever word is used for it
        ("the tests", "words.html#term-paired-test"),  # by hand, and so not once more
    ]


def test_the_text_is_the_same_as_without_links(book):
    paragraphs = [" ".join(p.get_text().split()) for p in book["index"].find_all("p")]
    assert "Mentions, a second mention, and comments; then two ontologies and one ontology." in paragraphs
    link = book["index"].select_one("strong a")
    assert link.get_text() == "Mentions" and link["title"] == "What names a concept."


def test_a_definition_links_other_terms_and_not_its_own(book):
    assert links(book["words"]) == [("concept", "#term-concept"), ("mention", "#term-mention")]
    first, second = (link.find_parent("dd") for link in book["words"].select("dd a"))
    assert first.find_previous_sibling("dt")["id"] == "term-mention"
    assert second.get_text().startswith("What a mention names. A concept")


def test_the_style_of_the_links_is_among_the_books_own():
    from study.book.first_uses import STYLE

    assert (Path(__file__).resolve().parents[1] / "book" / "_static" / STYLE).exists()
