"""The claims as files, their answers, and the table they make."""

import csv
import re
import shutil
from dataclasses import replace
from functools import cache

import pytest
import yaml

from study.book.claims import sections
from study.chapters.chapter import read_chapter
from study.chapters.run import plan_with
from study.claims import FOLDER, answers, read_claims
from study.claims import table as claims_table
from study.claims.answers import answer_all
from study.claims.claim_tests import ClaimTest
from study.claims.effect import Effect
from study.claims.verdicts import FAILS, HOLDS, MIXED, NOT_RUN, TOO_SMALL, VERDICTS
from study.papers import papers
from study.places import ROOT
from study.records import MissingRecord

NUMBERS = {"B": 11, "K": 20, "D": 17, "C": 14, "P": 20, "X": 6}
IDS = [f"{letter}{i}" for letter, n in NUMBERS.items() for i in range(1, n + 1)]
CLAIMS = read_claims()
BY_ID = {claim.id: claim for claim in CLAIMS}
plan_of = cache(plan_with)


def of(letter, *numbers):
    return {f"{letter}{i}" for i in numbers}


def test_all_claims_are_there_in_order():
    assert len(IDS) == 88 and [claim.id for claim in CLAIMS] == IDS
    letters = dict(zip(NUMBERS, papers(), strict=True))
    assert all(claim.paper == letters[claim.id[0]] for claim in CLAIMS)
    for claim in CLAIMS:
        assert claim.wording.endswith((".", ").")) and 20 < len(claim.wording) < 250, claim.id
        assert claim.where and claim.printed.note
        assert claim.rule is None or claim.rule.why


def test_every_paper_is_a_page_and_a_reference_of_the_book():
    contents = (ROOT / "_toc.yml").read_text(encoding="utf-8")
    references = (ROOT / "book" / "references.bib").read_text(encoding="utf-8")
    for key, paper in papers().items():
        assert key == "shared" or f"file: notebooks/{key}\n" in contents and f"{{{paper.cite}," in references
    assert {claim.page.partition("#")[0] for claim in CLAIMS if claim.page.count(claim.paper)} == {
        f"notebooks/{key}" for key in papers() if key != "shared"
    }


def test_what_decides_now():
    printed = {claim.id for claim in CLAIMS if claim.basis == "printed"}
    assert printed == {"K7", "K10", "D17", "C2", "C10", "P8", "P15", "P17", "P20", "X5"}
    not_tested = of("P", 3, 14) | of("D", 12) | of("C", 7, 13) | of("K", 19) | of("B", 11)
    assert {claim.id for claim in CLAIMS if not claim.test} == printed | not_tested
    pages = {claim.id: claim.page.partition("#")[0].removeprefix("notebooks/") for claim in CLAIMS}
    on_protocols, side_by_side = {"K2", "K5", "C12", "X3", "C11", "X1"}, {"X2", "X4", "X5", "X6"}
    elsewhere = {id: page for id, page in pages.items() if page != BY_ID[id].paper}
    assert elsewhere == dict.fromkeys(on_protocols, "protocols") | dict.fromkeys(side_by_side, "side_by_side")


def test_thresholds_of_measured_claims():
    rules = {name: BY_ID[name].rule for name in ("K2", "K5", "C12", "X3", "C4")}
    assert {name: (rule.direction, rule.threshold, rule.combine) for name, rule in rules.items()} == {
        "K2": ("greater", 0.3, "average"),
        "K5": ("greater", 11.5, "all"),
        "C12": ("smaller", 0, "all"),
        "X3": ("greater", 3.8, "all"),
        "C4": ("greater", 1.5, "all"),
    }
    two_sided = {claim.id: claim.rule.range for claim in CLAIMS if claim.rule and claim.rule.range}
    assert two_sided == {"D2": (2.5, 4.5), "K15": (10, 15), "C13": (-2, 2)}


