"""The options of a command that name a data set, and how files of one's own are read."""

import argparse
import sys
from importlib.metadata import entry_points
from pathlib import Path

from .benchmark import Benchmark
from .formats.own import USUAL, Reading, load_paths
from .terminal import visible


def add_options(parser: argparse.ArgumentParser) -> None:
    """``--dataset``, ``--ontology`` and those of :class:`.paths.Reading`."""
    parser.add_argument("--dataset", required=True, help="a registered data set, mini, or a PubTator file")
    own = parser.add_argument_group("where the data set is a PubTator file")
    own.add_argument("--ontology", help="TSV, CSV, JSON lines, OBO or RRF, or a registered data set")
    own.add_argument("--train", default="", metavar="FILE", help="the corpus that linkers learned from")
    own.add_argument("--dev", default="", metavar="FILE", help="the corpus that thresholds are chosen on")
    own.add_argument(
        "--types", type=_listed, default=(), help="only mentions of these types, with commas between"
    )
    own.add_argument("--strip-prefix", type=_listed, default=(), metavar="PREFIXES",
                     help="ids mean the same without these (MESH:), with commas between")  # fmt: skip
    own.add_argument("--any-of", metavar="CHARACTERS",
                     help=f"between ids of which any is right (usual: {USUAL.any_of})")  # fmt: skip
    own.add_argument("--all-of", metavar="CHARACTERS",
                     help=f"between ids that are all asked for (usual: {USUAL.all_of})")  # fmt: skip
    own.add_argument("--synonyms", default="", metavar="SEPARATOR",
                     help="between names in one cell of a TSV or CSV dictionary (none is usual)")  # fmt: skip


def benchmark_of(options: argparse.Namespace) -> Benchmark:
    """The data set that the options name; what must be said of it is printed on stderr at once."""
    reading = Reading(**{name: getattr(options, name) for name in Reading.__dataclass_fields__})
    benchmark = benchmark_at(options.dataset, options.ontology, reading)
    tell(benchmark)
    return benchmark


def benchmark_at(dataset: str, ontology: str | None, reading: Reading = USUAL) -> Benchmark:
    """A PubTator file with its ontology, or what an installed package reads under a name or at a path: those
    of the entry points ``benchlib.datasets``, such as the registered data sets of the study.

    Raises ValueError where nobody reads it, and as :func:`benchlib.formats.own.load_paths`.
    """
    for entry in entry_points(group="benchlib.datasets"):
        if (benchmark := entry.load()(dataset, ontology, reading)) is not None:
            return benchmark
    if not Path(dataset).is_file():
        raise ValueError(
            f"no data set {dataset!r}; expected the path of a PubTator file, or a name with the "
            "package `study` installed"
        )
    return load_paths(dataset, ontology, reading)


def tell(benchmark: Benchmark) -> None:
    """Print on stderr what must be said of a benchmark."""
    for note in benchmark.notes:
        print(said("note", note), file=sys.stderr)


def said(kind: str, text: str) -> str:
    """A line for a terminal; what is loud says itself what it is."""
    return visible(text if text.startswith("WARNING: ") else f"{kind}: {text}")


def _listed(text: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.split(",") if part.strip())
