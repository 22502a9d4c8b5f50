"""``python -m benchlib.datasets [SOURCE ...]``: have every file of the registry, verified."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from . import registry
from .files import MissingFile, WrongContent, data_folder, download, locate, remedy


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchlib.datasets", description=__doc__)
    parser.add_argument("sources", nargs="*", help="ids of registry files (default: all but licensed ones)")
    parser.add_argument("--folder", type=Path, help="where the files go (default: BENCHLIB_DATA or corpora/)")
    options = parser.parse_args(arguments)
    folder = options.folder or data_folder()
    chosen = [registry.source(id) for id in options.sources] or [
        s for s in registry.sources() if not s.licensed
    ]
    missing = 0
    for source in chosen:
        if source.licensed and not source.files:
            print(f"LICENSED    {source.id}: {source.obtain}")
        for file in source.files:
            state, said = obtain(source, file, folder)
            missing += state in ("MISSING", "WRONG")
            print(f"{state:<11} {file.name}{': ' if said else ''}{said}", flush=True)
    print(f"{missing} files are missing" if missing else f"all files are in {folder}")
    return 1 if missing else 0


def obtain(source: registry.Source, file: registry.File, folder: Path) -> tuple[str, str]:
    """Have one file: OK, DOWNLOADED, MISSING or WRONG, and what there is to say."""
    try:
        locate(source, file, folder)
        return "OK", ""
    except WrongContent as error:
        return "WRONG", str(error)
    except MissingFile:
        pass
    if source.licensed or source.mirror_only or file.mirror_only or not file.url:
        return "MISSING", remedy(source, file)
    try:
        download(file, folder)
    except WrongContent as error:
        return "WRONG", f"the download is not what the registry describes: {error}"
    except OSError as error:
        return "MISSING", f"{error}; put the file there by hand"
    return "DOWNLOADED", ""


if __name__ == "__main__":
    sys.exit(main())
