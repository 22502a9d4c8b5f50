"""Changed rules: found in a history made by hand, and the published file with both answers."""

import subprocess
from dataclasses import replace

import pandas as pd
import pytest
import yaml

from study.book import claims as book_claims
from study.claims import read_claims
from study.claims.answers import answer_all
from study.claims.history import changed_of, changes, read_changes
from study.claims.verdicts import HOLDS, NOT_RUN

RULE = {
    "quantity": "a minus b", "direction": "greater", "threshold": 0, "unit": "points",
    "corpora": ["ncbi-disease"], "combine": "all", "why": "a reason",
}  # fmt: skip
CLAIM = {"id": "A1", "rule": RULE, "test": {"name": "gap", "over": ["x"]}}
OPPOSING = {"what": "untrained", "test": {"name": "gap", "over": ["z"]}, "opposes": True}
BY_ID = {claim.id: claim for claim in read_claims()}


@pytest.mark.parametrize(
    ("after", "expected"),
    [
        ({}, []),
        ({"rule": RULE | {"threshold": 1}}, ["rule"]),
        ({"rule": RULE | {"direction": "between", "upper": 3}}, ["rule"]),
        ({"rule": RULE | {"corpora": ["ncbi-disease", "bc2gn"]}}, ["corpora"]),
        ({"test": {"name": "gap", "over": ["y"]}}, ["test"]),
        ({"rule": RULE | {"combine": "average"}, "test": {"name": "gap"}}, ["rule", "test"]),
        ({"rule": RULE | {"why": "another", "quantity": "a less b"}}, []),  # words
        ({"reason": "a stand-in"}, ["reason"]),
        ({"beside": [OPPOSING]}, ["opposing test"]),
        ({"beside": [OPPOSING | {"opposes": False}]}, []),  # shown alone
        ({"test": None, "reason": "later"}, []),  # nothing decides it
    ],
)
def test_what_counts_as_a_change(after, expected):
    assert changed_of(CLAIM, CLAIM | after) == expected


@pytest.fixture
def repository(tmp_path):
    """A repository, and a function that commits an edition of its claims."""

    def git(*arguments):
        done = subprocess.run(["git", *arguments], cwd=tmp_path, check=True, capture_output=True, text=True)
        return done.stdout.strip()

    git("init", "-q")
    git("config", "user.name", "a")
    git("config", "user.email", "a@b")
    (tmp_path / "data" / "claims").mkdir(parents=True)
    commits = []

    def commit(*claims):
        text = yaml.safe_dump([*claims])
        (tmp_path / "data" / "claims" / "a.yaml").write_text(text, encoding="utf-8")
        git("add", "-A")
        git("commit", "-q", "-m", "edition")
        commits.append(git("rev-parse", "HEAD"))
        return commits[-1]

    return tmp_path, commit


def test_a_change_counts_where_a_number_was_there_and_became_another(repository):
    root, commit = repository
    folder = root / "answers"
    folder.mkdir()

    def edition(*claims, **effects):
        done = commit(*claims)
        rows = [
            {"id": id, "effect": e, "low": e, "high": e, "verdict": "holds", "unit": "points"}
            for id, e in effects.items()
        ]
        pd.DataFrame(rows).to_csv(folder / f"{done}.csv", index=False)
        return done

    other = CLAIM | {"id": "A2"}
    first = edition(CLAIM, other, A1=2.0, A2=None)
    renamed = CLAIM | {"test": {"name": "gap", "over": ["y"]}}
    unseen = other | {"rule": RULE | {"threshold": 1}}
    edition(renamed, unseen, A1=2.0, A2=None)  # A1 spelt anew, A2 changed without a number
    third = edition(renamed | {"rule": RULE | {"threshold": 2}}, unseen, A1=3.0, A2=None)
    [found] = changes(f"{first}..HEAD", folder, root)
    assert (found["id"], found["commit"], found["changed"]) == ("A1", third[:12], ["rule"])
    assert found["then"] == "holds, 2.0 [2.0, 2.0] points" and found["rule"]["threshold"] == 0
    assert [*changes(f"{third}..HEAD", folder, root)] == []


# ---------------------------------------------------------------- the published file


def test_the_file_is_about_claims_that_are_there_and_differ_from_it():
    firsts = {change.id: change for change in reversed(read_changes())}
    assert {"B5", "B6", "K2", "D2", "K15"} <= set(firsts) <= set(BY_ID)
    for id, first in firsts.items():
        assert first.rule != BY_ID[id].rule or first.changed != ("rule",)
    kinds = {"rule", "corpora", "test", "opposing test", "reason"}
    assert all(set(of.changed) <= kinds and of.then for of in read_changes())


def test_the_first_rule_is_asked_of_the_records_of_today():
    # K2 asked for MedMentions as well at first, where lenient counting gains most.
    change = next(change for change in read_changes() if change.id == "K2")
    first = book_claims.first_rule(BY_ID["K2"], change)
    [now] = answer_all([BY_ID["K2"]])
    assert "medmentions-st21pv" in first.corpus and "medmentions-st21pv" not in now.corpus
    assert first.effect > now.effect and first.verdict == HOLDS
    unknown = {"name": "gap", "runs": "none", "of": ["a"], "over": ["b"], "protocol": "strict/names/any-of"}
    gone = change.model_copy(update={"test": unknown})
    assert book_claims.first_rule(BY_ID["K2"], gone) is None


def test_both_answers_stand_on_the_page_and_the_decided_ones_are_counted(monkeypatch):
    claims = [BY_ID["K2"], BY_ID["B6"], BY_ID["K16"]]
    answers = answer_all(claims)
    unasked = replace(answers[0], verdict=NOT_RUN)
    monkeypatch.setattr(book_claims, "first_rule", lambda *of: unasked)
    text = book_claims.changed_rules(claims, answers)
    decided = sum(answer.decided for answer in answers)
    assert text.startswith(f"2 claims, among them {decided - 1} of the {decided} decided by measurement")
    assert text.count("\n- ") == 2 and text.count("First rule: **not run**") == 2
    assert f"Present rule: **{answers[0].verdict}**" in text
