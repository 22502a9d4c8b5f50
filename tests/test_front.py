"""The front page: what is counted on it, and that it has every part that it includes."""

import re
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pandas as pd
import pytest
from drawn_runs import Record, Runs

from study.book import front, generated
from study.book.reading import documents, link, opening, reading
from study.chapters.chapter import ItemEntry, chapters, read_chapter
from study.claims import read_claims
from study.claims.answers import Answer, write_csv
from study.claims.verdicts import FAILS, HOLDS, MIXED, NOT_COMPARABLE, NOT_RUN, TOO_SMALL
from study.pages.page import Page
from study.tables.glance import summary_table

ROOT = Path(__file__).resolve().parent.parent
CLAIMS = read_claims()
NONE = Answer(
    "", "", NOT_RUN, None, None, None, None, "", "why not", "measured", "not checkable", "", "", "", ""
)


def plan(**sets: list[bool]) -> SimpleNamespace:
    """A plan whose jobs, by run set, have a record or not."""
    return SimpleNamespace(
        jobs=lambda names: [SimpleNamespace(inputs=there) for name in names for there in sets[name]],
        store=SimpleNamespace(has=lambda inputs: inputs),
    )


@pytest.mark.parametrize(
    ("item", "expected"),
    [
        ({"runs": "whole"}, (front.LIVE, "")),
        ({"runs": ["whole", "half"]}, (front.LIVE, "1 of 4 records missing")),
        ({"measured": "half", "reason": "a part is licensed"}, (front.LIVE, "1 of 2 records missing")),
        ({"runs": "whole", "reason": "a part is licensed"}, (front.LIVE, "a part is licensed")),
        ({"runs": "empty"}, (NOT_RUN, "no record")),
        ({"runs": "nothing"}, (NOT_RUN, "no record")),
        ({"reason": "an agreement is needed"}, (NOT_RUN, "an agreement is needed")),
        ({"drawing": "book/_static/a.svg"}, (front.DRAWN, "")),
        ({"as_printed": True}, (front.AS_PRINTED, "")),  # the paper's numbers alone are not live
    ],
)
def test_an_item_is_live_as_far_as_it_has_records(item, expected):
    there = plan(whole=[True, True], half=[True, False], empty=[False, False], nothing=[])
    assert front.state_of(ItemEntry(**item), there) == expected


def test_every_item_of_every_chapter_is_counted_once():
    text = front.items()
    told = [int(n) for n in re.findall(r"(\d+) (?:live|drawn|as printed|not run)", text.splitlines()[0])]
    found = [(name, *item) for name in chapters() for item in read_chapter(name).items.items()]
    assert sum(told) == len(found) > 50
    assert all(
        text.count(f'{name}_results.html#{entry.anchor}">{item}</a>') == 1 for name, item, entry in found
    )


def answered(**fields: tuple) -> tuple[list, list[Answer]]:
    """Four claims, the last of which is a question of the study's own, and answers with these fields."""
    papers = [claim for claim in CLAIMS if not claim.ours][:3]
    claims = [*papers, next(claim for claim in CLAIMS if claim.ours)]
    given = [dict(zip(fields, values, strict=True)) for values in zip(*fields.values(), strict=True)]
    none = [replace(NONE, id=claim.id, paper=claim.paper) for claim in claims]
    return claims, [replace(one, **of) for one, of in zip(none, given, strict=True)]


def test_the_decided_claims_are_told_with_their_effects():
    claims, answers = answered(verdict=(HOLDS, FAILS, NOT_RUN, TOO_SMALL))
    measured = {"effect": 17.04, "low": 16.1, "high": 17.9, "n": 10, "unit": "points", "corpus": "a_b"}
    answers[0] = replace(answers[0], systems="this over that", **measured)
    lines = front.verdicts(claims, answers).splitlines()
    assert len(lines) == 2
    assert lines[0].endswith(r"**holds**: 17.0 \[16.1, 17.9\] points on a\_b (this over that)")
    assert lines[1].endswith("**does not hold**: by arithmetic on the printed numbers")
    assert all(f">{claim.id}</a>" in line for claim, line in zip(claims, lines, strict=False))


