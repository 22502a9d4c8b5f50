"""The claims as files, their answers, and the table they make."""

import csv
import io
import re
import shutil
from dataclasses import replace

import pytest
import yaml

from study.book.claims import sections
from study.chapters.chapter import read_chapter
from study.claims import FOLDER, PAPERS, read_claims
from study.claims import answers as shown
from study.claims import table as claims_table
from study.claims.answers import answer_all
from study.claims.claim_tests import TESTS, PerCorpus, Smallest
from study.claims.effect import Effect
from study.claims.verdicts import FAILS, HOLDS, MIXED, NOT_RUN, TOO_SMALL, VERDICTS
from study.places import ROOT
from study.records import MissingRecord

IDS = [
    f"{letter}{i}"
    for letter, n in zip("BKDCPX", (11, 20, 15, 14, 18, 6), strict=True)
    for i in range(1, n + 1)
]
CLAIMS = read_claims()
BY_ID = {claim.id: claim for claim in CLAIMS}


def test_all_claims_are_there_in_order():
    assert len(IDS) == 84 and [claim.id for claim in CLAIMS] == IDS
    letters = dict(zip("BKDCPX", PAPERS, strict=True))
    assert all(claim.paper == letters[claim.id[0]] for claim in CLAIMS)


def test_what_decides_now():
    measured = {claim.id for claim in CLAIMS if claim.test}
    on_protocols = {"K2", "K5", "C12", "X3", "B2", "C11", "X1"}
    of_pel = {f"P{i}" for i in range(1, 19)} - {"P3", "P8", "P14", "P15", "P17"}
    of_biocom = {f"B{i}" for i in range(1, 11)}
    of_dual = {f"D{i}" for i in (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 14, 15)}
    of_cosines = {"C1", "C3", "C4", "C5", "C6", "C8", "C9", "C14"}
    of_krissbert = {f"K{i}" for i in (1, 3, 4, 6, 8, 9, 11, 12, 13, 14, 15, 16, 17, 18, 20)}
    side_by_side = {"X2", "X4", "X6"}
    assert measured == on_protocols | of_cosines | of_pel | of_biocom | of_krissbert | of_dual | side_by_side
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
    assert {c.id for c in CLAIMS if c.page.startswith("notebooks/protocols#")} == on_protocols
    # A chapter answers every claim of its paper, with a reason where nothing was run.
    papers = (("B", 11), ("C", 14), ("D", 15), ("K", 20), ("P", 18))
    of_chapters = {f"{paper}{i}" for paper, n in papers for i in range(1, n + 1)}
    shared = on_protocols | side_by_side | {"X5"}
    assert {c.id for c in CLAIMS if c.page.startswith("notebooks/side_by_side#")} == side_by_side | {"X5"}
    assert of_chapters | shared == set(IDS)


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
    two_sided = {claim.id: claim.rule.range for claim in CLAIMS if claim.rule and claim.rule.range}
    assert two_sided == {"D2": (2.5, 4.5), "K15": (10, 15), "C13": (-2, 2)}
    assert BY_ID["C4"].rule.threshold == 1.5


def parts(test, corpora):
    """The tests that a claim's test is made of, each with the corpora that it is about."""
    if isinstance(test, PerCorpus):
        return [part for corpus, one in test.tests.items() for part in parts(one, [corpus])]
    if isinstance(test, Smallest):
        return [part for one in test.tests for part in parts(one, corpora)]
    return [(test, corpora)]


