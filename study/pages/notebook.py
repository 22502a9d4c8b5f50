"""A page in a notebook: what its reader can mend is told in a sentence, and progress leaves no lines."""

import importlib
import sys
import traceback
import warnings
from pathlib import Path
from types import TracebackType
from typing import Any, TextIO

from IPython import get_ipython
from IPython.display import display
from tqdm import TqdmWarning

import benchlib
from benchlib.terminal import sentence, shown

_OURS = (Path(benchlib.__file__).parent, Path(__file__).parents[1])


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


def prepare() -> None:
    """End a cell in one sentence, without frames, when an error was raised on purpose
    (:func:`is_user_error`), and let progress pass (:class:`ProgressFilter`). Outside a notebook this does
    nothing."""
    shell = get_ipython()
    if shell is None:
        return
    shell.set_custom_exc((ValueError, OSError), _tell)
    if not isinstance(sys.stderr, ProgressFilter):
        sys.stderr = ProgressFilter(sys.stderr)
    with warnings.catch_warnings():
        # Whoever imports this first in a notebook without widgets is told so, on the page.
        warnings.simplefilter("ignore", TqdmWarning)
        importlib.import_module("tqdm.auto")


def is_user_error(error: BaseException, frames: TracebackType | None) -> bool:
    """Whether an error is for the reader of a page: one of the system about a file, and a ValueError that a
    ``raise`` of this project ended in. Any other is a mistake of the program, and wants its frames."""
    if isinstance(error, OSError):
        return True
    last = traceback.extract_tb(frames)[-1]
    return last.line.startswith("raise ") and any(folder in Path(last.filename).parents for folder in _OURS)


def _tell(shell: Any, kind: type, error: BaseException, frames: TracebackType, tb_offset: int | None = None):
    if is_user_error(error, frames):
        lines = [f"{kind.__name__}: {shown(sentence(error))}"]
    else:
        lines = shell.InteractiveTB.structured_traceback(kind, error, frames, tb_offset=tb_offset)
    shell._showtraceback(kind, error, lines)  # what IPython's own ends in, and a kernel sends
    return lines
