"""Standardise an own list of names: two CSV files in, a trained encoder and a table of answers out.

CoSiNES (Yuan et al. 2023) links the strings of a table to a list of canonical names. Here both are a
reader's own, and an answer is given only from a score on that was right often enough on labelled mentions
that the encoder has not learned from.
"""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
import pandas as pd
from scipy.stats import binomtest

from .corpus import Corpus, Document, Gold, Mention
from .datasets.benchmark import SPLITS, Benchmark
from .linkers import CosinesLinker
from .ontology import Concept, Ontology, fold_name
from .predictions import Predictions
from .readers.csv_rows import csv_rows
from .readers.lines import wrong
from .scoring import Estimate, estimate, outcomes, recall

NIL = "NIL"
"""The id of a mention that is labelled as none of the list."""
HELD_OUT = 5
"""One in so many labelled strings is held out."""
LEAST = 20
"""Held-out mentions below which no threshold is chosen."""
DEPTHS = (1, 3, 5)


@dataclass(frozen=True)
class Threshold:
    """The score from which mentions are answered, and what that is worth on ``n`` held-out mentions.

    ``precision`` is the share of right ones among the ``answered``, with its 95 % interval (Wilson).
    """

    score: float
    precision: float
    low: float
    high: float
    answered: int
    n: int


@dataclass(frozen=True)
class Standardized:
    """A list of mentions linked to a list of names by an encoder that was trained on both.

    ``accuracy`` has, by the depth k of ``DEPTHS``, the share of held-out mentions of the list whose id is
    among the first k (strict, over concepts); it is empty where none was held out. ``threshold`` is None
    where none could be chosen for the wanted ``precision``. ``table`` is that of :func:`answers`.
    """

    benchmark: Benchmark
    linker: CosinesLinker
    precision: float
    accuracy: Mapping[int, Estimate]
    threshold: Threshold | None
    table: pd.DataFrame

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


def read_names(path: Path | str) -> Ontology:
    """The list: a CSV file with the columns ``id`` and ``name``, the first name of an id its canonical one.

    Raises ValueError (path:line) for other columns, an empty cell, a row that stands twice, the id ``NIL``
    and a file without rows.
    """
    names: dict[str, list[str]] = {}
    for line, row in csv_rows(path, ("id", "name")):
        for column, cell in row.items():
            if not cell:
                raise wrong(path, line, f"a non-empty {column}", cell)
        if row["id"] == NIL:
            raise wrong(path, line, f"another id than {NIL}, which stands for none of the list", NIL)
        names.setdefault(row["id"], []).append(row["name"])
    return Ontology(Path(path).name, (Concept(id, tuple(own)) for id, own in names.items()))


