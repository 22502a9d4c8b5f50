"""Random corpora, dictionaries and predictions as files, and what the library makes of them."""

import csv
import gzip
import io
import json
import random
from pathlib import Path

from test_readers_predictions_fuzz import mutated

from benchlib import evaluate
from benchlib.scoring import summary

COLUMNS = ("document", "start", "end", "part", "rank", "name", "ids", "score")
WORDS = ["cold", "Fever", "café", "İ", "😀", "AIDS", "pain", "straße", "of", "T2DM", "flu", "β-cell", "x"]
NAMES = [
    "Cold", "cold", "fever", "Café", "straße", "😀 pain", "AIDS", "pain of", "flu", "NIL", "T2DM", "i̇", "İ",
]  # fmt: skip
IDS = [f"D{i}" for i in range(8)]
GOLDS = [
    "D1", "D2", "D3|D4", "D1,D5", "D2+D6|O6", "-1", "", "NIL", "X9", "D7", "O6", "a;D1", "D3|X1", "D1|D2",
]  # fmt: skip


def rows_text(rows: list[list[str]], delimiter: str) -> str:
    text = io.StringIO()
    csv.writer(text, delimiter=delimiter, lineterminator="\n").writerows(rows)
    return text.getvalue()


def dictionary(draw: random.Random) -> tuple[str, str]:
    """The name of a file and its text: each form that a dictionary may have."""
    concepts = [(id, draw.sample(NAMES, draw.randint(1, 3)), draw.choice([[], [f"O{id[1]}"]])) for id in IDS]
    if draw.random() < 0.3:
        return "names.jsonl", "\n".join(
            json.dumps({"id": id, "names": n, "alternatives": a}, ensure_ascii=False) for id, n, a in concepts
        )
    if draw.random() < 0.3:
        further = "note" if len(concepts[0][1]) == 1 else "label2"  # neither is a column of names
        rows = [["Label", further, "cui"], *([n[0], "-", id] for id, n, _ in concepts)]
        return "names.txt", rows_text(rows, "\t")
    return "names.tsv", "# of the test\n" + rows_text([[id, *n] for id, n, _ in concepts], "\t")


def corpus(draw: random.Random) -> tuple[str, list[tuple[str, int, int, str]]]:
    """A PubTator file, and its mentions: document, start, end, id string."""
    blocks, spans = [], []
    for number in range(draw.choice([1, 2, 3, 15])):
        document = str(1000 + 7 * number)
        words = [draw.choice(WORDS) for _ in range(draw.randint(4, 14))]
        title = draw.randint(1, len(words) - 1)
        text = " ".join(words)
        lines = [f"{document}|t|{' '.join(words[:title])}", f"{document}|a|{' '.join(words[title:])}"]
        for _ in range(draw.randint(1, 6)):
            first = draw.randrange(len(words))
            last = min(len(words), first + draw.randint(1, 2))
            start = len(" ".join(words[:first])) + (first > 0)
            end = len(" ".join(words[:last]))
            gold, kind = draw.choice(GOLDS), draw.choice(["Disease", "Chemical"])
            decimal = draw.choice(["", "", "", ".0"])
            cells = [document, f"{start}{decimal}", f"{end}{decimal}", text[start:end], kind, gold]
            if gold == "D1|D2" and draw.random() < 0.5:
                cells.append("one|two")
            if draw.random() < 0.05:
                cells[1:3] = [f"{start},{start}", f"{end},{end}"]
            lines += ["\t".join(cells), "\t".join(cells) + draw.choice(["", " "])][
                : 1 + (draw.random() < 0.1)
            ]
            spans.append((document, start, end, gold))
        if draw.random() < 0.2:
            lines.append(f"{document}\tCID\tD1\tD2")
        blocks += ["\n".join(lines)] * (1 + (draw.random() < 0.1))
    return "\n\n".join(blocks) + "\n", spans


