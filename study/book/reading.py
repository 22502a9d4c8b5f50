"""The reading list of the front page: every page of ``_toc.yml`` with the sentence that it begins with."""

import json
import re
from collections.abc import Mapping
from pathlib import Path

import yaml

_MARKUP = (
    (re.compile(r"\s*\{(?:cite|cite:\w)\}`[^`]*`"), ""),  # a citation
    (re.compile(r"\{\w+\}`([^`<]*?)(?:\s*<[^`]*>)?`"), r"\1"),  # a role, as of a glossary's term
    (re.compile(r"!?\[([^\]]*)\]\([^)]*\)"), r"\1"),  # a link
)
_SENTENCE = re.compile(r".+?[.!?](?=\s+[A-Z`*(]|$)")


def parts(root: Path) -> Mapping[str, list[str]]:
    """The pages of each part of the contents, without endings: ``{"Read": ["book/how-to", ...]}``."""
    toc = yaml.safe_load((root / "_toc.yml").read_text(encoding="utf-8"))
    return {
        part["caption"]: [page["file"] for of in part["chapters"] for page in (of, *of.get("sections", ()))]
        for part in toc["parts"]
    }


def documents(root: Path) -> list[str]:
    """All pages of the book in order, the front page first."""
    toc = yaml.safe_load((root / "_toc.yml").read_text(encoding="utf-8"))
    return [toc["root"], *(page for pages in parts(root).values() for page in pages)]


def reading(root: Path) -> str:
    """A list of the pages of every part but the front page, for a page in ``book``."""
    lines = []
    for caption, pages in parts(root).items():
        lines += [f"**{caption}**", ""]
        for page in pages:
            title, begins = opening(root, page)
            lines.append(f"- {link(root, page, title)}: {begins}")
        lines.append("")
    return "\n".join(lines)


def link(root: Path, page: str, title: str = "") -> str:
    """A link to a page from one in ``book``."""
    return f"[{title or opening(root, page)[0]}](../{source(root, page).relative_to(root).as_posix()})"


def source(root: Path, page: str) -> Path:
    """The file of a page of the contents; raises ValueError for one that there is not."""
    for ending in (".md", ".ipynb"):
        if (path := root / f"{page}{ending}").is_file():
            return path
    raise ValueError(f"_toc.yml: there is no page {page!r}")


def opening(root: Path, page: str) -> tuple[str, str]:
    """The title and the first sentence of a page, in plain text; raises ValueError for a page without."""
    path = source(root, page)
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".ipynb":
        text = "".join(json.loads(text)["cells"][0]["source"])
    title, *blocks = (" ".join(block.split()) for block in text.strip().split("\n\n"))
    prose = next((block for block in blocks if re.match(r"(?!```)[\w`*\[]|\{\w+\}`", block)), "")
    for pattern, plain in _MARKUP:
        prose = pattern.sub(plain, prose)
    sentence = _SENTENCE.match(prose)
    if not title.startswith("# ") or sentence is None:
        raise ValueError(f"{path.name}: expected a title and a sentence to begin with")
    return title.removeprefix("# "), sentence[0]