def test_corpora_of_measured_claims_are_those_of_their_run_sets():
    for claim in CLAIMS:
        tests = [(claim.test, claim.rule.corpora)] if claim.test else []
        tests += [(one.test, one.corpora or claim.rule.corpora) for one in claim.beside if one.test]
        for test, corpora in (part for of in tests for part in parts(*of)):
            chapter = read_chapter(test.chapter)
            for name, _ in test.systems():
                data = chapter.runs[name].data
                groups = [data] if isinstance(data, str) else data
                there = {id for group in groups for id in chapter.datasets.get(group, (group,))}
                assert set(corpora) <= there, claim.id


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
        (
            put(1, "colour", value="red"),
            "claim K2: colour: unknown key; expected one of beside, id, numbers, ",
        ),
        (put(1, "paper", value="pel"), "claim K2: paper: unknown key"),
        (lambda entries: entries[2].pop("where"), "claim K3: where: expected a value, found none"),
        (lambda entries: entries[2].pop("id"), "claim number 3: id: expected a value, found none"),
        (
            lambda entries: entries[1].pop("test"),
            "claim K2: expected a test of a claim with a rule, or a reason",
        ),
        (put(3, "id", value="K3"), r"claim K3: id: expected .*, found that of a claim in krissbert\.yaml"),
        (put(3, "id", value="B3"), r"claim B3: id: expected .*, found that of a claim in biocom\.yaml"),
        (put(0, "page", value="book/k1"), "claim K1: page: expected .*, found 'book/k1'"),
        (
            put(1, "rule", "corpora", value=["ncbi"]),
            "claim K2: rule.corpora: expected one or more of .*'ncbi'",
        ),
        (put(1, "rule", "corpora", value=["mini"]), "claim K2: rule.corpora: expected .*'mini'"),
        (put(1, "rule", "direction", value="up"), "claim K2: rule.direction: expected 'greater', .*'up'"),
        (put(1, "rule", "threshold", value="0,3"), "claim K2: rule.threshold: expected .*, found '0,3'"),
        (put(1, "rule", "margin", value=1), "claim K2: rule.margin: unknown key; expected one of combine, "),
        (put(1, "printed", "test", value="bigger"), "claim K2: unknown printed test 'bigger'"),
        (put(1, "printed", "arguments", "above", value=1), "claim K2: printed test greater: .*'above'"),
        (put(1, "printed", value=None), "claim K2: printed: expected a mapping, found None"),
        (put(1, "test", value="gap"), "claim K2: test: name: expected one of gap, .*, found 'gap'"),
        (put(1, "test", "name", value="best_gap"), "claim K2: test: name: expected .*, found 'best_gap'"),
        (
            put(1, "test", "colour", value="red"),
            "claim K2: test: colour: unknown key; expected one of chapter",
        ),
        (put(1, "test", "chapter", value="moon"), "claim K2: test: chapter: no chapter 'moon'"),
        (put(1, "test", "over", value=["bert"]), r"claim K2: test: over\[0\].protocol: expected a value"),
        (put(1, "test", "of", 0, "system", value="bert"), "claim K2: test: expected systems of .*'bert'"),
        (put(1, "test", "of", 0, "runs", value="table1"), "claim K2: test: runs: expected one .*'table1'"),
        (
            lambda entries: entries[1]["test"].pop("chapter"),
            "claim K2: test: runs: expected one of rates, .*'baselines'",
        ),
        (put(8, "beside", 0, "reason", value="x"), "claim K9: beside.*: expected either a test or a reason"),
        (
            put(8, "beside", 0, "corpora", value=["bc2gn"]),
            "claim K9: expected beside: a test of the claim",
        ),
        (put(8, "beside", 0, "test", value="gap"), "claim K9: beside: test: name: expected one of gap"),
        (put(6, "reason", value="later"), "claim K7: expected a printed test, and neither"),
        (put(1, "rule", value=None), "claim K2: expected a printed test, and neither"),
        (put(6, "printed", "test", value=None), "claim K7: expected a printed test, and neither"),
        (
            put(1, "numbers", value=[{"item": "table2", "system": "Sapbert"}]),
            "claim K2: numbers: no reported number matches",
        ),
        (put(1, "numbers", value=[{"item": "table2", "model": "X"}]), "claim K2: no column 'model'"),
        (lambda entries: entries.insert(0, "K0"), "claim number 1: expected .*, found 'K0'"),
    ],
)
def test_malformed_claims(tmp_path, edit, message):
    with pytest.raises(ValueError, match=rf"^krissbert\.yaml: {message}") as told:
        read_claims(edited(tmp_path / "claims", "krissbert", edit))
    assert "\n" not in str(told.value)


def test_a_claim_asks_something_of_each_of_its_corpora(tmp_path):
    edit = put(3, "rule", "corpora", value=["medmentions-st21pv"])  # of P4, which has a test for two
    with pytest.raises(ValueError, match=r"^pel\.yaml: claim P4: expected a test for each corpus of"):
        read_claims(edited(tmp_path / "claims", "pel", edit))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("- id: B1\n  wording: [", r"biocom\.yaml:\d+: expected YAML"),
        ("- id: B1\n  id: B2\n", r"biocom\.yaml:2: .*the key 'id' a second time"),
        ("id: B1\n", r"biocom\.yaml: expected a list of claims, found dict"),
    ],
)
def test_malformed_yaml(tmp_path, text, message):
    shutil.copytree(FOLDER, tmp_path / "claims")
    (tmp_path / "claims" / "biocom.yaml").write_text(text)
    with pytest.raises(ValueError, match=message):
        read_claims(tmp_path / "claims")


