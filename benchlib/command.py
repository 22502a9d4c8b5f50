"""The program ``benchlib``, as :mod:`benchlib.__main__` starts it."""

import argparse
import json
import warnings
from collections.abc import Callable, Sequence
from importlib.metadata import version
from pathlib import Path
from platform import python_version
from typing import Any

import pandas as pd

from . import __version__
from .benchmark import Benchmark
from .counts import describe
from .datasets import find_benchmark
from .evaluation import evaluate
from .formats.lines import ending
from .formats.own import DEFAULT_READING, ReadingOptions
from .formats.predictions import CHOICES, WRITTEN, check_ids, write_predictions
from .linking import corpus_to_link
from .name_linker import HOW, NameLinker
from .predictions import NIL
from .results import in_percent
from .retrieval.cache import cache_folder
from .terminal import check_writable, print_messages, run_command, shown, write

_BENCHLIB = "Score predictions, check how files are read, link mentions without training."
_SCORE = """Score a predictions file under every published protocol and the grid of all others, with
intervals; by kind of mention; for NIL; and paired with a second file. Oddities are reported on stderr."""
_CHECK = """Print how a corpus and its ontology are read: the counts of each split and what was left out,
the types, how many gold ids are in the ontology, and the first mentions with the names of their gold."""
_LINK = """Link the mentions of a corpus to the names of a dictionary without training, and write the
predictions. The corpus may also be a .txt file with a document a line, the number of the line its id. Where
it has no mentions, names of the dictionary and their abbreviations are found first."""
_HEADS = {
    "published": "The published protocols, in percent",
    "grid": "Every other protocol, in percent",
    "kinds": "Strict accuracy by kind of mention, in percent",
    "spans": "Concepts at predicted spans, in percent",
    "against": "Minus {}, paired, in percentage points",
}


def main(arguments: Sequence[str] | None = None) -> int:
    """The exit status of ``benchlib score``, ``check`` or ``link``."""
    parser = argparse.ArgumentParser(prog="benchlib", description=_BENCHLIB)
    parser.add_argument("--version", action="version", version=f"benchlib {__version__}")
    commands = parser.add_subparsers(required=True, metavar="score|check|link")

    score = commands.add_parser("score", description=_SCORE)
    score.set_defaults(work=_score, failed="not scored")
    score.add_argument("predictions", help="JSON lines, TSV, CSV or Parquet, one candidate a row")
    add_options(score, "--dataset", required=True)
    score.add_argument("--spans", action="store_true",
                       help="the spans are predicted too: any stretch of a document may be one")  # fmt: skip
    score.add_argument("--against", help="a second predictions file to compare with")
    score.add_argument("--predictions-dev", help="predictions for dev, to choose the threshold of NIL on")
    score.add_argument("--against-dev", help="the same of the second file")
    score.add_argument("--duplicates", default="refused", choices=CHOICES["duplicates"],
                       help="a candidate that is in a list twice (default: refused)")  # fmt: skip
    score.add_argument("--json", type=Path, help="write everything here, see the book's page How to")
    score.add_argument("--csv", type=Path, help="write the scores here")
    score.add_argument("--mentions", type=Path, help="write a row for each mention here, as CSV")

    check = commands.add_parser("check", description=_CHECK)
    check.set_defaults(work=_check, failed="not checked")
    add_options(check, "--dataset", required=True)
    check.add_argument("--first", type=int, default=5, help="mentions shown of each split (default 5)")

    link = commands.add_parser("link", description=_LINK)
    link.set_defaults(work=_link, failed="not linked")
    add_options(link, "dataset", metavar="corpus")
    link.add_argument("-o", "--output", dest="predictions", type=Path, required=True, metavar="FILE",
                      help="the predictions to write, .tsv or .jsonl, each also with .gz")  # fmt: skip
    link.add_argument("--how", default="both", choices=HOW, help="how names are compared (default: both)")
    link.add_argument("--encoder", help="minilm, a folder or a Hub id, for --how both or encoder")
    link.add_argument("--threshold", type=float, help="answer NIL where no score is above this")
    link.add_argument("-k", type=int, default=10, help="candidates a mention (default 10)")

    options = parser.parse_args(arguments)
    return run_command(lambda: options.work(options), options.failed)


