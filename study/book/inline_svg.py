"""A Sphinx extension that puts SVG pictures into the page itself: there their text (``currentColor``) has the
colour of the page, light or dark, and can be found and copied, while an ``img`` knows nothing of the page."""

import re
from base64 import b64decode
from html import escape
from pathlib import Path

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.transforms.post_transforms import SphinxPostTransform

_DATA = "data:image/svg+xml;base64,"
_TOLD = re.compile(r' (?:role|aria-[a-z]+)="[^"]*"')
_REFERENCE = re.compile(r'(?<= id=")|(?<=\(#)|(?<=href="#)')


class InlineSvg(SphinxPostTransform):
    """Replaces every image that is an SVG file of the book or comes as one in its address."""

    default_priority = 5  # before images are collected for copying
    formats = ("html",)

    def run(self, **_: object) -> None:
        found = [(image, text) for image in self.document.findall(nodes.image) if (text := self._text(image))]
        for number, (image, text) in enumerate(found):
            svg = labelled(text, image.get("alt", ""), f"svg{number}-")
            image.replace_self(nodes.raw("", svg, format="html"))

    def _text(self, image: nodes.image) -> str:
        address = image["uri"]
        if address.startswith(_DATA):
            return b64decode(address.removeprefix(_DATA)).decode()
        path = Path(self.app.srcdir, address)
        return path.read_text(encoding="utf-8") if path.suffix == ".svg" and path.is_file() else ""


def labelled(svg: str, alt: str, prefix: str) -> str:
    """The ``svg`` element of a file as an image with a text for those who do not see it; ``prefix`` keeps its
    ids apart from those of other pictures of the page."""
    head, close, inside = svg[svg.index("<svg") :].partition(">")
    head = (
        f'<svg class="drawn" role="img" aria-label="{escape(alt)}"{_TOLD.sub("", head).removeprefix("<svg")}'
    )
    return _REFERENCE.sub(prefix, head + close + inside)


def setup(app: Sphinx) -> dict[str, object]:
    app.add_post_transform(InlineSvg)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
