"""The sentence linked by hand: what the page and its drawings say is what MEDIC and the linker say."""

import re
import xml.etree.ElementTree as ElementTree
from fractions import Fraction
from pathlib import Path

import pytest
from toy import annotated

from study.corpora import load
from study.systems import linker

BOOK = Path(__file__).resolve().parents[1] / "book"
PAGE = (BOOK / "start.md").read_text(encoding="utf-8")
DRAWINGS = {path.stem.removeprefix("start-"): path for path in sorted((BOOK / "_static").glob("start-*.svg"))}
SVG = "{http://www.w3.org/2000/svg}"
SENTENCE = (
    "Two children with KD broke out in hives after aspirin; their high fever and peeling fingertips lasted "
    "another week."
)
MENTIONS = ["KD", "hives", "high fever", "peeling fingertips"]


def lines(name: str) -> list[str]:
    """The texts of a drawing, from top to bottom as they stand in the file."""
    texts = ElementTree.parse(DRAWINGS[name]).getroot().iter(SVG + "text")
    return [" ".join(part for part in text.itertext() if part.strip()) for text in texts]


@pytest.fixture(scope="module")
def medic(data_folder):
    return load("bc5cdr-disease")


@pytest.fixture(scope="module")
def names(medic) -> dict[str, set[str]]:
    """The concepts of every name, letter case ignored."""
    found: dict[str, set[str]] = {}
    for concept in medic.ontology.concepts.values():
        for name in concept.names:
            found.setdefault(name.lower(), set()).add(concept.id)
    return found


@pytest.fixture(scope="module")
def candidates(medic) -> dict[str, list[tuple[str, tuple[str, ...]]]]:
    """The first five of TF-IDF for each mention: names with their concepts."""
    document = annotated(SENTENCE, *((text, "") for text in MENTIONS))
    frame = linker("tfidf").fit(medic).link([document], k=5).frame()
    frame = frame.sort_values("rank").groupby("start")[["name", "ids"]]
    spans = ((m.text, frame.get_group(m.start)) for m in document.mentions)
    return {text: [*rows.itertuples(index=False, name=None)] for text, rows in spans}


def test_each_drawing_is_on_the_page_named_and_described():
    shown = re.findall(r":file: _static/start-(\w+)\.svg", PAGE)
    assert shown == ["mentions", "dictionary", "candidates", "score"] and set(shown) == set(DRAWINGS)
    for path in DRAWINGS.values():
        root = ElementTree.parse(path).getroot()
        assert [child.tag for child in root[:2]] == [SVG + "title", SVG + "desc"]
        assert root.get("aria-labelledby").split() == [child.get("id") for child in root[:2]]


def test_the_marks_stand_where_their_places_say():
    *words, a, b, c, d = lines("mentions")
    assert " ".join(words) == SENTENCE
    places = [map(int, place.split("–")) for place in (a, b, c, d)]
    assert [SENTENCE[start:end] for start, end in places] == MENTIONS


def test_the_names_drawn_lead_to_the_concepts_that_carry_them(names):
    root = ElementTree.parse(DRAWINGS["dictionary"]).getroot()
    boxes = [(float(box.get("y")), float(box.get("height"))) for box in root[2]]
    drawn, ids = {}, {}
    for text in root.iter(SVG + "text"):
        first, *rest = (part.strip() for part in text.itertext() if part.strip())
        if rest:
            [at] = [at for at, (top, high) in enumerate(boxes) if top < float(text.get("y")) < top + high]
            ids[at] = (first, " ".join(rest))
        else:
            drawn[float(text.get("y"))] = first
    entered = {name: set() for name in drawn.values()}
    for path in root.iter(SVG + "path"):
        start, end = map(float, re.match(r"M\S+ (\S+)L\S+ (\S+)", path.get("d")).groups())
        [at] = [at for at, (top, high) in enumerate(boxes) if top < end < top + high]
        entered[drawn[start + 5]].add(ids[at][0])
    assert len(entered) == 8 and entered == {name: names[name.lower()] for name in entered}
    assert all(id in names[preferred.lower()] for id, preferred in ids.values())
    assert len(names["kd"]) == 2 and names["kd"] <= names["kawasaki disease"] | names["kennedy disease"]


def test_the_candidates_drawn_are_those_of_the_linker(candidates, names):
    rows = [re.fullmatch(r"(\d) (.+?) ([A-Z]\w+) (.+?)( gold)?", row) for row in lines("candidates")[3:]]
    assert [int(row[1]) for row in rows] == [1, 2, 3, 4, 5]
    assert [(row[2], (row[3],)) for row in rows] == candidates["high fever"]
    assert all(row[3] in names[row[4].lower()] for row in rows)
    assert [bool(row[5]) for row in rows] == [row[3] in names["fever"] for row in rows]
    assert "high fever" not in names


def test_the_table_is_what_the_linker_answers_and_the_protocols_give(candidates, names):
    cells = [
        [cell.strip() for cell in row.split("|")[1:-1]] for row in PAGE.splitlines() if row.startswith("| ")
    ]
    rows = {mention: rest for mention, *rest in cells[2:]}
    assert list(rows) == MENTIONS
    worth = []
    for mention, (gold, first, strict, lenient) in rows.items():
        name, ids = candidates[mention][0]
        assert name == first
        if gold == "NIL":
            assert mention not in names and strict == lenient == "–"
        else:
            worth.append((Fraction(gold in ids, len(ids)), Fraction(gold in ids)))
            assert (strict, lenient) == tuple(map(str, worth[-1]))
    strict, lenient = (float(100 * sum(values) / len(values)) for values in zip(*worth, strict=True))
    assert f"{strict:.0f} % or {lenient:.0f} %" in PAGE


def test_the_answer_drawn_is_ambiguous_and_worth_what_the_table_says(names):
    found = lines("score")
    assert found[0] == "answer KD"
    [gold, other] = [text.split(" ", 1) for text in found if re.match(r"[A-Z]\d+ ", text)]
    assert {gold[0], other[0]} == names["kd"] and found[found.index(" ".join(gold)) + 1] == "gold"
    assert gold[0] in names[gold[1].lower()] and other[0] in names[other[1].lower()]
    assert found[-6:] == ["pessimistic", "0", "strict", "1/2", "lenient", "1"]
