"""What a linker that finds its mentions finds in a text."""

from benchlib.benchmark import Benchmark
from benchlib.corpus import Document
from benchlib.linker import Linker

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
    found = fitted_finder(benchmark, linker).find([Document("text", text)], 2)
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


def fitted_finder(benchmark: Benchmark, name: str) -> Linker:
    """A linker by its name, fitted with seed 0; raises ValueError for one that finds no mentions."""
    if not hasattr(found := linker_named(name), "find"):
        raise ValueError(f"linker {name!r}: expected one that finds mentions, such as end-to-end")
    found.progress = False
    return found.fit(benchmark.visible(), 0)
