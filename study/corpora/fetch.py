"""``study data [ID ...]``: have every file of the registry, verified.

Fails when a file that was asked for by id, or that a download gives, is not there at the end.
"""

import argparse
from collections.abc import Sequence
from pathlib import Path

from . import registry
from .files import MissingFile, WrongContent, data_folder, download, how_to_obtain, locate


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="study data", description=__doc__.replace("``", ""))
    parser.add_argument("ids", nargs="*", help="sources or benchmarks (default: all but licensed)")
    parser.add_argument("--folder", type=Path, help="where the files go (default: BENCHLIB_DATA or corpora/)")
    options = parser.parse_args(arguments)
    folder = options.folder or data_folder()
    made_of = {id: entry.sources for id, entry in registry.benchmarks().items()}
    asked = dict.fromkeys(source for id in options.ids for source in made_of.get(id, (id,)))
    if asked:
        chosen = [registry.source(id) for id in asked]
    else:
        chosen = [source for source in registry.sources() if not source.licensed]
    missing = 0
    for source in chosen:
        if source.licensed and not source.files:
            print(f"LICENSED    {source.id}: {source.obtain}")
        for file in source.files:
            state, said = fetch_file(source, file, folder)
            # Not to have what nobody asked for and no download gives is no failure.
            needed = bool(asked) or _can_be_had(source, file)
            if state == "WRONG" or (state == "MISSING" and needed):
                missing += 1
            print(f"{state:<11} {file.name}: {said}" if said else f"{state:<11} {file.name}", flush=True)
    print(f"{missing} files are missing or wrong" if missing else f"all files are in {folder}")
    return 1 if missing else 0


def _can_be_had(source: registry.Source, file: registry.File) -> bool:
    """Whether a download gives the file."""
    return bool(file.url) and not (source.licensed or source.mirror_only or file.mirror_only)


def fetch_file(source: registry.Source, file: registry.File, folder: Path) -> tuple[str, str]:
    """Have one file: OK, DOWNLOADED, MISSING or WRONG, and what there is to say."""
    try:
        locate(source, file, folder)
        return "OK", ""
    except WrongContent as error:
        return "WRONG", str(error)
    except MissingFile:
        pass
    if not _can_be_had(source, file):
        return "MISSING", how_to_obtain(source, file)
    try:
        download(file, folder)
    except WrongContent as error:
        return "WRONG", f"the download is not what the registry describes: {error}"
    except OSError as error:
        return "MISSING", f"{error}; put the file there by hand"
    return "DOWNLOADED", ""