# ---------------------------------------------------------------- answers


class NoTraining:
    """Evidence of systems that do not train."""

    def trainings(self, *of):
        return [frozenset()]


EVIDENCE = NoTraining()


@pytest.fixture
def answered(monkeypatch):
    """A function that answers all claims, every effect being what ``given`` says of it, or 20 points; no
    system trains."""

    def all_with(given=None, **values):
        def effect(self, evidence, corpus):
            if given is not None:
                return given(self, evidence, corpus)
            return Effect(corpus, 20.0, 19.0, 21.0, 10, systems="A minus B")

        for test in TESTS.values():
            monkeypatch.setattr(test, "effect", effect)
        return {a.id: a for a in answer_all(CLAIMS, EVIDENCE)}

    return all_with


def test_answers(answered):
    found = answered()
    assert list(found) == IDS
    assert found["K2"].verdict == found["K5"].verdict == found["X3"].verdict == HOLDS
    assert found["C12"].verdict == FAILS  # accuracy does not fall by rising 20 points
    assert (found["X3"].effect, found["X3"].low, found["X3"].high, found["X3"].n) == (20.0, 19.0, 21.0, 10)
    assert found["K2"].corpus == "average of ncbi-disease, bc5cdr-disease"
    assert found["K2"].n == 20
    # Without a number nothing was run; with one, a stand-in is too small to decide.
    assert all((a.verdict == NOT_RUN) == (a.effect is None) for a in found.values() if a.basis == "measured")
    assert len([a for a in found.values() if a.verdict == NOT_RUN]) == 84 - 69 - 8  # measured, and printed
    assert {a.id for a in found.values() if a.verdict == TOO_SMALL} == {"B2", "C11", "X1", "K14", "C5"}
    assert all(a.reason for a in found.values() if a.verdict in (NOT_RUN, TOO_SMALL))


def test_the_verdict_of_a_printed_claim_is_its_arithmetic(answered):
    found = answered()
    for claim in CLAIMS:
        if claim.basis == "printed":
            assert found[claim.id].verdict == {"yes": HOLDS, "no": FAILS}[found[claim.id].printed]
    assert found["K1"].printed == "no" and found["K1"].verdict == HOLDS


def test_what_a_claim_asks_reaches_its_test(answered):
    calls = []

    def effect(test, evidence, corpus):
        calls.append((test, evidence, corpus))
        return Effect(corpus, 1, 0.5, 1.5, 10)

    answered(effect)
    of_k2 = [call for call in calls if call[0] is BY_ID["K2"].test]
    assert [corpus for _, _, corpus in of_k2] == list(BY_ID["K2"].rule.corpora)
    assert {evidence for _, evidence, _ in calls} == {EVIDENCE}
    arms = (*BY_ID["K2"].test.of, *BY_ID["K2"].test.over)
    assert [(arm.runs, arm.system, arm.protocol) for arm in arms] == [
        ("baselines", "exact", "lenient/names/any-of"),
        ("baselines", "exact", "strict/names/any-of"),
    ]


def test_a_missing_record_is_not_run_and_says_how_to_make_it(answered):
    def effect(test, evidence, corpus):
        raise MissingRecord({"name": "exact", "dataset": corpus})

    found = answered(effect)
    chapters = {"K2": "protocols", "B2": "protocols", "C11": "protocols", "C1": "cosines", "C3": "cosines"}
    for id, chapter in chapters.items():
        assert found[id].verdict == NOT_RUN and found[id].effect is None and found[id].systems == ""
        assert found[id].reason == f"no record yet; make it with: study run {chapter}"


def test_a_corpus_not_run_yet_cannot_save_a_claim_about_all(answered):
    def effect(test, evidence, corpus):
        if corpus == "medmentions-st21pv":
            raise MissingRecord({"name": "bi-encoder", "dataset": corpus})
        return Effect(corpus, -10, -11, -9, 100)

    found = answered(effect)
    assert (found["P1"].verdict, found["P1"].effect) == (FAILS, -10)
    assert found["P1"].reason.endswith("; medmentions-st21pv, not run yet, cannot change it")
    assert found["P9"].verdict == TOO_SMALL  # of the average


