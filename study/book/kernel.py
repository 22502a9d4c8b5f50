"""``python -m study.book.kernel NOTE -f CONNECTION``: an IPython kernel that notes down which records it asks
for, found or not, so that the build knows which a page depends on."""

import sys
from collections.abc import Callable
from pathlib import Path

from ..records import Store
from ..records.record import key_of
from .layout import LISTING


def watch(note: Path) -> None:
    """From here on, write into ``note`` the key of every record that this process asks for, each once, and
    ``LISTING`` when it goes through all."""
    seen, lines = set(), note.open("w", encoding="utf-8")

    def noted(method: Callable, key: Callable) -> Callable:
        def call(*arguments):
            result = method(*arguments)
            if (told := key(result, *arguments[1:])) not in seen:
                seen.add(told)
                lines.write(f"{told}\n")
                lines.flush()
            return result

        return call

    Store.find = noted(Store.find, lambda record, inputs: key_of(inputs))
    Store.has = noted(Store.has, lambda there, inputs: key_of(inputs))
    Store.named = noted(Store.named, lambda record, name: record.key if record else name)
    Store.__iter__ = noted(Store.__iter__, lambda records: LISTING)


if __name__ == "__main__":
    watch(Path(sys.argv.pop(1)))

    from ipykernel.kernelapp import launch_new_instance

    launch_new_instance()
