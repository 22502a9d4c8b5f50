"""SSSOM mapping tables: which id of one vocabulary means which id of another.

Format: https://mapping-commons.github.io/sssom/
"""

import csv
from pathlib import Path
from typing import NamedTuple

from benchlib.formats.lines import numbered_lines

from .files import FileLocator


class Mapping(NamedTuple):
    """A ``subject`` that matches an ``object`` exactly; ``label`` is the subject's."""

    subject: str
    object: str
    label: str = ""


def read_sssom(path: Path | str) -> tuple[Mapping, ...]:
    """The rows that say ``skos:exactMatch`` and do not deny it."""
    lines = (line for _, line in numbered_lines(path) if not line.startswith("#"))
    return tuple(
        Mapping(row["subject_id"], row["object_id"], row["subject_label"])
        for row in csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE)
        if row["predicate_id"] == "skos:exactMatch" and row.get("predicate_modifier") != "Not"
    )


def mondo(locate: FileLocator, vocabulary: str) -> tuple[Mapping, ...]:
    """The exact matches of MONDO's diseases in a vocabulary: ``umls``, ``mesh``, ``omim`` or ``doid``."""
    return read_sssom(locate(f"mondo/mondo_exactmatch_{vocabulary}.sssom.tsv.gz"))
