"""An own list of names and the mentions to link to it, as CSV files."""

from pathlib import Path

import pandas as pd

from benchlib.benchmark import SPLITS, Benchmark
from benchlib.corpus import Corpus, Document, Gold, Mention
from benchlib.formats.delimited import csv_rows
from benchlib.formats.lines import wrong
from benchlib.ontology import Concept, Ontology, fold_name

NIL = "NIL"
"""The id of a mention that is labelled as none of the list."""
HELD_OUT = 5
"""One in so many labelled strings is held out."""


def read_names(path: Path | str) -> Ontology:
    """The list: a CSV file with the columns ``id`` and ``name``, the first name of an id its canonical one.

    Raises ValueError (path:line) for other columns, an empty cell, a row that stands twice, the id ``NIL``
    and a file without rows.
    """
    names: dict[str, list[str]] = {}
    lines: dict[tuple[str, str], int] = {}
    for line, row in csv_rows(path, ("id", "name")):
        for column, cell in row.items():
            if not cell:
                raise wrong(path, line, f"a non-empty {column}", cell)
        if row["id"] == NIL:
            raise wrong(path, line, f"another id than {NIL}, which stands for none of the list", NIL)
        if (first := lines.setdefault((row["id"], row["name"]), line)) != line:
            raise wrong(path, line, f"no row twice (line {first})", f"{row['id']},{row['name']}")
        names.setdefault(row["id"], []).append(row["name"])
    return Ontology(Path(path).name, (Concept(id, tuple(own)) for id, own in names.items()))


def read_mentions(path: Path | str, ontology: Ontology) -> Benchmark:
    """The mentions: a CSV file with the column ``mention`` and, where some are labelled, ``id``.

    Train are the labelled strings to learn from, dev those held out (every fifth), test the mentions without
    an id, each in the order of the file and a document of its own, named by its line. A mention may stand
    in several rows: to be answered it is one each time, but a labelled string (case and white space aside)
    counts once, at its first row, so that none is both learned and held out, and an interval over mentions
    is one over strings. ``notes`` tells how many rows that leaves out.

    Raises ValueError (path:line) for other columns, an empty mention, an id that is neither of the ontology
    nor ``NIL``, a string that an earlier line labels otherwise, and a file without rows.
    """
    parts: dict[str, list[Document]] = {split: [] for split in SPLITS}
    labelled: dict[str, tuple[str, int]] = {}
    repeated = 0
    for line, row in csv_rows(path, ("mention",), optional=("id",)):
        text, id = row["mention"], row.get("id", "")
        if not text:
            raise wrong(path, line, "a non-empty mention", text)
        if id and id != NIL and id not in ontology.concepts:
            raise wrong(path, line, f"an id of {ontology.name}, {NIL} or none", id)
        gold, split = None, "test"
        if id:
            before, first = labelled.setdefault(fold_name(text), (id, line))
            if before != id:
                raise wrong(path, line, f"one id for {text!r}, which line {first} labels {before}", id)
            if first != line:
                repeated += 1
                continue
            gold = Gold(() if id == NIL else (frozenset({id}),), printed=id)
            split = "train" if len(labelled) % HELD_OUT else "dev"
        parts[split].append(Document(str(line), text, (Mention(0, len(text), text, gold=gold),)))
    name = Path(path).stem
    notes = (f"{repeated:,} labelled rows repeat a string of an earlier one: each string counts once.",)
    corpora = (Corpus(f"{name}-{split}", tuple(parts[split])) for split in SPLITS)
    return Benchmark(name, *corpora, ontology, notes=notes if repeated else ())


def write_names(ontology: Ontology, path: Path) -> None:
    """A file that :func:`read_names` reads back."""
    rows = [(concept.id, name) for concept in ontology.concepts.values() for name in concept.names]
    pd.DataFrame(rows, columns=["id", "name"]).to_csv(path, index=False, lineterminator="\n")
