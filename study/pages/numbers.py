"""Numbers as text, the same in every table, figure and sentence."""

from collections.abc import Mapping

from benchlib.scoring import Estimate

NONE_LEFT = "no mention left"


def between(value: float, low: float, high: float, sign: str = "", digits: int = 1) -> str:
    """``51.7 [48.0, 55.3]``, with the ``sign`` ``+`` as ``+3.0 [-0.1, +6.7]``."""
    return "{} [{}, {}]".format(*(f"{number:{sign}z.{digits}f}" for number in (value, low, high)))


def percent(found: Estimate | Mapping[str, float]) -> str:
    """A share with its interval in percent: ``51.7 [48.0, 55.3]``."""
    return between(*(100 * number for number in _numbers(found)))


def points(found: Estimate | Mapping[str, float]) -> str:
    """A difference of shares with its interval in percentage points: ``+3.0 [-0.1, +6.7]``."""
    return between(*(100 * number for number in _numbers(found)), sign="+")


def _numbers(found: Estimate | Mapping[str, float]) -> tuple[float, float, float]:
    if isinstance(found, Mapping):
        return found["value"], found["low"], found["high"]
    return found.value, found.low, found.high
