"""SSSOM mapping tables: which id of one vocabulary means which id of another.

Format: https://mapping-commons.github.io/sssom/
"""

from dataclasses import dataclass
from pathlib import Path

from .lines import numbered_lines, wrong

REQUIRED = ("subject_id", "predicate_id", "object_id")


@dataclass(frozen=True, slots=True)
class Mapping:
    """One row. ``predicate`` begins with ``Not `` where the row denies the mapping."""

    subject: str
    predicate: str
    object: str
    label: str = ""


def read_sssom(path: Path | str) -> tuple[Mapping, ...]:
    """Every row, whatever its predicate; ``label`` is the subject's.

    Raises ValueError for a missing column, a row of another width and an empty id.
    """
    header: list[str] = []
    mappings = []
    for number, line in numbered_lines(path):
        if line.startswith("#") or not line:
            continue
        fields = line.split("\t")
        if not header:
            header = fields
            if missing := [column for column in REQUIRED if column not in header]:
                raise wrong(path, number, f"a header with {', '.join(missing)}", line)
            continue
        if len(fields) != len(header):
            raise wrong(path, number, f"{len(header)} tab-separated fields", f"{len(fields)} in {line}")
        row = dict(zip(header, fields, strict=True))
        if not all(row[column] for column in REQUIRED):
            raise wrong(path, number, f"non-empty {', '.join(REQUIRED)}", line)
        negation = "Not " if row.get("predicate_modifier") == "Not" else ""
        mappings.append(
            Mapping(
                row["subject_id"],
                negation + row["predicate_id"],
                row["object_id"],
                row.get("subject_label", ""),
            )
        )
    if not header:
        raise wrong(path, 1, f"a header with {', '.join(REQUIRED)}", "no table")
    return tuple(mappings)
