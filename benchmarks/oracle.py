"""Dump everything that the study publishes as sorted lines of text, and compare two dumps.

``python benchmarks/oracle.py dump OUT`` writes a JSON array a line: where a value stands, then the value. It
holds the keys, outcomes, metrics, strata, traces and values of all published records, the fingerprints of the
registered data sets, the answers to the claims, and every cell of the tables and of the figures' data on the
executed pages. ``python benchmarks/oracle.py compare A B`` prints the first differences, and exits with 1 if
there are any. Commit, date, machine and running time of a page are left out, as they change with each build.
"""

import argparse
import csv
import hashlib
import json
import re
import sys
from base64 import b64decode
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, fields
from io import StringIO
from pathlib import Path

import numpy as np
from bs4 import BeautifulSoup, SoupStrainer

from study.claims.answers import answer_all
from study.corpora import MissingFile, load
from study.corpora.registry import benchmarks
from study.records import Record, Store, published

RENAMED: dict[str, str] = {}  # heads of columns that were renamed on purpose: in dump A to in dump B
READ = ("mini", "ncbi-disease", "bc5cdr-released", "bc5cdr-disease-biocom", "bc2gn", "esappmod")
SHOWN = 50  # differences that are printed
_SHORT = 200  # characters up to which a value is written out
_NAME = re.compile(r"^:name: (\S+)$", re.MULTILINE)
_PAGES = Path(__file__).resolve().parents[1] / "_build" / "open"

Line = tuple[str, ...]  # the parts of the place, then the value


def dump(records: Iterable[Record], pages: Iterable[Path]) -> list[Line]:
    """All lines, sorted."""
    lines = [line for record in records for line in of_record(record)]
    lines += of_benchmarks()
    for answer in answer_all():
        lines += [("claim", answer.id, name, str(value)) for name, value in asdict(answer).items()]
    return sorted(lines + [line for page in pages for line in of_page(page)])


def of_record(record: Record) -> Iterator[Line]:
    """The content of a record, under the first 16 digits of its key."""
    at = ("record", record.key[:16])
    yield *at, "key", record.key
    yield *at, "inputs", sha256(canonical(record.inputs))
    yield *at, "provenance", sha256(canonical(record.made))
    yield *at, "trace", sha256(canonical(record.trace))
    yield *at, "counts", canonical(record.counts)
    for name, value in record.values.items():
        text = canonical(value)
        yield *at, "values", name, text if len(text) <= _SHORT else sha256(text)
    for entry in record.metrics:
        yield *at, "metric", entry["scoring"], entry["measure"], canonical(entry)
    if record.outcomes is not None:
        arrays = [getattr(record.outcomes, field.name) for field in fields(record.outcomes)]
        # By place, so that renaming a field changes no line; the last, counts, is no array.
        for place, array in enumerate(arrays[:-1]):
            yield *at, "outcomes", f"array {place}", of_array(array)
    if record.strata is not None:
        for name, column in record.strata.items():
            yield *at, "strata", str(name), of_array(column.to_numpy())


def of_array(values: np.ndarray) -> str:
    """SHA-256 of an array in a fixed type: int64, float32 (both little-endian), or its strings joined."""
    if values.dtype.kind in "biuf":
        data = values.astype("<f4" if values.dtype.kind == "f" else "<i8").tobytes()
    else:
        data = "\n".join(map(str, values)).encode()
    return sha256(str(values.shape), data)


def of_benchmarks() -> Iterator[Line]:
    """The fingerprints that the registry pins, and those of a few data sets that are read in seconds."""
    for name, entry in benchmarks().items():
        yield "benchmark", name, "pinned", entry.fingerprint
    for name in READ:
        try:
            yield "benchmark", name, "read", load(name).fingerprint()
        except MissingFile:
            yield "benchmark", name, "read", "files missing"