def test_what_some_corpora_say_is_shown_until_all_have_a_record(answered):
    def effect(test, evidence, corpus):
        if corpus in ("medmentions-st21pv", "ncbi-disease"):
            raise MissingRecord({"name": "bi-encoder", "dataset": corpus})
        return Effect(corpus, {"bc5cdr-chemical": 30}.get(corpus, 20), 19, 31, 100)

    found = answered(effect)
    for id, corpus, value in (("P1", "bc5cdr-released", 20), ("K9", "bc5cdr-disease", 20)):
        assert (found[id].verdict, found[id].corpus, found[id].effect) == (TOO_SMALL, corpus, value)
    assert (found["K1"].corpus, found["K1"].effect) == ("average of bc5cdr-disease, bc5cdr-chemical", 25)
    assert found["K1"].reason == "no record yet on ncbi-disease"
    assert found["P1"].reason == "no record yet on medmentions-st21pv"


def test_a_second_test_is_shown_and_may_oppose(answered):
    second = BY_ID["C1"].beside[0].test

    def effect(test, evidence, corpus, other=-20):
        value = other if test is second else 20
        return Effect(corpus, value, value - 1, value + 1, 100)

    found = answered(effect)["C1"]
    assert found.verdict == MIXED and found.effect == 20 and BY_ID["C1"].beside[0].opposes
    assert (
        found.beside
        == "with all training strings searched on both sides: -20.0 [-21.0, -19.0] points (esappmod)"
    )
    assert found.reason.startswith("opposed with all training strings searched on both sides; ")
    assert answered(lambda *of: effect(*of, other=20))["C1"].verdict == HOLDS
    assert (
        answered(lambda *of: effect(*of, other=0.5))["C1"].verdict == HOLDS
    )  # shows nothing, opposes nothing

    def unmade(test, evidence, corpus):
        if test is second:
            raise MissingRecord({"name": "tfidf", "dataset": corpus})
        return effect(test, evidence, corpus)

    found = answered(unmade)["C1"]
    assert found.verdict == HOLDS and found.beside.endswith(": not run, no record yet")
    # B3's stands beside, whatever it says.
    beside = BY_ID["B3"].beside[0]

    def opposite(test, evidence, corpus):
        value = 9 if test is beside.test else -9
        return Effect(corpus, value, value - 1, value + 1, 100)

    assert answered(opposite)["B3"].verdict == HOLDS and not beside.opposes


def test_a_printed_size_is_told_apart(answered):
    sized = {claim.id for claim in CLAIMS if claim.size}
    assert sized == {"K1", "K14", "K16"}
    page = claims_table.html([answered()["K1"]], CLAIMS, "one")
    assert f"The printed size: not comparable, {BY_ID['K1'].size}." in page


def test_a_mistake_in_a_test_is_not_taken_for_a_missing_record(answered):
    with pytest.raises(KeyError):
        answered(lambda test, evidence, corpus: {}["x"])


def test_what_a_chapter_cannot_decide_names_the_claim(answered):
    def effect(test, evidence, corpus):
        raise ValueError("expected one system 'exact' on moon, found 0")

    with pytest.raises(
        ValueError, match=r"^biocom\.yaml: claim B1: test: expected one system 'exact' on moon"
    ):
        answered(effect)


# ---------------------------------------------------------------- the table


def test_csv(tmp_path, answered):
    path = tmp_path / "new" / "claims.csv"
    answers = list(answered().values())
    shown.write_csv(answers, path)
    text = path.read_bytes().decode("utf-8")
    assert text.splitlines()[0] == (
        "id,paper,verdict,effect,low,high,n,corpus,reason,basis,printed,wording,rule,unit,systems,beside,changed"
    )
    rows = list(csv.DictReader(io.StringIO(text)))
    assert [row["id"] for row in rows] == IDS
    assert {row["verdict"] for row in rows} <= set(VERDICTS)
    assert {row["printed"] for row in rows} == {"yes", "no", "not checkable"}
    k2, k19 = rows[IDS.index("K2")], rows[IDS.index("K19")]
    assert (k2["effect"], k2["n"], k2["unit"], k2["systems"]) == ("20.0", "20", "points", "A minus B")
    assert k2["wording"] == BY_ID["K2"].wording and k2["rule"] == str(BY_ID["K2"].rule)
    assert (k19["effect"], k19["low"], k19["n"], k19["corpus"], k19["systems"]) == ("", "", "", "", "")
    c2 = rows[IDS.index("C2")]  # of printed numbers
    assert (c2["rule"], c2["unit"]) == ("", "") and c2["wording"] == BY_ID["C2"].wording


