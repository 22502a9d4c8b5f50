"""Predictions scored under every published protocol and a grid of others, and compared in pairs."""

import tempfile
from collections.abc import Mapping
from dataclasses import replace
from math import inf
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from .benchmark import Benchmark
from .corpus import Corpus
from .datasets import find_benchmark, read_dictionary, warn_of
from .formats.own import reading_options
from .formats.predictions import read_predictions, require_choices
from .mends import option
from .ontology import Ontology
from .predictions import COLUMNS, NIL, Predictions
from .results import Evaluation, Result, SpanEvaluation
from .scoring import nil_threshold, outcomes, span_outcomes, strata

PredictionsLike = str | Path | pd.DataFrame | Predictions
Given = str | Path | Corpus


def evaluate(
    predictions: PredictionsLike,
    gold: Given | Benchmark,
    dictionary: str | Path | Ontology | None = None,
    train: Given | None = None,
    dev: Given | None = None,
    *,
    dev_predictions: PredictionsLike | None = None,
    spans: str = "given",
    duplicates: str = "refused",
    **reading: Any,
) -> Evaluation | SpanEvaluation:
    """Score predictions for the mentions of ``gold`` under every published protocol, with 95 % intervals.

    ``predictions``: a file (:mod:`benchlib.formats.predictions`), a DataFrame with its columns, or
    Predictions; in each a candidate without ids gets those of its name, as in a file. ``gold``: a PubTator or
    BioC file, a folder of BRAT, a Corpus or a Benchmark, or the name of a registered data set, whose test
    split is meant. ``dictionary``: a file, an Ontology or a registered name; a registered data set has its
    own. ``train`` and ``dev``, given as gold is, decide which mentions were seen; ``dev_predictions`` choose
    the threshold of NIL. With ``spans`` ``predicted`` the linker found the mentions itself, and the result is
    a :class:`SpanEvaluation`. A candidate that a list has twice is ``refused``, or counts at its ``best``.
    ``reading``: fields of :class:`benchlib.formats.own.ReadingOptions`, such as ``types``.

    Values are shares from 0 to 1. Raises ValueError (path:line) for a file that cannot be read, for gold
    without a dictionary or without a mention, and for another value of ``spans`` or ``duplicates``;
    FileNotFoundError for a file that is not there.
    """
    require_choices(spans=spans, duplicates=duplicates)
    benchmark = _benchmark(gold, dictionary, train, dev, reading)
    read, warnings = _read(predictions, benchmark, "test", duplicates, spans)
    if spans == "predicted":
        if dev_predictions is not None:
            raise ValueError("dev_predictions are for given mentions; expected none with spans='predicted'")
        scored = span_outcomes(read, benchmark.test, benchmark.ontology)
        return SpanEvaluation(benchmark, read, scored, warnings)
    scored, threshold = outcomes(read, benchmark.test, benchmark.ontology, benchmark.cluster), None
    if not scored.counts["n_scored"]:
        raise ValueError(f"{benchmark.test.name}: expected a mention whose gold is a concept, found none")
    if dev_predictions is not None:
        if not benchmark.dev.n_mentions:
            raise ValueError(f"dev_predictions: expected a dev corpus, {option('dev', 'FILE')}, found none")
        tuned, more = _read(dev_predictions, benchmark, "dev", duplicates)
        warnings += more
        on_dev = outcomes(tuned, benchmark.dev, benchmark.ontology, benchmark.cluster)
        threshold = nil_threshold(on_dev, strata(benchmark.dev, benchmark.ontology, (benchmark.train,)))
    if threshold is None and NIL in {read.candidates[i] for i in np.unique(read.index[read.index >= 0])}:
        threshold = -inf  # up to which only mentions with this answer, or none, are called NIL
    return Evaluation(benchmark, read, scored, warnings, threshold)


