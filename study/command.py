"""The program ``study``: ``study run cosines`` and so on; ``study COMMAND --help`` says what each takes."""

import sys
from collections.abc import Sequence
from importlib import import_module

COMMANDS = {
    "run": "chapters.run",
    "claims": "claims.answers",
    "book": "book.__main__",
    "data": "corpora.fetch",
    "pack": "records.pack",
    "record": "records.__main__",
    "export": "chapters.export",
}
"""The module with the ``main`` of each; only that of the command is imported."""


def main(arguments: Sequence[str] | None = None) -> int:
    """The exit status of a command, given its name and its arguments; 2 for a name that is none."""
    name, *rest = sys.argv[1:] if arguments is None else arguments or [""]
    if name not in COMMANDS:
        print(f"study: expected a command, one of {', '.join(COMMANDS)}, found {name!r}", file=sys.stderr)
        return 2
    try:
        return import_module(f".{COMMANDS[name]}", __package__).main(rest) or 0
    except ModuleNotFoundError as error:
        if error.name.partition(".")[0] in ("benchlib", "study"):
            raise
        how = f"pip install '.[{'study' if error.name in ('joblib', 'nbformat') else 'book'}]'"
        print(f"study {name} needs {error.name}, of an extra: {how}", file=sys.stderr)
        return 1
