"""A page in a notebook: what its reader can mend is told in a sentence, and progress leaves no lines."""

from __future__ import annotations

import traceback
from pathlib import Path
from types import TracebackType
from typing import Any

from IPython import get_ipython

import benchlib
from benchlib.terminal import sentence, shown

_OURS = (Path(benchlib.__file__).parent, Path(__file__).parent)


def prepare() -> None:
    """End a cell in one sentence, without frames, when an error was raised on purpose (:func:`on_purpose`).
    Outside a notebook this does nothing."""
    shell = get_ipython()
    if shell is not None:
        shell.set_custom_exc((ValueError, OSError), _tell)


def on_purpose(error: BaseException, frames: TracebackType | None) -> bool:
    """Whether an error is for the reader of a page: one of the system about a file, and a ValueError that a
    ``raise`` of this project ended in. Any other is a mistake of the program, and wants its frames."""
    if isinstance(error, OSError):
        return True
    last = traceback.extract_tb(frames)[-1]
    return last.line.startswith("raise ") and any(folder in Path(last.filename).parents for folder in _OURS)


def _tell(shell: Any, kind: type, error: BaseException, frames: TracebackType, tb_offset: int | None = None):
    if on_purpose(error, frames):
        lines = [f"{kind.__name__}: {shown(sentence(error))}"]
    else:
        lines = shell.InteractiveTB.structured_traceback(kind, error, frames, tb_offset=tb_offset)
    shell._showtraceback(kind, error, lines)  # what IPython's own ends in, and a kernel sends
    return lines