def test_what_claims_compare_is_in_their_chapters_with_names_of_words():
    for claim in CLAIMS:
        tests = [(claim.test, claim.rule.corpora)] if claim.test else []
        tests += [(of.test, of.corpora or claim.rule.corpora) for of in claim.beside]
        parts = [(of, corpus) for test, corpora in tests for corpus in corpora for of in test.of(corpus)]
        for quantity, corpus in parts:
            chapter = read_chapter(quantity.chapter)
            for name, system in quantity.systems():
                entry = chapter.runs[name]
                groups = [entry.data] if isinstance(entry.data, str) else entry.data
                there = {id for group in groups for id in chapter.datasets.get(group, (group,))}
                assert system in entry.systems and corpus in there, claim.id
                for named in plan_of(quantity.chapter).in_set(name, system):
                    assert re.search(r"[A-Za-z]{2}", named.in_words), (claim.id, named.in_words)


# ---------------------------------------------------------------- malformed files


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
        (put(1, "colour", value="red"), "K2: colour: unknown key; expected one of beside, id, late, "),
        (lambda entries: entries[2].pop("id"), "number 3: id: expected a value, found none"),
        (lambda entries: entries[1].pop("test"), "K2: expected a test of a claim with a rule, or a reason"),
        (put(3, "id", value="B3"), r"B3: id: expected .*, found that of a claim in biocom\.yaml"),
        (put(0, "page", value="book/k1"), "K1: page: expected .*, found 'book/k1'"),
        (put(1, "printed", "arguments", "of", value={"item": "table9"}), "K2: printed test greater: cells"),
        (put(1, "test", "over", value=["bert"]), r"K2: test: over\[0\].protocol: expected a value"),
        (put(8, "beside", 0, "test", value=None), "K9: beside.*test: expected "),
        (put(8, "beside", 0, "corpora", value=["bc2gn"]), "K9: expected `beside`: a test of the claim"),
        (put(6, "reason", value="later"), "K7: expected a printed test, and neither"),
        (put(1, "rule", value=None), "K2: expected a printed test, and neither"),
        (put(1, "numbers", value=[{"item": "table2", "system": "Sapbert"}]), "K2: numbers: no reported"),
        (put(1, "numbers", value=[{"item": "table2", "model": "X"}]), "K2: no column 'model'"),
    ],
)
def test_malformed_claims(tmp_path, edit, message):
    shutil.copytree(FOLDER, tmp_path / "claims")
    path = tmp_path / "claims" / "krissbert.yaml"
    entries = yaml.safe_load(path.read_text())
    edit(entries)
    path.write_text(yaml.safe_dump(entries))
    with pytest.raises(ValueError, match=rf"^krissbert\.yaml: claim {message}") as told:
        read_claims(tmp_path / "claims")
    assert "\n" not in str(told.value)


@pytest.mark.parametrize("text", ["id: B1\n", "- B1\n"])
def test_a_file_of_claims_is_a_list_of_mappings(tmp_path, text):
    (tmp_path / "biocom.yaml").write_text(text)
    with pytest.raises(ValueError, match=r"biocom\.yaml: expected a list of claims, each a mapping"):
        read_claims(tmp_path)


# ---------------------------------------------------------------- answers


class NoTraining:
    """Evidence of systems that do not train."""

    def trainings(self, *of):
        return [frozenset()]


@pytest.fixture
def answered(monkeypatch):
    """A function that answers all claims, every effect being what ``given`` says of it, or 20 points; no
    system trains."""

    def around(value, corpus):
        return Effect(corpus, value, value - 1, value + 1, 10, systems="A minus B")

    def all_with(given=lambda test, corpus: 20):
        def effect(test, evidence, corpus):
            if (value := given(test, corpus)) is None:
                raise MissingRecord({"name": "exact", "dataset": corpus})
            return around(value, corpus)

        monkeypatch.setattr(ClaimTest, "effect", effect)
        return {a.id: a for a in answer_all(CLAIMS, NoTraining())}

    return all_with


