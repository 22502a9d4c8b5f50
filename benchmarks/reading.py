"""How long a predictions file takes: 40,000 mentions × 64 rows, read and scored, from Parquet and JSON lines.

Beside it a plain way of the kind that evaluation scripts of this field use: every row into a dictionary by
mention, one protocol by a loop. Each runs in a process of its own, so that its memory is its own. And the
bootstrap over 40,000 documents, of which the weights alone would take 1.6 GB. Run with ``make bench``.
"""

import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pandas as pd
from scoring import CANDIDATES, MENTIONS, corpus_and_predictions, megabytes

from benchlib.corpus import Corpus
from benchlib.formats.predictions import read_predictions
from benchlib.ontology import Ontology
from benchlib.predictions import Predictions
from benchlib.scoring import by_preset, by_protocol, by_stratum, estimate, nil_summary, outcomes, strata

BARS = {"parquet": "bar: 20 s", "jsonl": "bar: 30 s"}
FIRST = ("krissbert", "recall@1")


def write(folder: Path, *_) -> tuple[float, float]:
    """The two files. Each list has its candidates once, and scores of all digits."""
    rng, (_, _, [random]) = np.random.default_rng(0), corpus_and_predictions(1)
    first = rng.integers(0, len(random.candidates), (MENTIONS, 1))
    index = (first + 937 * np.arange(CANDIDATES)) % len(random.candidates)
    frame = Predictions(random.queries, random.candidates, index, rng.random(index.shape)).frame()
    frame["ids"] = frame["ids"].map(list)
    frame.to_parquet(folder / "p.parquet", index=False)
    with (folder / "p.jsonl").open("w") as file:
        for row in frame.itertuples(index=False):
            file.write(json.dumps(row._asdict()) + "\n")
    return 0.0, 0.0


def ours(path: Path, corpus: Corpus, ontology: Ontology) -> tuple[float, float]:
    started = time.perf_counter()
    predictions, _ = read_predictions(path, corpus, ontology)
    read = time.perf_counter() - started
    found, kinds = outcomes(predictions, corpus, ontology), strata(corpus, ontology, ())
    by_protocol(found), by_stratum(found, kinds), nil_summary(found, kinds)
    [strict] = [r["value"] for r in by_preset(found, kinds) if (r["protocol"], r["measure"]) == FIRST]
    return read, strict


def plain(path: Path, corpus: Corpus, _: Ontology) -> tuple[float, float]:
    started = time.perf_counter()
    lists: dict[tuple, list] = {}
    if path.suffix == ".parquet":
        rows = pd.read_parquet(path).to_dict("records")
    else:
        with path.open() as file:
            rows = [json.loads(line) for line in file]
    for row in rows:
        lists.setdefault((row["document"], row["start"], row["end"]), []).append(row)
    read, right = time.perf_counter() - started, 0.0
    for document, mention in corpus.mentions():
        answers = lists[document.id, mention.start, mention.end]
        answers.sort(key=lambda row: -row["score"])
        ids = answers[0]["ids"]
        right += len(mention.gold.ids & set(ids)) / len(ids)
    return read, right / MENTIONS


def bootstrap(*_) -> tuple[float, float]:
    started = time.perf_counter()
    [found] = estimate(np.arange(40_000) % 2, np.arange(40_000))
    return time.perf_counter() - started, found.high


def main() -> None:
    if len(sys.argv) > 1:
        corpus, ontology, _ = corpus_and_predictions(0)
        started, before = time.perf_counter(), megabytes()
        read, value = globals()[sys.argv[1]](Path(sys.argv[2]), corpus, ontology)
        total, cpu = time.perf_counter() - started, time.process_time()
        print(json.dumps([read, total, cpu, before, megabytes(), value]))
        return
    with tempfile.TemporaryDirectory() as folder:
        child("write", folder)  # a process reports the memory of the one that started it as its own
        print(f"{MENTIONS:,} mentions × {CANDIDATES} rows, read and scored; and the bootstrap")
        for ending, bar in BARS.items():
            path = str(Path(folder) / f"p.{ending}")
            ours, plain = child("ours", path), child("plain", path)
            line(ending, ours, f"{bar}, 1,500 MB in all")
            line("  plain", plain, "one protocol, no interval")
            print(f"  ours / plain: {ours[1] / plain[1]:.2f}; accuracy {ours[-1]:.6f} and {plain[-1]:.6f}")
        line("40,000 documents", child("bootstrap", ""), "bar: 500 MB more than before")


def child(what: str, path: str) -> list[float]:
    """Seconds of reading, in all and of the CPU, megabytes before and at most, and a value to compare."""
    done = subprocess.run([sys.executable, __file__, what, path], capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def line(what: str, found: list[float], bar: str) -> None:
    read, total, cpu, before, most, _ = found
    seconds = f"{read:6.2f} s read, {total:6.2f} s in all, {cpu:6.2f} s of the CPU with imports"
    print(f"  {what:<17} {seconds}, {before:.0f} to {most:.0f} MB ({bar})")


if __name__ == "__main__":
    main()
