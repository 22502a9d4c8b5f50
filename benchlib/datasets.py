"""Data sets and dictionaries by name or path: files of one's own, and what an installed package registers."""

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


def find_dictionary(dictionary: str | Path | Ontology, reading: ReadingOptions = DEFAULT_READING) -> Ontology:
    """The concepts in a file or folder, read with the options of ``reading`` that are about dictionaries
    (:func:`benchlib.formats.ontologies.read_ontology`), or those of a registered data set; an Ontology is
    returned as it is. Raises ValueError as :func:`find_benchmark`."""
    if isinstance(dictionary, Ontology):
        return dictionary
    if Path(str(dictionary).removesuffix(ST21PV)).exists() or Path(dictionary).suffix:
        return reading.ontology(dictionary).ontology
    return find_benchmark(dictionary).ontology
