"""Check a rendered book: every page with its sections, not too heavy, without errors or remote parts."""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from bs4 import BeautifulSoup

from .light import MOST_BYTES, MOST_NODES, nodes

LEAST_TEXT = 200  # characters of the article; a page that lost its body has its title and little more
_REMOTE_CSS = re.compile(r"url\(\s*['\"]?(?:https?:)?//[^)]*|@import\s+['\"](?:https?:)?//[^'\"]*")
_NOT_PAGES = ("_", "data/records/")  # how their paths begin
_LINKS = {"stylesheet", "icon", "shortcut", "preload", "modulepreload", "preconnect", "dns-prefetch"}


def problems(html: Path, pages: Mapping[str, Sequence[str]]) -> list[str]:
    """Everything that is wrong with a rendered book; empty for a whole one. ``pages`` are those of the
    contents with the heads of their sections."""
    found = [] if (html / "index.html").exists() else ["index.html: missing"]
    for page, sections in pages.items():
        path = html / f"{page}.html"
        if not path.exists():
            found.append(f"{page}.html: missing")
            continue
        found += [f"{page}.html: {problem}" for problem in _page_problems(path, sections)]
    rendered = {path.relative_to(html).with_suffix("").as_posix() for path in html.rglob("*.html")}
    extra = {page for page in rendered if not page.startswith(_NOT_PAGES)}
    extra -= {*pages, "index", "search", "genindex"}
    found += [f"{page}.html: not in the table of contents" for page in sorted(extra)]
    for sheet in html.rglob("*.css"):
        remote = _REMOTE_CSS.findall(sheet.read_text(encoding="utf-8", errors="replace"))
        found += [f"{sheet.relative_to(html)}: loads {address}" for address in remote]
    return found


def _page_problems(path: Path, sections: Sequence[str]) -> list[str]:
    page = path.read_text(encoding="utf-8")
    soup = BeautifulSoup(page, "html.parser")
    article = soup.find("article") or soup.new_tag("article")
    text = article.get_text(" ", strip=True)
    found = []
    if len(text) < LEAST_TEXT:
        found.append(f"only {len(text)} characters of text")
    if "Traceback (most recent call last)" in text:
        found.append("shows a traceback")
    heads = {re.sub(r"\W", "", head.get_text()) for head in article.find_all("h2")}
    found += [f"lacks the section {of!r}" for of in sections if re.sub(r"\W", "", of) not in heads]
    for weight, most, unit in (
        (path.stat().st_size, MOST_BYTES, "bytes"),
        (nodes(page), MOST_NODES, "elements"),
    ):
        if weight > most:
            found.append(f"{weight:,} {unit}, expected at most {most:,}")
    return found + [f"loads {address}" for address in _remote(soup)]


def _remote(soup: BeautifulSoup) -> list[str]:
    """Addresses outside the book that a browser would fetch by opening the page."""
    addresses = [tag[name] for name in ("src", "data") for tag in soup.find_all(attrs={name: True})]
    addresses += [tag.get("href", "") for tag in soup.find_all("link") if _LINKS & set(tag.get("rel", []))]
    styles = " ".join(tag.get_text() for tag in soup.find_all("style"))
    remote = [a for a in addresses if a.startswith(("http:", "https:", "//"))]
    return remote + _REMOTE_CSS.findall(styles)
