"""Children of a test that are killed at work."""

import itertools
import os
import signal
from collections.abc import Callable

DISK = ("open", "fsync", "replace", "unlink", "close")


def child(work: Callable[[], object]) -> int:
    """The process id of a child that does this and ends with 0, or with 1 where it fails."""
    if pid := os.fork():
        return pid
    try:
        work()
    except BaseException:
        os._exit(1)
    os._exit(0)


def end(pid: int) -> None:
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)


def killed(work: Callable[[], object], after: int) -> bool:
    """Whether a child that does this was killed before call number ``after`` of those that touch the disk."""
    calls = itertools.count()

    def counting(function):
        def call(*arguments, **named):
            if next(calls) == after:
                os.kill(os.getpid(), signal.SIGKILL)
            return function(*arguments, **named)

        return call

    def counted():
        for name in DISK:
            setattr(os, name, counting(getattr(os, name)))
        work()

    status = os.waitstatus_to_exitcode(os.waitpid(child(counted), 0)[1])
    assert status in (0, -signal.SIGKILL)
    return status != 0