def test_a_csv_that_cannot_be_written_leaves_the_old_one(tmp_path, monkeypatch):
    path = tmp_path / "claims.csv"
    path.write_text("old")

    def fail(answers):
        raise RuntimeError

    monkeypatch.setattr(shown, "table", fail)
    with pytest.raises(RuntimeError):
        shown.write_csv([], path)
    assert path.read_text() == "old" and list(tmp_path.iterdir()) == [path]


def test_html_is_escaped_and_linked(answered):
    found = answered()
    row = replace(found["K2"], effect=20.04, n=1234, corpus="<b>", reason="a & b", systems="A < B minus C")
    page = claims_table.html([row], CLAIMS, "a < b", anchors=True)
    # Without the paper the claim is the second column and the verdict the fourth.
    assert 'class="claims sortable download filterable keep-2 keep-4"' in page
    assert 'data-select="Paper,Printed,Verdict"' in page and '<tr id="claim-k2">' in page
    assert '<a href="../notebooks/protocols.html#claim-k2">K2</a>' in page
    # Of two corpora with one point to either side, the mean has sqrt(2) / 2 = 0.71.
    number = '20.0 points <span class="interval">[19.3, 20.7]</span>'
    assert f"{number} <p>&lt;b&gt;, n = 1,234</p> <p>A &lt; B minus C</p></td>" in page
    assert "a &amp; b" in page
    assert "<b>" not in page and "<caption>a &lt; b</caption>" in page
    assert ">Paper<" not in page and "KRISSBERT" not in page
    other = found["X1"]
    assert other.verdict == TOO_SMALL
    assert "KRISSBERT" in claims_table.html([row, other], CLAIMS, "two papers", anchors=True)
    page = claims_table.html([other], CLAIMS, "all")
    assert '<tr><td class="id"><a href="../notebooks/protocols.html#claim-x1">X1</a>' in page
    assert "None" not in page


def test_decided_claims_come_first(answered):
    found = answered()
    told = {"B1": NOT_RUN, "B2": TOO_SMALL, "B3": FAILS, "K1": HOLDS, "K2": TOO_SMALL, "K3": MIXED}
    rows = [replace(found[id], verdict=verdict) for id, verdict in told.items()]
    expected = ["K1", "B3", "K3", "B2", "K2", "B1"]
    assert [row.id for row in claims_table.decided_first(rows)] == expected
    page = claims_table.html(rows, CLAIMS, "all")
    assert re.findall(r'<td class="id"><a [^>]*>(..)</a>', page) == expected
    assert page.index('class="verdict not-run">not run<') > page.index('class="verdict too-small-to-decide"')
    text = sections(CLAIMS, rows)
    assert re.findall(r"^### (..)", text, re.MULTILINE) == ["B3", "B2", "B1", "K1", "K3", "K2"]
    assert '<span class="verdict does-not-hold">does not hold</span> ' in text


def test_every_verdict_has_words_on_the_claims_page():
    page = (ROOT / "book" / "claims.md").read_text(encoding="utf-8")
    assert all(f"\n{verdict}\n: " in page for verdict in VERDICTS)


def test_the_section_of_a_page(monkeypatch):
    monkeypatch.setattr(claims_table, "answer_all", lambda claims: [of_claim(claim) for claim in claims])
    of_claim = lambda claim: shown.answer(BY_ID["C2"], "yes", None)  # noqa: E731
    page = claims_table.claims_section(["C2"])
    assert page.count("<tr") == 2 and '<tr id="claim-c2">' in page
    with pytest.raises(ValueError, match="^no claim C99, Z1$"):
        claims_table.claims_section(["C2", "Z1", "C99"])


def test_sections_say_the_systems(answered):
    text = sections(CLAIMS, list(answered().values()))
    of_k2 = text[text.index("### K2") : text.index("### K3")]
    assert "- **Measured**: 20.0 \\[19.3, 20.7\\] points (average of ncbi-disease" in of_k2
    assert "- **Systems**: A minus B" in of_k2
    of_b11 = text[text.index("### B11") :]
    assert "**Systems**" not in of_b11[: of_b11.index("\n## ")]
    assert text.count("\n### ") == 84
    # The printed value is what a phone keeps in view.
    table = "| item | system | dataset | split | metric | value |"
    assert f"\n:::{{table}}\n:class: sortable download keep-6\n\n{table}" in text


def test_aligned_text(answered):
    lines = shown.aligned(list(answered().values())).splitlines()
    assert len(lines) == 85
    at = lines[0].index("printed")
    assert all(line[at:].startswith(("printed", "yes", "no")) for line in lines)
