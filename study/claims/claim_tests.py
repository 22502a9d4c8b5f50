"""The tests of claims: the quantities that they ask for, and how they are read from a claim's YAML."""

from typing import Annotated, Any

from pydantic import Field

from ..chapters.chapter import chapters
from ..yaml_file import YamlModel, validated
from .effect import Effect, smallest_effect
from .evidence import Evidence
from .quantities import QUANTITIES
from .quantity import Quantity


class ClaimTest(YamlModel):
    """The quantities that a claim asks for: of each corpus by its name, or of every corpus under ``""``. Of
    several quantities the smallest counts."""

    parts: dict[str, tuple[Quantity, ...]]

    @property
    def chapter(self) -> str:
        return next(iter(self.parts.values()))[0].chapter

    def of(self, corpus: str) -> tuple[Quantity, ...]:
        return self.parts[corpus if "" not in self.parts else ""]

    def effect(self, evidence: Evidence, corpus: str) -> Effect:
        """Raises MissingRecord for what was not run."""
        return smallest_effect([quantity.effect(evidence, corpus) for quantity in self.of(corpus)])


def read_test(values: Any, paper: str, where: str) -> ClaimTest:
    """The test in a claim's YAML, of the chapter that each quantity names or else the paper's own.

    Beside a quantity it may be the ``least`` of several ``tests``, or have ``tests`` ``by_corpus``, where
    systems are not trained alike. Raises ValueError, with ``where``, for a test, key or chapter that there is
    not; systems and measurements are looked up with their records.
    """
    if _name(values) != "by_corpus":
        return ClaimTest(parts={"": _quantities(values, paper, where)})
    tests = validated(_ByCorpus, values, where).tests
    parts = {corpus: _quantities(of, paper, f"{where}: tests: {corpus}") for corpus, of in tests.items()}
    return ClaimTest(parts=parts)


class _ByCorpus(YamlModel):
    name: str
    tests: Annotated[dict[str, Any], Field(min_length=1)]


class _Least(YamlModel):
    name: str
    tests: Annotated[tuple[Any, ...], Field(min_length=1)]


def _name(values: Any) -> Any:
    return values.get("name") if isinstance(values, dict) else values


def _quantities(values: Any, paper: str, where: str) -> tuple[Quantity, ...]:
    name = _name(values)
    if name == "least":
        tests = enumerate(validated(_Least, values, where).tests, 1)
        return tuple(one for i, test in tests for one in _quantities(test, paper, f"{where}: tests: {i}"))
    if not isinstance(values, dict) or name not in QUANTITIES:
        names = ", ".join((*QUANTITIES, "least", "by_corpus"))
        raise ValueError(f"{where}: name: expected one of {names}, found {name!r}")
    quantity = validated(QUANTITIES[name], {"chapter": paper} | values, where)
    if quantity.chapter not in (there := chapters()):
        raise ValueError(f"{where}: chapter: expected one of {', '.join(there)}, found {quantity.chapter!r}")
    return (quantity,)
