"""The published protocols by name: what each paper counts, as a scoring and the measures it prints.

What a protocol did to the corpus before counting (dictionaries with training mentions, mentions lost in
preprocessing) is not repeated here: that is a question of the data set, and ``note`` says what it was.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import yaml

from .protocol import Scoring


@dataclass(frozen=True)
class Preset:
    """A scoring under the name it is known by.

    ``measures`` are those its paper prints, the main one first: ``recall@k``, ``mrr`` (which the papers call
    MAP). ``paper`` and ``source`` say where it is defined. ``bounds`` are the worst and the best that an
    accidental order of ties can make of a protocol that leaves ties to their row order. Prints as its name.
    """

    name: str
    scoring: Scoring
    measures: tuple[str, ...]
    paper: str
    source: str
    note: str = ""
    bounds: tuple[Scoring, ...] = ()

    def __str__(self) -> str:
        return self.name


def _preset(name: str, entry: Mapping) -> Preset:
    scoring, bounds = Scoring.parse(entry["scoring"]), map(Scoring.parse, entry.get("bounds", ()))
    parsed = {"scoring": scoring, "measures": tuple(entry["measures"]), "bounds": tuple(bounds)}
    return Preset(name, **{**entry, **parsed})


_FILE = Path(__file__).with_suffix(".yaml").read_text(encoding="utf-8")
PRESETS: Mapping[str, Preset] = {name: _preset(name, entry) for name, entry in yaml.safe_load(_FILE).items()}
