"""SSSOM mapping tables: which id of one vocabulary means which id of another.

Format: https://mapping-commons.github.io/sssom/
"""

from dataclasses import dataclass
from pathlib import Path

from benchlib.formats.lines import numbered_lines, read_error

from .files import FileLocator

REQUIRED = ("subject_id", "predicate_id", "object_id")


@dataclass(frozen=True, slots=True)
class Mapping:
    """A ``subject`` that matches an ``object`` exactly; ``label`` is the subject's."""

    subject: str
    object: str
    label: str = ""


def read_sssom(path: Path | str) -> tuple[Mapping, ...]:
    """The rows that say ``skos:exactMatch`` and do not deny it.

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
                raise read_error(path, number, f"a header with {', '.join(missing)}", line)
            continue
        if len(fields) != len(header):
            raise read_error(path, number, f"{len(header)} tab-separated fields", f"{len(fields)} in {line}")
        row = dict(zip(header, fields, strict=True))
        if not all(row[column] for column in REQUIRED):
            raise read_error(path, number, f"non-empty {', '.join(REQUIRED)}", line)
        if row["predicate_id"] == "skos:exactMatch" and row.get("predicate_modifier") != "Not":
            mappings.append(Mapping(row["subject_id"], row["object_id"], row.get("subject_label", "")))
    if not header:
        raise read_error(path, 1, f"a header with {', '.join(REQUIRED)}", "no table")
    return tuple(mappings)


def mondo(locate: FileLocator, vocabulary: str) -> tuple[Mapping, ...]:
    """The exact matches of MONDO's diseases in a vocabulary: ``umls``, ``mesh``, ``omim`` or ``doid``."""
    return read_sssom(locate(f"mondo/mondo_exactmatch_{vocabulary}.sssom.tsv.gz"))
