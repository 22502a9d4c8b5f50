"""``python -m study.book.kernel FOLDER NOTE -f CONNECTION``: an IPython kernel that notes down which files of
a folder it looks for, found or not, so that the build knows which records a page depends on."""

import os
import sys
from pathlib import Path

from .layout import LISTING

_LISTED = ("os.listdir", "os.scandir")


def watch(folder: Path, note: Path) -> None:
    """From here on, write into ``note`` the name of every file of ``folder`` that this process opens or tries
    to open, each once, and ``LISTING`` when it lists the folder."""
    whole, seen = os.path.realpath(folder), set()
    lines = note.open("w", encoding="utf-8")

    def hook(event: str, arguments: tuple) -> None:
        if event != "open" and event not in _LISTED or not isinstance(arguments[0], str | os.PathLike):
            return
        path = os.path.abspath(os.fspath(arguments[0]))
        inside = os.path.dirname(path) == whole and event == "open"
        name = os.path.basename(path) if inside else LISTING if path == whole else ""
        if name and name not in seen:
            seen.add(name)
            lines.write(f"{name}\n")
            lines.flush()

    sys.addaudithook(hook)


if __name__ == "__main__":
    _folder, _note = sys.argv[1:3]
    del sys.argv[1:3]
    watch(Path(_folder), Path(_note))

    from ipykernel.kernelapp import launch_new_instance

    launch_new_instance()
