"""Link strings to a list of names, two CSV files of a reader's own, and abstain below a calibrated score.

``notebooks/cosines_own.ipynb`` trains CoSiNES (Yuan et al. 2023) on such files.
"""

import json
import os
import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy.stats import binomtest

from benchlib.benchmark import SPLITS, Benchmark
from benchlib.corpus import Corpus, Document, Gold, Mention
from benchlib.formats.lines import read_error
from benchlib.ontology import Concept, Ontology, fold_name
from benchlib.predictions import Predictions

from ...corpora.tsv import csv_rows
from .linker import CosinesLinker

NIL = "NIL"  # the id of a mention that is labelled as no entry of the list
HELD_OUT = 5  # every fifth labelled string is held out
LEAST = 20  # held-out mentions below which no threshold is chosen


def read_names(path: Path | str) -> Ontology:
    """Read the list: a CSV file with the columns ``id`` and ``name``; the first name of an id is canonical.

    Raises ValueError (path:line) for other columns, an empty cell, a repeated row, the id ``NIL`` and a file
    without rows.
    """
    names: dict[str, list[str]] = {}
    lines: dict[tuple[str, str], int] = {}
    for line, row in csv_rows(path, ("id", "name")):
        for column, cell in row.items():
            if not cell:
                raise read_error(path, line, f"a non-empty {column}", cell)
        if row["id"] == NIL:
            raise read_error(path, line, f"another id than {NIL}, which stands for none of the list", NIL)
        if (first := lines.setdefault((row["id"], row["name"]), line)) != line:
            raise read_error(path, line, f"no row twice (line {first})", f"{row['id']},{row['name']}")
        names.setdefault(row["id"], []).append(row["name"])
    return Ontology(Path(path).name, (Concept(id, tuple(synonyms)) for id, synonyms in names.items()))


def read_mentions(path: Path | str, ontology: Ontology) -> Benchmark:
    """Read the mentions: a CSV file with the column ``mention`` and, where some are labelled, ``id``.

    Train are the labelled strings to learn from, dev those held out, test the mentions without an id, each a
    document named by its line. A labelled string, case and white space aside, counts once, so that none is
    both learned and held out; ``notes`` counts its other rows.

    Raises ValueError (path:line) for other columns, an empty mention, an id that is neither of the ontology
    nor ``NIL``, a string with two ids, and a file without rows.
    """
    parts: dict[str, list[Document]] = {split: [] for split in SPLITS}
    labelled, repeated = {}, 0  # by folded string: its id and its first line
    for line, row in csv_rows(path, ("mention",), optional=("id",)):
        text, id = row["mention"], row.get("id", "")
        if not text:
            raise read_error(path, line, "a non-empty mention", text)
        if id and id != NIL and id not in ontology.concepts:
            raise read_error(path, line, f"an id of {ontology.name}, {NIL} or none", id)
        gold, split = None, "test"
        if id:
            before, first = labelled.setdefault(fold_name(text), (id, line))
            if before != id:
                raise read_error(path, line, f"one id for {text!r}, which line {first} labels {before}", id)
            if first != line:
                repeated += 1
                continue
            gold = Gold(() if id == NIL else (frozenset({id}),), printed=id)
            split = "train" if len(labelled) % HELD_OUT else "dev"
        parts[split].append(Document(str(line), text, (Mention(0, len(text), text, gold=gold),)))
    notes = (f"{repeated:,} labelled rows repeat a string of an earlier one: each string counts once.",)
    corpora = (Corpus(f"{Path(path).stem}-{split}", tuple(parts[split])) for split in SPLITS)
    return Benchmark(Path(path).stem, *corpora, ontology, notes=notes if repeated else ())


def answer_table(
    predictions: Predictions, ontology: Ontology, corpus: Corpus, threshold: float | None
) -> pd.DataFrame:
    """One row a mention, in corpus order: ``mention``, ``id``, ``name``, ``score``, ``answered``,
    ``second_id``, ``second_name``. Names are canonical, scores have five decimals; a second may be missing.

    ``answered`` is ``yes`` where the score reaches the threshold and exceeds that of the second id, which
    entries that share a name do not. ``predictions`` are of the documents of ``corpus``, a mention each.
    """
    listed = predictions.frame().explode("ids").rename(columns={"ids": "id"})
    # Equal strings differ in the sixth decimal when they were encoded in different batches.
    listed["score"] = listed["score"].round(5)
    listed = listed.drop_duplicates(["document", "id"])
    listed["name"] = [ontology.concepts[id].names[0] for id in listed["id"]]
    texts = {document.id: document.text for document in corpus.documents}
    place = listed.groupby("document").cumcount()
    best, second = (listed[place == n].set_index("document").reindex(list(texts)) for n in (0, 1))
    reached = best["score"] >= (np.inf if threshold is None else threshold)
    table = best[["id", "name", "score"]].reset_index(drop=True)
    table.insert(0, "mention", list(texts.values()))
    sure = reached & (best["score"] > second["score"].fillna(-np.inf))
    table["answered"] = np.where(sure, "yes", "no")
    table[["second_id", "second_name"]] = second[["id", "name"]].fillna("").to_numpy()
    return table


class Threshold(NamedTuple):
    """A score from which on mentions are answered, and the ``precision`` of the ``answered`` ones among ``n``
    held-out mentions with its 95 % interval (Wilson); shares from 0 to 1."""

    score: float
    precision: float
    low: float
    high: float
    answered: int
    n: int


def choose_threshold(guesses: pd.DataFrame, gold: Sequence[str], precision: float) -> Threshold | None:
    """The lowest score from which on that share of the answers is right; None without one, and for fewer than
    ``LEAST`` mentions. ``guesses`` is the :func:`answer_table` of held-out mentions with the threshold -inf,
    which leaves ties without an answer; ``gold`` has the id of each."""
    right = (guesses["id"] == list(gold))[guesses["answered"] == "yes"]
    hits = right.groupby(guesses["score"]).agg(["sum", "size"])[::-1].cumsum()
    precise = hits[hits["sum"] / hits["size"] >= precision]
    if precise.empty or len(guesses) < LEAST:
        return None
    n_right, n = (int(count) for count in precise.iloc[-1])
    interval = binomtest(n_right, n).proportion_ci(method="wilson")
    return Threshold(float(precise.index[-1]), n_right / n, interval.low, interval.high, n, len(guesses))


def save(out: Path, linker: CosinesLinker, names: Path, table: pd.DataFrame, settings: object) -> None:
    """Write ``encoder`` (a Hugging Face folder), ``names.csv``, ``standardised.csv`` and ``settings.json``
    into the folder ``out``. What an earlier run left there is replaced once all of it is written."""
    out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=out, prefix=".") as scratch:
        new = Path(scratch)
        linker.save(new / "encoder")
        shutil.copyfile(names, new / "names.csv")
        (new / "settings.json").write_text(json.dumps(settings, indent=1) + "\n", encoding="utf-8")
        table.to_csv(new / "standardised.csv", index=False, lineterminator="\n")
        shutil.rmtree(out / "encoder", ignore_errors=True)
        for path in sorted(new.iterdir()):
            os.replace(path, out / path.name)