def read_mentions(path: Path | str, ontology: Ontology) -> Benchmark:
    """The mentions: a CSV file with the column ``mention`` and, where some are labelled, ``id``.

    Train are the labelled mentions to learn from, dev those held out, test those without an id, each in the
    order of the file and a document of its own, named by its line. Every fifth labelled string (case and
    white space aside) is held out, in all its rows, so that none is both learned and held out.

    Raises ValueError (path:line) for other columns, an empty mention, an id that is neither of the ontology
    nor ``NIL``, a row that stands twice, and a file without rows.
    """
    parts: dict[str, list[Document]] = {split: [] for split in SPLITS}
    dealt: dict[str, int] = {}
    for line, row in csv_rows(path, ("mention",), optional=("id",)):
        text, id = row["mention"], row.get("id", "")
        if not text:
            raise wrong(path, line, "a non-empty mention", text)
        if id and id != NIL and id not in ontology.concepts:
            raise wrong(path, line, f"an id of {ontology.name}, {NIL} or none", id)
        gold, split = None, "test"
        if id:
            gold = Gold(() if id == NIL else (frozenset({id}),), printed=id)
            number = dealt.setdefault(fold_name(text), len(dealt) + 1)
            split = "train" if number % HELD_OUT else "dev"
        parts[split].append(Document(str(line), text, (Mention(0, len(text), text, gold=gold),)))
    name = Path(path).stem
    return Benchmark(name, *(Corpus(f"{name}-{s}", tuple(parts[s])) for s in SPLITS), ontology)


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
    precision that is not above 0 and at most 1, and as :meth:`CosinesLinker.fit`.
    """
    if not 0 < precision <= 1:
        raise ValueError(f"precision: expected a share above 0 and at most 1, found {precision}")
    ontology, dev, test = benchmark.ontology, benchmark.dev, benchmark.test
    fitted = (linker or CosinesLinker()).fit(benchmark.visible(), seed)
    accuracy, threshold = {}, None
    if dev.n_mentions:
        linked = fitted.link(dev.hidden().documents)
        accuracy = _accuracy(linked, dev, ontology)
        if dev.n_mentions >= LEAST:
            # With every score high enough, only ties are not answered.
            guesses = answers(linked, ontology, dev, -np.inf)
            scores = guesses["score"].where(guesses["answered"] == "yes", -np.inf)
            right = guesses["id"] == [mention.gold.printed for _, mention in dev.mentions()]
            threshold = choose_threshold(scores.to_numpy(), right.to_numpy(), precision)
    linked = fitted.link(test.documents)
    table = answers(linked, ontology, test, threshold and threshold.score)
    found = Standardized(benchmark, fitted, precision, accuracy, threshold, table)
    found.save(out)
    return found


def choose_threshold(scores: np.ndarray, right: np.ndarray, precision: float) -> Threshold | None:
    """The lowest score with at least that precision among the mentions that reach it; None without one.

    ``scores`` (mentions,) are those of the best answers, -inf for one that is never given; ``right``
    (mentions,) is boolean. Equal scores are answered together.
    """
    distinct, group = np.unique(scores, return_inverse=True)
    answered = np.bincount(group)[::-1].cumsum()[::-1]
    hits = np.bincount(group, weights=right)[::-1].cumsum()[::-1]
    reached = np.flatnonzero((hits / answered >= precision) & np.isfinite(distinct))
    if not reached.size:
        return None
    place = reached[0]
    n_right, n = int(hits[place]), int(answered[place])
    interval = binomtest(n_right, n).proportion_ci(method="wilson")
    return Threshold(float(distinct[place]), n_right / n, interval.low, interval.high, n, len(scores))


def answers(
    predictions: Predictions, ontology: Ontology, corpus: Corpus, threshold: float | None
) -> pd.DataFrame:
    """One row a mention, in corpus order: ``mention``, ``id``, ``name``, ``score``, ``answered``,
    ``second_id``, ``second_name``. Names are canonical; a second may be missing.

    ``score`` has five decimals. ``answered`` is ``yes`` where it reaches the threshold and no other id ties
    with the first, else ``no``: two entries that share a name cannot be told apart by it. ``predictions``
    are of the documents of ``corpus``, one mention each.
    """
    rows = []
    for row, (_, mention) in enumerate(corpus.mentions()):
        (id, score), (second, follows) = _first_two(predictions, row)
        sure = threshold is not None and score >= threshold and score > follows
        rows.append(
            {
                "mention": mention.text,
                "id": id,
                "name": ontology.concepts[id].names[0],
                "score": score,
                "answered": "yes" if sure else "no",
                "second_id": second,
                "second_name": ontology.concepts[second].names[0] if second else "",
            }
        )
    columns = ("mention", "id", "name", "score", "answered", "second_id", "second_name")
    return pd.DataFrame(rows, columns=columns)


def write_names(ontology: Ontology, path: Path) -> None:
    """A file that :func:`read_names` reads back."""
    rows = [(concept.id, name) for concept in ontology.concepts.values() for name in concept.names]
    pd.DataFrame(rows, columns=["id", "name"]).to_csv(path, index=False, lineterminator="\n")


def _accuracy(predictions: Predictions, corpus: Corpus, ontology: Ontology) -> dict[int, Estimate]:
    found = outcomes(predictions, corpus, ontology)
    if not len(found.scored):
        return {}
    credits = np.stack([recall(found, k) for k in DEPTHS], axis=1)
    return dict(zip(DEPTHS, estimate(credits, found.clusters), strict=True))


def _first_two(predictions: Predictions, row: int) -> list[tuple[str, float]]:
    """The best two ids of a row with their scores; "" and -inf for a second that was not listed."""
    found: dict[str, float] = {}
    for place, score in zip(predictions.index[row], predictions.scores[row], strict=True):
        if place < 0 or len(found) > 1:
            break
        for id in predictions.candidates[place].ids:
            # Equal strings differ in the sixth decimal when they were encoded in different batches.
            found.setdefault(id, round(float(score), 5))
    return [*found.items(), ("", -np.inf)][:2]