def test_verdicts_are_counted_over_measured_claims_and_those_about_print_apart():
    claims, answers = answered(
        verdict=(TOO_SMALL, FAILS, MIXED, HOLDS), printed=("no", "yes", "no", "no"),
        basis=("measured", "measured", "measured", "printed"),
    )  # fmt: skip
    measured, arithmetic, in_print = front.counted(claims, answers)
    told = "1 does not hold, 1 mixed, 1 too small to decide"
    assert measured == f"- [3 measured claims](#the-claims): {told}."
    assert arithmetic == "- 1 claims about printed numbers, by arithmetic: 1 holds."
    assert in_print == "- By their own numbers 2 of the papers' 3 claims fail."
    # Of the two decided ones, one has changed; what is undecided is not counted among them.
    late = [replace(answer, changed=place < 2) for place, answer in enumerate(answers)]
    changed = front.counted(claims, late)[1]
    assert changed.startswith("- 1 of the 2 decided claims have a rule that changed after a number was seen;")


def test_the_file_the_front_page_and_the_chapters_say_the_same(tmp_path):
    words = (HOLDS, FAILS, MIXED, TOO_SMALL)
    measured = {"effect": 1.0, "low": 0.5, "high": 1.5, "n": 9, "corpus": "toy", "unit": "points"}
    answers = []
    for place, claim in enumerate(CLAIMS):
        row = replace(NONE, id=claim.id, paper=claim.paper, basis=claim.basis)
        if claim.basis == "printed":
            row = replace(row, verdict=HOLDS if place % 3 else FAILS)
        elif claim.test:
            row = replace(row, verdict=words[place % 4], **measured)
        answers.append(row)
    write_csv(answers, tmp_path / "claims.csv")
    told = pd.read_csv(tmp_path / "claims.csv", keep_default_na=False).set_index("id")
    lines = front.counted(CLAIMS, answers)
    for basis, line in (("measured", lines[0]), ("printed", lines[1])):
        counts = told[told["basis"] == basis]["verdict"].value_counts().to_dict()
        found = re.findall(r"(\d+) (holds?|do(?:es)? not hold|mixed|too small to decide|not run)", line)
        one = {"hold": "holds", "do not hold": "does not hold"}
        assert {one.get(word, word): int(n) for n, word in found} == counts
    for name in ("biocom", "krissbert"):
        of = [id for item in read_chapter(name).items.values() for id in item.claims]
        items = {"Table": ItemEntry(claims=tuple(of))}
        page = SimpleNamespace(plan=SimpleNamespace(chapter=SimpleNamespace(items=items)))
        for row in summary_table(page, answers).to_dict("records"):
            for id in re.findall(r">(\w+)</a>", row["what"]):
                verdict = told.loc[id, "verdict"]
                assert row["status"].partition(":")[0].removesuffix(", as printed") == verdict


def test_what_became_of_the_printed_numbers_is_counted_once_and_by_training():
    def number(verdict, trained=True):
        return SimpleNamespace(verdict=verdict, trained=trained)

    pages = {
        "biocom": [number(HOLDS), number(TOO_SMALL), number(HOLDS, trained=False)],
        "dual_encoder": [number(FAILS), number(NOT_COMPARABLE), number(NOT_RUN)],
    }
    total, *lines = front.printed(pages)
    assert total == (
        "- 6 printed numbers are compared with ours: 5 of systems that are trained (1 holds, 1 does "
        "not hold, 1 too small to decide, 1 not comparable, 1 not run), 1 of systems without training "
        "(1 holds)."
    )
    assert lines == [
        '- By paper: <a href="../notebooks/biocom.html#biocom-glance">BioCoM</a> 3, '
        '<a href="../notebooks/dual_encoder.html#dual-encoder-glance">Dual encoder</a> 3.'
    ]


def test_the_most_accurate_system_of_each_data_set_is_told():
    def made(label, *credits, data="toy"):
        return Runs(label, data, [Record()], {"strict": [credits]})

    of_toy = [made("low", 0, 1, 0), made("high", 1, 0.5, 1), Runs("unmade")]
    (line,) = front.best([*of_toy, made("alone", 0.25, 0.5, data="other"), made("high", 1, data="third")])
    told = line.replace("\u00a0", " ")
    assert told.endswith(", most accurate: high (toy 83.3 %, third 100.0 %); alone (other 37.5 %).")
    assert front.best([Runs("unmade")]) == []