def test_answers(answered):
    found = answered()
    assert list(found) == IDS
    assert found["K2"].verdict == found["X3"].verdict == HOLDS
    assert found["C12"].verdict == FAILS  # accuracy does not fall by rising 20 points
    assert (found["X3"].effect, found["X3"].low, found["X3"].high, found["X3"].n) == (20.0, 19.0, 21.0, 10)
    assert found["K2"].corpus == "average of ncbi-disease, bc5cdr-disease" and found["K2"].n == 20
    # Without a number nothing was run; with one, a stand-in is too small to decide.
    assert all((a.verdict == NOT_RUN) == (a.effect is None) for a in found.values() if a.basis == "measured")
    stand_ins = {"B2", "B6", "B9", "C5", "C11", "K5", "K14", "X1"}
    assert {a.id for a in found.values() if a.verdict == TOO_SMALL} == stand_ins
    assert all(a.reason for a in found.values() if a.verdict in (NOT_RUN, TOO_SMALL))
    # The verdict of a printed claim is its arithmetic; that of others is not.
    for claim in CLAIMS:
        if claim.basis == "printed":
            assert found[claim.id].verdict == {"yes": HOLDS, "no": FAILS}[found[claim.id].printed]
    assert found["K1"].printed == "no" and found["K1"].verdict == HOLDS


def test_each_corpus_of_a_rule_is_asked_of_its_test(answered):
    calls = []
    answered(lambda test, corpus: calls.append((test, corpus)) or 1)
    for claim in CLAIMS:
        if claim.test:
            corpora = [corpus for test, corpus in calls if test is claim.test]
            assert corpora == list(claim.rule.corpora), claim.id


def test_a_missing_record_is_not_run_and_says_how_to_make_it(answered):
    found = answered(lambda test, corpus: None)
    chapters = {"K2": "protocols", "B2": "biocom", "C11": "protocols", "C1": "cosines", "C3": "cosines"}
    for id, chapter in chapters.items():
        assert found[id].verdict == NOT_RUN and found[id].effect is None and found[id].systems == ""
        assert found[id].reason == f"no record yet; make it with: study run {chapter}"


def test_what_some_corpora_say_is_shown_until_all_have_a_record(answered):
    missing = {"medmentions-st21pv", "ncbi-disease"}

    def given(test, corpus):
        return None if corpus in missing else 30 if corpus == "bc5cdr-chemical" else 20

    found = answered(given)
    for id, corpus, value in (("P1", "bc5cdr-released", 20), ("K9", "bc5cdr-disease", 20)):
        assert (found[id].verdict, found[id].corpus, found[id].effect) == (TOO_SMALL, corpus, value)
    assert (found["K1"].corpus, found["K1"].effect) == ("average of bc5cdr-disease, bc5cdr-chemical", 25)
    assert found["K1"].reason == "no record yet on ncbi-disease"
    found = answered(lambda test, corpus: None if corpus in missing else -10)
    assert {found[id].verdict for id in ("P1", "P9", "P16")} == {TOO_SMALL}  # though they fail there


def test_a_second_test_is_shown_and_may_oppose(answered, monkeypatch):
    [beside] = BY_ID["P6"].beside

    def with_other(value):
        return answered(lambda test, corpus: value if test is beside.test else 20)["P6"]

    found = with_other(-20)
    assert found.verdict == MIXED and found.effect == 20 and beside.opposes
    assert found.beside == f"{beside.what}: -20.0 [-21.0, -19.0] points (bc5cdr-released)"
    assert found.reason.startswith("opposed against random perturbations of equal size. Rule: ")
    # What agrees or shows nothing opposes nothing, and what has no record yet may.
    assert with_other(20).verdict == with_other(0.5).verdict == HOLDS
    unknown = with_other(None)
    assert unknown.verdict == TOO_SMALL and unknown.beside.endswith(": not run, no record yet")
    assert unknown.reason.startswith("no verdict yet against random perturbations of equal size, which")
    # So may one whose trainings allow no verdict yet.
    monkeypatch.setattr("study.claims.answers.with_states", lambda effect, test, *_: replace(
        effect, forbids=(HOLDS, FAILS) if test is beside.test else ()
    ))  # fmt: skip
    assert with_other(-20).verdict == with_other(20).verdict == TOO_SMALL
    # One that rises and lies on the other side may still come to oppose; one that agrees needs no more.
    monkeypatch.setattr("study.claims.answers.with_states", lambda effect, test, *_: replace(
        effect, forbids=(FAILS,) if test is beside.test else ()
    ))  # fmt: skip
    assert with_other(-20).verdict == TOO_SMALL and with_other(20).verdict == HOLDS
    monkeypatch.undo()
    # B3's stands beside, whatever it says.
    [other] = BY_ID["B3"].beside
    found = answered(lambda test, corpus: 9 if test is other.test else -9)["B3"]
    assert found.verdict == HOLDS and not other.opposes


