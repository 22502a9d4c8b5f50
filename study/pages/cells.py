"""The cells of a table as text: escaped, numbers told from words, intervals under their values."""

import html
import re

from ..chapters.chapter import NOT_RUN
from .literal import in_markdown
from .numbers import NONE_LEFT

_TAG = re.compile(r"<[^>]+>")
_AMOUNT = r"[−+-]?[\d,]*\.?\d+"
_UNIT = r"(?: ?%| [a-z]+(?:/[a-z]+)?)?"
_NUMBER = re.compile(rf"{_AMOUNT}{_UNIT}(?: \[.*\]{_UNIT})?(?: / .*)?|")
_INTERVAL = re.compile(  # its brackets as they are, or as in_html writes them
    rf"({_AMOUNT}) (?:\[|&#91;)({_AMOUNT}, {_AMOUNT})(?:\]|&#93;)({_UNIT}(?:</a>)?)"
)


class Markup(str):
    """Text of a cell that is HTML already."""


def escaped(value: object) -> str:
    """A value as Markdown shows it to the letter, in one line; :class:`Markup` as it is."""
    if isinstance(value, Markup):
        return str(value)
    return in_markdown(value) or " "


def is_number(value: object) -> bool:
    """Whether a cell may stand in a column of numbers: a number with or without unit and interval, nothing,
    or why there is none."""
    text = _text(value)
    return text.startswith(NOT_RUN) or text == NONE_LEFT or bool(_NUMBER.fullmatch(text))


def no_break(number: object) -> object:
    """A number that never breaks into lines; a reason as it is."""
    if isinstance(number, Markup) or not _NUMBER.fullmatch(str(number)):
        return number
    return str(number).replace(" ", "\xa0")


def stacked(value: object) -> object:
    """A number with its interval in a line of its own, as :class:`Markup`; any other value as it is.

    ``17.0 [16.1, 17.9] points`` has its unit in the first line; of a link the interval is no part.
    """
    if not _INTERVAL.fullmatch(_text(value)):
        return value
    text = str(value) if isinstance(value, Markup) else html.escape(str(value))
    return Markup(_INTERVAL.sub(r'\1\3 <span class="interval">[\2]</span>', text))


def _text(value: object) -> str:
    return html.unescape(_TAG.sub("", value)) if isinstance(value, Markup) else str(value)
