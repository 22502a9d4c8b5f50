"""A Sphinx extension: on every page, the first use of each term of the glossary leads to its definition."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.util.nodes import make_refnode

STYLE = "glossary.css"
# A term that stands here has its link already, is explained on the spot, or is no running text.
_PASSED_OVER = (
    nodes.Titular,
    nodes.literal,
    nodes.FixedTextElement,
    nodes.reference,
    nodes.term,
    nodes.table,
    nodes.caption,
    nodes.math,
    nodes.citation,
    addnodes.pending_xref,
)


@dataclass(frozen=True)
class Entry:
    """A definition of the glossary with the terms that it defines; ``anchor`` is that of the first."""

    terms: tuple[str, ...]
    page: str
    anchor: str
    definition: str

    @property
    def pattern(self) -> str:
        """What stands for the terms in running text: themselves and their plurals."""
        return "|".join(_forms(term) for term in sorted(self.terms, key=len, reverse=True))


def entries(env: BuildEnvironment) -> list[Entry]:
    """What the glossaries of the book define."""
    places = [place for place in env.get_domain("std").get_objects() if place[2] == "term"]
    found = []
    for page in dict.fromkeys(page for _, _, _, page, _, _ in places):
        for item in env.get_doctree(page).findall(nodes.definition_list_item):
            terms = [child for child in item.children if isinstance(child, nodes.term) and child["ids"]]
            if terms and isinstance(item.parent.parent, addnodes.glossary):
                names = tuple(term.astext() for term in terms)
                found.append(Entry(names, page, terms[0]["ids"][0], " ".join(item[-1].astext().split())))
    return found


class FirstUses(SphinxPostTransform):
    """Makes the links, with the definition as their tooltip. Headings, code, tables and links are left as
    they are, and so is a term that the page links itself."""

    default_priority = 5  # before references are resolved, so that those written by hand are seen
    formats = ("html",)

    def run(self, **_: Any) -> None:
        by_hand = {
            str(node["reftarget"]).lower()
            for node in self.document.findall(addnodes.pending_xref)
            if node["reftype"] == "term"
        }
        waiting = [entry for entry in entries(self.env) if by_hand.isdisjoint(map(str.lower, entry.terms))]
        for text in [*self.document.findall(nodes.Text)]:
            if waiting and _runs(text):
                text.parent.replace(text, [*self._linked(text, waiting)])

    def _linked(self, text: nodes.Text, waiting: list[Entry]) -> Iterator[nodes.Node]:
        """The text with its first uses as links; their entries no longer wait."""
        rest = str(text)
        own = _anchors_of(text)
        while found := min(_uses(rest, waiting, own), key=_earliest_and_longest, default=None):
            use, entry = found
            waiting.remove(entry)
            yield nodes.Text(rest[: use.start()])
            yield self._link(use.group(), entry)
            rest = rest[use.end() :]
        yield nodes.Text(rest)

    def _link(self, text: str, entry: Entry) -> nodes.reference:
        shown = nodes.inline(text, text, classes=["xref", "std", "std-term"])
        here = self.env.docname
        return make_refnode(self.app.builder, here, entry.page, entry.anchor, shown, entry.definition)


def setup(app: Sphinx) -> dict[str, Any]:
    app.add_post_transform(FirstUses)
    app.add_css_file(STYLE)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def _forms(term: str) -> str:
    """A pattern for a term and its plural. Capitals count where it has some; ``Recall@k`` is for every k."""
    pattern = re.escape(term).replace("@k", r"@(?:k|\d+)")
    plural = re.sub("y$", "(?:y|ies)", pattern) if term.endswith("y") else f"{pattern}(?:s|es)?"
    return plural if term != term.lower() else f"(?i:{plural})"


def _uses(text: str, waiting: list[Entry], own: set[str]) -> Iterator[tuple[re.Match[str], Entry]]:
    """The first use of each entry in a text, but for those whose definition it stands in."""
    for entry in waiting:
        use = re.search(rf"(?<![\w-])(?:{entry.pattern})(?![\w-])", text)
        if use and entry.anchor not in own:
            yield use, entry


def _earliest_and_longest(found: tuple[re.Match[str], Entry]) -> tuple[int, int]:
    use, _ = found
    return use.start(), -use.end()


def _ancestors(node: nodes.Node) -> Iterator[nodes.Element]:
    while node.parent is not None:
        node = node.parent
        yield node


def _runs(text: nodes.Text) -> bool:
    """Whether a text is one of a paragraph, and not of what is passed over, nor of a link written as HTML."""
    around = [*_ancestors(text)]
    return (
        any(isinstance(one, nodes.paragraph) for one in around)
        and not any(isinstance(one, _PASSED_OVER) for one in around)
        and not _before(text).startswith("<a ")
    )


def _before(text: nodes.Text) -> str:
    """The HTML that stands right before a text."""
    at = text.parent.index(text)
    return text.parent[at - 1].astext() if at and isinstance(text.parent[at - 1], nodes.raw) else ""


def _anchors_of(text: nodes.Text) -> set[str]:
    """The anchors of the definition that a text stands in."""
    items = (one for one in _ancestors(text) if isinstance(one, nodes.definition_list_item))
    return {id for item in items for term in item.findall(nodes.term) for id in term["ids"]}