def compare(
    first: PredictionsLike | Evaluation | SpanEvaluation,
    second: PredictionsLike | Evaluation | SpanEvaluation,
    gold: Given | Benchmark | None = None,
    dictionary: str | Path | Ontology | None = None,
    *,
    spans: str = "given",
    duplicates: str = "refused",
    **options: Any,
) -> pd.DataFrame:
    """First minus second, paired over the same mentions: a row a published protocol, with the 95 % interval
    of the difference and p of a permutation test (``p_holm``: after Holm over its different tests).

    Both are results of :func:`evaluate`, without a further argument, or predictions, with ``gold`` and all
    else as there; what reading found odd is a Python warning then. Raises ValueError for different mentions,
    and as :func:`evaluate`.
    """
    further = dictionary is not None or options or (spans, duplicates) != ("given", "refused")
    if further if gold is None else isinstance(first, Result) or isinstance(second, Result):
        raise ValueError("compare: expected no further argument with results of evaluate, which have theirs")
    if gold is not None:
        if "dev_predictions" in options:
            raise ValueError("dev_predictions are of one linker; expected two results of evaluate with them")
        how = {"spans": spans, "duplicates": duplicates}
        first = evaluate(first, gold, dictionary, **how, **options)
        warn_of(first.benchmark.notes if dictionary else ())
        second = evaluate(second, first.benchmark, **how)
        warn_of((*first.warnings, *second.warnings))
    if not isinstance(first, Result) or not isinstance(second, type(first)):
        raise ValueError("compare: expected two results of evaluate, or predictions with their gold")
    if first.benchmark.test.documents != second.benchmark.test.documents:
        raise ValueError(f"compare: {first.benchmark.name} and {second.benchmark.name} have other mentions")
    units = [result.benchmark.cluster for result in (first, second)]
    if units[0] != units[1]:
        raise ValueError(f"compare: expected one unit of resampling, found {' and '.join(units)}")
    return first.against(second)


def _benchmark(
    gold: Given | Benchmark,
    dictionary: str | Path | Ontology | None,
    train: Given | None,
    dev: Given | None,
    reading: Mapping[str, Any],
) -> Benchmark:
    if isinstance(gold, str | Path):
        if isinstance(train, Corpus) or isinstance(dev, Corpus):
            raise ValueError(f"gold is {str(gold)!r}, a path or name; expected train and dev as paths too")
        options = replace(reading_options(**reading), train=str(train or ""), dev=str(dev or ""))
        return find_benchmark(gold, dictionary, options)
    if reading or (isinstance(gold, Benchmark) and (dictionary, train, dev) != (None, None, None)):
        raise ValueError("gold that is read already: expected no option of how files are read with it")
    if isinstance(gold, Benchmark):
        return gold
    if not isinstance(gold, Corpus):
        raise ValueError(
            f"gold: expected a path, a name, a Corpus or a Benchmark, found a {type(gold).__name__}"
        )
    if dictionary is None or not all(isinstance(split, Corpus | None) for split in (train, dev)):
        raise ValueError("gold is a Corpus; expected a dictionary, and train and dev, if any, as Corpora")
    train, dev = train or Corpus(f"{gold.name}-train", ()), dev or Corpus(f"{gold.name}-dev", ())
    ontology, notes = read_dictionary(dictionary)
    return Benchmark(gold.name, train, dev, gold, ontology, notes=notes)


def _read(
    predictions: PredictionsLike, benchmark: Benchmark, split: str, duplicates: str, spans: str = "given"
) -> tuple[Predictions, tuple[str, ...]]:
    """Predictions, and what reading them found odd; rows are counted as in a Parquet file, from 1."""
    corpus, name = benchmark.split(split), "DataFrame"
    if isinstance(predictions, Predictions):  # whose offsets are those of the corpus, whatever its file has
        if (predictions.index < 0).all():  # of a linker that finds nothing; an empty file is rather a mistake
            return predictions, ("predictions: no mention is answered",)
        predictions, name, corpus = predictions.frame(), "predictions", replace(corpus, moved_spans={})
    how = (corpus, benchmark.ontology, duplicates, spans)
    if isinstance(predictions, str | Path):
        return read_predictions(predictions, *how)
    if not isinstance(predictions, pd.DataFrame):
        kind = type(predictions).__name__
        raise ValueError(f"predictions: expected a file, a DataFrame or Predictions, found a {kind}")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "DataFrame.parquet"
        try:
            predictions.loc[:, predictions.columns.isin(COLUMNS)].to_parquet(path, index=False)
            read, warnings = read_predictions(path, *how)
        # pyarrow raises each of these for cells of some type that it cannot write.
        except (ValueError, TypeError, OverflowError, NotImplementedError) as error:
            told = str(error).replace(str(path), name)
            raise ValueError(told if told.startswith(name) else f"{name}: {told}") from error
    unread = [str(column) for column in predictions if column not in COLUMNS]
    warnings = [text.replace(str(path), name) for text in warnings]
    if unread:
        warnings.insert(0, f"{name}: {len(unread)} columns that are not read: {', '.join(unread)}")
    return read, tuple(warnings)
