"""Benchmarks by name: read from verified files, with their dictionaries."""

from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache, partial
from pathlib import Path

from benchlib.benchmark import Benchmark
from benchlib.formats.brat import is_brat
from benchlib.formats.own import DEFAULT_READING, ReadingOptions, load_paths

from . import registry
from .bc2gn import bc2gn_corpora, human_genes
from .bc5cdr import bc5cdr_corpora, mesh_as_released, mesh_chemicals, mesh_extended
from .biocom import halved_medic
from .clinical import annotated, read_notes
from .esappmod import esappmod
from .files import FileLocator, MissingFile, WrongContent, data_folder, locator
from .medic import medic_2012, medic_2017
from .medmentions import medmentions
from .medmentions_disease import disease_corpora
from .mini import MINI_FINGERPRINT, mini
from .ncbi import ncbi_corpora
from .zeshel import zeshel

_diseases = partial(bc5cdr_corpora, types=("Disease",))
_PARTS = {  # how the corpora are read, which may depend on the dictionary, and how the dictionary
    "ncbi-disease": (ncbi_corpora, medic_2012),
    "bc5cdr-disease": (_diseases, medic_2017),
    "bc5cdr-chemical": (partial(bc5cdr_corpora, types=("Chemical",)), mesh_chemicals),
    "bc5cdr": (bc5cdr_corpora, mesh_extended),
    "bc5cdr-released": (bc5cdr_corpora, mesh_as_released),
    "bc2gn": (bc2gn_corpora, human_genes),
    "bc2gn-human": (partial(bc2gn_corpora, all_species=False), human_genes),
    "ncbi-disease-biocom": (ncbi_corpora, halved_medic),
    "bc5cdr-disease-biocom": (_diseases, halved_medic),
    "medmentions-disease": (disease_corpora, medic_2017),
    "medmentions-disease-biocom": (disease_corpora, halved_medic),
}


def _build(name: str, locate: FileLocator) -> Benchmark:
    corpora, dictionary = _PARTS[name]
    ontology = dictionary(locate)
    return Benchmark(name, **corpora(locate, name, ontology), ontology=ontology)


BUILDERS: dict[str, Callable[[FileLocator], Benchmark]] = {
    **{name: partial(_build, name) for name in _PARTS},
    "esappmod": esappmod,
    "medmentions-st21pv": medmentions,
}
_NAMES = (*BUILDERS, "mini")


def load(dataset: str, ontology: str | None = None, reading: ReadingOptions = DEFAULT_READING) -> Benchmark:
    """A registered benchmark, ``mini``, or a PubTator file or folder of ShARe, n2c2 or ZESHEL with the
    ontology given: the path of one, or the name of a registered benchmark, whose ontology is taken.
    ``reading`` says how such files are read.

    Registered corpora lie in :func:`data_folder`. Every file is compared with the checksum in the registry,
    and what was parsed with the pinned fingerprint. Raises ValueError for an unknown name, an unreadable
    file, and an ontology or ``reading`` given with a registered benchmark, which has its own; MissingFile
    saying how to get a file, and WrongContent for other content.
    """
    if dataset in _NAMES:
        refuse_reading_options(dataset, ontology, reading)
        return _registered(dataset)
    if ontology is None and not Path(dataset).exists():
        registry.benchmark(dataset)  # which raises, listing those there are
    if ontology in _NAMES and not Path(ontology).is_file():
        ontology = load(ontology).ontology
    if Path(dataset).is_dir() and not (annotated(dataset) or is_brat(dataset)):
        return zeshel(dataset, ontology, reading)
    return load_paths(dataset, ontology, reading, read_notes)


def loaded(dataset: str, ontology: str | None = None, reading: ReadingOptions = DEFAULT_READING) -> Benchmark:
    """As :func:`load`, read once for the several linkers of a page, and anew where a file was mended."""
    given = [Path(path) for path in (dataset, ontology, reading.train, reading.dev) if path]
    states = [path.stat() for each in given for path in (each, *sorted(each.rglob("*"))) if path.exists()]
    return _read(dataset, ontology, reading, tuple((state.st_mtime_ns, state.st_size) for state in states))


@lru_cache(maxsize=2)
def _read(
    dataset: str, ontology: str | None, reading: ReadingOptions, edition: tuple[object, ...]
) -> Benchmark:
    return load(dataset, ontology, reading)


def refuse_reading_options(dataset: str, ontology: object, reading: ReadingOptions) -> None:
    """Raises ValueError where a registered data set, which is read in its own way, would leave something
    unread that is given with it."""
    if given := [*(["ontology"] if ontology else []), *reading.unusual()]:
        raise ValueError(
            f"dataset is {dataset!r}, which is registered and read in its own way: {', '.join(given)} would "
            "be ignored; expected the path of a PubTator file with these"
        )


def find(
    dataset: str, ontology: str | None = None, reading: ReadingOptions = DEFAULT_READING
) -> Benchmark | None:
    """The entry point ``benchlib.datasets``: a benchmark as :func:`load` has it, or None for a name or path
    that the study does not read."""
    if Path(dataset).is_file() and ontology not in _NAMES:
        return None
    return load(dataset, ontology, reading=reading)


def _registered(dataset: str) -> Benchmark:
    if dataset == "mini":
        benchmark = mini()
        _check("mini", benchmark.fingerprint(), MINI_FINGERPRINT)
        return benchmark
    entry = registry.benchmark(dataset)
    benchmark = BUILDERS[dataset](locator(entry.sources))
    _check(dataset, benchmark.fingerprint(), entry.fingerprint)
    if entry.dictionary:
        _check(f"{dataset}, dictionary", benchmark.ontology.fingerprint(), entry.dictionary)
    return replace(benchmark, notes=(*entry.notes, *benchmark.notes))


def _check(what: str, found: str, pinned: str) -> None:
    if pinned and found != pinned:
        raise WrongContent(
            f"{what}: what was parsed has the fingerprint {found[:12]}…, "
            f"expected {pinned[:12]}…: files and code do not belong together"
        )
