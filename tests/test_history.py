"""Changed rules: found in a history made by hand, and the published file with both answers."""

import subprocess
from dataclasses import replace

import pandas as pd
import pytest
import yaml

from study.book import changed
from study.book.changed import first_rule, section
from study.claims import changed_rules, history, read_claims
from study.claims.answers import answer_all
from study.claims.changed_rules import read_changes
from study.claims.history import changed_of, changes
from study.claims.verdicts import HOLDS, NOT_RUN

RULE = {
    "quantity": "a minus b", "direction": "greater", "threshold": 0, "unit": "points",
    "corpora": ["ncbi-disease"], "combine": "all", "why": "a reason",
}  # fmt: skip
CLAIM = {"id": "A1", "rule": RULE, "test": {"name": "gap", "over": ["x"]}}
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
        ({"test": None, "reason": "later"}, []),  # nothing decides it
    ],
)
def test_what_counts_as_a_change(after, expected):
    assert changed_of(CLAIM, CLAIM | after) == expected


@pytest.fixture
def repository(tmp_path):
    """A history of five editions of two claims, and the answers that each commit gave."""

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

    def answered(of, **effects):
        rows = [
            {"id": id, "effect": e, "low": e, "high": e, "verdict": "supported", "unit": "points"}
            for id, e in effects.items()
        ]
        columns = ["id", "effect", "low", "high", "verdict", "unit"]
        pd.DataFrame(rows, columns=columns).to_csv(folder / f"{of}.csv", index=False)

    other = CLAIM | {"id": "A2"}
    first = commit(CLAIM, other)
    renamed = CLAIM | {"test": {"name": "gap", "over": ["y"]}}
    second = commit(renamed, other | {"rule": RULE | {"threshold": 1}})  # A1 spelt anew, A2 changed unseen
    third = commit(renamed | {"rule": RULE | {"threshold": 2}}, other | {"rule": RULE | {"threshold": 1}})
    told = RULE | {"threshold": 1, "why": "Before, the rule asked for more", "combine": "average"}
    fourth = commit(renamed | {"rule": RULE | {"threshold": 2}}, other | {"rule": told})
    answered(first, A1=2.0, A2=None)
    answered(second, A1=2.0, A2=None)
    answered(third, A1=3.0, A2=None)
    answered(fourth, A1=3.0, A2=None)
    found = [*changes(folder, root)]
    assert [(one["id"], one["commit"], one["changed"]) for one in found] == [
        ("A1", third[:12], ["rule"]),
        ("A2", fourth[:12], ["rule"]),  # by its own word
    ]
    assert found[0]["then"] == "holds, 2.0 [2.0, 2.0] points" and found[0]["rule"]["threshold"] == 0
    assert found[1]["then"] == history._LOST


# ---------------------------------------------------------------- the published file


def test_the_file_is_about_claims_that_are_there_and_differ_from_it():
    assert {"B5", "B6", "K2", "D2", "K15"} <= changed_rules.ids() <= set(BY_ID)
    for change in read_changes():
        assert set(change.changed) <= {"rule", "corpora", "test"} and change.then
    firsts = {change.id: change for change in reversed(read_changes())}
    same = [id for id, first in firsts.items() if first.rule == BY_ID[id].rule and first.changed == ("rule",)]
    assert not same


def test_the_first_rule_is_asked_of_the_records_of_today():
    # K2 asked for MedMentions as well at first, where lenient counting gains most.
    [first] = [answer for answer in [first_rule(BY_ID["K2"])] if answer]
    [now] = answer_all([BY_ID["K2"]])
    assert "medmentions-st21pv" in first.corpus and "medmentions-st21pv" not in now.corpus
    assert first.effect > now.effect and first.verdict == HOLDS
    assert first_rule(BY_ID["K5"].model_copy(update={"id": "none"})) is None


def test_both_answers_stand_on_the_page_and_the_decided_ones_are_counted(monkeypatch):
    claims = [BY_ID["K2"], BY_ID["B5"], BY_ID["K9"]]
    answers = answer_all(claims)
    unasked = replace(answers[0], verdict=NOT_RUN)
    monkeypatch.setattr(changed, "first_rule", lambda claim, evidence: unasked)
    text = section(claims, answers)
    decided = sum(answer.decided for answer in answers)
    assert text.startswith(f"Of the {decided} measured claims that are decided, 2 have")
    assert text.count("\n- ") == 2 and text.count("First rule: **not run**") == 2
    assert f"Present rule: **{answers[0].verdict}**" in text
