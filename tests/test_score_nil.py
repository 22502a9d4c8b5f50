"""The command on files of strangers whose mentions or answers are NIL; every expected value by hand."""

import json

import pytest

from benchlib.command import main

DICTIONARY = "D5\tfever\nD6\tpain\n"
SPELT = """11|t|N.
11|a|foo disease and fever and bar disease and pain
11\t3\t14\tfoo disease\tD\t-1
11\t19\t24\tfever\tD\tD5
11\t29\t40\tbar disease\tD\tCUI-less
11\t45\t49\tpain\tD\tD6
"""
LACKED = """26|t|N.
26|a|foo disease and fever and odd thing and pain
26\t3\t14\tfoo disease\tD\t-
26\t19\t24\tfever\tD\tD5
26\t29\t38\todd thing\tD\tD999
26\t43\t47\tpain\tD\tD6
"""


@pytest.fixture
def scored(tmp_path, capsys):
    """Score rows of (document, start, end, ids, score) on a corpus: the JSON, and the text of stderr."""

    def score(corpus, rows, dictionary=DICTIONARY):
        for name, text in (("gold.txt", corpus), ("dict.tsv", dictionary)):
            (tmp_path / name).write_text(text)
        lines = ["document\tstart\tend\tids\tscore", *("\t".join(map(str, row)) for row in rows)]
        (tmp_path / "pred.tsv").write_text("\n".join(lines) + "\n")
        files = [str(tmp_path / name) for name in ("pred.tsv", "gold.txt", "dict.tsv", "s.json")]
        named = [files[0], "--dataset", files[1], "--ontology", files[2], "--json", files[3]]
        # Dev is the same here: the threshold is then that of these mentions.
        assert main(["score", *named, "--dev", files[1], "--predictions-dev", files[0]]) == 0
        return json.loads((tmp_path / "s.json").read_text()), capsys.readouterr().err

    return score


def spelt_rows(nil):
    return [
        (11, 3, 14, nil, 0.9),
        (11, 19, 24, "D5", 0.9),
        (11, 29, 40, nil, 0.9),
        (11, 45, 49, "D6", 0.9),
    ]


@pytest.mark.parametrize("nil", ["NIL", "-1", "-", "CUI-less", "NIL0001", "None", "NaN", "nan", ""])
def test_an_answer_spelt_as_nil_is_nil(scored, nil):
    found, said = scored(SPELT, spelt_rows(nil))
    # Whatever its score, the answer NIL is surer than any concept that the mention is NIL: both come first.
    assert (found["nil"]["n"], found["nil"]["n_nil"], found["nil"]["aupr"]) == (4, 2, 1.0)
    with_nil = [row for row in found["published"] if row["protocol"] == "pel-with-nil"]
    assert [(row["value"], row["n"]) for row in with_nil] == [(1.0, 4)] * 2
    counted = f"2 rows with a spelling of NIL, read as NIL (beside an id left out): 2 ({nil}), 4 ({nil})"
    assert (counted in said) == bool(nil)
    assert "ids outside" not in said


def test_an_id_of_the_dictionary_is_no_nil(scored):
    found, said = scored(SPELT, spelt_rows("NIL"), DICTIONARY + "NIL\tnothing\n")
    # All four score the same: NIL mentions are called with the others, at the share of NIL.
    assert found["nil"]["aupr"] == 0.5 and "spelling of NIL" not in said


def test_a_mention_whose_gold_the_dictionary_lacks_is_neither_nil_nor_linkable(scored):
    rows = [(26, 3, 14, "D5", 0.5), (26, 19, 24, "D5", 0.9), (26, 29, 38, "D6", 0.3), (26, 43, 47, "D6", 0.8)]
    found, _ = scored(LACKED, rows)
    # The unlinkable mention scores lowest. Without it NIL is called first, and at 0.5 alone.
    assert found["nil"] == {
        "n": 3, "n_nil": 1, "n_unlinkable": 1, "prevalence": 1 / 3, "aupr": 1.0,
        "threshold": 0.5, "n_called": 1, "precision": 1.0, "recall": 1.0, "f1": 1.0,
    }  # fmt: skip
    [first, _] = [row for row in found["published"] if row["protocol"] == "pel-with-nil"]
    assert (first["value"], first["n"]) == (1.0, 3)
    # In the other protocols it stays, as wrong.
    [strict] = [r for r in found["published"] if (r["protocol"], r["measure"]) == ("krissbert", "recall@1")]
    assert (strict["value"], strict["n"]) == (pytest.approx(2 / 3, abs=1e-6), 3)
