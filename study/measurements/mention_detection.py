"""Linkers that find their mentions, looked at: what they find in a text, and how long their heads take."""

import time
from statistics import median

import torch

from benchlib.benchmark import Benchmark
from benchlib.corpus import Document

from ..systems import linker as linker_named

Found = dict[str, int | float | str]


def detect_in_text(benchmark: Benchmark, linker: str, text: str) -> dict[str, str | list[Found]]:
    """The ``text``, and the ``spans`` that a linker by its name, fitted with seed 0, finds in it, in order:
    ``start`` and ``end``, and of the two best concepts ``id``, ``name`` and ``score``, those of the second as
    ``next_id`` and so on, missing where there is none.

    Raises ValueError for a linker that finds no mentions, and for a text without a character to read.
    """
    if not text.strip():
        raise ValueError("text: expected some, found none")
    found = _fitted(benchmark, linker).find([Document("text", text)], 2)
    rows: list[Found] = []
    for query, index, scores in zip(found.queries, found.index, found.scores, strict=True):
        row: Found = {"start": query.start, "end": query.end}
        for before, place, score in zip(("", "next_"), index, scores, strict=False):
            if place >= 0:
                candidate = found.candidates[place]
                row |= {f"{before}id": candidate.ids[0], f"{before}name": candidate.name}
                row[f"{before}score"] = round(float(score), 4)
        rows.append(row)
    return {"text": text, "spans": sorted(rows, key=lambda row: (row["start"], -row["end"]))}


def head_times(
    benchmark: Benchmark, linker: str, other: str, documents: int = 100, runs: int = 10
) -> dict[str, float | int | list[float]]:
    """Seconds that the heads of two linkers take from the states of word pieces to spans, in the first test
    ``documents``: the median of ``runs``, by the name of the linker (dual encoder, section 3.4).

    Both are fitted with seed 0 and take turns; ``LINKER.runs`` lists the runs, ``LINKER.spans`` is how many
    spans are found, and ``LINKER.encoding`` the seconds that the states took, once. Also ``n.documents``,
    ``n.pieces`` and ``n.threads``. Raises ValueError for a linker that finds no mentions.
    """
    texts = benchmark.test.hidden().documents[:documents]
    heads, read, values = {}, {}, {}
    for name in (linker, other):
        heads[name] = _fitted(benchmark, name)
        started = time.perf_counter()
        read[name] = [states for _, states in heads[name].states(texts)]
        values[f"{name}.encoding"] = round(time.perf_counter() - started, 4)
    seconds: dict[str, list[float]] = {name: [] for name in heads}
    for _ in range(runs):
        for name, one in heads.items():
            started = time.perf_counter()
            found = [one.encoder.head.found(states, one.threshold, one.least) for states in read[name]]
            seconds[name].append(time.perf_counter() - started)
            values[f"{name}.spans"] = sum(map(len, found))
    return values | {
        **{name: round(median(each), 5) for name, each in seconds.items()},
        **{f"{name}.runs": [round(one, 5) for one in each] for name, each in seconds.items()},
        "n.documents": len(texts),
        "n.pieces": sum(map(len, read[linker])),
        "n.threads": torch.get_num_threads(),
    }


def _fitted(benchmark: Benchmark, name: str):
    if not hasattr(one := linker_named(name), "find"):
        raise ValueError(f"linker {name!r}: expected one that finds mentions, such as end-to-end")
    one.progress = False
    return one.fit(benchmark.visible(), 0)
