"""Small inputs with the faults of strangers' files, read and scored as files."""

import re
from pathlib import Path

import pytest

from benchlib import evaluate
from benchlib.formats.own import ReadingOptions, load_paths

MENTIONS = ((3, 6, "D5", "d5"), (7, 11, "D6", "d6"), (12, 16, "D7", "d7"))
HEAD = "document\tstart\tend\tids\n"
CASES = {
    "normalised-mention-text": {
        "gold.txt": "7|t|IL‐1β in naïve SARS‐CoV‐2.\n7|a|Sjögren’s.\n7\t0\t5\tIL-1b\tG\t1\n"
        "7\t15\t25\tSARS CoV 2\tS\t2\n7\t27\t36\tSjogren's\tD\t3\n",
        "dict.tsv": "1\tIL1B\n2\tSARS\n3\tSjogren\n",
        "pred.tsv": f"{HEAD}7\t0\t5\t1\n7\t15\t25\t2\n7\t27\t36\t3\n",
    },
    "several-types": {
        "gold.txt": "1|t|M.\n1|a|insulin and sugar\n1\t3\t10\tinsulin\tT116,T125\tUMLS:C1\n"
        "1\t15\t20\tsugar\tT109\tUMLS:C2\n",
        "dict.tsv": "C1\tinsulin\nC2\tsugar\n",
    },
    "repeated-passage": {
        "gold.txt": "\n".join(
            f"5|t|{title}\n5|a|\n5\t{at}\t{at + len(name)}\t{name}\tC\t{id}\n"
            for title, at, name, id in (
                ("Tin here", 0, "Tin", "D1"), ("Of lead", 3, "lead", "D2"), ("No tin.", 3, "tin", "D1"),
                ("Of lead", 3, "lead", "D2"), ("A zinc.", 2, "zinc", "D3"),
            )
        ),
        "dict.tsv": "D1\ttin\nD2\tlead\nD3\tzinc\n",
        "pred_file_offsets.tsv": f"{HEAD}5\t0\t3\tD1\n5\t3\t7\tD2\n5\t3\t6\tD1\n5\t2\t6\tD3\n",
    },
    "prediction-forms": {
        "gold.txt": "27|t|P.\n27|a|flu pain cold\n"
        "27\t3\t6\tflu\tD\tD5\n27\t7\t11\tpain\tD\tD6\n27\t12\t16\tcold\tD\tD7\n",
        "dict.tsv": "D5\tflu\nD6\tpain\nD7\tcold\n",
    },
}  # fmt: skip


@pytest.fixture
def case(write):
    """The folder of a case by its name."""

    def folder(name: str) -> Path:
        return [write(f"{name}/{file}", text) for file, text in CASES[name].items()][0].parent

    return folder


def scored(folder: Path, predictions: str = "pred.tsv"):
    """The result, and the share of mentions that are right."""
    result = evaluate(folder / predictions, folder / "gold.txt", folder / "dict.tsv")
    rows = result.published
    [value] = rows[(rows["protocol"] == "krissbert") & (rows["measure"] == "recall@1")]["value"]
    return result, value


def test_a_right_offset_with_another_writing_is_kept(case):
    result, right = scored(case("normalised-mention-text"))
    assert right == 1 and not result.benchmark.test.dropped
    assert "3 mentions written otherwise at their offsets, kept there" in " ".join(result.benchmark.notes)


def test_a_type_of_several_is_chosen_by_one(case):
    def of_type(type: str):
        return load_paths(folder / "gold.txt", folder / "dict.tsv", ReadingOptions(types=(type,)))

    folder = case("several-types")
    [(_, mention)] = of_type("T116").test.mentions()
    assert (mention.text, mention.type) == ("insulin", "T116,T125")
    with pytest.raises(ValueError, match=r"no mention is of type T1; expected types among .*T116, T116,T125"):
        of_type("T1")


def test_a_passage_that_comes_twice_is_two_and_offsets_of_the_file_answer_both(case):
    result, right = scored(case("repeated-passage"), "pred_file_offsets.tsv")
    assert (result.benchmark.test.n_mentions, result.benchmark.test.dropped) == (5, {})
    assert right == 1 and result.outcomes.counts["unanswered"] == 0


