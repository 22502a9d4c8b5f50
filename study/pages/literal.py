"""Text from elsewhere on a page, to the letter: nothing in it is markup, a link, mathematics or a directive.

Ids, names, notes, file names and parameters come from files that anybody may have written. Each goes through
one of these, or through the cells of :mod:`study.pages.show`; HTML that is no part of Markdown takes
:func:`html.escape`.
"""

import html
import re

_MARKED = re.compile(r"[\\`*_{}\[\]<>$|~#&]")
_NOT_HTML = re.compile(r"[\\`*_{}\[\]$|~]")  # what marks Markdown and is left by the escaping of HTML
_SPACE = re.compile(r"[^\S\xa0]+")  # lines too: a new one could begin a heading, a list or a directive


def in_markdown(text: object) -> str:
    """Within a line of Markdown that something of ours begins, or a cell of a table."""
    return _MARKED.sub(r"\\\g<0>", _line(text))


def in_html(text: object) -> str:
    """Within HTML, also where that stands in Markdown, which reads on between tags."""
    escaped = html.escape(_SPACE.sub(" ", str(text)))
    return _NOT_HTML.sub(lambda found: f"&#{ord(found[0])};", escaped)


def in_code(text: object) -> str:
    """As a code span of Markdown, its ticks more than any in it."""
    line = _line(text) or " "
    ticks, space = _ticks(line, 1), " " * (line[0] == "`" or line[-1] == "`")
    return f"{ticks}{space}{line}{space}{ticks}"


def block(text: str, language: str = "text") -> str:
    """As a block of code in Markdown, its fence longer than any in it."""
    fence = _ticks(text, 3)
    return f"{fence}{language}\n{text}\n{fence}"


def _line(text: object) -> str:
    return _SPACE.sub(" ", str(text)).strip()


def _ticks(text: str, least: int) -> str:
    return "`" * max(least, 1 + max(map(len, re.findall("`+", text)), default=0))
