"""The claims as files, their answers, and the table they make."""

import csv
import inspect
import io
import shutil

import pytest
import yaml

from benchlib.report import answers as shown
from benchlib.report.claims import FOLDER, PAPERS, Answer, answer_all, load
from benchlib.report.verdicts import Effect

IDS = [
    f"{letter}{i}"
    for letter, n in zip("BKDCPX", (11, 20, 15, 14, 18, 6), strict=True)
    for i in range(1, n + 1)
]
CLAIMS = load()
BY_ID = {claim.id: claim for claim in CLAIMS}


def test_all_claims_are_there_in_order():
    assert len(IDS) == 84 and [claim.id for claim in CLAIMS] == IDS
    letters = dict(zip("BKDCPX", PAPERS, strict=True))
    assert all(claim.paper == letters[claim.id[0]] for claim in CLAIMS)


def test_what_decides_now():
    measured = {claim.id for claim in CLAIMS if claim.test}
    on_protocols = {"K2", "K5", "C12", "X3", "B2", "C11", "X1"}
    assert measured == on_protocols | {"C1", "C3", "C4", "C5", "C8", "C9", "C14"}
    assert {c.id for c in CLAIMS if c.basis == "printed"} == {
        "K7",
        "K10",
        "C2",
        "C10",
        "P8",
        "P15",
        "P17",
        "X5",
    }
    on_a_page = {c.id for c in CLAIMS if "#" in c.page}
    assert {c.id for c in CLAIMS if c.page.startswith("notebooks/protocols#")} == on_protocols
    # The chapter answers every claim of its paper, with a reason where nothing was run.
    assert on_a_page == on_protocols | {f"C{i}" for i in range(1, 15)}


def test_every_claim_can_be_read():
    for claim in CLAIMS:
        assert claim.wording.endswith((".", ").")) and 20 < len(claim.wording) < 250, claim.id
        assert claim.where and claim.printed.note
        assert claim.rule is None or claim.rule.why


def test_thresholds_of_measured_claims():
    rules = {name: BY_ID[name].rule for name in ("K2", "K5", "C12", "X3")}
    assert {name: (rule.direction, rule.threshold, rule.combine) for name, rule in rules.items()} == {
        "K2": ("greater", 0.3, "average"),
        "K5": ("greater", 11.5, "all"),
        "C12": ("smaller", 0, "all"),
        "X3": ("greater", 3.8, "all"),
    }


def test_measured_functions_take_the_arguments_in_the_files():
    from benchlib.report.measured import TESTS

    def missing(name):
        def function(store, corpora, **arguments):
            raise LookupError("a command")

        function.__signature__ = inspect.signature(TESTS[name])
        return function

    answers = answer_all(None, {name: missing(name) for name in TESTS}, CLAIMS)
    waiting = {a.id: a.reason for a in answers if "a command" in a.reason}
    assert set(waiting) == {claim.id for claim in CLAIMS if claim.test}


# ---------------------------------------------------------------- malformed files


def edited(folder, paper, edit):
    """A copy of the claims in which ``edit`` changed the list of one file."""
    shutil.copytree(FOLDER, folder)
    path = folder / f"{paper}.yaml"
    entries = yaml.safe_load(path.read_text())
    edit(entries)
    path.write_text(yaml.safe_dump(entries))
    return folder


def put(position, *keys, value):
    def edit(entries):
        node = entries[position]
        for key in keys[:-1]:
            node = node[key]
        node[keys[-1]] = value

    return edit


