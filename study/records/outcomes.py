"""Tables of records: outcomes, a row a line, of one run or of several; strata, a row a mention."""

import io
from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from benchlib.scoring import Outcomes
from benchlib.scoring.outcomes import ORDERS

LAYOUT = ("mention", "part", "wants", "cluster")  # columns that runs on one split share
_PLACES = ("above", "ties", "golds")
FIELDS = {
    "wants": "line_type",
    "needed": "n_required",
    "above": "n_better",
    "ties": "n_tied",
    "golds": "n_tied_gold",
}
"""Fields of Outcomes by the columns of tables, where the two differ."""
_OF_INTEGERS = ("dictionary", "PLAIN", "DELTA_BINARY_PACKED", "BYTE_STREAM_SPLIT")


def table_of_outcomes(outcomes: Outcomes) -> pa.Table:
    """Everything of the outcomes but their counts; ``top_score`` to four decimals, from 1 on to four digits.

    A place in an order is left out where it is that in the order before, as where each concept has one name.
    """
    columns = {name: getattr(outcomes, FIELDS.get(name, name)) for name in (*LAYOUT, "needed")}
    for place in _PLACES:
        found = getattr(outcomes, FIELDS.get(place, place))
        for i, order in enumerate(ORDERS):
            if i == 0 or not np.array_equal(found[:, i], found[:, i - 1]):
                columns[f"{place}_{order}"] = found[:, i]
    frame = pd.DataFrame(columns).astype("int32")
    frame["top"] = pd.Categorical(outcomes.top)  # a dictionary of sorted ids packs better
    frame["top_score"] = _shortened(outcomes.top_score.astype(np.float32))
    return table_of_frame(frame)


def _shortened(scores: np.ndarray) -> np.ndarray:
    """Scores without the digits that no figure shows, and that do not compress: those of a dot product are
    many."""
    shortened, large = scores.round(4), np.isfinite(scores) & (np.abs(scores) >= 1)
    unit = 10.0 ** np.floor(np.log10(np.abs(scores[large])))
    shortened[large] = (scores[large] / unit).round(3) * unit
    return shortened


def outcomes_in_table(table: pa.Table, counts: Mapping[str, object]) -> Outcomes:
    """The outcomes of :func:`table_of_outcomes`; raises KeyError for a missing column."""
    top = table["top"].combine_chunks()
    return Outcomes(
        **{FIELDS.get(name, name): _integers(table, name) for name in (*LAYOUT, "needed")},
        **{FIELDS.get(place, place): _in_orders(table, place) for place in _PLACES},
        top=top.dictionary.to_numpy(zero_copy_only=False).astype(object)[top.indices.to_numpy()],
        top_score=table["top_score"].to_numpy().astype(np.float32, casting="safe"),
        counts=counts,
    )


def _integers(table: pa.Table, name: str) -> np.ndarray:
    return table[name].to_numpy().astype(np.int64, casting="safe")


def _in_orders(table: pa.Table, place: str) -> np.ndarray:
    """A place in every order, lines × orders; raises KeyError where the first is missing."""
    columns = [_integers(table, f"{place}_{ORDERS[0]}")]
    for order in ORDERS[1:]:
        name = f"{place}_{order}"
        columns.append(_integers(table, name) if name in table.column_names else columns[-1])
    return np.stack(columns, axis=1)


def table_of_runs(runs: Sequence[Outcomes]) -> pa.Table:
    """The outcomes of runs of one layout, without it; rows by line, then run: like answers lie together,
    which takes half the room. A place in an order is null where it is that in the order before."""
    columns = {"needed": _interleaved([of.n_required for of in runs])}
    for place in _PLACES:
        before = None
        for i, order in enumerate(ORDERS):
            found = _interleaved([getattr(of, FIELDS.get(place, place))[:, i] for of in runs])
            columns[f"{place}_{order}"] = pa.array(found, mask=None if before is None else found == before)
            before = found
    columns["top"] = pa.array(_interleaved([of.top for of in runs], object), pa.string())
    columns["top_score"] = _interleaved([of.top_score for of in runs], np.float32)
    return pa.table(columns)


def _interleaved(columns: Sequence[np.ndarray], dtype: type = np.int32) -> np.ndarray:
    return np.stack(columns, axis=1).reshape(-1).astype(dtype)


def whole(runs: pa.Table) -> pa.Table:
    """A table of runs with every place, in the place of the nulls."""
    for place in _PLACES:
        for before, order in zip(ORDERS, ORDERS[1:], strict=False):
            name = f"{place}_{order}"
            filled = pc.coalesce(runs[name], runs[f"{place}_{before}"])
            runs = runs.set_column(runs.column_names.index(name), name, filled)
    return runs


def table_of_run(runs: pa.Table, run: int, layout: pa.Table) -> pa.Table:
    """One of the runs of a whole table of runs, as :func:`table_of_outcomes` has it, with every place."""
    table = runs.take(np.arange(len(layout)) * (len(runs) // max(1, len(layout))) + run)
    for name in LAYOUT:
        table = table.append_column(name, layout[name])
    return table


def table_of_frame(frame: pd.DataFrame) -> pa.Table:
    """A frame as a table, without what pandas says of types."""
    return pa.Table.from_pandas(frame, preserve_index=False).replace_schema_metadata()


def table_in(content: bytes) -> pa.Table:
    """The table in the bytes of a Parquet file; ids stay coded. No threads, which a fork would lose."""
    return pq.read_table(io.BytesIO(content), use_threads=False, read_dictionary=["top"])


def parquet(table: pa.Table) -> bytes:
    """A table as a Parquet file, each column in the encoding that takes the least room."""
    return row_groups([table], {name: _smallest(table.select([name])) for name in table.column_names})


def _smallest(column: pa.Table) -> str:
    """The encoding for a table of one column. Whole numbers have four: ``mention`` goes up by steps of one,
    a place is mostly small, and what BM25 ranks has ties by the thousand."""
    (field,) = column.schema
    encodings = ("dictionary",)
    if pa.types.is_integer(field.type):
        encodings = _OF_INTEGERS
    elif pa.types.is_floating(field.type):
        encodings = ("dictionary", "PLAIN")
    return min(encodings, key=lambda encoding: len(row_groups([column], {field.name: encoding})))


def row_groups(groups: Sequence[pa.Table], encodings: Mapping[str, str] = {}) -> bytes:  # noqa: B006
    """Tables of the same columns as a Parquet file, a row group each; columns have dictionaries but for those
    with another encoding. What Parquet may say of columns is left out: in a small table it is a tenth."""
    others = {name: encoding for name, encoding in encodings.items() if encoding != "dictionary"}
    buffer = io.BytesIO()
    with pq.ParquetWriter(
        buffer,
        groups[0].schema,
        compression="zstd",
        compression_level=15,
        use_dictionary=[name for name in groups[0].column_names if name not in others],
        column_encoding=others,
        write_statistics=False,
        store_schema=False,
    ) as writer:
        for group in groups:
            writer.write_table(group, row_group_size=max(1, len(group)))
    return buffer.getvalue()
