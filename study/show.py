"""Put a table or a text on a page: numbered and sortable in the book, plain in a notebook."""

from __future__ import annotations

import html
import re
from collections.abc import Mapping

import pandas as pd
from IPython.display import HTML, display

from benchlib.runs import Record

_MARKUP = re.compile(r"([\\`*_{}\[\]<>$|~])")


def table(frame: pd.DataFrame, name: str, caption: str, **options: str) -> None:
    """Show a frame as a table that can be cited as ``name``, sorted by a click on a column's head.

    Cells are text and are escaped, but for :class:`Markup`. Further options become options of the MyST
    directive (``class`` adds to ``sortable`` and ``download``, which makes a button that saves it as CSV).
    """
    if frame.empty:
        markdown(f"{caption} *None of these data sets has it.*")
        return
    # The book prefers the Markdown form (see _config.yml), Jupyter the HTML one.
    display(
        {
            "text/markdown": myst_table(frame, name, caption, **options),
            "text/html": _html(frame, caption),
            "text/plain": f"{caption}\n{frame.to_string(index=False)}",
        },
        raw=True,
    )


def markdown(text: str) -> None:
    """Show a paragraph of Markdown; nothing for an empty one."""
    if not text:
        return
    display({"text/markdown": text, "text/plain": text}, raw=True)


def raw_html(text: str) -> None:
    """Show HTML whose text has been escaped where it was made."""
    display(HTML(text))


def myst_table(frame: pd.DataFrame, name: str, caption: str, **options: str) -> str:
    """A frame as a MyST table directive."""
    classes = " ".join(["sortable", "download", options.pop("class", "")]).strip()
    settings = {"name": name, "class": classes, **options}
    lines = [f":::{{table}} {caption}", *(f":{key}: {value}" for key, value in settings.items()), ""]
    lines.append("| " + " | ".join(escaped(column) for column in frame.columns) + " |")
    numeric = [all(_is_number(value) for value in frame[column]) for column in frame.columns]
    lines.append("| " + " | ".join("---:" if right else ":---" for right in numeric) + " |")
    for row in frame.itertuples(index=False):
        cells = (
            escaped(_in_one(value) if right else value) for value, right in zip(row, numeric, strict=True)
        )
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join([*lines, ":::"])


class Markup(str):
    """Text of a cell that is HTML already."""


def linked(text: str, record: Record | None) -> str:
    """The text, leading to the file of a published record; just the text for any other."""
    if record is None or not record.path:
        return text
    return Markup(f'<a href="../{html.escape(record.path)}">{html.escape(text)}</a>')


def table_from(rows: list[Mapping[str, object]]) -> pd.DataFrame:
    """A frame of text cells from rows; a cell that a row lacks is empty."""
    frame = pd.DataFrame(rows, dtype=object)
    return frame.where(frame.notna(), "")


def escaped(value: object) -> str:
    """A value as Markdown shows it to the letter, in one line; :class:`Markup` as it is."""
    if isinstance(value, Markup):
        return str(value)
    text = _MARKUP.sub(r"\\\1", re.sub(r"[^\S\xa0]+", " ", str(value)).strip())
    return text if text else " "


def _is_number(value: object) -> bool:
    return bool(re.match(r"^[−+-]?[\d,]*\.?\d+( ?%)?( \[.*\])?( / .*)?$|^$|^NOT RUN", str(value)))


def _in_one(number: object) -> str:
    """A number that may break into lines before its interval and nowhere else; a reason as it is."""
    if str(number).startswith("NOT RUN"):
        return str(number)
    value, bracket, interval = str(number).partition(" [")
    return value.replace(" ", "\xa0") + bracket + interval.replace(" ", "\xa0")


def _html(frame: pd.DataFrame, caption: str) -> str:
    head = "".join(f"<th>{html.escape(str(column))}</th>" for column in frame.columns)
    body = "".join(
        "<tr>" + "".join(f"<td>{_cell(value)}</td>" for value in row) + "</tr>"
        for row in frame.itertuples(index=False)
    )
    return f"<table><caption>{html.escape(caption)}</caption><tr>{head}</tr>{body}</table>"


def _cell(value: object) -> str:
    return str(value) if isinstance(value, Markup) else html.escape(str(value))
