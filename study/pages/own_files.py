"""The files that pages on a reader's own data work on: those given, or an example of the embedded corpus."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchlib.benchmark import Benchmark
from benchlib.evaluation import evaluate
from benchlib.formats.predictions import write_predictions
from benchlib.predictions import Predictions
from benchlib.results import Result

from ..chapters.jobs import check_mini, reading_of
from ..chapters.results import SystemResult
from ..chapters.templates import System
from ..corpora import load
from ..places import ROOT
from ..records import Record
from ..systems import CosinesLinker, linker
from .literal import block, in_code, in_markdown
from .page import Page

_PREDICTIONS = ("predictions", "predictions_dev", "against", "against_dev")
_PREDICTED_BY = ("tfidf,ngrams=2-4,analyzer=char_wb", "exact")
ALIKE = 0.01  # cosines that differ by less tell nothing apart
_EXAMPLE = ROOT / "data" / "examples" / "own-list"


def predictions_files(parameters: Any, folder: Path) -> tuple[Benchmark, dict[str, str]]:
    """The benchmark and the predictions files that a page's parameters name, by the parameter.

    Without ``predictions`` two simple linkers make an example in ``folder``. Raises ValueError for anything
    of a reader's own that is given without predictions to be scored, or at scale mini.
    """
    check_mini(parameters.values())
    given = {name: getattr(parameters, name) for name in _PREDICTIONS if getattr(parameters, name)}
    reading = reading_of(parameters.values())
    if "predictions" in given:
        return load(parameters.dataset, parameters.ontology or None, reading=reading), given
    own = [name for name in ("dataset", "ontology") if getattr(parameters, name) not in ("", "mini")]
    own += [*given, *reading.unusual(), *(["scale"] if parameters.scale == "paper" else [])]
    if own:
        raise ValueError(f"{', '.join(own)} without predictions; expected a predictions file to be scored")
    mini, made = load("mini"), []
    for name in _PREDICTED_BY:
        fitted = linker(name).fit(mini.visible())
        for split in ("test", "dev"):
            made.append(str(folder / f"{name}.{split}.jsonl"))
            write_predictions(fitted.link(mini.split(split).hidden().documents, 10), made[-1])
    return mini, dict(zip(_PREDICTIONS, made, strict=True))


def user_system(page: Page) -> list[SystemResult]:
    """The predictions file that a page's ``predictions`` names, as a row *yours* to stand beside its records;
    none without a file.

    Raises ValueError where ``dataset`` does not say which data set it is of, and as
    :func:`benchlib.evaluate`.
    """
    path, dataset = page.parameters.predictions, page.parameters.dataset
    if not path:
        return []
    if dataset == "all":
        raise ValueError("predictions: expected in `dataset` the data set that they answer, found 'all'")
    [data] = page.plan.data
    benchmark = data.load()
    scored = evaluate(path, benchmark)
    inputs = {"name": Path(path).name, "dataset": data.name, "split": "test"}
    record = Record.of_outcomes(inputs, {}, scored.outcomes)
    kinds = Record.of_strata(inputs, {}, scored.strata)
    return [SystemResult(System(("yours",), "yours"), data.name, ((record,),), kinds, data.has("train"))]


def list_files(parameters: Any) -> tuple[Path, Path, CosinesLinker]:
    """The files of names and of mentions that a page's parameters name, and the linker to be trained.

    Without files, those of the embedded corpus: mentions of train with their id, those of test without, and
    no string of several concepts. Raises ValueError for one file without the other, and for files at scale
    mini.
    """
    check_mini(parameters.values())
    names, mentions = parameters.names, parameters.mentions
    if not names and not mentions:
        # After one layer the first token knows little of the others, so the mean of all is taken.
        quick = CosinesLinker(layers=1, pooling="mean", epochs=3, learning_rate=5e-4, precision="fp32")
        return _EXAMPLE / "names.csv", _EXAMPLE / "mentions.csv", quick
    if not (names and mentions):
        raise ValueError(f"expected names and mentions, found {names!r} and {mentions!r}")
    return Path(names), Path(mentions), CosinesLinker(epochs=parameters.epochs, layers=parameters.layers)


def collapse_warning(*linked: Predictions) -> str:
    """That an encoder hardly tells strings apart: all cosines of its predictions lie within ``ALIKE``; else
    empty, as for a list of one name."""
    cosines = np.concatenate([predictions.scores[predictions.index >= 0] for predictions in linked])
    if not cosines.size or np.ptp(cosines) >= ALIKE or len(linked[0].candidates) < 2:
        return ""
    return (
        f"WARNING: ALL COSINES ARE ALIKE, from {cosines.min():.4f} to {cosines.max():.4f}. The encoder "
        "hardly separates these strings, and no score separates a sure answer from a guess. The training may "
        "have collapsed, or the first layers alone may be too few: try all layers, fewer epochs, or one "
        "of the simpler systems."
    )


def head(path: str | Path, rows: int = 3) -> str:
    """The first rows of a text file, as a block of Markdown."""
    with open(path, encoding="utf-8") as file:
        lines = [line.rstrip("\n") for _, line in zip(range(rows), file, strict=False)]
    return block("\n".join(lines))


def warnings(scored: Sequence[Result]) -> str:
    """What is to be doubted and what reading found odd, a list in Markdown; a sentence where nothing was."""
    found = [warning for one in scored for warning in (*one.alerts, *one.warnings)]
    listed = "\n".join(f"- {_plain(warning)}" for warning in dict.fromkeys(found))
    return listed or "The files have no oddities."


def _plain(text: str) -> str:
    """Text from files on a page: no markup, and no folder of this machine."""
    path, _, rest = text.partition(": ")
    return f"{in_code(Path(path).name)}: {in_markdown(rest)}"