def test_what_a_chapter_cannot_decide_names_the_claim(answered):
    def fails(error):
        def given(test, corpus):
            raise error

        return given

    with pytest.raises(ValueError, match=r"^biocom\.yaml: claim B1: test: expected one system"):
        answered(fails(ValueError("expected one system 'exact' on moon, found 0")))
    with pytest.raises(KeyError):  # a fault is not taken for a missing record
        answered(fails(KeyError("x")))


# ---------------------------------------------------------------- the table


def test_csv(tmp_path, answered):
    path = tmp_path / "new" / "claims.csv"
    answers.write_csv(list(answered().values()), path)
    with path.open(encoding="utf-8", newline="") as file:
        rows = {row["id"]: row for row in csv.DictReader(file)}
    assert ",".join(rows["K2"]) == (
        "id,paper,verdict,effect,low,high,n,corpus,reason,basis,printed,wording,rule,unit,systems,seeds,beside,"
        "changed"
    )
    assert list(rows) == IDS and {row["verdict"] for row in rows.values()} <= set(VERDICTS)
    k2, k19, c2 = (rows[id] for id in ("K2", "K19", "C2"))
    assert (k2["effect"], k2["n"], k2["unit"], k2["systems"]) == ("20.0", "20", "points", "A minus B")
    assert k2["wording"] == BY_ID["K2"].wording and k2["rule"] == str(BY_ID["K2"].rule)
    assert (k19["effect"], k19["low"], k19["n"], k19["corpus"], k19["systems"]) == ("", "", "", "", "")
    assert (c2["rule"], c2["unit"]) == ("", "")  # of printed numbers


def test_html_is_escaped_and_linked(answered):
    found = answered()
    row = replace(found["K2"], effect=20.04, n=1234, corpus="<b>", reason="a & b", systems="A < B minus C")
    page = claims_table.html([row], CLAIMS, "a < b", anchors=True)
    # Without the paper the claim is the second column and the verdict the fourth.
    assert 'class="claims sortable download filterable keep-2 keep-4"' in page
    assert 'data-select="Paper,Consistent,Verdict"' in page and '<tr id="claim-k2">' in page
    assert '<a href="../notebooks/protocols.html#claim-k2">K2</a>' in page
    # Of two corpora with one point to either side, the mean has sqrt(2) / 2 = 0.71.
    number = '20.0 points <span class="interval">[19.3, 20.7]</span>'
    each = ", ".join(f"20.0 [19.0, 21.0] points ({corpus})" for corpus in BY_ID["K2"].rule.corpora)
    said = [
        "&lt;b&gt;, n = 1,234",
        "A &lt; B minus C",
        f"Also: by corpus: {each}; the SapBERT recipe: {each}",
    ]
    assert f"{number} <p>{'</p> <p>'.join(said)}</p></td>" in page
    with_seeds = claims_table.html([replace(row, seeds="+19.5, +20.5")], CLAIMS, "one", anchors=True)
    assert "<p>Single runs: +19.5, +20.5</p> <p>Also: " in with_seeds
    assert "a &amp; b" in page and "<b>" not in page and "<caption>a &lt; b " in page
    assert ">Paper<" not in page and "KRISSBERT" not in page
    assert "KRISSBERT" in claims_table.html([row, found["X1"]], CLAIMS, "two papers", anchors=True)
    page = claims_table.html([found["X1"]], CLAIMS, "all")
    assert '<tr><td class="id"><a href="../notebooks/protocols.html#claim-x1">X1</a>' in page
    assert "None" not in page
    assert {claim.id for claim in CLAIMS if claim.size} == {"K1", "K2", "K14", "K16"}
    page = claims_table.html([found["K1"]], CLAIMS, "one")
    assert f"The printed size: not comparable, {BY_ID['K1'].size}." in page


