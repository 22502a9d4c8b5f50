"""Linkers by their settings: printed as ``base,key=value,...`` and parsed back."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import asdict, fields, replace
from functools import cache
from pathlib import Path
from types import NoneType
from typing import Any, ClassVar, TypeVar, get_args, get_type_hints
from urllib.parse import unquote

from benchlib import training
from benchlib.encoders.folders import DEFAULT, checksum
from benchlib.sampling import batches_per_epoch

from .encoders import RECIPES


class Settings:
    """A linker, a dataclass, whose fields are its settings: int, float, str or bool, or one of them or None.

    A field that does not take part in a comparison, such as a progress bar or a folder for checkpoints,
    changes no result and is no setting. ``version`` is bumped by hand when the meaning changes. ``later`` are
    settings that came after the first records: as they are by default they are no part of the configuration,
    so that these records keep their keys. ``lengths`` are settings that say how long it trains, of which the
    first that is neither None nor 0 counts, in updates or epochs. ``training_only`` are the other settings
    without any effect on a linker that is not trained.
    """

    base: ClassVar[str]
    version: ClassVar[str] = "1"
    later: ClassVar[tuple[str, ...]] = ()
    lengths: ClassVar[tuple[str, ...]] = ("steps", "epochs")
    training_only: ClassVar[tuple[str, ...]] = ()

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
        config = {name: _plain(getattr(self, name), kind) for name, kind in _kinds(type(self)).items()}
        for one in fields(self):
            if one.name in self.later and config[one.name] == one.default:
                del config[one.name]
        model = config.get("model", DEFAULT)
        if model in RECIPES:
            config["recipe"] = asdict(RECIPES[model])
        elif model != DEFAULT and Path(model).is_dir():
            config["weights"] = checksum(model)
        return config

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
        defaults = {setting.name: setting.default for setting in fields(self)}
        none = {name: defaults[name] and 0 for name in self.lengths if name in defaults}
        return replace(self, **{name: defaults[name] for name in self.training_only} | none)

    @property
    def _length(self) -> str:
        """The name of the setting that is the budget, "" without."""
        return next((name for name in self.lengths if getattr(self, name, None)), "")

    def _training(self, seed: int, steps: int, **how: object) -> training.Training:
        """How a linker with a ``learning_rate`` and a ``precision`` trains."""
        how |= {"learning_rate": self.learning_rate, "precision": self.precision}
        return training.Training(steps=steps, seed=seed, **how)

    def _updates(self, inputs: int) -> int:
        """How many updates a linker makes that learns from so many ``inputs``: its ``steps``, or those of its
        ``epochs``, each of which visits every input once in batches of ``batch``."""
        return self.steps if self.epochs is None else self.epochs * batches_per_epoch(inputs, self.batch)

    def _trained(
        self,
        model: Any,
        batch_at: Callable[[int], Any],
        loss_of: Callable[[Any, Any, float], Any],
        config: training.Training,
        **kept: object,
    ) -> training.Trained:
        """What :func:`train` makes of a model, with the ``checkpoints`` and the bar of a linker."""
        return training.train(
            model, batch_at, loss_of, config, folder=self.checkpoints, progress=self.progress, **kept
        )


def require_choice(settings: object, **choices: Collection[str]) -> None:
    """Raises ValueError for a setting that is none of its choices."""
    for name, there in choices.items():
        if (value := getattr(settings, name)) not in there:
            raise ValueError(f"{name} is {value!r}; expected one of {', '.join(there)}")


Configured = TypeVar("Configured", bound=Settings)


def parsed(kind: type[Configured], settings: Sequence[str]) -> Configured:
    """The linker of a class with each ``KEY=VALUE``, the others as they are by default.

    Raises ValueError listing the settings and their types for one that is none, stands twice, or has a value
    of another type; and as the class does.
    """
    kinds, values = _kinds(kind), {}
    for setting in settings:
        key, _, text = setting.partition("=")
        try:
            if key in values:
                raise ValueError
            values[key] = _read(text, kinds[key])
        except (KeyError, ValueError):
            there = ", ".join(f"{key} ({_shown(kind)})" for key, kind in kinds.items()) or "none"
            raise ValueError(
                f"linker {','.join([kind.base, *settings])!r}: {setting!r} is not understood; "
                f"expected KEY=VALUE, each once, of {there}"
            ) from None
    return kind(**values)


def named(name: str, kinds: Mapping[str, type[Settings]]) -> Settings:
    """The linker that prints as ``name``, of one of some classes by their bases.

    Raises ValueError listing the bases there are, or the settings.
    """
    base, *settings = name.split(",")
    if base not in kinds:
        raise ValueError(
            f"no linker {name!r}; expected one of {', '.join(kinds)}, and settings as in tfidf,ngrams=2-4"
        )
    return parsed(kinds[base], settings)


def parse_nested(name: str, kinds: Mapping[str, type[Settings]]) -> Settings:
    """The linker that stands in a setting of another one, with ``;`` for the commas of its name; raises
    ValueError as :func:`named`."""
    return named(name.replace(";", ","), kinds)


def print_nested(linker: Settings) -> str:
    """A linker as a setting of another one has it: spelt one way, so that one system has one name."""
    return linker.name.replace(";", "%3B").replace(",", ";")


def nested_config(linker: Settings) -> Mapping[str, object]:
    """What the config of a linker has for one that stands in a setting of it."""
    return {"name": linker.name, "version": linker.version, "config": linker.config}


@cache  # reading annotations takes longer than all else here
def _kinds(kind: type[Settings]) -> dict[str, type]:
    hints = get_type_hints(kind)
    return {one.name: hints[one.name] for one in fields(kind) if one.compare}


def _printed(value: object) -> str:
    if isinstance(value, float):
        short = f"{value:g}"
        return short if float(short) == value else repr(value)
    text = str(value).replace("%", "%25").replace(",", "%2C")
    return "%4Eone" if value == "None" else text


def _read(text: str, kind: type) -> object:
    """The value printed as ``text``; raises ValueError or KeyError for one of another type."""
    if text == "None" and NoneType in get_args(kind):
        return None
    (kind,) = [one for one in get_args(kind) or (kind,) if one is not NoneType]
    value = {"True": True, "False": False}[text] if kind is bool else kind(unquote(text))
    if kind is float and not math.isfinite(value):
        raise ValueError
    return value


def _plain(value: object, kind: type) -> object:
    """1 for 1.0 is the same setting, and is to be the same in JSON."""
    return float(value) if isinstance(value, int) and float in (kind, *get_args(kind)) else value


def _shown(kind: type) -> str:
    return kind.__name__ if isinstance(kind, type) else str(kind)
