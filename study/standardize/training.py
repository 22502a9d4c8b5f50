"""Train on an own list, choose when to answer, link the rest, and save all of it."""

import json
import os
import shutil
import tempfile
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from benchlib.benchmark import Benchmark
from benchlib.corpus import Corpus
from benchlib.predictions import Predictions
from benchlib.scoring import Estimate

from ..systems import CosinesLinker, EncoderLinker
from ..systems.cosines.linker import GRAPH
from .held_out import accuracy as accuracy_of
from .lists import write_names
from .threshold import Threshold, answer_threshold, answers

LEAST = 20
"""Held-out mentions below which no threshold is chosen."""
ALIKE = 0.01
"""Cosines of which no two differ by as much tell nothing apart."""


@dataclass(frozen=True)
class Standardized:
    """A list of mentions linked to a list of names by an encoder that was trained on both.

    ``accuracy`` is that of :func:`.held_out.accuracy` on the held-out mentions; it is empty where none was
    held out. ``threshold`` is None where none could be chosen for the wanted ``precision``. ``table`` is that
    of :func:`answers`. ``cosines`` are the lowest and the highest of all that were listed.
    """

    benchmark: Benchmark
    linker: CosinesLinker
    precision: float
    accuracy: Mapping[int, Estimate]
    threshold: Threshold | None
    table: pd.DataFrame
    cosines: tuple[float, float]

    def warning(self) -> str:
        """That the encoder tells hardly anything apart, where all cosines are alike; else empty."""
        low, high = self.cosines
        if high - low >= ALIKE or sum(len(c.names) for c in self.benchmark.ontology.concepts.values()) < 2:
            return ""
        return (
            f"WARNING: ALL COSINES ARE ALIKE, from {low:.4f} to {high:.4f}. The encoder hardly tells these "
            "strings apart, and no score tells a sure answer from a guess. It may be that the training has "
            "collapsed, or that the first layers alone gather too little: try all layers, fewer epochs, or "
            "one of the simpler systems."
        )

    def in_words(self) -> str:
        """From which score on mentions are answered and how sure that is, or why none is."""
        n, chosen = self.benchmark.dev.n_mentions, self.threshold
        if n < LEAST:
            return (
                f"No threshold: {n} labelled mentions were held out, and fewer than {LEAST} are too few to "
                "choose one on. No mention is answered; the table holds the guesses."
            )
        if chosen is None:
            return (
                f"No threshold: on the {n} held-out mentions no score reaches a precision of "
                f"{100 * self.precision:g} %. No mention is answered; the table holds the guesses."
            )
        return (
            f"Answered from a score of {chosen.score:g} on. Of the {n} held-out mentions that answers "
            f"{chosen.answered}, a coverage of {100 * chosen.answered / n:.1f} %, with a precision of "
            f"{100 * chosen.precision:.1f} % [{100 * chosen.low:.1f}, {100 * chosen.high:.1f}]; at least "
            f"{100 * self.precision:g} % was wanted."
        )

    def again(self, out: Path | str) -> str:
        """The lines of Python that link new mentions with what was saved into ``out``."""
        out, score = str(out), self.threshold and self.threshold.score
        given = {name: getattr(self.linker, name) for name in ("pooling", "max_length", "precision")}
        given = {name: value for name, value in given.items() if value != getattr(EncoderLinker, name)}
        settings = "".join(f", {name}={value!r}" for name, value in given.items())
        return "\n".join(
            (
                "from study.systems import EncoderLinker",
                "from study.standardize import answers, read_mentions, read_names",
                "",
                f'new = read_mentions("new.csv", read_names({f"{out}/names.csv"!r}))',
                f"again = EncoderLinker({f'{out}/encoder'!r}{settings}).fit(new)",
                f"answers(again.link(new.test.documents), new.ontology, new.test, {score})",
            )
        )

    def save(self, out: Path | str) -> None:
        """Into the folder ``out``: ``standardised.csv``, the folder ``encoder``, and what a later run needs:
        ``names.csv`` and, with the threshold, ``settings.json``.

        All of it is written beside first, then moved over what an earlier run left there.
        """
        out = Path(out)
        out.mkdir(parents=True, exist_ok=True)
        settings = {"linker": self.linker.name, "wanted": self.precision}
        settings["threshold"] = self.threshold and asdict(self.threshold)
        with tempfile.TemporaryDirectory(dir=out, prefix=".") as scratch:
            new = Path(scratch)
            self.linker.save(new / "encoder")
            write_names(self.benchmark.ontology, new / "names.csv")
            (new / "settings.json").write_text(json.dumps(settings, indent=1) + "\n", encoding="utf-8")
            self.table.to_csv(new / "standardised.csv", index=False, lineterminator="\n")
            shutil.rmtree(out / "encoder", ignore_errors=True)
            for path in sorted(new.iterdir()):
                os.replace(path, out / path.name)


def standardize(
    benchmark: Benchmark,
    out: Path | str,
    linker: CosinesLinker | None = None,
    precision: float = 0.9,
    seed: int = 0,
) -> Standardized:
    """Train on the names and the train mentions, choose the threshold on dev, link test, and save into
    ``out``: see :meth:`Standardized.save`.

    ``precision`` is the wanted share of right answers. Nothing is retrained on dev. Raises ValueError for a
    precision that is not above 0 and at most 1, for a character graph, which cannot be saved, and as
    :meth:`CosinesLinker.fit`.
    """
    if not 0 < precision <= 1:
        raise ValueError(f"precision: expected a share above 0 and at most 1, found {precision}")
    linker = linker or CosinesLinker()
    if linker.config.get("model") == GRAPH:
        raise ValueError(f"linker: expected a transformer, which can be saved, found {linker.name}")
    ontology, dev, test = benchmark.ontology, benchmark.dev, benchmark.test
    fitted = linker.fit(benchmark.visible(), seed)
    accuracy, threshold = {}, None
    held_out, linked = (_linked(fitted, corpus) for corpus in (dev, test))
    if dev.n_mentions:
        accuracy = accuracy_of(held_out, dev, ontology)
        if dev.n_mentions >= LEAST:
            # With every score high enough, only ties are not answered.
            guesses = answers(held_out, ontology, dev, -np.inf)
            scores = guesses["score"].where(guesses["answered"] == "yes", -np.inf)
            right = guesses["id"] == [mention.gold.printed for _, mention in dev.mentions()]
            threshold = answer_threshold(scores.to_numpy(), right.to_numpy(), precision)
    table = answers(linked, ontology, test, threshold and threshold.score)
    listed = np.concatenate([of.scores[of.index >= 0] for of in (held_out, linked)])
    cosines = (float(listed.min()), float(listed.max())) if listed.size else (-1.0, 1.0)
    found = Standardized(benchmark, fitted, precision, accuracy, threshold, table, cosines)
    found.save(out)
    return found


def _linked(fitted: CosinesLinker, corpus: Corpus) -> Predictions:
    if not corpus.n_mentions:  # which an encoder may refuse
        return Predictions((), (), np.empty((0, 0)), np.empty((0, 0)))
    return fitted.link(corpus.hidden().documents)