def predictions(draw: random.Random, spans: list) -> tuple[str, bytes]:
    """The name of a file and its bytes: each format, with and without each column that may be missing."""
    few = draw.random() < 0.15
    left_out = {draw.choice(["part", "rank", "score", "name", "ids", "", ""]) for _ in range(2)}
    left_out -= {"ids"} if "name" in left_out else set()
    parted = "part" not in left_out and draw.random() < 0.5
    rows = []
    for document, start, end in dict.fromkeys(span[:3] for span in spans if draw.random() < 0.9):
        for part in draw.choice([(0,), (0, 1, 2), (1, 2)]) if parted else (0,):
            seen = set()
            for rank in range(1, 1 + (1 if few else draw.choice([1, 2, 5, 20]))):
                name = draw.choice([*NAMES, *NAMES, "", "unknown", "nil "]) if "name" not in left_out else ""
                ids = draw.sample([*IDS, *IDS, "O6", "X9", "-1", "null"], draw.choice([0, 1, 1, 1, 1, 2, 3]))
                ids = ids[: 1 if few else 3] if "ids" not in left_out else []
                if (key := (name, frozenset(ids))) not in seen:
                    seen.add(key)
                    score = draw.choice([0.5, 1, 0.25, round(draw.random(), 3), -1e-7])
                    rows.append((document, start, end, part, rank, name, ids, score))
    kept = [i for i, column in enumerate(COLUMNS) if column not in left_out]
    twice = [span[:3] for i, span in enumerate(spans) if span[:3] in [other[:3] for other in spans[:i]]]
    rows += [row for row in rows if row[:3] in twice and draw.random() < 0.5]
    draw.shuffle(rows) if draw.random() < 0.2 else None
    if (form := draw.choice(["jsonl", "jsonl", "tsv", "csv"])) == "jsonl":
        number = draw.random() < 0.3
        rows = [(int(row[0]) if number else row[0], *row[1:]) for row in rows]
        lines = [
            json.dumps({COLUMNS[i]: row[i] for i in kept}, ensure_ascii=draw.random() < 0.5) for row in rows
        ]
        data = ("\n".join(lines) + "\n").encode()
    else:
        cells = [[*row[:6], "|".join(row[6]), row[7]] for row in rows]
        table = [[COLUMNS[i] for i in kept], *([row[i] for i in kept] for row in cells)]
        data = rows_text(table, "\t" if form == "tsv" else ",").encode()
    if draw.random() < 0.2:
        data = mutated(data, draw)
    return (f"p.{form}.gz", gzip.compress(data)) if draw.random() < 0.1 else (f"p.{form}", data)


def case(seed: int) -> dict[str, tuple[str, bytes]]:
    """By what it is, the name and the bytes of each file."""
    draw = random.Random(seed)
    text, spans = corpus(draw)
    name, names = dictionary(draw)
    files = {"predictions": predictions(draw, spans), "corpus": ("gold.txt", text.encode())}
    files |= {"dictionary": (name, names.encode())}
    if seed % 3 == 0:
        second, data = predictions(draw, spans)
        files["second"] = (f"second{second[1:]}", data)
    return files


def by_library(
    files: dict[str, tuple[str, bytes]], duplicates: str, folder: Path, monkeypatch
) -> dict[str, object]:
    """What the library prints of these, not rounded; or the sentence by which it refuses them."""
    monkeypatch.chdir(folder)
    monkeypatch.setattr(summary, "round", lambda value, _: value, raising=False)
    for name, data in files.values():
        Path(name).write_bytes(data)
    paths = {what: name for what, (name, _) in files.items()}
    try:
        first = evaluate(paths["predictions"], paths["corpus"], paths["dictionary"], duplicates=duplicates)
        second = (
            evaluate(paths["second"], first.benchmark, duplicates=duplicates) if "second" in paths else None
        )
        values = first.values(second)
    except ValueError as error:
        return {"refused": str(error)}
    mentions = first.mentions.astype(object).where(first.mentions.notna(), None)
    return {**values, "mentions": mentions.to_dict("records")}
