"""A record: what was run, what came out, and enough of it to score again."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import pandas as pd

from ..scoring import PROTOCOLS, STRATA, Outcomes, Scoring, estimate, mrr, recall
from ..scoring.outcomes import ORDERS

FORMAT = 1
KS = (1, 3, 5, 10, 64)
_PLACES = ("above", "ties", "golds")
_STRATUM = "is "


def key_of(inputs: Mapping[str, object]) -> str:
    """The identity of a computation: SHA-256 of its inputs as canonical JSON."""
    return hashlib.sha256(json.dumps(inputs, sort_keys=True).encode()).hexdigest()


@dataclass(frozen=True)
class Record:
    """One computation and its result.

    ``inputs`` alone make the ``key``. A linking run has ``outcomes``, from which ``metrics`` can always
    be derived again, and the ``strata`` of each scored mention (bool columns); a measurement (a data
    card, a speed) has ``values``. ``made`` is its provenance: commit, date, hardware, versions, seconds
    per phase, checksum of the encoder's weights. ``trace`` lists (step, seconds, loss, gradient norm,
    dev score) of a training, empty without one. ``path`` is that of a published record in the checkout.
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
        if self.outcomes is not None:
            parts += [inputs["split"], f"seed{inputs['seed']}"]
        readable = "--".join(str(part).replace(":", "-").replace("/", "-") for part in parts)
        return f"{readable}--{self.key[:8]}"

    @cached_property
    def metrics(self) -> tuple[Mapping[str, object], ...]:
        """Every measure under every protocol with its interval, derived from the outcomes."""
        return derive(self.outcomes) if self.outcomes is not None else ()

    def metric(self, measure: str, scoring: Scoring | str) -> Mapping[str, object]:
        """One entry of :attr:`metrics`; raises KeyError naming the measures there are."""
        for entry in self.metrics:
            if entry["measure"] == measure and entry["scoring"] == str(scoring):
                return entry
        there = sorted({str(entry["measure"]) for entry in self.metrics})
        raise KeyError(f"record {self.stem} has no {measure} under {scoring}; it has {', '.join(there)}")


def derive(outcomes: Outcomes) -> tuple[Mapping[str, object], ...]:
    """Recall@k for ``KS`` under every protocol, MRR under the any-of ones, with 95 % intervals."""
    names, columns = [], []
    for scoring in PROTOCOLS:
        for k in KS:
            names.append((f"recall@{k}", str(scoring)))
            columns.append(recall(outcomes, k, scoring))
        if scoring.gold == "any-of":
            names.append(("mrr", str(scoring)))
            columns.append(mrr(outcomes, scoring))
    estimates = estimate(np.stack(columns, axis=1), outcomes.clusters)
    return tuple(
        {
            "measure": measure,
            "scoring": scoring,
            "value": round(e.value, 6),
            "low": round(e.low, 6),
            "high": round(e.high, 6),
            "n": e.n,
        }
        for (measure, scoring), e in zip(names, estimates, strict=True)
    )


def record_frame(record: Record) -> pd.DataFrame:
    """Outcomes and strata as a table of small columns, one row a line of the outcomes."""
    outcomes = record.outcomes
    columns = {name: getattr(outcomes, name) for name in ("mention", "part", "needed", "cluster")}
    for place in _PLACES:
        for i, order in enumerate(ORDERS):
            columns[f"{place}_{order}"] = getattr(outcomes, place)[:, i]
    frame = pd.DataFrame(columns).astype("int32")
    frame["top"] = pd.Series(outcomes.top, dtype="string")
    frame["top_score"] = outcomes.top_score
    for name in STRATA:
        # The further lines of a mention with parts repeat its strata.
        column = pd.Series(record.strata[name].to_numpy(), index=outcomes.mention[outcomes.whole])
        frame[_STRATUM + name] = column[outcomes.mention].to_numpy()
    return frame


def strata_from_frame(frame: pd.DataFrame) -> pd.DataFrame:
    """The strata in a table made by :func:`record_frame`; raises KeyError for a missing column."""
    whole = frame[frame["part"] == 0].reset_index(drop=True)
    return pd.DataFrame({name: whole[_STRATUM + name].astype(bool) for name in STRATA})


def outcomes_from_frame(frame: pd.DataFrame, counts: Mapping[str, object]) -> Outcomes:
    """The outcomes in a table made by :func:`record_frame`; raises KeyError for a missing column."""
    places = {
        place: np.stack([frame[f"{place}_{order}"].to_numpy(np.int64) for order in ORDERS], axis=1)
        for place in _PLACES
    }
    whole = {name: frame[name].to_numpy(np.int64) for name in ("mention", "part", "needed", "cluster")}
    return Outcomes(
        **whole,
        **places,
        top=frame["top"].to_numpy(object),
        top_score=frame["top_score"].to_numpy(np.float32),
        counts=counts,
    )
