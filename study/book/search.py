"""The search index, with what ``book/_static/search.js`` ranks by: how often prose has a word (``times``),
and the words of code apart (``codeterms``)."""

from collections import Counter, defaultdict
from typing import Any

import sphinx.search
from docutils import nodes
from sphinx.application import Sphinx


class ProseFirst(sphinx.search.IndexBuilder):
    """An index of prose: without the stamps of notebooks, their input cells apart."""

    def __init__(self, *arguments: Any):
        super().__init__(*arguments)
        self._times: dict[str, Counter[str]] = defaultdict(Counter)  # by page, of each stem
        self._code: dict[str, set[str]] = defaultdict(set)

    def feed(self, docname: str, filename: str, title: str, doctree: nodes.document) -> None:
        prose = doctree.deepcopy()
        for node in list(prose.findall(_is_code)):
            self._code[docname] |= set(self._stems(self.lang.split(node.astext())))
            node.parent.remove(node)
        for node in list(prose.findall(_is_stamp)):
            node.parent.remove(node)
        self._times[docname].update(self._stems(self._word_collector(prose).words))
        super().feed(docname, filename, title, prose)

    def freeze(self) -> dict[str, Any]:
        frozen = super().freeze()
        times: dict[str, dict[int, int]] = defaultdict(dict)
        codeterms: dict[str, list[int]] = defaultdict(list)
        for number, name in enumerate(frozen["docnames"]):
            for word, count in self._times[name].items():
                times[word][number] = count
            for word in self._code[name]:
                codeterms[word].append(number)
        return frozen | {"times": times, "codeterms": codeterms}

    def _stems(self, words: list[str]) -> list[str]:
        return [stem for word in words if self.lang.word_filter(stem := self.lang.stem(word).lower())]


def _is_code(node: nodes.Node) -> bool:
    return isinstance(node, nodes.literal_block) and "cell_input" in node.parent.get("classes", [])


def _is_stamp(node: nodes.Node) -> bool:
    return isinstance(node, nodes.raw) and node.astext().startswith('<details class="stamp"')


def setup(app: Sphinx) -> dict[str, bool]:
    """The builder of pages takes the class of the index from ``sphinx.search``, by its name, as it starts."""
    sphinx.search.IndexBuilder = ProseFirst
    return {"parallel_read_safe": True, "parallel_write_safe": False}
