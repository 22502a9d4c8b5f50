"""Data sets and dictionaries by name or path: files of one's own, and what an installed package registers."""

import sys
import warnings
from collections.abc import Iterable
from importlib.metadata import entry_points
from pathlib import Path

from .benchmark import Benchmark
from .formats.ontologies import ST21PV
from .formats.own import DEFAULT_READING, ReadingOptions, load_paths
from .ontology import Ontology


def find_benchmark(
    dataset: str | Path,
    dictionary: str | Path | Ontology | None = None,
    reading: ReadingOptions = DEFAULT_READING,
) -> Benchmark:
    """A PubTator or BioC file or a BRAT folder with its dictionary, or what an installed package reads by a
    name or path: those of the entry points ``benchlib.datasets``, such as the data sets of the study.

    Raises ValueError where nobody reads it, and as :func:`benchlib.formats.own.load_paths`.
    """
    for entry in entry_points(group="benchlib.datasets"):
        if (benchmark := entry.load()(str(dataset), dictionary, reading)) is not None:
            return benchmark
    if not Path(dataset).exists():
        raise ValueError(
            f"no data set {str(dataset)!r}; expected a corpus file or folder, or a name that `study` knows"
        )
    return load_paths(dataset, dictionary, reading)


def read_dictionary(
    dictionary: str | Path | Ontology, reading: ReadingOptions = DEFAULT_READING
) -> tuple[Ontology, tuple[str, ...]]:
    """The concepts in a file or folder, or those of a registered data set, and what a user must know of how
    a file was read, by the options of ``reading`` about dictionaries; an Ontology is returned as it is.
    Raises ValueError as :func:`find_benchmark` and :meth:`benchlib.formats.own.ReadingOptions.ontology`."""
    if isinstance(dictionary, Ontology):
        return reading.ontology(dictionary).ontology, ()
    if not isinstance(dictionary, str | Path):
        expected = "expected a file, an Ontology or a registered name"
        raise ValueError(f"dictionary: {expected}, found a {type(dictionary).__name__}")
    path = Path(str(dictionary).removesuffix(ST21PV))
    # A folder that only has the name of a registered data set is not what is meant.
    of_tables = path.is_dir() and (len(path.parts) > 1 or any(path.glob("*.[rR][rR][fF]*")))
    if path.is_file() or path.suffix or of_tables:
        file = reading.ontology(dictionary)
        return file.ontology, file.notes
    return find_benchmark(dictionary, None, reading).ontology, ()


def warn_of(notes: Iterable[str]) -> None:
    """A Python warning for each note, at the line outside this package that led here."""
    frame, level = sys._getframe(), 1
    while frame.f_back and frame.f_globals.get("__name__", "").partition(".")[0] == __package__:
        frame, level = frame.f_back, level + 1
    for note in notes:
        warnings.warn(note, stacklevel=level)
