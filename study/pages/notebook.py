"""A page in a notebook: the parameters that it was started with, and progress that leaves no lines."""

import math
import re
import sys
import time
import warnings
from collections.abc import Mapping
from typing import Any, TextIO

from IPython import get_ipython
from IPython.display import display
from tqdm import TqdmWarning

from ..chapters.parameters import Parameters, checked, defaults_of
from ..places import ROOT

_INJECTED = "# Parameters\n"  # how papermill begins the cell that it adds
_UP, _UNSEEN = "\x1b[A", 1.0  # how tqdm leaves the line of a nested bar; seconds


def parameters(name: str, namespace: Mapping[str, Any]) -> Parameters:
    """The parameters of a page, given its ``globals()``: those of its parameters cell, and over them those of
    the cell that papermill adds.

    Raises ValueError for a value that a parameter cannot have, and for a name in papermill's cell that is no
    parameter. In a notebook, the progress bars of a cell are from here on one output, empty at its end.
    """
    shell = get_ipython()
    if shell is not None and not isinstance(sys.stderr, ProgressFilter):
        warnings.filterwarnings("ignore", category=TqdmWarning)  # of bars as widgets, which no page has
        sys.stderr = bars = ProgressFilter(sys.stderr)
        shell.events.register("post_run_cell", lambda _: bars.end())
    defaults = defaults_of(ROOT / "notebooks" / f"{name}.ipynb", namespace)
    added = [source for source in namespace.get("In", ()) if source.startswith(_INJECTED)]
    names = [*defaults, *re.findall(r"^(\w+) = ", "".join(added[-1:]), re.MULTILINE)]
    return checked({of: namespace[of] for of in names if of in namespace}, defaults)


class ProgressFilter:
    """A stream whose progress bars are shown in one output that they write anew until :meth:`end`, so that a
    cell keeps what else was written. A bar begins its lines with a carriage return, as tqdm's do; bars that
    take less than a second together are not shown."""

    def __init__(self, stream: TextIO):
        self._stream, self._output, self._since, self._in_bar = stream, None, math.inf, False

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def write(self, text: str) -> int:
        bar = text.replace(_UP, "").strip()
        if text.startswith("\r") and bar:
            self._since = min(self._since, time.perf_counter())
            if time.perf_counter() - self._since >= _UNSEEN:
                self._show(bar)
        elif bar or not (self._in_bar or text.startswith("\r")):
            self._stream.write(text)
        self._in_bar = text.startswith("\r") or not bar and self._in_bar  # line ends and blanks are its own
        return len(text)

    def end(self) -> None:
        """Empty the output, and take another for the bars that follow."""
        if self._output is not None:
            self._output.update({"text/html": "", "text/plain": ""}, raw=True)  # plain alone is an empty box
        self._output, self._since = None, math.inf

    def _show(self, bar: str) -> None:
        if self._output is None:
            self._output = display({"text/plain": bar}, raw=True, display_id=True)
        else:
            self._output.update({"text/plain": bar}, raw=True)
