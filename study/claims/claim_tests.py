"""The tests of claims: how they are read, which trainings they compare, and which verdicts these allow."""

from dataclasses import replace
from typing import Annotated, Any

from pydantic import Field

from ..chapters.chapter import chapters
from ..chapters.training_states import AT_CHANCE, NO_BETTER, NOT_KNOWN, PLATEAU, RISING, UNKNOWN
from ..chapters.trainings import TooFew
from ..records import MissingRecord
from ..yaml_file import YamlModel, validated
from .effect import Effect, smallest_effect
from .evidence import Evidence, OnDev, Untrained
from .quantities import QUANTITIES, Accuracy
from .quantity import Quantity
from .verdicts import FAILS, HOLDS, Rule, margin


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


TWO_TRAINED = "two trained arms"
AGAINST_UNTRAINED = "trained against untrained"
ONE_TRAINING = "one training, two indexes or inputs"
UNTRAINED = ""
NOT_BETTER = "no known gain over zero updates"


def kind(quantity: Quantity, evidence: Evidence, corpus: str) -> str:
    """What a quantity compares, by the linkers of its systems.

    A system without training on either side makes it :data:`AGAINST_UNTRAINED`, and so does a trained one
    held against a number. Systems that all link with the weights of the same trainings are
    :data:`ONE_TRAINING`; others :data:`TWO_TRAINED`. A quantity without a training is :data:`UNTRAINED`.
    """
    systems = quantity.systems()
    behind = [keys for of in systems for keys in evidence.trainings(quantity.chapter, *of, corpus)]
    if not any(behind):
        return UNTRAINED
    if isinstance(quantity, Accuracy) or not all(behind):
        return AGAINST_UNTRAINED
    return ONE_TRAINING if len(set(behind)) == 1 else TWO_TRAINED


def kinds(test: ClaimTest, evidence: Evidence, corpus: str) -> set[str]:
    return {kind(quantity, evidence, corpus) for quantity in test.of(corpus)} - {UNTRAINED}


def with_states(effect: Effect, test: ClaimTest, rule: Rule, evidence: Evidence) -> Effect:
    """The effect with the verdicts that it forbids: those for which a training behind it does not suffice.

    *Two trained arms* decide where both are at a plateau, or where the effect on dev is on the side of the
    threshold of the end already at half of the updates, at least half as far from it, and no further.
    *Trained against untrained* decides at a plateau, and while rising the one way to which more training
    leads: a rising system that is ahead may hold, and cannot fail; one that is behind may only fail. *One
    training* decides where it is better than zero updates; else only as the same encoder with zero updates
    does. Where the smallest of several tests is below the threshold, its own trainings suffice.
    """
    forbids, lacks = [*effect.forbids], [*effect.lacks]
    quantities = test.of(effect.corpus)
    below = {"greater": (FAILS,), "smaller": (HOLDS,)}.get(rule.direction, ())
    for quantity in quantities:
        allowed, why = _allowed(quantity, rule, evidence, effect.corpus)
        if why and len(quantities) > 1:
            own = quantity.effect(evidence, effect.corpus)
            allowed += below if own.value > effect.value and own.high > effect.high else ()
        forbids += [verdict for verdict in (HOLDS, FAILS) if verdict not in allowed]
        lacks += [why] if why else []
    return replace(effect, forbids=tuple(dict.fromkeys(forbids)), lacks=tuple(dict.fromkeys(lacks)))


def _allowed(quantity: Quantity, rule: Rule, evidence: Evidence, corpus: str) -> tuple[tuple[str, ...], str]:
    """The verdicts that the states of a quantity's trainings allow, and why not the others."""
    compares = kind(quantity, evidence, corpus)
    if compares == UNTRAINED:
        return (HOLDS, FAILS), ""
    trained = [of for of in quantity.systems() if any(evidence.trainings(quantity.chapter, *of, corpus))]
    states = {of: evidence.states(quantity.chapter, *of, corpus) for of in trained}
    words = {state.word for found in states.values() for state in found}
    if compares == ONE_TRAINING:
        better = all(state.better_than_none for found in states.values() for state in found)
        return ((HOLDS, FAILS), "") if better else _with_zero_updates(quantity, rule, evidence, corpus)
    if UNKNOWN in words:
        return (), f"{NOT_KNOWN} (dev records missing)"
    if words & {AT_CHANCE, NO_BETTER}:
        return (), f"a training is {' and '.join(sorted(words & {AT_CHANCE, NO_BETTER}))}"
    if words == {PLATEAU}:
        return (HOLDS, FAILS), ""
    if compares == AGAINST_UNTRAINED:
        # More training can only make a system more accurate: the quantity moves one way where all that rise
        # are on one of its sides.
        rising = {of for of, found in states.items() if any(state.word == RISING for state in found)}
        raising, lowering = quantity.sides()
        up, down = rising <= raising - lowering, rising <= lowering - raising
        surer = (HOLDS,) if (rule.direction == "greater") == up else (FAILS,)
        why = f"a training is still {RISING} and may reverse it"
        return () if rule.range or up == down else surer, why
    if (kept := _kept_since_half(quantity, rule, evidence, corpus)) is None:
        return (), f"a training is {RISING}, and the effect at half of its updates is not known"
    if not kept:
        return (), f"a training is still {RISING}, the effect unstable"
    return (HOLDS, FAILS), ""


def _with_zero_updates(
    quantity: Quantity, rule: Rule, evidence: Evidence, corpus: str
) -> tuple[tuple[str, ...], str]:
    """The verdict that the encoder without training bears out by itself, and what it lacks for the other."""
    try:
        zero = margin(rule, quantity.effect(Untrained(evidence), corpus))
    except MissingRecord:
        return (), f"{NOT_BETTER}, which have no record yet"
    if zero.low > 0:
        return (HOLDS,), ""
    if zero.high < 0:
        return (FAILS,), ""
    return (), f"{NOT_BETTER}, which decide nothing either"


def _kept_since_half(quantity: Quantity, rule: Rule, evidence: Evidence, corpus: str) -> bool | None:
    """Whether the effect on dev at half of the updates lies on the side of the threshold of that at the end,
    and between half as far from it and as far: one that shrinks as a training rises may vanish. None where
    either is not known."""
    try:
        effects = [quantity.effect(OnDev(evidence, when), corpus) for when in ("half", "full")]
    except (MissingRecord, TooFew):
        return None
    half, full = (margin(rule, effect).value for effect in effects)
    return half * full > 0 and abs(full) / 2 <= abs(half) <= abs(full)
