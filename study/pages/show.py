"""Put a table, a figure or a text on a page: numbered and sortable in the book, plain in a notebook."""

import html
import json
import re
from base64 import b64encode
from collections.abc import Mapping, Sequence
from typing import Protocol

import pandas as pd
from IPython.display import HTML, display

from ..records import Record
from .cells import Markup, escaped, is_number, no_break, stacked
from .literal import in_html

_FEW = 12  # records that are listed in a line or two; more are folded
_PAGE = re.compile(r'<a href="\.\./data/records/([^"]*)\.html">(.*?)</a>', re.DOTALL)
_LINK = re.compile(r"\[([^\]]+)\]\(#[^)]+\)")  # to a label of the book
LONG = 30  # rows from which on a table has a search box and menus
_DECISIVE = re.compile(r"(printed )?@1|what|printed|ours|here|status|(printed|our) gain")
_LESS_IS_BETTER = re.compile(
    r"(macro )?p( \(Holm\)( of F1)?)?|.*seconds.*|minutes|rank.*|perplexity.*|after|errors,.*|lost|memory.*|"
    "largest difference"
)


class Figure(Protocol):
    """What a page takes of a :class:`study.figures.Drawn`."""

    svg: str
    csv: str
    records: Mapping[str, Sequence[Record]]


def table(frame: pd.DataFrame, name: str, caption: str, decisive: Sequence[str] = (), more: str = "") -> None:
    """Show a frame as a table that can be cited as ``name``, sorted by a click on a column's head.

    Cells are text and are escaped, but for :class:`Markup`. ``decisive`` are the columns that a phone keeps
    in view beside the first, where the usual ones (printed, ours, status, @1, ...) are not right; KeyError
    for one that is not there. ``more`` are as of :func:`myst_table`.
    """
    if frame.empty:
        markdown(f"{caption} *None of these data sets has it.*")
        return
    # The book prefers the Markdown form (see _config.yml), Jupyter the HTML one.
    display(
        {
            "text/markdown": myst_table(frame, name, caption, decisive, more),
            "text/html": _html(frame, caption),
            "text/plain": f"{caption}\n{frame.to_string(index=False)}",
        },
        raw=True,
    )


def markdown(text: str) -> None:
    """Show a paragraph of Markdown, in which text from elsewhere went through :mod:`study.pages.literal`;
    nothing for an empty one."""
    if not text:
        return
    display({"text/markdown": text, "text/plain": text}, raw=True)


def raw_html(text: str) -> None:
    """Show HTML whose text has been escaped where it was made."""
    display(HTML(text))


def myst_table(
    frame: pd.DataFrame, name: str, caption: str, decisive: Sequence[str] = (), more: str = ""
) -> str:
    """A frame as a MyST table directive, with the classes that ``tables.js`` reads.

    Every table sorts and can be saved as CSV, a long one can be filtered; ``keep-2`` keeps the second column
    in view on a phone, in the third of ``less-3`` the smallest number is the best. ``more`` are others.
    """
    place = {head: number for number, head in enumerate(frame.columns, 1)}
    classes = ["sortable", "download", *(["filterable"] if len(frame) > LONG else [])]
    classes += [f"keep-{place[head]}" for head in decisive or filter(_DECISIVE.fullmatch, place)]
    classes += [f"less-{place[head]}" for head in filter(_LESS_IS_BETTER.fullmatch, place)]
    classes = " ".join(dict.fromkeys((*classes, *more.split())))
    lines = [f":::{{table}} {caption}", f":name: {name}", f":class: {classes}", ""]
    lines.append("| " + " | ".join(escaped(column) for column in frame.columns) + " |")
    numeric = [all(is_number(value) for value in frame[column]) for column in frame.columns]
    lines.append("| " + " | ".join("---:" if right else ":---" for right in numeric) + " |")
    for row in frame.itertuples(index=False):
        lines.append("| " + " | ".join(escaped(no_break(stacked(value))) for value in row) + " |")
    return "\n".join([*lines, ":::"])


def linked(text: str, record: Record | None) -> str:
    """The text, leading to the page of a published record; just the text for any other."""
    if record is None or not record.path:
        return text
    page = f"{record.path.removesuffix('.json')}.html"
    return Markup(f'<a href="../{html.escape(page)}">{in_html(text)}</a>')


def table_from(rows: list[Mapping[str, object]]) -> pd.DataFrame:
    """A frame of text cells from rows; a cell that a row lacks is empty."""
    frame = pd.DataFrame(rows, dtype=object)
    return frame.where(frame.notna(), "")


def _html(frame: pd.DataFrame, caption: str) -> str:
    head = "".join(f"<th>{html.escape(str(column))}</th>" for column in frame.columns)
    body = "".join(
        "<tr>" + "".join(f"<td>{_cell(value)}</td>" for value in row) + "</tr>"
        for row in frame.itertuples(index=False)
    )
    return f"<table><caption>{_caption(caption)}</caption><tr>{head}</tr>{body}</table>"


def _caption(markdown: str) -> str:
    """A caption in Jupyter, where the labels that its links name are nowhere."""
    return html.escape(_LINK.sub(r"\1", markdown))


def _cell(value: object) -> str:
    return _with_commands(value) if isinstance(value, Markup) else html.escape(str(value))


def _with_commands(markup: str) -> str:
    """Markup for Jupyter, with the command that prints a record: its page is the book's."""
    return _PAGE.sub(r'<span title="study record \1">\2</span>', markup)


def figure(drawn: Figure, name: str, caption: str, alt: str) -> None:
    """Show a figure that can be cited as ``name``, with its data as CSV and links to its records; ``caption``
    may have Markdown, ``alt`` says in words what there is to see."""
    svg = drawn.svg.replace("<svg", f'<svg role="img" aria-label="{html.escape(alt)}"', 1)
    inside = f"{svg}<figcaption>{_caption(caption)}</figcaption>{_with_commands(_behind(drawn, name))}"
    display(
        {
            "text/markdown": myst_figure(drawn, name, caption, alt),
            "text/html": f"<figure>{inside}</figure>",
            "text/plain": caption,
        },
        raw=True,
    )


def myst_figure(drawn: Figure, name: str, caption: str, alt: str) -> str:
    """A figure as a MyST figure directive that carries all of it."""
    address = _data("image/svg+xml", drawn.svg)
    options = [f":name: {name}", f":alt: {json.dumps(alt, ensure_ascii=False)}"]
    body = ["", caption, "", _behind(drawn, name)]
    return "\n".join([f":::{{figure}} {address}", *options, *body, ":::"])


def _behind(drawn: Figure, name: str) -> str:
    """The data of a figure and the records that it was drawn from, as one line of HTML."""
    address = _data("text/csv", drawn.csv)
    csv = f'<a class="csv" download="{html.escape(name)}.csv" href="{address}">CSV</a>'
    listed = " · ".join(
        " ".join([in_html(text), *(linked(str(i), record) for i, record in enumerate(records, start=1))])
        for text, records in drawn.records.items()
    )
    n = sum(map(len, drawn.records.values()))
    if n > _FEW:
        listed = f"<details><summary>Records: {n}</summary>{listed}</details>"
    elif n:
        listed = f"<span>Records: {listed}</span>"
    return f'<div class="behind">{csv} {listed}</div>'


def _data(kind: str, text: str) -> str:
    return f"data:{kind};base64,{b64encode(text.encode()).decode()}"
