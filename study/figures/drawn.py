"""A figure as a page needs it: the drawing, the numbers that it shows, and the records behind them."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from io import StringIO

import pandas as pd
from matplotlib.figure import Figure

from benchlib.scoring import Estimate

from ..records import Record
from .style import INK, style

_NO_METADATA = dict.fromkeys(("Creator", "Date", "Format", "Type"))
# In a page a style sheet holds for all of it, and the names of parts would stand there several times.
_NOT_IN_A_PAGE = re.compile(
    r'<defs>\s*<style.*?</style>\s*</defs>| id="[\w.]+_\d+"| transform="rotate\(-0 [^"]*"', re.DOTALL
)
_FACE = "font-family: 'DejaVu Sans', sans-serif"  # of each text, said once
_PLACES = re.compile(r' (?:d|x|y)="[^"]*"')  # a hundredth of a point is more than a screen shows

_GROUP = re.compile(r"<g/>|<g>((?:(?!</?g[ >/]).)*)</g>", re.DOTALL)  # without a style of its own


@dataclass(frozen=True, eq=False)
class Drawn:
    """What a function of :mod:`study.figures` returns.

    ``data`` has a row for everything drawn, with the unit in the names of the columns; an interval is
    ``low`` to ``high``. ``records`` are those it was drawn from, by what they are called in the figure.
    """

    figure: Figure
    data: pd.DataFrame
    records: Mapping[str, Sequence[Record]] = field(default_factory=dict)

    @cached_property
    def svg(self) -> str:
        """The figure as an ``svg`` element of HTML: its text is text, in the colour of the text around it."""
        file = StringIO()
        with style():
            self.figure.savefig(file, format="svg", metadata=_NO_METADATA)
        _, head, drawing = file.getvalue().partition("<svg")
        drawing = _NOT_IN_A_PAGE.sub("", head + drawing).replace(INK, "currentColor")
        drawing = _PLACES.sub(lambda place: re.sub(r"(\.\d\d)\d+", r"\1", place[0]), drawing)
        drawing = drawing.replace(f"{_FACE}; ", "").replace("<svg", f'<svg style="{_FACE}"', 1)
        while (lighter := _GROUP.sub(r"\1", drawing)) != drawing:
            drawing = lighter
        return re.sub(r"\s*\n\s*", " ", drawing).strip()

    @property
    def csv(self) -> str:
        return self.data.to_csv(index=False, float_format="%.5g")


def in_percent(found: Estimate, what: str = "accuracy") -> dict[str, float]:
    """The columns of a share with its interval."""
    numbers = {what: found.value, "low": found.low, "high": found.high}
    return {f"{name}_percent": 100 * value for name, value in numbers.items()}
