"""Score a predictions file: ``python -m benchlib.score PRED --dataset ID_OR_PATH [--against PRED2]``.

Prints what the predictions are worth under every published protocol and under the grid of all others, with
intervals; by kind of mention; for NIL; what reading found odd; and, against a second file, the paired
comparison. ``--json`` writes all of it, ``--csv`` the scores, ``--mentions`` a row for each mention. With
``--spans`` the linker found the mentions itself: precision, recall and F1.
"""

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd

from .benchmark import Benchmark
from .evaluation import Scored
from .formats.predictions import read_predictions
from .options import add_options, benchmark_of, said
from .scoring import SpanOutcomes, by_match, span_outcomes, spans_against
from .terminal import check_writable, run, shown, write

__all__ = ["Scored", "main", "score", "score_spans"]

_PERCENT = ("value", "low", "high", "worst", "best", "not_listed", "misranked", "detectable")


def score(
    path: Path | str,
    benchmark: Benchmark,
    other: Path | str | None = None,
    dev: Path | str | None = None,
    other_dev: Path | str | None = None,
    duplicates: str = "refused",
) -> dict[str, object]:
    """Score a predictions file on a benchmark's test split: all of it as plain values.

    ``dev`` and ``other_dev`` are the predictions of the two for dev; ``duplicates`` as in
    :meth:`Scored.read`. ``published``, ``grid``, ``kinds`` and,
    with a second file, ``against`` are lists of rows; ``nil`` is a row or None; ``counts`` close; ``notes``
    and ``warnings`` are sentences. Values are from 0 to 1, None where there is no mention to average over,
    or where a ``note`` says what is missing. Raises ValueError as :meth:`Scored.read`.
    """
    found = Scored.read(path, benchmark, dev, duplicates)
    return values(found, None if other is None else Scored.read(other, benchmark, other_dev, duplicates))


def values(found: Scored, second: Scored | None = None) -> dict[str, object]:
    """As :func:`score`, of files that are read."""
    tables = {"published": found.published, "grid": found.grid, "kinds": found.kinds}
    warnings = (*found.loud, *found.warnings)
    if second is not None:
        more = (f"{text} This is of the second file." for text in second.loud if text not in warnings)
        warnings += (*more, *second.warnings)
        tables["against"] = found.against(second)
    return {
        **{name: _rows(table) for name, table in tables.items()},
        # JSON has no infinity: the threshold that calls only unanswered mentions NIL is a word.
        "nil": found.nil and {k: v if np.isfinite(v) else str(v) for k, v in found.nil.items()},
        "counts": dict(found.outcomes.counts),
        "notes": list(found.benchmark.notes),
        "warnings": list(warnings),
    }


def score_spans(
    path: Path | str, benchmark: Benchmark, other: Path | str | None = None, duplicates: str = "refused"
) -> dict[str, object]:
    """Score a file of predicted spans on a benchmark's test split, as :func:`score` does one for given spans.

    ``spans`` and, with a second file, ``against`` are the rows of :func:`benchlib.scoring.by_match` and
    :func:`benchlib.scoring.spans_against`. Raises ValueError for a file that cannot be read; see
    :func:`benchlib.formats.predictions.read_predictions`.
    """
    found, warnings = _span_outcomes(path, benchmark, duplicates)
    tables = {"spans": list(by_match(found))}
    if other is not None:
        second, more = _span_outcomes(other, benchmark, duplicates)
        tables["against"], warnings = list(spans_against(found, second)), warnings + more
    return {**tables, "counts": found.counts, "notes": list(benchmark.notes), "warnings": list(warnings)}


def _span_outcomes(
    path: Path | str, benchmark: Benchmark, duplicates: str
) -> tuple[SpanOutcomes, tuple[str, ...]]:
    corpus, ontology = benchmark.test, benchmark.ontology
    predictions, warnings = read_predictions(path, corpus, ontology, duplicates, spans="predicted")
    return span_outcomes(predictions, corpus, ontology), warnings


def _rows(table: pd.DataFrame) -> list[dict[str, object]]:
    return table.astype(object).where(table.notna(), None).to_dict("records")


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchlib.score", description=__doc__)
    parser.add_argument("predictions", help="JSON lines, TSV, CSV or Parquet, one candidate a row")
    add_options(parser)
    parser.add_argument("--spans", action="store_true",
                        help="the spans are predicted too: any stretch of a document may be one")  # fmt: skip
    parser.add_argument("--against", help="a second predictions file to compare with")
    parser.add_argument("--predictions-dev", help="predictions for dev, to choose the threshold of NIL on")
    parser.add_argument("--against-dev", help="the same of the second file")
    parser.add_argument("--duplicates", default="refused", choices=("refused", "best"),
                        help="a candidate that stands in a list twice (default: refused)")  # fmt: skip
    parser.add_argument("--json", type=Path, help="write everything here")
    parser.add_argument("--csv", type=Path, help="write the scores here")
    parser.add_argument("--mentions", type=Path, help="write a row for each mention here, as CSV")
    options = parser.parse_args(arguments)
    return run(lambda: _score(options), "not scored")


def _score(options: argparse.Namespace) -> int:
    if options.against_dev and not options.against:
        raise ValueError("--against-dev is of the second file; expected it with --against")
    if options.spans and (options.predictions_dev or options.against_dev or options.mentions):
        raise ValueError(
            "--predictions-dev, --against-dev and --mentions are for given mentions, not --spans"
        )
    given = (options.predictions, options.predictions_dev, options.against, options.against_dev)
    given += (options.dataset, options.ontology, options.train, options.dev)
    check_writable((options.json, options.csv, options.mentions), given)
    benchmark = benchmark_of(options)
    if options.spans:
        found = score_spans(options.predictions, benchmark, options.against, options.duplicates)
    else:
        given = ((options.predictions, options.predictions_dev), (options.against, options.against_dev))
        read = [Scored.read(test, benchmark, dev, options.duplicates) for test, dev in given if test]
        found = values(*read)
    for warning in found["warnings"]:
        print(said("warning", warning), file=sys.stderr)
    if options.json:
        write(options.json, json.dumps(found, indent=1) + "\n")
    if options.csv:
        table = pd.concat(
            [pd.DataFrame(found[name]) for name in ("spans", "published", "grid") if name in found]
        )
        write(options.csv, table.to_csv(index=False))
    if options.mentions:
        write(options.mentions, read[0].mentions.to_csv(index=False))
    print(shown(_printed(found, options.against)))
    return 0


def _printed(found: dict[str, object], against: str | None) -> str:
    heads = {
        "published": "The published protocols, in percent",
        "grid": "Every other protocol, in percent",
        "kinds": "Strict accuracy by kind of mention, in percent",
        "spans": "Concepts at predicted spans, in percent",
        "against": f"Minus {against}, paired, in percentage points",
    }
    blocks = [f"{head}\n{_text(pd.DataFrame(found[name]))}" for name, head in heads.items() if name in found]
    if found.get("nil"):
        blocks.append(f"NIL: {json.dumps(found['nil'])}")
    return "\n" + "\n\n".join([*blocks, f"counts: {json.dumps(found['counts'])}"])


def _text(table: pd.DataFrame) -> str:
    percent = [name for name in _PERCENT if name in table]
    table[percent] = (100 * table[percent].astype(float)).round(2)
    return table.replace({np.nan: "", None: ""}).to_string(index=False)


if __name__ == "__main__":
    sys.exit(main())