def add_options(parser: argparse.ArgumentParser, dataset: str, **how: Any) -> None:
    """The argument ``dataset`` and those of :class:`benchlib.formats.own.ReadingOptions`."""
    read = "a registered data set, mini, a PubTator or BioC file, or a BRAT folder"
    parser.add_argument(dataset, help=read, **how)
    own = parser.add_argument_group("where the data set is a file or folder")
    own.add_argument("--ontology", "--dictionary",
                     help="TSV, CSV, JSON lines, OBO, its JSON or RRF, or a registered data set")  # fmt: skip
    own.add_argument("--train", default="", metavar="FILE", help="the corpus that linkers learned from")
    own.add_argument("--dev", default="", metavar="FILE", help="the corpus that thresholds are chosen on")
    own.add_argument("--types", default=(), help="the only types that count, with commas between")
    own.add_argument("--strip-prefix", default=(), metavar="PREFIXES",
                     help="ids mean the same without these (MESH:), with commas between")  # fmt: skip
    own.add_argument("--any-of", metavar="CHARACTERS",
                     help=f"between ids of which any is right (usual: {DEFAULT_READING.any_of})")  # fmt: skip
    own.add_argument("--all-of", metavar="CHARACTERS",
                     help=f"between ids that are all wanted (usual: {DEFAULT_READING.all_of})")  # fmt: skip
    own.add_argument("--synonyms", default="", metavar="SEPARATOR",
                     help="between names in one cell of a TSV or CSV dictionary (none is usual)")  # fmt: skip
    own.add_argument("--scopes", default=DEFAULT_READING.scopes,
                     help="of synonyms of OBO that are names, with commas between: exact (default), narrow, "
                     "broad, related")  # fmt: skip
    own.add_argument("--id-column", default="", metavar="LABEL",
                     help="the column of ids, where a dictionary has several")  # fmt: skip
    own.add_argument("--strict", action="store_true", help="refuse a dictionary with any line that is wrong")


def benchmark_of(options: argparse.Namespace, read: Callable[..., Benchmark] = find_benchmark) -> Benchmark:
    """The data set that the options name; its notes are printed on stderr at once."""
    reading = ReadingOptions(**{name: getattr(options, name) for name in ReadingOptions.__dataclass_fields__})
    benchmark = read(options.dataset, options.ontology, reading)
    print_messages("note", benchmark.notes)
    return benchmark


def _score(options: argparse.Namespace) -> int:
    if options.against_dev and not options.against:
        raise ValueError("--against-dev is of the second file; expected it with --against")
    if options.spans and (options.predictions_dev or options.against_dev or options.mentions):
        raise ValueError("--predictions-dev, --against-dev, --mentions are for given mentions, not --spans")
    files = ((options.predictions, options.predictions_dev), (options.against, options.against_dev))
    given = (*files[0], *files[1], options.dataset, options.ontology, options.train, options.dev)
    check_writable((options.json, options.csv, options.mentions), given)
    benchmark = benchmark_of(options)
    how = {"duplicates": options.duplicates, "spans": "predicted" if options.spans else "given"}
    results = [evaluate(test, benchmark, dev_predictions=dev, **how) for test, dev in files if test]
    values = results[0].values(*results[1:])
    print_messages("warning", values["warnings"])
    if options.json:
        given = {name: value for name, value in vars(options).items() if name not in ("work", "failed")}
        versions = {name: version(name) for name in ("numpy", "pandas", "scipy")}
        about = {
            "dataset": {"name": benchmark.name, "fingerprint": benchmark.fingerprint()},
            "versions": {"benchlib": __version__, "python": python_version()} | versions,
            "options": given,
        }
        write(options.json, json.dumps(about | values, indent=1, default=str) + "\n")
    if options.csv:
        scores = [getattr(results[0], name) for name in results[0].tables if name != "kinds"]
        write(options.csv, pd.concat(scores).to_csv(index=False))
    if options.mentions:
        write(options.mentions, results[0].mentions.to_csv(index=False))
    print(shown(_printed(values, options.against)))
    return 0


def _printed(values: dict[str, object], against: str | None) -> str:
    tables = [(head, pd.DataFrame(values[name])) for name, head in _HEADS.items() if name in values]
    blocks = [f"{head.format(against)}\n{in_percent(table).to_string(index=False)}" for head, table in tables]
    if nil := values.get("nil"):
        table = in_percent(pd.DataFrame([nil]).round(4))
        blocks.append(f"NIL by the best score, in percent\n{table.to_string(index=False)}")
    return "\n" + "\n\n".join([*blocks, f"counts: {json.dumps(values['counts'])}"])


def _check(options: argparse.Namespace) -> int:
    print(shown(describe(benchmark_of(options), options.first)))
    return 0


def _link(options: argparse.Namespace) -> int:
    check_writable((options.predictions,), (options.dataset, options.ontology, options.train, options.dev))
    if ending(options.predictions) not in WRITTEN:
        raise ValueError(f"{options.predictions}: expected a name that ends in .tsv or .jsonl to write to")
    how = {"how": options.how, "encoder": options.encoder, "threshold": options.threshold}
    linker = NameLinker(**how, cache=cache_folder(), progress=True)
    benchmark = benchmark_of(options, corpus_to_link)
    check_ids(benchmark.ontology.concepts, options.predictions)
    linker.fit(benchmark)
    if options.dev and options.threshold is None:
        linker.calibrate(benchmark.dev)
    with warnings.catch_warnings(record=True) as noted:
        linked = linker.link(benchmark.test.hidden(), options.k)
    print_messages("note", (str(warning.message) for warning in noted))
    write_predictions(linked, options.predictions)
    answered = sum(row[0] >= 0 and linked.candidates[row[0]] != NIL for row in linked.index)
    print(f"{answered:,} of {len(linked):,} mentions linked: {options.predictions}")
    return 0
