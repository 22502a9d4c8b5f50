"""The edge of a command: what a user got wrong is one sentence, and text of files cannot steer a terminal."""

import os
import sys
import tempfile
import uuid
from collections.abc import Callable, Iterable
from pathlib import Path

WARNING = "WARNING: "  # how a text begins that nobody should miss


def visible(text: str) -> str:
    """Text with its control characters written out, line ends too, so that a terminal shows them."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in text)


def shown(text: str) -> str:
    """:func:`visible`, line by line: for text whose lines are ours."""
    return "\n".join(map(visible, text.split("\n")))


def print_messages(kind: str, texts: Iterable[str]) -> None:
    """Print each text on a line of stderr, after its ``kind`` unless it is a warning in capitals."""
    for text in texts:
        print(visible(text if text.startswith(WARNING) else f"{kind}: {text}"), file=sys.stderr)


def run_command(work: Callable[[], int], failed: str, status: int = 1, stopped: str = "stopped") -> int:
    """The exit status of a command's ``work``: its own; ``status`` for an error that a user can mend
    (ValueError, OSError), after one line on stderr that begins with ``failed``; 130 after Ctrl-C, after the
    line ``stopped``; 141 where nobody reads the output any more."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            # A terminal may know fewer characters than a corpus.
            stream.reconfigure(errors="backslashreplace")
    try:
        try:
            status = work()
        except BrokenPipeError:
            raise
        except (ValueError, OSError) as error:
            told = str(error)
            if isinstance(error, OSError) and error.strerror and error.filename is not None:
                told = f"{error.filename}: {error.strerror}"  # without the number that the system gives it
            print(f"{failed}: {shown(told)}", file=sys.stderr)
        except KeyboardInterrupt:
            print(f"\n{stopped}", file=sys.stderr)
            status = 130
        sys.stdout.flush()
    except BrokenPipeError:
        # Python would try to write the rest when it ends, and complain once more.
        nowhere = os.open(os.devnull, os.O_WRONLY)
        for stream in (sys.stdout, sys.stderr):
            os.dup2(nowhere, stream.fileno())
        return 141  # what a shell calls a command that a closed pipe ended
    return status


def check_writable(paths: Iterable[Path | None], read: Iterable[Path | str | None] = ()) -> None:
    """Raises OSError or ValueError for a file that cannot be written, or would replace one that is ``read``
    or written too: to be asked before the work is done."""
    taken = {Path(path).resolve() for path in filter(None, read)}
    for path in filter(None, paths):
        if path.resolve() in taken:
            raise ValueError(f"{path}: expected a file of its own to write, found it among the others")
        taken.add(path.resolve())
        if path.exists() and not path.is_file():
            raise ValueError(f"{path}: expected a file to write, found something else of that name")
        try:
            with tempfile.NamedTemporaryFile(dir=path.parent):
                pass
        except OSError as error:
            raise OSError(error.errno, error.strerror, str(path)) from None


def write(path: Path, content: str | bytes) -> None:
    """Write a file whole or not at all, and the folder it lies in; text as UTF-8. It is on the disk before
    anything else is done."""
    data = content.encode() if isinstance(content, str) else content
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_name(f".{uuid.uuid4().hex}.new")
    try:
        unfinished.write_bytes(data)
        sync(unfinished)
        os.replace(unfinished, path)
    finally:
        unfinished.unlink(missing_ok=True)
    sync(path.parent)


def sync(path: Path) -> None:
    """Wait until a file or folder is on the disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
