"""The program ``study``: ``study run cosines`` and so on; ``study COMMAND --help`` says what each takes."""

import sys
from collections.abc import Sequence
from importlib import import_module

from benchlib.terminal import run_command

COMMANDS = {
    "run": ("chapters.run", "not run"),
    "claims": ("claims.answers", "not answered"),
    "book": ("book.build", "not built"),
    "data": ("corpora.fetch", "not fetched"),
    "pack": ("records.pack", "not packed"),
    "record": ("records.show", "not printed"),
    "export": ("chapters.export", "not exported"),
}
"""The module with the ``main`` of each, and how its errors begin; only that of the command is imported."""


def main(arguments: Sequence[str] | None = None) -> int:
    """The exit status of a command, given its name and its arguments; 2 for a name that is none."""
    name, *rest = (sys.argv[1:] if arguments is None else arguments) or [""]
    if name in ("-h", "--help"):
        print(f"usage: study {{{','.join(COMMANDS)}}} ...\n\n{__doc__.replace('``', '')}")
        return 0
    if name not in COMMANDS:
        print(f"study: expected a command, one of {', '.join(COMMANDS)}, found {name!r}", file=sys.stderr)
        return 2
    module, failed = COMMANDS[name]
    try:
        main = import_module(f".{module}", __package__).main
        return run_command(lambda: main(rest) or 0, failed)
    except ModuleNotFoundError as error:
        if error.name.partition(".")[0] in ("benchlib", "study"):
            raise
        how = f"pip install '.[{'study' if error.name in ('joblib', 'nbformat') else 'book'}]'"
        print(f"study {name} needs {error.name}, of an extra: {how}", file=sys.stderr)
        return 1
