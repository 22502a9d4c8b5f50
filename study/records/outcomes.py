"""What a record keeps as Parquet: outcomes, one row a line; or strata, one row a mention."""

import io
from collections.abc import Mapping

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from benchlib.scoring import CLASSES, STRATA, Outcomes
from benchlib.scoring.outcomes import ORDERS

_PLACES = ("above", "ties", "golds")
_LINE = ("mention", "part", "wants", "needed", "cluster")
_OF_INTEGERS = ("dictionary", "PLAIN", "DELTA_BINARY_PACKED", "BYTE_STREAM_SPLIT")


def table_of_outcomes(outcomes: Outcomes) -> bytes:
    """Everything of the outcomes but their counts; ``top_score`` to four decimals, from 1 on to four digits.

    A place in an order is left out where it is that in the order before, as where each concept has one name.
    """
    columns = {name: getattr(outcomes, name) for name in _LINE}
    for place in _PLACES:
        found = getattr(outcomes, place)
        for i, order in enumerate(ORDERS):
            if i == 0 or not np.array_equal(found[:, i], found[:, i - 1]):
                columns[f"{place}_{order}"] = found[:, i]
    frame = pd.DataFrame(columns).astype("int32")
    frame["top"] = pd.Categorical(outcomes.top)  # a dictionary of sorted ids packs better
    frame["top_score"] = _shortened(outcomes.top_score.astype(np.float32))
    return parquet(frame)


def _shortened(scores: np.ndarray) -> np.ndarray:
    """Scores without the digits that no figure shows, and that do not compress: those of a dot product are
    many."""
    shortened, large = scores.round(4), np.isfinite(scores) & (np.abs(scores) >= 1)
    unit = 10.0 ** np.floor(np.log10(np.abs(scores[large])))
    shortened[large] = (scores[large] / unit).round(3) * unit
    return shortened


def outcomes_in_table(table: bytes, counts: Mapping[str, object]) -> Outcomes:
    """The outcomes of :func:`table_of_outcomes`; raises KeyError for a missing column."""
    frame = pd.read_parquet(io.BytesIO(table))
    places = {place: _in_orders(frame, place) for place in _PLACES}
    return Outcomes(
        **{name: frame[name].to_numpy(np.int64) for name in _LINE},
        **places,
        top=frame["top"].to_numpy(object),
        top_score=frame["top_score"].to_numpy(np.float32),
        counts=counts,
    )


def _in_orders(frame: pd.DataFrame, place: str) -> np.ndarray:
    """A place in every order, lines × orders; raises KeyError where the first is missing."""
    columns = [frame[f"{place}_{ORDERS[0]}"]]
    for order in ORDERS[1:]:
        columns.append(frame.get(f"{place}_{order}", columns[-1]))
    return np.stack([column.to_numpy(np.int64) for column in columns], axis=1)


def strata_in_table(table: bytes) -> pd.DataFrame:
    """The strata in a table; raises KeyError for a missing column."""
    frame = pd.read_parquet(io.BytesIO(table))
    return frame[[*STRATA, *CLASSES]].astype(dict.fromkeys(STRATA, bool) | dict.fromkeys(CLASSES, object))


def parquet(frame: pd.DataFrame) -> bytes:
    """The frame as Parquet, each column in the encoding that takes the least room. What Parquet may say of
    columns, and pandas of types, is left out: in a table of this size it is a tenth."""
    table = pa.Table.from_pandas(frame, preserve_index=False).replace_schema_metadata()
    return _written(table, {name: _smallest(table.select([name])) for name in table.column_names})


def _smallest(column: pa.Table) -> str:
    """The encoding for a table of one column. Whole numbers have four: ``mention`` goes up by steps of one,
    a place is mostly small, and what BM25 ranks has ties by the thousand."""
    (field,) = column.schema
    encodings = _OF_INTEGERS if pa.types.is_integer(field.type) else ("dictionary",)
    return min(encodings, key=lambda encoding: len(_written(column, {field.name: encoding})))


def _written(table: pa.Table, encodings: Mapping[str, str]) -> bytes:
    others = {name: encoding for name, encoding in encodings.items() if encoding != "dictionary"}
    buffer = io.BytesIO()
    pq.write_table(
        table,
        buffer,
        compression="zstd",
        compression_level=15,
        use_dictionary=[name for name in encodings if name not in others],
        column_encoding=others,
        write_statistics=False,
        store_schema=False,
    )
    return buffer.getvalue()
