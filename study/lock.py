"""A lock between processes."""

import fcntl
import logging
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def locked(path: Path, waiting: str = "") -> Iterator[None]:
    """Hold the lock of this file, which exists only meanwhile; log ``waiting`` where another process has it.

    The kernel gives it back when its holder is killed. Raises OSError where the file cannot be made.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    while True:
        with path.open("a") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                if waiting:
                    logging.getLogger(__name__).warning(waiting)
                fcntl.flock(file, fcntl.LOCK_EX)
            # The holder before may have deleted the file that was opened here: then it locks nobody out.
            if os.fstat(file.fileno()).st_nlink:
                try:
                    yield
                finally:
                    path.unlink(missing_ok=True)
                return


def held(path: Path) -> bool:
    """Whether a process holds the lock of this file."""
    try:
        with path.open("rb") as file:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except FileNotFoundError:
        return False
    except BlockingIOError:
        return True
    return False
