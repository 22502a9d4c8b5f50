"""Score a predictions file: ``python -m benchlib.score PRED --dataset ID_OR_PATH [--against PRED2]``.

Prints what the predictions are worth under every published protocol and under the grid of all others, with
intervals; by kind of mention; for NIL; what reading found odd; and, against a second file, the paired
comparison. ``--json`` and ``--csv`` write what is printed.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
import pandas as pd

from .datasets import load
from .datasets.benchmark import Benchmark
from .predictions import Predictions
from .readers.predictions_file import read_predictions
from .scoring import (
    Outcomes,
    against,
    by_kind,
    by_preset,
    by_protocol,
    for_nil,
    outcomes,
    strata,
    threshold_of,
)

_PERCENT = ("value", "low", "high", "worst", "best", "not_listed", "misranked")


@dataclass(frozen=True)
class Scored:
    """A predictions file held against the test split of a benchmark.

    ``threshold`` is the top score up to which a mention is called NIL, chosen on dev; None without
    predictions for dev, or where dev has no NIL. ``warnings`` count and name what was odd in the files.
    """

    benchmark: Benchmark
    predictions: Predictions
    outcomes: Outcomes
    threshold: float | None
    warnings: tuple[str, ...]

    @classmethod
    def read(cls, path: Path | str, benchmark: Benchmark, dev: Path | str | None = None) -> Scored:
        """Read predictions of test and, where given, of dev.

        Raises ValueError (path:line) for a file that cannot be read; see
        :func:`benchlib.readers.predictions_file.read_predictions`.
        """
        predictions, found, warnings = _outcomes(path, benchmark, "test")
        threshold = None
        if dev is not None:
            _, tuned, more = _outcomes(dev, benchmark, "dev")
            warnings += more
            threshold = threshold_of(tuned)
        return cls(benchmark, predictions, found, threshold, warnings)

    @cached_property
    def strata(self) -> pd.DataFrame:
        """Of which kind each test mention is."""
        return strata(
            self.benchmark.test, self.benchmark.ontology, (self.benchmark.train, self.benchmark.dev)
        )

    @cached_property
    def published(self) -> pd.DataFrame:
        """One row a published protocol and measure."""
        return pd.DataFrame(by_preset(self.outcomes, self.strata, self.threshold))

    @cached_property
    def grid(self) -> pd.DataFrame:
        """One row a protocol of the grid and measure."""
        return pd.DataFrame(by_protocol(self.outcomes))

    @cached_property
    def kinds(self) -> pd.DataFrame:
        """One row a kind of mention: strict accuracy and the two kinds of error."""
        return pd.DataFrame(by_kind(self.outcomes, self.strata))

    @cached_property
    def nil(self) -> Mapping[str, object] | None:
        """NIL by the top score, None where the corpus has no NIL mention."""
        return for_nil(self.outcomes, self.threshold)

    def against(self, other: Scored) -> pd.DataFrame:
        """One row a published protocol: this minus the other, paired, with p after Holm over the table."""
        both = (self.threshold, other.threshold)
        found = against(self.outcomes, other.outcomes, self.strata, None if None in both else both)
        return pd.DataFrame(
            [
                {
                    "protocol": str(preset),
                    "measure": preset.measures[0],
                    **{k: v for k, v in asdict(one.difference).items() if k != "seeds"},
                    "p": one.p,
                    "p_holm": p,
                    "gained": one.gained,
                    "lost": one.lost,
                    "detectable": one.detectable,
                }
                for preset, one, p in found
            ]
        )


def score(
    path: Path | str,
    benchmark: Benchmark,
    other: Path | str | None = None,
    dev: Path | str | None = None,
    other_dev: Path | str | None = None,
) -> dict[str, object]:
    """Score a predictions file on a benchmark's test split: all of it as plain values.

    ``published``, ``grid``, ``kinds`` and, with a second file, ``against`` are lists of rows; ``nil`` is a
    row or None; ``counts`` close; ``warnings`` are sentences. Values are from 0 to 1, None where there is
    no mention to average over. Raises ValueError as :meth:`Scored.read`.
    """
    found = Scored.read(path, benchmark, dev)
    tables = {"published": found.published, "grid": found.grid, "kinds": found.kinds}
    warnings = found.warnings
    if other is not None:
        second = Scored.read(other, benchmark, other_dev)
        warnings += second.warnings
        tables["against"] = found.against(second)
    return {
        **{name: _rows(table) for name, table in tables.items()},
        # JSON has no infinity: the threshold that calls only unanswered mentions NIL is a word.
        "nil": found.nil and {k: v if np.isfinite(v) else str(v) for k, v in found.nil.items()},
        "counts": dict(found.outcomes.counts),
        "warnings": list(warnings),
    }


def _rows(table: pd.DataFrame) -> list[dict[str, object]]:
    return table.astype(object).where(table.notna(), None).to_dict("records")


def _outcomes(
    path: Path | str, benchmark: Benchmark, split: str
) -> tuple[Predictions, Outcomes, tuple[str, ...]]:
    corpus = benchmark.split(split)
    predictions, warnings = read_predictions(path, corpus, benchmark.ontology)
    return predictions, outcomes(predictions, corpus, benchmark.ontology, benchmark.cluster), warnings


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchlib.score", description=__doc__)
    parser.add_argument("predictions", help="JSON lines, TSV, CSV or Parquet, one candidate a row")
    parser.add_argument("--dataset", required=True, help="a registered data set, mini, or a PubTator file")
    parser.add_argument("--ontology", help="TSV, OBO or RRF, where the data set is a path")
    parser.add_argument("--against", help="a second predictions file to compare with")
    parser.add_argument("--dev", help="predictions for dev, to choose the threshold of NIL on")
    parser.add_argument("--against-dev", help="the same of the second file")
    parser.add_argument("--json", type=Path, help="write everything here")
    parser.add_argument("--csv", type=Path, help="write the scores here")
    options = parser.parse_args(arguments)
    try:
        benchmark = load(options.dataset, options.ontology)
        found = score(options.predictions, benchmark, options.against, options.dev, options.against_dev)
    except (ValueError, OSError) as error:
        print(f"not scored: {error}", file=sys.stderr)
        return 1
    for note in benchmark.notes:
        print(f"note: {note}", file=sys.stderr)
    for warning in found["warnings"]:
        print(f"warning: {warning}", file=sys.stderr)
    heads = {
        "published": "The published protocols, in percent",
        "grid": "Every other protocol, in percent",
        "kinds": "Strict accuracy by kind of mention, in percent",
        "against": f"Minus {options.against}, paired, in percentage points",
    }
    for name, head in heads.items():
        if name in found:
            print(f"\n{head}\n{_shown(pd.DataFrame(found[name]))}")
    if found["nil"]:
        print(f"\nNIL: {json.dumps(found['nil'])}")
    print(f"\ncounts: {json.dumps(found['counts'])}")
    if options.json:
        _write(options.json, json.dumps(found, indent=1) + "\n")
    if options.csv:
        table = pd.concat([pd.DataFrame(found["published"]), pd.DataFrame(found["grid"])])
        _write(options.csv, table.to_csv(index=False))
    return 0


def _shown(table: pd.DataFrame) -> str:
    percent = [name for name in (*_PERCENT, "detectable") if name in table]
    table[percent] = (100 * table[percent].astype(float)).round(2)
    return table.replace({np.nan: ""}).to_string(index=False)


def _write(path: Path, text: str) -> None:
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    temporary.write_text(text, encoding="utf-8")
    os.replace(temporary, path)


if __name__ == "__main__":
    sys.exit(main())
