"""Score a predictions file: ``python -m benchlib.score PRED --dataset ID_OR_PATH [--against PRED2]``.

Prints every measure under every protocol with its interval, the warnings that reading gave, and, against a
second file, the paired comparison. ``--json`` and ``--csv`` write what is printed.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import pandas as pd

from .datasets import load
from .datasets.benchmark import Benchmark
from .readers.predictions_file import read_predictions
from .runs.record import derive
from .scoring import Comparison, Outcomes, Scoring, compare, outcomes, recall


@dataclass(frozen=True)
class Scores:
    """What a predictions file is worth: metrics with intervals, how the counts close, and warnings.

    ``comparison`` is that of accuracy under the default protocol with a second file, None without one.
    """

    metrics: tuple[Mapping[str, object], ...]
    counts: Mapping[str, object]
    warnings: tuple[str, ...]
    comparison: Comparison | None = None

    def table(self) -> pd.DataFrame:
        """One row a measure and protocol; values in percent."""
        frame = pd.DataFrame(self.metrics)
        return frame.assign(**{name: (100 * frame[name]).round(2) for name in ("value", "low", "high")})


def score(path: Path | str, benchmark: Benchmark, against: Path | str | None = None) -> Scores:
    """Score a predictions file on a benchmark's test split.

    Raises ValueError (path:line) for a file that cannot be read; see
    :func:`benchlib.readers.predictions_file.read_predictions`.
    """
    found, warnings = _outcomes(path, benchmark)
    comparison = None
    if against is not None:
        other, more = _outcomes(against, benchmark)
        warnings += more
        first, second = (recall(one, 1, Scoring()) for one in (found, other))
        comparison = compare(first, second, found.clusters)
    return Scores(derive(found), found.counts, warnings, comparison)


def _outcomes(path: Path | str, benchmark: Benchmark) -> tuple[Outcomes, tuple[str, ...]]:
    predictions, warnings = read_predictions(path, benchmark.test, benchmark.ontology)
    return outcomes(predictions, benchmark.test, benchmark.ontology, benchmark.cluster), warnings


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchlib.score", description=__doc__)
    parser.add_argument("predictions", help="JSON lines, TSV, CSV or Parquet, one candidate a row")
    parser.add_argument("--dataset", required=True, help="a registered data set, mini, or a PubTator file")
    parser.add_argument("--ontology", help="TSV, OBO or RRF, where the data set is a path")
    parser.add_argument("--against", help="a second predictions file to compare with")
    parser.add_argument("--json", type=Path, help="write everything here")
    parser.add_argument("--csv", type=Path, help="write the table here")
    options = parser.parse_args(arguments)
    try:
        found = score(options.predictions, load(options.dataset, options.ontology), options.against)
    except (ValueError, OSError) as error:
        print(f"not scored: {error}", file=sys.stderr)
        return 1
    for warning in found.warnings:
        print(f"warning: {warning}", file=sys.stderr)
    print(found.table().to_string(index=False))
    print(f"counts: {json.dumps(found.counts)}")
    if found.comparison is not None:
        c = found.comparison
        d = c.difference
        print(
            f"against {options.against}, accuracy under {Scoring()}: {100 * d.value:+.1f} points "
            f"[{100 * d.low:+.1f}, {100 * d.high:+.1f}], p = {c.p:.4f}; "
            f"this corpus could resolve {100 * c.detectable:.1f} points"
        )
    if options.json:
        _write(options.json, json.dumps(asdict(found), indent=1) + "\n")
    if options.csv:
        _write(options.csv, found.table().to_csv(index=False))
    return 0


def _write(path: Path, text: str) -> None:
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    temporary.write_text(text, encoding="utf-8")
    os.replace(temporary, path)


if __name__ == "__main__":
    sys.exit(main())
