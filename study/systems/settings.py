"""Linkers by their settings: printed as ``base,key=value,...`` and parsed back."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import asdict, field, fields, replace
from functools import cache
from pathlib import Path
from types import NoneType
from typing import Any, ClassVar, get_args, get_type_hints
from urllib.parse import unquote

from pydantic import ConfigDict, TypeAdapter, ValidationError
from pydantic.dataclasses import dataclass

from benchlib import training
from benchlib.encoders.folders import DEFAULT, checksum
from benchlib.sampling import batches_per_epoch
from benchlib.training.config import first_mistake

from .encoders import RECIPES


class Settings:
    """A linker, a dataclass, whose fields are its settings: int, float, str or bool, or one of them or None.

    As a dataclass of pydantic it validates them by their types. A field that does not take part in a
    comparison, such as a progress bar or a folder for checkpoints, changes no result and is no setting.
    ``version`` is bumped by hand when the meaning changes. ``later`` are settings that came after the first
    records: as they are by default they are no part of the configuration, so that these records keep their
    keys. ``lengths`` are settings that say how long it trains, of which the first that is neither None nor 0
    counts, in updates or epochs. ``training_only`` are the other settings without any effect on a linker that
    is not trained, ``after_training`` those without any effect on the training. ``nested`` are settings that
    name another linker, with ``;`` for the commas of its name, each with the classes by base it may be of.
    """

    __pydantic_config__ = ConfigDict(extra="forbid", allow_inf_nan=False)
    base: ClassVar[str]
    version: ClassVar[str] = "1"
    later: ClassVar[tuple[str, ...]] = ()
    lengths: ClassVar[tuple[str, ...]] = ("steps", "epochs")
    training_only: ClassVar[tuple[str, ...]] = ()
    after_training: ClassVar[tuple[str, ...]] = ()
    nested: ClassVar[Mapping[str, Mapping[str, type[Settings]]]] = {}

    def __post_init__(self) -> None:
        for name in self.nested:
            setattr(self, name, print_nested(self._nested(name)))

    @property
    def name(self) -> str:
        """``base`` and every setting that is not the default: ``cosines,layers=2,learning_rate=0.0001``.

        A comma or ``%`` in a value is percent-encoded.
        """
        values = ((one, getattr(self, one.name)) for one in fields(self) if one.compare)
        changed = (f"{one.name}={_printed(value)}" for one, value in values if value != one.default)
        return ",".join([self.base, *changed])

    def __getattr__(self, name: str) -> Any:
        """What is not there: raises AttributeError, for a linker that links before it is fitted too."""
        raise AttributeError(
            f"{type(self).__name__} has no {name!r}; what a linker learns is there after fit"
        )

    @property
    def config(self) -> Mapping[str, object]:
        """Everything that changes a result: the settings, with the ``recipe`` of a model that this study
        adapted, or the checksum of the ``weights`` of one that is a local folder."""
        config = {one.name: getattr(self, one.name) for one in fields(self) if one.compare}
        for one in fields(self):
            if one.name in self.later and config[one.name] == one.default:
                del config[one.name]
        for name in self.nested:
            other = self._nested(name)
            config[name] = {"name": other.name, "version": other.version, "config": other.config}
        model = config.get("model", DEFAULT)
        if model in RECIPES:
            config["recipe"] = asdict(RECIPES[model])
        elif model != DEFAULT and Path(model).is_dir():
            config["weights"] = checksum(model)
        return config

    @property
    def models(self) -> set[str]:
        """The encoders that it loads, with those of the linkers that its settings name."""
        own = {self.model} if hasattr(self, "model") else set()
        return own.union(*(self._nested(name).models for name in self.nested))

    @property
    def budget(self) -> int:
        """How long it trains, in updates or epochs; 0 for a linker that does not train."""
        return getattr(self, self._length, 0)

    def trained_for(self, budget: int) -> Settings:
        """The linker with another budget above 0, in the same unit."""
        return replace(self, **{self._length: budget})

    def untrained(self) -> Settings:
        """The control with zero updates: the linker without a budget, its ``training_only`` settings as they
        are by default. Linkers that differ in their training alone have the same control."""
        none = {one.name: one.default and 0 for one in fields(self) if one.name in self.lengths}
        return replace(self.with_defaults(self.training_only), **none)

    def with_defaults(self, names: Collection[str]) -> Settings:
        """The linker with those of its settings that are among ``names`` as they are by default."""
        return replace(self, **{one.name: one.default for one in fields(self) if one.name in names})

    @property
    def _length(self) -> str:
        """The name of the setting that is the budget, "" without."""
        return next((name for name in self.lengths if getattr(self, name, None)), "")

    def _nested(self, name: str) -> Settings:
        """The linker that a setting names, not fitted yet."""
        return named(getattr(self, name).replace(";", ","), self.nested[name])


@dataclass
class Trainable(Settings):
    """A linker that trains, with a ``learning_rate`` and a ``precision`` among its settings. ``checkpoints``
    is a folder of this training alone, where it goes on when it was killed."""

    progress: bool = field(default=True, repr=False, compare=False, kw_only=True)
    checkpoints: Path | None = field(default=None, repr=False, compare=False, kw_only=True)

    def _updates(self, inputs: int) -> int:
        """How many updates a linker makes that learns from so many ``inputs``: its ``steps``, or those of its
        ``epochs``, each of which visits every input once in batches of ``batch``."""
        return self.steps if self.epochs is None else self.epochs * batches_per_epoch(inputs, self.batch)

    def _optimized(
        self,
        model: Any,
        batch_at: Callable[[int], Any],
        loss_of: Callable[[Any, Any, float], Any],
        seed: int,
        steps: int,
        kept: Mapping[str, Any] | None = None,
        **how: Any,
    ) -> training.Trained:
        """Train a model: ``how`` are settings of :class:`Training`, ``kept`` other arguments of
        :func:`train`."""
        how = {"learning_rate": self.learning_rate, "precision": self.precision} | how
        config = training.Training(steps=steps, seed=seed, **how)
        where = {"folder": self.checkpoints, "progress": self.progress}
        return training.train(model, batch_at, loss_of, config, **where, **kept or {})


def named(name: str, kinds: Mapping[str, type[Settings]]) -> Settings:
    """The linker that prints as ``name``, of one of some classes by their bases: with each ``KEY=VALUE``, the
    other settings as they are by default.

    Raises ValueError listing the bases there are, or the settings and their types for a key that is none or
    stands twice; and naming the setting for a value of another type, and as the class does.
    """
    base, *settings = name.split(",")
    if base not in kinds:
        raise ValueError(
            f"no linker {name!r}; expected one of {', '.join(kinds)}, and settings as in tfidf,ngrams=2-4"
        )
    types, values = _types(kinds[base]), {}
    for setting in settings:
        key, _, text = setting.partition("=")
        if key in values or key not in types:
            there = ", ".join(f"{key} ({_shown(of)})" for key, of in types.items()) or "none"
            raise ValueError(
                f"linker {name!r}: {setting!r} is not understood; expected KEY=VALUE, each once, of {there}"
            )
        values[key] = None if text == "None" and NoneType in get_args(types[key]) else unquote(text)
    try:
        return _adapter(kinds[base]).validate_python(values)
    except ValidationError as error:
        raise ValueError(f"linker {name!r}: {first_mistake(error)}") from None


def print_nested(linker: Settings) -> str:
    """A linker as a setting of another one has it: spelt one way, so that one system has one name."""
    return linker.name.replace(";", "%3B").replace(",", ";")


_adapter = cache(TypeAdapter)


@cache  # reading annotations takes longer than all else here
def _types(kind: type[Settings]) -> dict[str, Any]:
    hints = get_type_hints(kind)
    return {one.name: hints[one.name] for one in fields(kind) if one.compare}


def _printed(value: object) -> str:
    if isinstance(value, float):
        short = f"{value:g}"
        return short if float(short) == value else repr(value)
    text = str(value).replace("%", "%25").replace(",", "%2C")
    return "%4Eone" if value == "None" else text


def _shown(kind: Any) -> str:
    return kind.__name__ if isinstance(kind, type) else str(kind).replace("typing.", "")
