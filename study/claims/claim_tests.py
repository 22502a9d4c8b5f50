"""The tests of claims that our own records decide, by name, each as its block in the claim's YAML says it."""

from collections.abc import Callable, Mapping
from typing import Annotated, Any, Literal, get_args

from pydantic import Field

from ..chapters.chapter import Chapter, read_chapter
from ..yaml_file import validated
from .effect import Effect, smallest_effect
from .evidence import ClaimTest, Evidence, measured_as
from .gain_gap import GainGap
from .gap import Gap
from .quantities import (
    Accuracy,
    AmbiguousShare,
    AreaGap,
    MatchedAcross,
    MatchedBounds,
    NormVariation,
    ProtocolRange,
    SpanGap,
    Spread,
    Steadiness,
    TimeRatio,
)
from .share_of_errors import ShareOfErrors


class Smallest(ClaimTest):
    """The least effect of several tests, for a claim that asks for all
    (:func:`study.claims.effect.smallest_effect`)."""

    name: Literal["least"]
    tests: Annotated[tuple[Any, ...], Field(min_length=1)]

    def effect(self, evidence: Evidence, corpus: str) -> Effect:
        return smallest_effect([test.effect(evidence, corpus) for test in self.tests])


class PerCorpus(ClaimTest):
    """A test of its own for each corpus, where they are not trained alike."""

    name: Literal["by_corpus"]
    tests: Annotated[dict[str, Any], Field(min_length=1)]

    def effect(self, evidence: Evidence, corpus: str) -> Effect:
        return self.tests[corpus].effect(evidence, corpus)


Test = (
    Gap
    | GainGap
    | Accuracy
    | AmbiguousShare
    | ProtocolRange
    | Spread
    | ShareOfErrors
    | Steadiness
    | NormVariation
    | AreaGap
    | TimeRatio
    | MatchedAcross
    | MatchedBounds
    | SpanGap
    | Smallest
    | PerCorpus
)
TESTS: Mapping[str, type[Test]] = {
    name: test for test in get_args(Test) for name in get_args(test.model_fields["name"].annotation)
}


def read_test(
    values: object, paper: str, where: str, chapters: Callable[[str], Chapter] = read_chapter
) -> Test:
    """The test that a claim's block says, of the chapter it names or else the paper's own; of several, each
    of its own chapter.

    Raises ValueError, with ``where``, for a test, key, chapter, run set, system or measurement that there
    is not.
    """
    if not isinstance(values, dict) or values.get("name") not in TESTS:
        found = values.get("name") if isinstance(values, dict) else values
        raise ValueError(f"{where}: name: expected one of {', '.join(TESTS)}, found {found!r}")
    test = validated(TESTS[values["name"]], {"chapter": paper} | values, where)
    if isinstance(test, Smallest | PerCorpus):
        named = test.tests.items() if isinstance(test, PerCorpus) else enumerate(test.tests, 1)
        tests = {name: read_test(one, paper, f"{where}: tests: {name}", chapters) for name, one in named}
        those = tests if isinstance(test, PerCorpus) else tuple(tests.values())
        chapter = next(iter(tests.values())).chapter
        return test.model_copy(update={"tests": those, "chapter": chapter})
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
    for system in test.timed():
        if system not in chapter.systems:
            raise ValueError(f"{where}: expected systems of {chapter.name}, found {system!r}")
    for name in test.measurements():
        if not measured_as(chapter, name):
            raise ValueError(f"{where}: expected a chapter that measures {name}, found {chapter.name!r}")
    return test