def of_page(path: Path) -> list[Line]:
    """The cells of an executed notebook's tables and figures, by row and head of the column."""
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    names, grids = [], []
    for output in (output for cell in cells for output in cell.get("outputs", ())):
        shown = {kind: "".join(text) for kind, text in output.get("data", {}).items()}
        soup = BeautifulSoup(
            shown.get("text/html", ""), "html.parser", parse_only=SoupStrainer(["table", "a"])
        )
        for part in soup.select("tbody.varying"):
            part.decompose()
        for table in soup.find_all("table"):
            cited = _NAME.search(shown.get("text/markdown", ""))
            names.append(cited[1] if cited else table.get("id", "table"))
            rows = [row.find_all(["th", "td"]) for row in table.find_all("tr")]
            if not all(cell.name == "th" for cell in rows[0]):
                rows.insert(0, [str(place) for place in range(len(rows[0]))])
            grids.append([[_text(cell) for cell in row] for row in rows])
        for link in soup.select("a.csv"):
            names.append(link["download"])
            content = b64decode(link["href"].partition("base64,")[2]).decode()
            grids.append([*csv.reader(StringIO(content, newline=""))])
    return [
        ("page", path.stem, name, row_name, head, cell)
        for name, (heads, *rows) in zip(numbered(names), grids, strict=True)
        for row_name, row in zip(row_names(rows), rows, strict=True)
        for head, cell in zip(numbered(heads), row, strict=True)
    ]


def row_names(rows: Sequence[Sequence[str]]) -> list[str]:
    """As many first cells, up to three, as tell the rows apart."""
    for width in (1, 2, 3):
        names = [" / ".join(row[:width]) for row in rows]
        if len(set(names)) == len(rows):
            break
    return numbered(names)


def numbered(names: Sequence[str]) -> list[str]:
    """The names, with a number behind the second and further ones that are alike."""
    seen: Counter[str] = Counter()
    unique = []
    for name in names:
        seen[name] += 1
        unique.append(name if seen[name] == 1 else f"{name} #{seen[name]}")
    return unique


def canonical(value: object) -> str:
    """JSON with sorted keys; a float is written as its repr, which is exact."""
    return json.dumps(value, sort_keys=True, ensure_ascii=False)


def sha256(text: str, data: bytes = b"") -> str:
    return hashlib.sha256(text.encode() + b"\0" + data).hexdigest()


def _text(cell) -> str:
    return " ".join((cell if isinstance(cell, str) else cell.get_text()).split())


def compare(before: Iterable[Line], after: Iterable[Line]) -> list[str]:
    """A text for each value that differs or stands in one dump alone, by its place."""
    first = {(*at, RENAMED.get(head, head) if at[0] == "page" else head): v for *at, head, v in before}
    second = {line[:-1]: line[-1] for line in after}
    return [
        f"{' | '.join(at)}: {first.get(at, '(absent)')} -> {second.get(at, '(absent)')}"
        for at in sorted({*first, *second})
        if first.get(at) != second.get(at)
    ]


def read(path: Path) -> list[Line]:
    with path.open(encoding="utf-8") as file:  # text that splitlines would split may stand in a cell
        return [tuple(json.loads(line)) for line in file]


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    commands = parser.add_subparsers(dest="command")
    dumped = commands.add_parser("dump")
    dumped.add_argument("out", type=Path)
    dumped.add_argument("--records", type=Path, help="a folder of records, if not the published ones")
    dumped.add_argument("--pages", type=Path, default=_PAGES, help="the folder of executed pages")
    compared = commands.add_parser("compare")
    compared.add_argument("dumps", type=Path, nargs=2)
    options = parser.parse_args(arguments)
    if options.command == "dump":
        pages = [*options.pages.glob("*.ipynb")]
        if not pages:
            parser.error(f"{options.pages}: expected executed pages (*.ipynb), as `make book` leaves them")
        lines = dump(Store(options.records) if options.records else published(), pages)
        options.out.write_text("".join(f"{canonical(line)}\n" for line in lines), encoding="utf-8")
        print(f"{len(lines)} lines, {len({line[1] for line in lines if line[0] == 'record'})} records")
    elif options.command == "compare":
        differences = compare(*map(read, options.dumps))
        print(*differences[:SHOWN], f"{len(differences)} differences", sep="\n")
        return int(bool(differences))
    else:
        parser.print_help()  # as `make bench` runs each program of this folder without arguments
    return 0


if __name__ == "__main__":
    sys.exit(main())
