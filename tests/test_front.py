"""The front page and the README: what is counted on them, that their parts are there, as the records say."""

import re
from base64 import b64decode
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest
from ranked import record, runs

from study.book import front, generated, readme
from study.book.reading import documents, link, sections, title
from study.chapters.results import SystemResult
from study.chapters.training_states import NOT_KNOWN
from study.claims import read_claims
from study.claims.answers import Answer, answer_all, lacked
from study.claims.verdicts import FAILS, HOLDS, MIXED, NOT_COMPARABLE, NOT_RUN, TOO_SMALL
from study.pages.page import Page
from study.places import ROOT

CLAIMS = read_claims()
NONE = Answer(
    "", "", NOT_RUN, None, None, None, None, "", "why not", "measured", "not checkable", "", "", "", ""
)


def answered(**fields: tuple) -> tuple[list, list[Answer]]:
    """Four claims, the last of which is a question of the study's own, and answers with these fields."""
    papers = [claim for claim in CLAIMS if not claim.ours][:3]
    claims = [*papers, next(claim for claim in CLAIMS if claim.ours)]
    given = [dict(zip(fields, values, strict=True)) for values in zip(*fields.values(), strict=True)]
    none = [replace(NONE, id=claim.id, paper=claim.paper) for claim in claims]
    return claims, [replace(one, **of) for one, of in zip(none, given, strict=True)]


def test_claims_that_fail_in_print_and_verdicts_are_counted(monkeypatch):
    claims, answers = answered(
        verdict=(TOO_SMALL, FAILS, MIXED, HOLDS), printed=("no", "yes", "no", "no"),
        basis=("measured", "printed", "measured", "measured"), reason=(f"{NOT_KNOWN} (no)", "", "", ""),
        changed=(True, False, True, False),
    )  # fmt: skip
    rule = next(
        of.rule for of in CLAIMS if of.rule and (of.rule.direction, of.rule.threshold) == ("smaller", 0)
    )
    claims = [claim.model_copy(update={"rule": rule}) for claim in claims]
    numbers = [
        SimpleNamespace(verdict=verdict, before="", system=label)
        for verdict, label in ((HOLDS, "A"), (HOLDS, "A"), (NOT_COMPARABLE, "B"))
    ]
    monkeypatch.setattr(front, "all_printed", lambda: numbers)
    told = front.found(claims, answers, []).splitlines()[-1]
    assert told.startswith(
        "1. **As we read them, 2 of the papers' 3 claims disagree with at least one number"
    )
    assert "Of their 2 claims about measurements, 1 is mixed, 1 is too small to decide. " in told
    assert "own 1 questions (1 holds) they lack runs (1). " in told
    assert "Of 3 printed numbers, 2 hold, 1 is not comparable; those that hold are of A. " in told
    assert "2 rules changed after a number was seen, among them those of 1 of the 3 decided claims. " in told
    for low, high, lie in ((-2.0, -0.1, (1, 0)), (0.1, 2.0, (0, 1)), (-1.0, 1.0, (0, 0))):
        shown = [replace(answers[0], effect=(low + high) / 2, low=low, high=high, n=9), *answers[1:]]
        found = front.verdicts(claims, shown)
        assert (found["toward"], found["against"]) == lie


def test_what_undecided_claims_lack_is_counted_by_their_reasons():
    reasons = [
        "a training is no better than zero updates. Rule: of those still rising", "a stand-in: another text",
        "a training is still rising, the effect unstable; no record yet", "no known gain over zero updates",
        "a test set about 2.0 times as large would decide it", "timed on a CPU", "a training is still rising",
    ]  # fmt: skip
    open_ = [replace(NONE, verdict=TOO_SMALL, reason=reason) for reason in reasons]
    assert lacked([NONE, *open_]) == (
        "a training better than none (2), what the paper used (1), runs (1), mentions (1), "
        "something else (1), a training at a plateau (1)"
    )


