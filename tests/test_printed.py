"""Arithmetic on print: the named tests on hand-made tables, and every claim's answer."""

from decimal import Decimal
from pathlib import Path

import pandas as pd
import pytest

from study.claims import read_claims
from study.printed import reported
from study.printed import tests as printed

# Worked out by hand from the papers' texts and tables: the answer, with the numbers in the claim's note, and
# the number that decided, for claims that one number decides.
ANSWERS = pd.read_csv(
    Path(__file__).parent / "data" / "printed_answers.csv", dtype=str, keep_default_na=False
)
CLAIMS = {claim.id: claim for claim in read_claims()}


def test_answers():
    answers = dict(zip(ANSWERS["claim"], ANSWERS["answer"], strict=True))
    assert {id: claim.printed.answer for id, claim in CLAIMS.items()} == answers and len(answers) == 88


def test_deciding_values():
    for row in ANSWERS[ANSWERS["value"] != ""].itertuples():
        assert CLAIMS[row.claim].printed.result.value == Decimal(row.value), row.claim
    # (192.4 / 11.5 + 402.5 / 11.5) / 2 = 594.9 / 23
    assert CLAIMS["D3"].printed.result.value == pytest.approx(Decimal("594.9") / 23)
    # NCBI: (83.2 - 0.432 x 64.5 - 63.0 + 0.432 x 57.1) / 0.568 = 17.0032 / 0.568
    assert CLAIMS["K20"].printed.result.value == pytest.approx(Decimal("17.0032") / Decimal("0.568"))


# ---------------------------------------------------------------- the named tests on a hand-made table


def cells(*lines):
    """Rows of (system, dataset, value)."""
    rows = [
        dict.fromkeys(reported.COLUMNS, "") | dict(zip(("system", "dataset", "value"), x, strict=True))
        for x in lines
    ]
    return pd.DataFrame(rows).assign(protocol="")


TWO = cells(("A", "x", "3.0"), ("A", "y", "1.0"), ("B", "x", "1.0"), ("B", "y", "2.0"))
AB = {"of": {"system": "A"}, "over": {"system": "B"}}


def test_combinations():
    # The gaps are 2.0 and -1.0.
    assert printed.greater(TWO, **AB) == printed.PrintedResult(False, Decimal("-1.0"))
    assert printed.greater(TWO, **AB, combine="average") == printed.PrintedResult(True, Decimal("0.5"))
    assert not printed.greater(TWO, **AB, combine="most").holds  # one of two is not most
    assert printed.greater(TWO, **AB, match=[]).holds is False  # 3 - 2 = 1, but 1 - 1 = 0


def test_a_gap_of_exactly_the_bound_is_not_greater():
    one = cells(("A", "x", "0.3"), ("B", "x", "0.1"))
    assert not printed.greater(one, **AB, by=0.2).holds  # exact: as floats, 0.3 - 0.1 is below 0.2
    assert printed.within(one, **AB, by=0.2).holds
    assert printed.within(one, **AB, at=0.2, by=0).holds
    assert printed.ratio(one, **AB, low=3, high=3).holds


def test_ordered():
    rows = cells(("a", "x", "1"), ("b", "x", "2"), ("c", "x", "2"))
    steps = {"where": {"dataset": "x"}, "along": "system"}
    assert printed.ordered(rows, **steps, order=["a", "b"], direction="rising").holds
    assert not printed.ordered(rows, **steps, order=["a", "b", "c"], direction="rising").holds  # a tie
    assert printed.ordered(rows, **steps, order=["c", "a"], direction="falling").holds


@pytest.mark.parametrize(
    ("test", "arguments", "message"),
    [
        ("bigger", {}, "expected one of greater, .*, found 'bigger'"),
        ("greater", {"of": {}}, "missing 1 required positional argument: 'over'"),
        ("greater", AB | {"above": 1}, "unexpected keyword argument 'above'"),
        ("greater", AB | {"combine": "some"}, "'some'"),
        ("greater", AB | {"over": {"system": "D"}}, "do not pair on .*'x'"),
        ("greater", {"of": {"system": "C"}, "over": {"system": "D"}}, "none match"),
        ("greater", AB | {"where": {"model": "x"}}, "no column 'model'"),
        ("ordered", {"where": {}, "along": "system", "order": ["A"], "direction": "up"}, "'up'"),
        ("every", {"tests": [{"test": "greater"}]}, "arguments"),
        ("every", {"tests": [{"test": "bigger", "arguments": {}}]}, "found 'bigger'"),
        ("larger_gap", {"first": {"of": {}}, "second": {}, "paired": True}, "missing 1 required"),
    ],
)
def test_malformed_tests(test, arguments, message):
    with pytest.raises(ValueError, match=message):
        printed.printed_result(TWO, test, arguments)


# ---------------------------------------------------------------- reported cells


def test_the_one_cell_that_is_named():
    assert str(reported.cell("biocom", "table1", system="BioCoM", dataset="BC5CDR-d")) == "69.0"
    protocol = {"dataset": "BC5CDR", "metric": "f1", "protocol": "strict match"}
    assert reported.cell("dual_encoder", "table7", system="SciSpacy", **protocol) == Decimal("22.3")
    frame = reported.table("cosines", "table1")
    assert len(frame) == 20 and frame["value"].iloc[4] == "67.20"
    assert list(dict.fromkeys(frame["system"])) == ["TF-IDF", "GNN", "BERT", "GPT3", "CoSiNES"]
    where = {"system": "CoSiNES", "metric": "recall_at_1"}
    assert (reported.only(frame, **where), reported.only(frame[:0], **where)) == ("80.40", "")
    for error, message, asked in (
        (LookupError, "^3 printed numbers match .*'BioCoM'", {"system": "BioCoM"}),
        (LookupError, "^no printed number matches", {"system": "Nobody"}),
        (ValueError, "no column 'model'", {"model": "BioCoM"}),
    ):
        with pytest.raises(error, match=message):
            reported.cell("biocom", "table1", **asked)
    with pytest.raises(LookupError, match="cosines table9"):
        reported.table("cosines", "table9")


def test_no_reported_numbers(tmp_path):
    with pytest.raises(ValueError, match="found none"):
        reported.read_reported(tmp_path)
    (tmp_path / "x.csv").write_text(f"{','.join(reported.COLUMNS)}\nbiocom,table1\n")
    with pytest.raises(ValueError, match=r"x\.csv:2: expected 11 cells, found '2: bio"):
        reported.read_reported(tmp_path)