def test_identical_rows_for_mentions_with_the_same_offsets_are_one_answer(case, write):
    folder = case("repeated-passage")
    lines = (folder / "pred_file_offsets.tsv").read_text().splitlines(keepends=True)
    twice = write("p.tsv", "".join([*lines[:3], lines[2], *lines[3:]]))  # a row for each of the two passages
    result, right = scored(folder, twice)
    assert right == 1 and "1 rows of mentions with the same offsets that repeat another" in result.warnings[0]
    with pytest.raises(ValueError, match="tsv:6: expected each candidate once"):
        scored(folder, write("p.tsv", "".join([*lines, lines[1]])))  # of one mention alone
    gold = write("g.txt", "1|t|flu\n1|a|\n1\t0\t3\tflu\tD\tD1\n1\t0\t3\tflu\tE\tD2\n")
    answers, names = write("q.tsv", HEAD + 2 * "1\t0\t3\tD1\n"), write("n.tsv", "D1\ta\nD2\tb\n")
    result = evaluate(answers, gold, names)
    assert result.outcomes.counts["n_scored"] == 2 and "1 rows of mentions with the" in result.warnings[0]


def test_offsets_of_the_file_that_mean_several_names_are_refused_with_those_that_do_not(write):
    files = CASES["repeated-passage"]
    gold = files["gold.txt"].replace("Of lead", "Of zinc", 1).replace("\tlead\t", "\tzinc\t", 1)
    given = {"gold.txt": gold, "dict.tsv": files["dict.tsv"], "p.tsv": files["pred_file_offsets.tsv"]}
    gold, names, predictions = (write(name, text) for name, text in given.items())
    told = r"tsv:3: expected offsets as in gold-test.*such as .*\('5', 12, 16\)"
    with pytest.raises(ValueError, match=told):
        evaluate(predictions, gold, names)


def test_documents_and_offsets_may_be_decimal_numbers(case, write):
    rows = "".join(f"27.0\t{start}.0\t{end}.0\t{id}\n" for start, end, id, _ in MENTIONS)
    result, right = scored(case("prediction-forms"), write("p.tsv", HEAD + rows))
    assert right == 1 and "3 rows whose document is a decimal number" in " ".join(result.warnings)


FORMS = CASES["prediction-forms"]


@pytest.mark.parametrize(
    ("columns", "row", "way"),
    [
        ("ids", "MESH:{id}", "without MESH: before them"),
        ("ids", "{id};D9", "split at ';'"),
        ("ids", "{id},D9", "split at ','"),
        ("ids", "['{id}']", "as lists"),
        ("ids", "{low}", "in other case"),
        ("ids", "{id}.0", "without .0 behind them"),
        ("ids", "mesh:{low}", "without mesh: before them, then in other case"),
        ("ids", "['MESH:{id}', 'MESH:D9']", "as lists, then without MESH: before them"),
        ("ids", "['{id};D9']", "split at ';', then as lists"),
        ("ids", "MESH:{id};MESH:D9", "split at ';', then without MESH: before them"),
        ("ids", "{low} / d9", "split at '/', then in other case"),
        ("ids", "{name}", "as names"),
        ("ids\tname", "{name}\t{id}", "from the column of names"),
        ("name", "{id}", "from the column of names"),
        ("name", "MESH:{id}", "without MESH: before them"),
        ("ids", "GO:{id}x", ""),
    ],
)
def test_one_or_two_faults_of_ids_and_swapped_columns_are_told(write, columns, row, way):
    names = dict(line.split("\t") for line in FORMS["dict.tsv"].splitlines())
    rows = [
        f"27\t{start}\t{end}\t{row.format(id=id, low=low, name=names[id])}\n"
        for start, end, id, low in MENTIONS
    ]
    paths = [write("p.tsv", f"document\tstart\tend\t{columns}\n{''.join(rows)}")]
    result = evaluate(*paths, *(write(name, FORMS[name]) for name in ("gold.txt", "dict.tsv")))
    [alert] = [text for text in result.alerts if "EXACTLY 0 %" in text]
    advice = f"Where ids are read {way}, 3 mentions instead of 0" if way else "No id of the answers"
    assert advice in alert and ("Where ids" in alert) == bool(way)


@pytest.mark.parametrize(
    ("ids", "dictionary", "advice"),
    [
        (r"D\tmesh:d", "", "without mesh: before them, then in other case, 3 of these 3 are inside"),
        (r"D\tD", "flu\tD5\npain\tD6\ncold\tD7\n", "as names, 3 of these 3 are inside: the columns of ids"),
        (r"D\1\tx", "", "Most types are ids of the ontology: the columns of types and ids may be swapped."),
    ],
)
def test_what_is_wrong_with_all_ids_of_gold_is_told(write, ids, dictionary, advice):
    gold = write("gold.txt", re.sub(r"D\tD(\d)", ids + r"\1", FORMS["gold.txt"]))
    [told] = [note for note in load_paths(gold, write("dict.tsv", dictionary or FORMS["dict.tsv"])).notes
              if note.startswith("WARNING")]  # fmt: skip
    assert advice in told and told.count(". ") <= 2