def test_decided_claims_are_drawn_and_the_others_folded_each_with_its_wording():
    claims, answers = answered(verdict=(HOLDS, TOO_SMALL, FAILS, NOT_RUN), unit=("points", "points", "x", ""))
    measured = {"effect": 17.04, "low": 16.1, "high": 17.9, "n": 10, "corpus": "a_b"}
    answers = [replace(answer, wording=f"Wording {i}.", **measured) for i, answer in enumerate(answers[:3])]
    rule = next(claim.rule for claim in CLAIMS if claim.rule and claim.rule.unit == "points")
    ruled = [claim.model_copy(update={"rule": rule}) for claim in claims]
    shown, folded = front.forest(ruled, answers), front.others(ruled, answers)
    assert folded.startswith("::::{dropdown} The claims that are too small to decide")
    drawn = [b64decode(re.search(r"svg\+xml;base64,([^\n]*)", part)[1]).decode() for part in (shown, folded)]
    assert ["Wording 0." in svg for svg in drawn] == [True, False]
    assert ["Wording 1." in svg for svg in drawn] == [False, True]
    assert r"Wording 2. **does not hold**, 17.0 [16.1, 17.9] x on a\_b." in folded


def result(label: str, data: str, right: int, tied: int = 0) -> SystemResult:
    """A result on twelve mentions of a document each, so many of which are right, and so many tied."""
    ranks = [1] * right + ["half"] * tied + [0] * (12 - right - tied)
    linker = "published,system=x" if "published" in label else "names"
    return runs(linker, record(ranks), data=data, label=label)


def test_the_name_linker_is_set_against_the_best_published_system_of_each_corpus():
    counts = {
        "ncbi-disease": {"own": 12, "B, published": 2, "A, published": 3},
        "bc5cdr-disease": {"own": 3, "B, published": 12},
        "bc5cdr-chemical": {"own": 12, "A, published": 11},  # p = 1
    }
    found = [result(label, data, n) for data, of in counts.items() for label, n in of.items()]
    told = front.names(found)
    assert [told[name] for name in ("beaten", "behind", "level", "corpora")] == [1, 1, 1, 3] and front.names(
        found[:1]
    ) == {}
    say = "On {} it is right on {} % of 12 mentions, and {}, the best of these, on {} %: 75.0 points {}."
    ahead, behind = (
        re.sub(r" \[[\d., ]+\]", "", told[f"furthest_{end}"].replace("\u00a0", " "))
        for end in ("ahead", "behind")
    )
    assert ahead == say.format("NCBI Disease", 100.0, "A", 25.0, "ahead")
    assert behind == say.format("BC5CDR diseases", 25.0, "B", 100.0, "behind")


def test_the_widest_gap_between_counts_of_published_answers_is_told():
    found = [
        result("own", "bc2gn", 0, tied=12),
        result("A, published", "bc2gn", 3, tied=6),
        result("B, published", "bc2gn", 5, tied=2),
    ]
    told = {"moved": "50", "system": "A", "corpus": "BC2GN (GNormPlus)"}
    told |= {"n_moved": 2, "n_scores": 2, "pessimistic": "25.0", "strict": "50.0", "lenient": "75.0"}
    assert front.widest(found) == told and front.widest(found[:1]) == {}


def test_the_printed_accuracies_of_one_system_on_one_corpus_are_those_of_the_papers():
    told = front.printed_apart()
    assert re.findall(r"[\d.]+(?=\u00a0%)", told["printed"]) == ["56.5", "63.0", "92.0"]  # read in print
    assert told["n_printed"] == 3


def test_the_scale_is_that_of_the_trainings():
    def record(*steps: int, cores: int = 1, layers: int | None = 2) -> SimpleNamespace:
        trace = [{"step": step} for step in steps]
        made, inputs = {"hardware": {"cores": cores}}, {"config": {"layers": layers}}
        return SimpleNamespace(trace=trace, made=made, inputs=inputs)

    said = front.scale([record(1, 9), record(40, layers=None), record(2, 1500, cores=2, layers=6), record()])
    assert "2 processor cores with an encoder of 6 layers" in said
    assert "training has 40 updates, the longest 1,500" in said


