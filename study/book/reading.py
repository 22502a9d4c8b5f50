"""The pages of ``_toc.yml`` with their titles and sections."""

import json
import re
from pathlib import Path

import yaml

_MARKUP = (
    (re.compile(r"\s*\{(?:cite|cite:\w)\}`[^`]*`"), ""),  # a citation
    (re.compile(r"\{\w+\}`([^`<]*?)(?:\s*<[^`]*>)?`"), r"\1"),  # a role, as of a glossary's term
    (re.compile(r"!?\[([^\]]*)\]\([^)]*\)"), r"\1"),  # a link
)
_CODE = re.compile(r"^(```+).*?^\1", re.M | re.S)


def documents(root: Path) -> list[str]:
    """All pages of the book in order, without endings, the front page first."""
    toc = yaml.safe_load((root / "_toc.yml").read_text(encoding="utf-8"))
    chapters = [chapter for part in toc["parts"] for chapter in part["chapters"]]
    return [toc["root"], *(page["file"] for of in chapters for page in (of, *of.get("sections", ())))]


def link(root: Path, page: str) -> str:
    """A link to a page from one in ``book``."""
    return f"[{title(root, page)}](../{source(root, page).relative_to(root).as_posix()})"


def source(root: Path, page: str) -> Path:
    """The file of a page of the contents; raises ValueError for one that there is not."""
    for ending in (".md", ".ipynb"):
        if (path := root / f"{page}{ending}").is_file():
            return path
    raise ValueError(f"_toc.yml: there is no page {page!r}")


def title(root: Path, page: str) -> str:
    """The title of a page; raises ValueError for a page without."""
    path = source(root, page)
    head, _, text = _markdown(path)[0].strip().partition("\n")
    if not head.startswith("# ") or not text:
        raise ValueError(f"{path.name}: expected a title and text below it")
    return head.removeprefix("# ")


def sections(root: Path, page: str) -> list[str]:
    text = _CODE.sub("", "\n".join(_markdown(source(root, page))))
    return [_plain(head) for head in re.findall(r"^## (.+)$", text, re.M)]


def _markdown(path: Path) -> list[str]:
    """The text of a page, or of each of its cells of text."""
    text = path.read_text(encoding="utf-8")
    if path.suffix != ".ipynb":
        return [text]
    return ["".join(cell["source"]) for cell in json.loads(text)["cells"] if cell["cell_type"] == "markdown"]


def _plain(text: str) -> str:
    for pattern, plain in _MARKUP:
        text = pattern.sub(plain, text)
    return text
