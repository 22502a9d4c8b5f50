"""A page in a notebook: the parameters that it was started with, and progress that leaves no lines."""

import re
import sys
import warnings
from collections.abc import Mapping
from typing import Any, TextIO

from IPython import get_ipython
from IPython.display import display
from tqdm import TqdmWarning

from ..chapters.parameters import Parameters, checked, defaults_of
from ..places import ROOT

_INJECTED = "# Parameters\n"  # how papermill begins the cell that it adds


def parameters(name: str, namespace: Mapping[str, Any]) -> Parameters:
    """The parameters of a page, given its ``globals()``: those of its parameters cell, and over them those of
    the cell that papermill adds.

    Raises ValueError for a value that a parameter cannot have, and for a name in papermill's cell that is no
    parameter. In a notebook, a progress bar is from here on one output, gone when it ends.
    """
    if get_ipython() is not None and not isinstance(sys.stderr, ProgressFilter):
        warnings.filterwarnings("ignore", category=TqdmWarning)  # of bars as widgets, which no page has
        sys.stderr = ProgressFilter(sys.stderr)
    defaults = defaults_of(ROOT / "notebooks" / f"{name}.ipynb", namespace)
    added = [source for source in namespace.get("In", ()) if source.startswith(_INJECTED)]
    names = [*defaults, *re.findall(r"^(\w+) = ", "".join(added[-1:]), re.MULTILINE)]
    return checked({of: namespace[of] for of in names if of in namespace}, defaults)


class ProgressFilter:
    """A stream whose progress bars are shown in one output that they write anew, and empty when they end, so
    that a cell keeps what else was written. A bar begins its lines with a carriage return, as tqdm's do."""

    def __init__(self, stream: TextIO):
        self._stream, self._output = stream, None

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def write(self, text: str) -> int:
        bar = text.strip()
        if text.startswith("\r") and bar:
            if self._output is None:
                self._output = display({"text/plain": bar}, raw=True, display_id=True)
            else:
                self._output.update({"text/plain": bar}, raw=True)
        elif self._output is not None and not bar:
            # Without HTML a page would show an empty box.
            self._output.update({"text/html": "", "text/plain": ""}, raw=True)
            self._output = None
        elif not text.startswith("\r"):
            self._stream.write(text)
        return len(text)
