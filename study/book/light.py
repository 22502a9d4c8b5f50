"""Make rendered pages light: closed folds and further rows of long tables are built when they open."""

import os
import re
from base64 import b64decode
from pathlib import Path

MOST_BYTES, MOST_NODES = 600_000, 6_000  # of a page as it loads
_ROOM = 0.85 * MOST_NODES  # scripts add search boxes, menus and buttons
_ROWS = (20, 12, 8, 5, 3)  # of a long table, shown at once: as many as the page has room for
_SHORTER = (
    (re.compile(r' class="(?:row-(?:even|odd)|text-left)"'), ""),
    (re.compile(r"(<t[dh][^>]*>)<p>((?:(?!</?p\b).)*)</p>(?=</t[dh]>)", re.DOTALL), r"\1\2"),
    (re.compile(r'<td class="text-right">(?=</td>)'), "<td>"),
    (re.compile(r'<td class="text-right">'), "<td class=r>"),
    (re.compile(r'<span class="interval">([^<]*)</span>'), r"<small>\1</small>"),
    (re.compile(r'<a href="(\.\./data/records/\w+\.html)">'), r"<a href=\1>"),
    (re.compile(r">\n(?=<t[dhr]\b)"), ">"),
    (re.compile(r'<span class="[npw]">([^<]*)</span>'), r"\1"),  # code in the colour of the text around it
    # The theme's style has the icons of this script as a font.
    (re.compile(r'<script src="[^"]*/fontawesome\.js[^"]*"></script>'), ""),
)
_ONLY_WITH = {
    'class="math ': re.compile(
        r"<script>window\.MathJax = [^<]*</script>|<script[^>]*/mathjax/[^>]*></script>"
    ),
    'class="cell ': re.compile(r"<link[^>]*/mystnb\.[^>]*>"),
}
_CSV = re.compile(r'download="([^"]*)" href="data:text/csv;base64,([^"]*)"')
_ARTICLE = re.compile(r"(?<=<article).*(?=</article>)", re.DOTALL)
_FOLD = re.compile(r"<details\b[^>]*>|</details>")
_TEMPLATE = re.compile(r"<template>.*?</template>", re.DOTALL)
_BODY = re.compile(r"(?<=<tbody>).*?(?=</tbody>)", re.DOTALL)
_ROW = re.compile(r"<tr\b.*?</tr>", re.DOTALL)


def lighten(html: Path) -> None:
    """Rewrite every page of a rendered book; the data of figures become files of ``_static/csv``."""
    folder = html / "_static" / "csv"
    folder.mkdir(exist_ok=True)

    def to_file(found: re.Match) -> str:
        file = folder / f"{path.stem}-{found[1]}"
        file.write_bytes(b64decode(found[2]))
        return f'download="{found[1]}" href="{os.path.relpath(file, path.parent)}"'

    for path in html.glob("*/*.html"):
        path.write_text(light(_CSV.sub(to_file, path.read_text(encoding="utf-8"))), encoding="utf-8")


def light(page: str) -> str:
    """A page without what it does not use, its closed folds and further rows in ``template`` elements, which
    ``folds.js`` opens."""
    for long, short in _SHORTER:
        page = long.sub(short, page)
    for content, loaded in _ONLY_WITH.items():
        page = page if content in page else loaded.sub("", page)
    for rows in _ROWS:
        made = _ARTICLE.sub(lambda article, rows=rows: _folded(article[0], rows), page)
        if nodes(made) <= _ROOM:
            break
    return made


def nodes(page: str) -> int:
    """How many elements a page has when it loads: those in a ``template`` come later."""
    return len(re.findall(r"<[a-zA-Z]", _TEMPLATE.sub("<template>", page)))


def _folded(article: str, rows: int) -> str:
    parts: list[str] = []
    closed: list[bool] = []  # of the folds around a place
    last = 0
    for tag in _FOLD.finditer(article):
        if tag[0] == "</details>":
            if closed.pop() and not any(closed):
                parts.append(f"<template>{article[last : tag.start()]}</template>")
                last = tag.start()
            continue
        closed.append(" open" not in tag[0])
        if sum(closed) == 1 and closed[-1]:
            content = article.index("</summary>", tag.end()) + len("</summary>")
            parts.append(_shortened(article[last:content], rows))
            last = content
    return "".join([*parts, _shortened(article[last:], rows)])


def _shortened(text: str, most: int) -> str:
    """The rows after the first ``most`` of each table that has half as many again, and more than eight, go
    into a template."""

    def first(body: re.Match) -> str:
        rows = _ROW.findall(body[0])
        further = f"<template>{''.join(rows[most:])}</template>"
        return body[0] if len(rows) <= max(8, 1.5 * most) else "\n".join([*rows[:most], further])

    return _BODY.sub(first, text)
