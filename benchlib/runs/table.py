"""What a record keeps as Parquet: outcomes, one row a line; or strata, one row a mention."""

from __future__ import annotations

import io
from collections.abc import Mapping

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from ..scoring import CLASSES, STRATA, Outcomes
from ..scoring.outcomes import ORDERS

_PLACES = ("above", "ties", "golds")
_LINE = ("mention", "part", "wants", "needed", "cluster")


def table_of_outcomes(outcomes: Outcomes) -> bytes:
    """Everything of the outcomes but their counts; ``top_score`` to four decimals, in single precision."""
    columns = {name: getattr(outcomes, name) for name in _LINE}
    for place in _PLACES:
        for i, order in enumerate(ORDERS):
            columns[f"{place}_{order}"] = getattr(outcomes, place)[:, i]
    frame = pd.DataFrame(columns).astype("int32")
    frame["top"] = pd.Series(outcomes.top, dtype="string")
    # Digits that no figure shows, and that do not compress.
    frame["top_score"] = outcomes.top_score.astype(np.float32).round(4)
    return parquet(frame)


def outcomes_in_table(table: bytes, counts: Mapping[str, object]) -> Outcomes:
    """The outcomes of :func:`table_of_outcomes`; raises KeyError for a missing column."""
    frame = pd.read_parquet(io.BytesIO(table))
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


def strata_in_table(table: bytes) -> pd.DataFrame:
    """The strata in a table; raises KeyError for a missing column."""
    frame = pd.read_parquet(io.BytesIO(table))
    return frame[[*STRATA, *CLASSES]].astype(dict.fromkeys(STRATA, bool) | dict.fromkeys(CLASSES, object))


def parquet(frame: pd.DataFrame) -> bytes:
    """The frame as Parquet; a counter such as ``mention`` is stored by its steps, which are mostly 1."""
    counters = ("mention", "cluster")
    table = pa.Table.from_pandas(frame, preserve_index=False)
    counted = [name for name in counters if name in table.column_names]
    buffer = io.BytesIO()
    pq.write_table(
        table,
        buffer,
        compression="zstd",
        compression_level=15,
        use_dictionary=[name for name in table.column_names if name not in counters],
        column_encoding=dict.fromkeys(counted, "DELTA_BINARY_PACKED"),
    )
    return buffer.getvalue()
