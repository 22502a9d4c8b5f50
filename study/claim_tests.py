"""The tests of claims that our own records decide, by name, each as its block in the claim's YAML says it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import get_args

from benchlib.readers.yaml_file import validated

from .chapter import Chapter, read_chapter
from .effects import (
    Accuracy,
    AmbiguousShare,
    AreaGap,
    NormVariation,
    ProtocolRange,
    ShareOfErrors,
    Spread,
    Steadiness,
    TimeRatio,
)
from .evidence import measured_as
from .gain_gap import GainGap, LeastGap
from .gap import Gap
from .matched_share import MatchedShare
from .span_tests import SpanGap

Test = (
    Gap
    | GainGap
    | LeastGap
    | Accuracy
    | AmbiguousShare
    | ProtocolRange
    | Spread
    | ShareOfErrors
    | Steadiness
    | NormVariation
    | AreaGap
    | TimeRatio
    | MatchedShare
    | SpanGap
)
TESTS: Mapping[str, type[Test]] = {
    name: test for test in get_args(Test) for name in get_args(test.model_fields["name"].annotation)
}


def read_test(
    values: object, paper: str, where: str, chapters: Callable[[str], Chapter] = read_chapter
) -> Test:
    """The test that a claim's block says, of the chapter it names or else the paper's own.

    Raises ValueError, with ``where``, for a test, key, chapter, run set, system or measurement that there
    is not.
    """
    if not isinstance(values, dict) or values.get("name") not in TESTS:
        found = values.get("name") if isinstance(values, dict) else values
        raise ValueError(f"{where}: name: expected one of {', '.join(TESTS)}, found {found!r}")
    test = validated(TESTS[values["name"]], {"chapter": paper} | values, where)
    try:
        chapter = chapters(test.chapter)
    except ValueError as error:
        raise ValueError(f"{where}: chapter: {error}") from None
    for name, system in test.systems():
        if name not in chapter.runs:
            raise ValueError(f"{where}: runs: expected one of {', '.join(chapter.runs)}, found {name!r}")
        there = chapter.runs[name].systems
        if system not in there:
            raise ValueError(f"{where}: expected systems of {name}, {', '.join(there)}, found {system!r}")
    for name in test.measurements():
        if not measured_as(chapter, name):
            raise ValueError(f"{where}: expected a chapter that measures {name}, found {chapter.name!r}")
    return test
