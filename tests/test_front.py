"""The front page: what is counted on it, and that it has every part that it includes."""

import re
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from study.answers import Answer
from study.book import front, generated
from study.book.front import DRAWN, LIVE, items, state_of, verdicts
from study.chapter import ItemEntry, chapters, read_chapter
from study.claims import PAPERS, read_claims
from study.page import Page
from study.verdicts import CONTRADICTED, NOT_RUN, SUPPORTED

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
        ({"runs": "whole"}, (LIVE, "")),
        ({"runs": ["whole", "half"]}, (LIVE, "1 of 4 records missing")),
        ({"measured": "half", "reason": "a part is licensed"}, (LIVE, "1 of 2 records missing")),
        ({"runs": "whole", "reason": "a part is licensed"}, (LIVE, "a part is licensed")),
        ({"runs": "empty"}, (NOT_RUN, "no record")),
        ({"runs": "nothing"}, (NOT_RUN, "no record")),
        ({"reason": "an agreement is needed"}, (NOT_RUN, "an agreement is needed")),
        ({"drawing": "book/_static/a.svg"}, (DRAWN, "")),
    ],
)
def test_an_item_is_live_as_far_as_it_has_records(item, expected):
    there = plan(whole=[True, True], half=[True, False], empty=[False, False], nothing=[])
    assert state_of(ItemEntry(**item), there) == expected


def test_every_item_of_every_chapter_is_counted_once():
    text = items()
    of_papers = [read_chapter(name) for name in chapters() if read_chapter(name).items]
    assert of_papers and {chapter.name for chapter in of_papers} <= set(PAPERS)
    told = [int(n) for n in re.findall(r"(\d+) (?:live|drawn|not run)", text.splitlines()[0])]
    assert sum(told) == sum(len(chapter.items) for chapter in of_papers)
    for chapter in of_papers:
        for name, item in chapter.items.items():
            assert text.count(f'{chapter.name}.html#{item.anchor}">{name}</a>') == 1
    for paper in ("biocom", "krissbert", "dual_encoder", "cosines", "pel"):
        named = front.NAMES[paper] in text.partition("Without a chapter:")[2]
        assert named == (paper not in chapters())


def test_the_verdicts_are_counted_and_the_decided_ones_told():
    claims = CLAIMS[:4]
    one, other, third, fourth = (
        replace(NONE, id=claim.id, paper=claim.paper, printed=printed)
        for claim, printed in zip(claims, ("yes", "no", "no", "not checkable"), strict=True)
    )
    measured = {"effect": 17.04, "low": 16.1, "high": 17.9, "n": 10, "unit": "points", "corpus": "a_b"}
    answers = [
        replace(one, verdict=SUPPORTED, systems="this over that", **measured),
        replace(other, verdict=CONTRADICTED, basis="printed"),
        third,
        fourth,
    ]
    head, _, *lines = verdicts(claims, answers).splitlines()
    assert head.startswith("**Of 4 claims: 2 not run, 1 supported, 1 contradicted.**")
    assert "The wording of 2 is not borne out" in head
    assert len(lines) == 2
    assert lines[0].endswith(r"**supported**: 17.0 \[16.1, 17.9\] points on a\_b (this over that)")
    assert lines[1].endswith("**contradicted**: by arithmetic on the printed numbers")
    assert all(f">{claim.id}</a>" in line for claim, line in zip(claims, lines, strict=False))


def test_every_part_that_a_page_includes_is_made(tmp_path, monkeypatch):
    monkeypatch.setattr(Page, "runs", lambda self, name: [])
    monkeypatch.setattr(generated, "answer_all", lambda claims: [
        replace(NONE, id=claim.id, paper=claim.paper) for claim in claims
    ])  # fmt: skip
    made = {"commit": "", "date": "2026-01-02", "hardware": {"machine": "x", "cores": 1}, "versions": {}}
    generated.write(tmp_path / "generated", tmp_path / "claims.csv", [], [], made)
    used = set()
    for page in (ROOT / "book").glob("*.md"):
        used |= set(re.findall(r"[ <]generated/([\w.]+)", page.read_text(encoding="utf-8")))
    assert used == {path.name for path in (tmp_path / "generated").iterdir()}
    assert (tmp_path / "claims.csv").read_bytes() == (tmp_path / "generated" / "claims.csv").read_bytes()