@pytest.mark.parametrize(
    ("edit", "message"),
    [
        (put(1, "colour", value="red"), r"krissbert\.yaml: claim K2: claim: expected the keys .*'colour'"),
        (lambda entries: entries[2].pop("where"), r"krissbert\.yaml: claim K3: claim: expected the keys"),
        (lambda entries: entries[2].pop("id"), r"krissbert\.yaml: claim number 3: claim: expected the keys"),
        (put(3, "id", value="K3"), r"krissbert\.yaml: claim K3: this id is taken in .*krissbert\.yaml"),
        (put(3, "id", value="B3"), r"krissbert\.yaml: claim B3: this id is taken in .*biocom\.yaml"),
        (put(0, "basis", value="guess"), r"claim K1: basis is 'guess'; expected measured or printed"),
        (put(1, "rule", "corpora", value=["ncbi"]), r"claim K2: no data set 'ncbi'; expected one of"),
        (put(1, "rule", "corpora", value=["mini"]), r"claim K2: no data set 'mini'"),
        (put(1, "rule", "direction", value="up"), r"claim K2: rule has 'up'; expected one of greater"),
        (put(1, "rule", "threshold", value="0,3"), r"claim K2: rule threshold is '0,3'; expected a number"),
        (put(1, "rule", "margin", value=1), r"claim K2: rule: expected the keys"),
        (put(1, "printed", "test", value="bigger"), r"claim K2: unknown printed test 'bigger'"),
        (put(1, "printed", "arguments", "above", value=1), r"claim K2: printed test greater: .*'above'"),
        (put(1, "printed", value=None), r"claim K2: printed: expected the keys .* found None"),
        (put(1, "test", value=None), r"claim K2: a reason stands where, and only where"),
        (put(1, "reason", value="later"), r"claim K2: a reason stands where, and only where"),
        (put(1, "rule", value=None), r"claim K2: a measured claim has a rule"),
        (put(6, "printed", "test", value=None), r"claim K7: a claim on a printed basis needs a printed test"),
        (
            put(1, "numbers", value=[{"item": "table2", "system": "Sapbert"}]),
            r"K2: no reported number matches",
        ),
        (put(1, "numbers", value=[{"item": "table2", "model": "X"}]), r"claim K2: no column 'model'"),
        (
            lambda entries: entries.insert(0, "K0"),
            r"krissbert\.yaml: claim number 1: claim: expected the keys",
        ),
    ],
)
def test_malformed_claims(tmp_path, edit, message):
    with pytest.raises(ValueError, match=message):
        load(edited(tmp_path / "claims", "krissbert", edit))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("- id: B1\n  wording: [", r"biocom\.yaml: while parsing"),
        ("- id: B1\n  id: B2\n", r"biocom\.yaml: key 'id' twice"),
        ("id: B1\n", r"biocom\.yaml: expected a list of claims, found dict"),
    ],
)
def test_malformed_yaml(tmp_path, text, message):
    shutil.copytree(FOLDER, tmp_path / "claims")
    (tmp_path / "claims" / "biocom.yaml").write_text(text)
    with pytest.raises(ValueError, match=message):
        load(tmp_path / "claims")


# ---------------------------------------------------------------- answers


def measured(**given):
    """Measured tests that return a fixed effect on every corpus asked for, or what ``given`` says."""

    def constant(value):
        return lambda store, corpora, **rest: [Effect(c, value, value - 1, value + 1, 10) for c in corpora]

    names = {claim.test.name for claim in CLAIMS if claim.test}
    return {name: constant(20.0) for name in names} | given


def answered(**given):
    return {a.id: a for a in answer_all("store", measured(**given), CLAIMS)}


def test_answers():
    found = answered()
    assert list(found) == IDS
    assert found["K2"].verdict == found["K5"].verdict == found["X3"].verdict == "supported"
    assert found["C12"].verdict == "contradicted"  # accuracy does not fall by rising 20 points
    assert (found["X3"].effect, found["X3"].low, found["X3"].high, found["X3"].n) == (20.0, 19.0, 21.0, 10)
    assert found["K2"].corpus == "average of ncbi-disease, bc5cdr-disease, medmentions-st21pv"
    assert found["K2"].n == 30
    undecided = {a.id for a in found.values() if a.verdict == "not run"}
    assert found["C11"].verdict == "supported" and found["B2"].verdict == "contradicted"
    assert len(undecided) == 84 - 14 - 8  # fourteen measured, eight on a printed basis
    assert all(found[name].reason and found[name].effect is None for name in undecided)


def test_the_verdict_of_a_printed_claim_is_its_arithmetic():
    found = answered()
    for claim in CLAIMS:
        if claim.basis == "printed":
            assert (
                found[claim.id].verdict == {"yes": "supported", "no": "contradicted"}[found[claim.id].printed]
            )
    assert found["K1"].printed == "no" and found["K1"].verdict == "not run"


