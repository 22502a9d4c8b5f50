"""The published protocols by name: what each paper counts, as a scoring and the measures it prints.

What a protocol did to the corpus before counting (dictionaries with training mentions, mentions lost in
preprocessing) is not repeated here: that is a question of the data set, and ``note`` says what it was.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

import yaml
from pydantic import BeforeValidator
from pydantic.dataclasses import dataclass

from .protocol import Scoring

Printed = Annotated[Scoring, BeforeValidator(Scoring.parse)]


@dataclass(frozen=True)
class Preset:
    """A scoring under the name it is known by.

    ``measures`` are those its paper prints, the main one first: ``recall@k``, ``mrr`` (which the papers call
    MAP). ``paper`` and ``source`` say where it is defined. ``bounds`` are the worst and the best that an
    accidental order of ties can make of a protocol that leaves ties to their row order. Prints as its name.
    """

    name: str
    scoring: Printed
    measures: tuple[str, ...]
    paper: str
    source: str
    note: str = ""
    bounds: tuple[Printed, ...] = ()

    def __str__(self) -> str:
        return self.name


_FILE = Path(__file__).with_suffix(".yaml").read_text(encoding="utf-8")
PRESETS: Mapping[str, Preset] = {name: Preset(name, **entry) for name, entry in yaml.safe_load(_FILE).items()}