def test_every_part_that_a_page_includes_is_made(tmp_path, monkeypatch):
    monkeypatch.setattr(Page, "runs", lambda self, name: [])
    monkeypatch.setattr(Page, "measured", lambda self, name: {})
    monkeypatch.setattr(generated, "answer_all", lambda claims: [
        replace(NONE, id=claim.id, paper=claim.paper) for claim in claims
    ])  # fmt: skip
    made = {"commit": "", "date": "2026-01-02", "hardware": {"machine": "x", "cores": 1}, "versions": {}}
    generated.write(tmp_path / "generated", [], made)
    used = set()
    for page in (ROOT / "book").glob("*.md"):
        used |= set(re.findall(r"[ <]generated/([\w.]+)", page.read_text(encoding="utf-8")))
    assert used == {path.name for path in (tmp_path / "generated").iterdir()}


def contents(folder: Path, text: str) -> Path:
    """A book of one page beside the front page; of none where it has no text."""
    (folder / "book").mkdir()
    toc = "root: book/index\nparts: [{caption: Read, chapters: [{file: book/page}]}]\n"
    (folder / "_toc.yml").write_text(toc, encoding="utf-8")
    if text:
        (folder / "book" / "page.md").write_text(text, encoding="utf-8")
    return folder


def test_the_front_page_begins_with_the_first_page_of_the_contents():
    begin, first = front.begin(ROOT), documents(ROOT)[1]
    assert f"begin with {link(ROOT, first)}," in begin and f"{link(ROOT, 'notebooks/pel')} {{cite}}`" in begin


def test_the_title_and_the_sections_of_a_page_are_in_plain_text(tmp_path):
    text = "# A title\n\n## A {term}`b <c>`, *d*\n\n```text\n## no head\n```\n\n### deep\n## [Last](x.md)\n"
    root = contents(tmp_path, text)
    assert title(root, "book/page") == "A title"
    assert sections(root, "book/page") == ["A b, *d*", "Last"]


@pytest.mark.parametrize(
    ("text", "told"),
    [("No title.\n\nText.\n", "page.md: expected a title and text"), ("", "there is no page 'book/page'")],
)
def test_a_page_that_is_not_there_or_has_no_title_is_an_error(tmp_path, text, told):
    with pytest.raises(ValueError, match=told):
        title(contents(tmp_path, text), "book/page")


def test_nothing_on_the_front_page_is_a_list_by_hand():
    text = (ROOT / "book" / "index.md").read_text(encoding="utf-8")
    included = re.findall(r"\{include\} generated/(\w+)\.md", text)
    assert included == ["scale", "found", "counts", "forest", "others", "begin"]
    assert not re.search(r"\d", re.sub(r"`[^`]*`|95 %", "", text)), "a number that no record made"


# ---------------------------------------------------------------- the README


def test_the_findings_and_the_picture_of_the_readme_are_those_of_the_records():
    answers, again = answer_all(CLAIMS), "the records say otherwise; run: python -m study.book.readme"
    made = readme.made(CLAIMS, answers)
    text, svg = ((ROOT / path).read_text("utf-8") for path in (readme.README, readme.PICTURE))
    assert made[readme.README] == text, again
    data, told = (re.search("<desc>(.*?)</desc>", of, re.DOTALL)[1] for of in (svg, made[readme.PICTURE]))
    assert data == told, again
    decided = [one for one in answers if one.decided and one.unit == "points"]
    assert data.count("\n") == 1 + len(decided) and all(f",{one.id}," in data for one in decided)
    assert len(svg) < 100_000 and "currentColor" not in svg


def test_the_readme_links_files_that_exist():
    for path in re.findall(r"\]\((?!https?:)([^)#]+)", (ROOT / readme.README).read_text("utf-8")):
        assert (ROOT / path).exists(), path
