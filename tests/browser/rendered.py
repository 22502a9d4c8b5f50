"""The book as it was built, and what several tests do with it."""

import functools
import re
from pathlib import Path

from bs4 import BeautifulSoup

from study.book.reading import documents

ROOT = Path(__file__).resolve().parents[2]
HTML = ROOT / "_build" / "html"
PAGES = documents(ROOT)
NOTEBOOKS = [name for name in PAGES if name.startswith("notebooks/")]
NARROW, WIDE = {"width": 390, "height": 844}, {"width": 1280, "height": 900}
THEME = "theme => { document.documentElement.dataset.theme = theme }"
OPEN = """document.querySelectorAll('article details, details.cite').forEach(d => { d.open = true })
document.querySelectorAll('article tfoot button').forEach(b => { b.click() })"""


@functools.cache
def soup(path: Path) -> BeautifulSoup:
    return BeautifulSoup(path.read_text(encoding="utf-8"), "html.parser")


def article(name: str) -> BeautifulSoup:
    return soup(HTML / f"{name}.html").find("article", class_="bd-article")


def coloured(css: str) -> str:
    """``rgb(1, 2, 3)`` as ``#010203``."""
    return "#" + "".join(f"{int(part):02x}" for part in re.findall(r"\d+", css)[:3])


def watched(page, *allowed: str) -> list[str]:
    """What goes wrong on a page from here on: errors, and requests for what does not begin so."""
    troubles: list[str] = []
    page.on("console", lambda m: m.type == "error" and troubles.append(m.text))
    page.on("pageerror", lambda error: troubles.append(str(error)))
    page.on("request", lambda r: r.url.startswith(allowed) or troubles.append(r.url))
    return troubles


def saved(page, click):
    """What a click saves. Chromium drops more than ten downloads a second, so the next one waits."""
    with page.expect_download() as download:
        click()
    page.wait_for_timeout(150)
    return download.value