def test_the_widest_gap_between_two_counts_of_one_linkers_answers_is_told():
    half = Runs("a", "one", [Record()], {"strict": [[1, 0, 0, 0]], "lenient": [[1, 1, 1, 0]]})
    less = Runs("b", "two", [Record()], {"strict": [[1, 0, 0, 0]], "lenient": [[1, 1, 0, 0]]})
    unmade = Runs("c", "three", (), {"strict": [[0, 0, 0, 0]], "lenient": [[1, 1, 1, 1]]})
    (line,) = front.widest([less, half, unmade])
    assert "of one linker on one from 25.0\u00a0% right (strict) to 75.0\u00a0% (lenient)." in line
    assert front.widest([unmade]) == []


def test_every_part_that_a_page_includes_is_made(tmp_path, monkeypatch):
    monkeypatch.setattr(Page, "runs", lambda self, name: [])
    monkeypatch.setattr(Page, "measured", lambda self, name: {})
    monkeypatch.setattr(generated, "answer_all", lambda claims: [
        replace(NONE, id=claim.id, paper=claim.paper) for claim in claims
    ])  # fmt: skip
    made = {"commit": "", "date": "2026-01-02", "hardware": {"machine": "x", "cores": 1}, "versions": {}}
    generated.write(tmp_path / "generated", tmp_path / "claims.csv", [], made)
    used = set()
    for page in (ROOT / "book").glob("*.md"):
        used |= set(re.findall(r"[ <]generated/([\w.]+)", page.read_text(encoding="utf-8")))
    assert used == {path.name for path in (tmp_path / "generated").iterdir()}
    assert (tmp_path / "claims.csv").read_bytes() == (tmp_path / "generated" / "claims.csv").read_bytes()


def contents(folder: Path, text: str) -> Path:
    """A book of one page beside the front page; of none where it has no text."""
    (folder / "book").mkdir()
    toc = "root: book/index\nparts: [{caption: Read, chapters: [{file: book/page}]}]\n"
    (folder / "_toc.yml").write_text(toc, encoding="utf-8")
    if text:
        (folder / "book" / "page.md").write_text(text, encoding="utf-8")
    return folder


def test_the_reading_list_has_every_page_of_the_contents_once_and_no_other():
    first, *pages = documents(ROOT)
    listed = re.findall(r"^- \[(.+)\]\(\.\./(.+)\.(?:md|ipynb)\): \S.+[.!?]$", reading(ROOT), re.M)
    assert first == "book/index" and [page for _, page in listed] == pages
    assert {("CoSiNES", "notebooks/cosines"), ("Bibliography", "book/bibliography")} <= set(listed)
    begin = front.begin(ROOT)
    assert f"begin with {link(ROOT, pages[0])}," in begin and link(ROOT, "notebooks/pel") in begin


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("{term}`One <one>` sentence. And another.", "One sentence."),
        ("It takes 3.5 minutes,\ne.g. here. No more.", "It takes 3.5 minutes, e.g. here."),
        ("CoSiNES {cite}`yuan` links [names](a.md#b) to a {term}`concept <concepts>`: one.",
         "CoSiNES links names to a concept: one."),
        ("(label)=\n\n```{figure} a.svg\n```\n\n## A head\n\n`make` does it! Twice.", "`make` does it!"),
    ],
)  # fmt: skip
def test_a_page_is_listed_by_its_first_sentence_in_plain_text(tmp_path, text, sentence):
    root = contents(tmp_path, f"# A title\n\n{text}\n")
    assert opening(root, "book/page") == ("A title", sentence)
    assert reading(root) == f"**Read**\n\n- [A title](../book/page.md): {sentence}\n"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("# A title\n\n| a | b |\n", "page.md: expected a title and a sentence"),
        ("No title.\n\nA sentence.\n", "page.md: expected a title and a sentence"),
        ("", "there is no page 'book/page'"),
    ],
)
def test_a_page_that_is_not_there_or_says_nothing_is_an_error(tmp_path, text, told):
    with pytest.raises(ValueError, match=told):
        reading(contents(tmp_path, text))


def test_nothing_on_the_front_page_is_a_list_by_hand():
    text = (ROOT / "book" / "index.md").read_text(encoding="utf-8")
    included = re.findall(r"\{include\} generated/(\w+)\.md", text)
    assert included[:2] == ["found", "begin"] and "reading" in included
    assert not re.search(r"\d", re.sub(r"`[^`]*`|95 %", "", text)), "a number that no record made"