def test_the_store_and_the_arguments_reach_the_function():
    calls = []

    def gap(store, corpora, linker, minuend, subtrahend):
        calls.append((store, corpora, linker, minuend, subtrahend))
        return [Effect(corpus, 1, 0.5, 1.5, 10) for corpus in corpora]

    answered(protocol_gap=gap)
    corpora = ["ncbi-disease", "bc5cdr-disease", "medmentions-st21pv"]
    assert calls == [("store", corpora, "exact", "lenient/names/any-of", "strict/names/any-of")]


def test_a_missing_record_is_not_run_and_says_how_to_make_it():
    def gap(store, corpora, **arguments):
        raise LookupError("python -m somewhere ncbi-disease")

    row = answered(protocol_gap=gap)["K2"]
    assert row.verdict == "not run" and row.reason.endswith("make it with: python -m somewhere ncbi-disease")


def test_a_mistake_in_a_measured_test_is_not_taken_for_a_missing_record():
    with pytest.raises(KeyError):
        answered(protocol_gap=lambda store, corpora, **rest: {}["x"])


def test_unknown_measured_test_and_arguments():
    with pytest.raises(ValueError, match=r"biocom\.yaml: claim B2: unknown measured test 'linker_gap'"):
        answer_all("store", {}, CLAIMS)
    with pytest.raises(ValueError, match=r"claim K2: test protocol_gap: .*unexpected keyword"):
        answered(protocol_gap=lambda store, corpora: [])


# ---------------------------------------------------------------- the table


def test_csv(tmp_path):
    path = tmp_path / "new" / "claims.csv"
    answers = list(answered().values())
    shown.write_csv(answers, path)
    text = path.read_bytes().decode("utf-8")
    assert text.splitlines()[0] == "id,paper,verdict,effect,low,high,n,corpus,reason,basis,printed"
    rows = list(csv.DictReader(io.StringIO(text)))
    assert [row["id"] for row in rows] == IDS
    assert {row["verdict"] for row in rows} <= {"supported", "contradicted", "inconclusive", "not run"}
    assert {row["printed"] for row in rows} == {"yes", "no", "not checkable"}
    k2, b1 = rows[IDS.index("K2")], rows[IDS.index("B1")]
    assert (k2["effect"], k2["n"]) == ("20.0", "30")
    assert (b1["effect"], b1["low"], b1["n"], b1["corpus"]) == ("", "", "", "")


def test_a_csv_that_cannot_be_written_leaves_the_old_one(tmp_path, monkeypatch):
    path = tmp_path / "claims.csv"
    path.write_text("old")

    def fail(answers):
        raise RuntimeError

    monkeypatch.setattr(shown, "table", fail)
    with pytest.raises(RuntimeError):
        shown.write_csv([], path)
    assert path.read_text() == "old" and list(tmp_path.iterdir()) == [path]


def test_html_is_escaped_and_linked():
    row = Answer("K2", "krissbert", "supported", 20.04, 19.0, 21.0, 1234, "<b>", "a & b", "measured", "yes")
    page = shown.html([row], CLAIMS, "a < b", anchors=True)
    assert 'class="claims sortable filterable"' in page and '<tr id="claim-k2">' in page
    assert '<a href="../notebooks/protocols.html#claim-k2">K2</a>' in page
    assert "20.0 [19.0, 21.0] points, &lt;b&gt;, n = 1,234" in page and "a &amp; b" in page
    assert "<b>" not in page and "<caption>a &lt; b</caption>" in page
    assert ">Paper<" not in page and "KRISSBERT" not in page
    other = Answer("B1", "biocom", "not run", None, None, None, None, "", "waits", "measured", "yes")
    assert "KRISSBERT" in shown.html([row, other], CLAIMS, "two papers", anchors=True)
    row = other
    page = shown.html([row], CLAIMS, "all")
    # A claim whose chapter is not there yet leads to the page of all claims.
    assert '<tr><td class="id"><a href="../book/claims.html#claim-b1">B1</a>' in page and "None" not in page


def test_aligned_text():
    lines = shown.aligned(list(answered().values()), CLAIMS).splitlines()
    assert len(lines) == 85
    at = lines[0].index("printed")
    assert all(line[at:].startswith(("printed", "yes", "no")) for line in lines)
