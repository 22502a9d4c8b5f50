"""A record: what was run, what came out, and enough of it to score again."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import pandas as pd

from ..scoring import CLASSES, STRATA, Outcomes, Scoring, by_protocol
from ..scoring.outcomes import ORDERS

FORMAT = 2
_PLACES = ("above", "ties", "golds")
_LINE = ("mention", "part", "wants", "needed", "cluster")


def key_of(inputs: Mapping[str, object]) -> str:
    """The identity of a computation: SHA-256 of its inputs as canonical JSON."""
    return hashlib.sha256(json.dumps(inputs, sort_keys=True).encode()).hexdigest()


@dataclass(frozen=True)
class Record:
    """One computation and its result.

    ``inputs`` alone make the ``key``. A linking run has ``outcomes``, from which ``metrics`` can always
    be derived again; a measurement (a data card, a speed) has ``values``; the kinds of the mentions of a
    split, which all linking runs on it share, are a record with ``strata``. ``made`` is its provenance:
    commit, date, hardware, versions, seconds per phase, checksum of the encoder's weights. ``trace`` lists
    (step, seconds, loss, gradient norm, dev score) of a training, empty without one. ``path`` is that of a
    published record in the checkout.
    """

    inputs: Mapping[str, object]
    made: Mapping[str, object]
    outcomes: Outcomes | None = None
    strata: pd.DataFrame | None = None
    values: Mapping[str, object] = field(default_factory=dict)
    trace: tuple[Mapping[str, float], ...] = ()
    path: str = field(default="", compare=False)

    @property
    def key(self) -> str:
        return key_of(self.inputs)

    @property
    def stem(self) -> str:
        """A readable file name, unique to the key."""
        inputs = self.inputs
        parts = [inputs["name"], inputs["dataset"], *inputs.get("transforms", ())]
        parts += [inputs["split"]] if "split" in inputs else []
        parts += [f"seed{inputs['seed']}"] if "seed" in inputs else []
        readable = "--".join(str(part).replace(":", "-").replace("/", "-") for part in parts)
        return f"{readable}--{self.key[:8]}"

    @cached_property
    def metrics(self) -> tuple[Mapping[str, object], ...]:
        """Every measure under every protocol with its interval, derived from the outcomes."""
        return by_protocol(self.outcomes) if self.outcomes is not None else ()

    def metric(self, measure: str, scoring: Scoring | str) -> Mapping[str, object]:
        """One entry of :attr:`metrics`; raises KeyError naming the measures there are."""
        for entry in self.metrics:
            if entry["measure"] == measure and entry["scoring"] == str(scoring):
                return entry
        there = sorted({str(entry["measure"]) for entry in self.metrics})
        raise KeyError(f"record {self.stem} has no {measure} under {scoring}; it has {', '.join(there)}")


def record_table(record: Record) -> pd.DataFrame | None:
    """What a record keeps as Parquet: outcomes, one row a line; or strata, one row a mention."""
    if record.outcomes is None:
        return record.strata
    outcomes = record.outcomes
    columns = {name: getattr(outcomes, name) for name in _LINE}
    for place in _PLACES:
        for i, order in enumerate(ORDERS):
            columns[f"{place}_{order}"] = getattr(outcomes, place)[:, i]
    frame = pd.DataFrame(columns).astype("int32")
    frame["top"] = pd.Series(outcomes.top, dtype="string")
    frame["top_score"] = outcomes.top_score
    return frame


def strata_from_table(frame: pd.DataFrame) -> pd.DataFrame:
    """The strata in a table made by :func:`record_table`; raises KeyError for a missing column."""
    return frame[[*STRATA, *CLASSES]].astype(dict.fromkeys(STRATA, bool) | dict.fromkeys(CLASSES, object))


def outcomes_from_table(frame: pd.DataFrame, counts: Mapping[str, object]) -> Outcomes:
    """The outcomes in a table made by :func:`record_table`; raises KeyError for a missing column."""
    places = {
        place: np.stack([frame[f"{place}_{order}"].to_numpy(np.int64) for order in ORDERS], axis=1)
        for place in _PLACES
    }
    return Outcomes(
        **{name: frame[name].to_numpy(np.int64) for name in _LINE},
        **places,
        top=frame["top"].to_numpy(object),
        top_score=frame["top_score"].to_numpy(np.float32),
        counts=counts,
    )