def test_effects_in_points_are_drawn_on_one_scale_before_what_is_claimed(answered):
    drawn = {
        "K2": ("0.3", "39.7", "-5.0", "1.0", "7.0"),  # greater than 0.3 points
        "C13": ("-2", "4", "-5.0", "1.0", "7.0"),  # within 2 points of 0
        "X4": ("-40", "40", "-40.0", "-12.0", "7.0"),  # smaller than 0 points, from below the scale
    }
    found = answered()
    for id, (left, width, low, value, high) in drawn.items():
        numbers = {"effect": float(value), "low": -47 if id == "X4" else float(low), "high": float(high)}
        page = claims_table.html([replace(found[id], **numbers)], CLAIMS, "one")
        assert f'<rect x="{left}" y="-5" width="{width}"' in page
        assert f'd="M{low} 0H{high}"' in page and f'<circle cx="{value}"' in page
    for id in ("K19", "C2"):  # without a number, and without a rule
        assert "<svg" not in claims_table.html([found[id]], CLAIMS, "one")


def test_decided_claims_come_first(answered):
    found = answered()
    told = {"B1": NOT_RUN, "B2": TOO_SMALL, "B3": FAILS, "K1": HOLDS, "K2": TOO_SMALL, "K3": MIXED}
    rows = [replace(found[id], verdict=verdict) for id, verdict in told.items()]
    page = claims_table.html(rows, CLAIMS, "all")
    assert re.findall(r'<td class="id"><a [^>]*>(..)</a>', page) == ["K1", "B3", "K3", "B2", "K2", "B1"]
    assert page.index('class="verdict not-run">not run<') > page.index('class="verdict too-small-to-decide"')
    text = sections(CLAIMS, rows)
    assert re.findall(r"^### (..)", text, re.MULTILINE) == ["B3", "B2", "B1", "K1", "K3", "K2"]
    assert '<span class="verdict does-not-hold">does not hold</span> ' in text


def test_the_section_of_a_page():
    page = claims_table.claims_section(["C2"])
    assert page.count("<tr") == 2 and '<tr id="claim-c2">' in page
    assert page.startswith("<table ")
    assert claims_table.claims_section(["C1", "C2"]).startswith(
        "<p>1 rules, first written before their runs; 1 "
    )
    late = claims_table.claims_section(["D8", "D16"])
    assert late.startswith("<p>2 rules, first written before their runs, but for D16; ")
    assert late.count("Rule first written when its number was known.") == 1
    with pytest.raises(ValueError, match="^no claim C99, Z1$"):
        claims_table.claims_section(["C2", "Z1", "C99"])


def test_sections_say_the_systems(answered):
    text = sections(CLAIMS, list(answered().values()))
    of_k2 = text[text.index("### K2") : text.index("### K3")]
    assert "- **Measured**: 20.0 \\[19.3, 20.7\\] points (average of ncbi-disease" in of_k2
    assert "- **Systems**: A minus B" in of_k2
    of_b11 = text[text.index("### B11") :]
    assert "**Systems**" not in of_b11[: of_b11.index("\n## ")]
    assert text.count("\n### ") == len(IDS)
    # The printed value is what a phone keeps in view.
    table = "| item | system | dataset | split | metric | value |"
    assert f"\n:::{{table}}\n:class: sortable download keep-6\n\n{table}" in text
    page = (ROOT / "book" / "claims.md").read_text(encoding="utf-8")
    assert all(f"\n{verdict}\n: " in page for verdict in VERDICTS)


def test_aligned_text(answered):
    lines = answers.aligned(list(answered().values())).splitlines()
    assert len(lines) == len(IDS) + 1
    at = lines[0].index("printed")
    assert all(line[at:].startswith(("printed", "yes", "no")) for line in lines)
