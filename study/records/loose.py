"""The JSON file of a record: readable, and under one checksum."""

import hashlib
import json
from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field

from .record import BrokenRecord, Record, counts_close, key_of, to_json_types

FORMAT = 5
_HEAD = b'{\n "format": %d,\n "sha256": "' % FORMAT
_METRIC = ("value", "low", "high", "n")  # of a measure, in this order


def content_name(stem: str, sha256: str, ending: str = "parquet") -> str:
    """A file name that says the content, so that a new file never takes the place of an old one."""
    return f"{stem}.{sha256[:8]}.{ending}"


def rendered(record: Record, table: bytes = b"") -> bytes:
    """The JSON file, with the checksum of its table. ``sha256`` is that of all bytes that follow it. The
    metrics of a scoring are a line, value, interval and mentions of each measure, and so is a column of the
    trace: as rows either would take twice the room. Old records of a training that served others before name
    the first of them by ``fitted_for``, which alone has the trace."""
    content: dict[str, object] = {"key": record.key, "inputs": record.inputs}
    if record.counts:
        content |= {"counts": record.counts, "metrics": record.metrics}
    if table:
        sha256 = hashlib.sha256(table).hexdigest()
        content["table"] = {"name": content_name(record.key, sha256), "sha256": sha256}
    own = ("values",) if "fitted_for" in record.made else ("values", "trace")
    content |= {name: found for name in own if (found := getattr(record, name))}
    lines = []
    for name, value in (content | {"made": record.made}).items():
        if name in _BY_LINE:
            rows = _BY_LINE[name](to_json_types(value)).items()
            inner = (f"{json.dumps(of)}: {json.dumps(row)}" for of, row in rows)
            shown = "{\n  " + ",\n  ".join(inner) + "\n }"
        else:
            shown = json.dumps(to_json_types(value), ensure_ascii=False)
        lines.append(f' "{name}": {shown}')
    body = ('",\n' + ",\n".join(lines) + "\n}\n").encode()
    return _HEAD + hashlib.sha256(body).hexdigest().encode() + body


def _by_scoring(metrics: list[dict]) -> dict[str, dict[str, list]]:
    by_scoring: dict[str, dict[str, list]] = {}
    for row in metrics:
        by_scoring.setdefault(row["scoring"], {})[row["measure"]] = [row[part] for part in _METRIC]
    return by_scoring


def _metrics(by_scoring: dict[str, dict[str, list]]) -> list[dict]:
    return [
        {"measure": measure, "scoring": scoring, **dict(zip(_METRIC, numbers, strict=True))}
        for scoring, measures in by_scoring.items()
        for measure, numbers in measures.items()
    ]


def _columns(trace: list[dict]) -> dict[str, list]:
    names = dict.fromkeys(name for row in trace for name in row)
    return {name: [row.get(name) for row in trace] for name in names}


def _rows(columns: dict[str, list]) -> list[dict]:
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


_BY_LINE = {"metrics": _by_scoring, "trace": _columns}


def parsed(name: str, data: bytes) -> dict[str, object]:
    """What a JSON file of this name says, metrics and trace as rows; raises BrokenRecord for any other than
    the bytes that :func:`rendered` made, whatever is wrong with them."""
    start = len(_HEAD)
    body = data[start + 64 :]
    if not data.startswith(_HEAD):
        raise BrokenRecord(f"{name}: not a record of format {FORMAT}; delete it and run again")
    if data[start : start + 64] != hashlib.sha256(body).hexdigest().encode():
        raise BrokenRecord(f"{name}: its content is not what was written; delete it and run again")
    try:
        content = json.loads(data, parse_constant=_refused)
        _Content.model_validate(content).check(name.removesuffix(".json"))
        content["trace"] = _rows(content.get("trace", {}))
        content["metrics"] = _metrics(content.get("metrics", {}))
    except Exception as error:  # whatever a wrong type raises, the file is at fault
        raise BrokenRecord(f"{name}: not a whole record ({error!r}); delete it and run again") from error
    return content


class _Content(BaseModel, strict=True, extra="forbid"):
    """What a JSON file says."""

    format: int
    sha256: str
    key: str
    inputs: dict[str, Any]
    made: dict[str, Any]
    counts: dict[str, Any] = {}
    metrics: dict[str, dict[str, Annotated[list[int | float], Field(min_length=4, max_length=4)]]] = {}
    table: dict[Literal["name", "sha256"], str] = {}
    values: dict[str, Any] = {}
    trace: dict[str, list[int | float | None]] = {}

    def check(self, stem: str) -> None:
        """Raises ValueError or KeyError where the parts of the record of this stem contradict each other."""
        if not stem == self.key == key_of(self.inputs):
            raise ValueError(f"its inputs are those of {key_of(self.inputs)}")
        if bool(self.counts) != bool(self.metrics):
            raise ValueError("counts and metrics: expected both or neither")
        if self.counts and not (self.table and counts_close(self.counts)):
            raise ValueError("counts: expected a table, and scored and dropped mentions to be all there were")
        if self.table and self.table["name"] != content_name(stem, self.table["sha256"]):
            raise ValueError(f"table: expected {content_name(stem, self.table['sha256'])}")


def _refused(constant: str) -> None:
    raise ValueError(f"{constant} is no number")
