"""Ids written otherwise than those of the ontology: advice is given that was tried, with its numbers."""

import pytest

from benchlib import evaluate
from benchlib.formats.own import load_paths

GOLD = "1|t|flu pain\n1|a|cold\n1\t0\t3\tflu\tD\t{}\n1\t4\t8\tpain\tD\t{}\n1\t9\t13\tcold\tD\t{}\n"
SPANS = {"D5": (0, 3, "flu"), "D6": (4, 8, "pain"), "D7": (9, 13, "cold")}
NAMES = "D5\tflu\nD6\tpain\nD7\tcold\nD9\tague\n"


@pytest.mark.parametrize(
    ("columns", "row", "way", "n"),
    [
        ("ids", "MESH:{id}", "without MESH: before them", 3),
        ("ids", "mesh:{low}", "without mesh: before them, then in other case", 3),
        ("ids", "['MESH:{id}', 'MESH:D9']", "as lists, then without MESH: before them", 3),
        ("ids", "['{id};D9']", "split at ';', then as lists", 3),
        ("ids", "MESH:{id};MESH:D9", "split at ';', then without MESH: before them", 3),
        ("ids", "{low} / d9", "split at '/', then in other case", 3),
        ("ids\tname", "{name}\t{id}", "from the column of names", 3),
        ("ids", "{name}", "as names", 3),
        ("name", "{id}", "from the column of names", 3),
        ("name", "MESH:{id}", "without MESH: before them", 3),
        ("ids", "GO:{id}x", "", 0),
    ],
)
def test_what_is_advised_for_answers_raises_the_matches(write, columns, row, way, n):
    gold, names = write("g.txt", GOLD.format(*SPANS)), write("n.tsv", NAMES)
    rows = [f"1\t{start}\t{end}\t{row.format(id=id, low=id.lower(), name=name)}\n"
            for id, (start, end, name) in SPANS.items()]  # fmt: skip
    result = evaluate(write("p.tsv", f"document\tstart\tend\t{columns}\n{''.join(rows)}"), gold, names)
    [alert] = [text for text in result.alerts if "EXACTLY 0 %" in text]
    advice = f"Where ids are read {way}, {n} mentions instead of 0 have their gold"
    assert advice in alert if way else "Where ids" not in alert and "No id of the answers" in alert


@pytest.mark.parametrize(
    ("ids", "names", "advice"),
    [
        (
            ("mesh:d5", "mesh:d6", "mesh:d7"),
            NAMES,
            "without mesh: before them, then in other case, 3 of these 3",
        ),
        (
            ("D5", "D6", "D7"),
            "flu\tD5\npain\tD6\ncold\tD7\n",
            "as names, 3 of these 3 are inside: the columns",
        ),
        (("D5/X", "D6/Y", "D7"), NAMES, ""),
    ],
)
def test_what_is_advised_for_gold_has_most_ids_inside(write, ids, names, advice):
    benchmark = load_paths(write("g.txt", GOLD.format(*ids)), write("n.tsv", names))
    told = [note for note in benchmark.notes if note.startswith("WARNING")]
    assert (
        len(told) == 1
        and told[0].count(" Read ") == bool(advice)
        and f"Read {advice}" * bool(advice) in told[0]
    )


def test_types_that_are_ids_of_the_ontology_are_told(write):
    gold = GOLD.format("D", "D", "D").replace("flu\tD\t", "flu\tD5\t").replace("pain\tD\t", "pain\tD6\t")
    [told] = load_paths(write("g.txt", gold), write("n.tsv", NAMES)).notes[:1]
    assert told.endswith("Most types are ids of the ontology: the columns of types and ids may be swapped.")
