"""What the README says of the results is what the records say."""

import re
from pathlib import Path

import pytest

from study.book import readme
from study.claims import read_claims
from study.claims.answers import answer_all

ROOT = Path(__file__).resolve().parent.parent
AGAIN = "the records say otherwise; run: python -m study.book.readme"


@pytest.fixture(scope="module")
def answers():
    return answer_all(read_claims())


def test_the_findings_are_those_of_the_records(answers):
    assert readme.findings(read_claims(), answers) in (ROOT / readme.README).read_text("utf-8"), AGAIN


def test_the_picture_draws_the_decided_claims_and_is_small(answers):
    svg = (ROOT / readme.PICTURE).read_text("utf-8")
    told = re.search("<desc>(.*?)</desc>", svg, re.DOTALL)[1]
    assert told == re.search("<desc>(.*?)</desc>", readme.picture(read_claims(), answers), re.DOTALL)[1], (
        AGAIN
    )
    assert len(svg) < 100_000 and "currentColor" not in svg
    decided = [one for one in answers if one.decided and one.unit == "points"]
    assert told.count("\n") == 1 + len(decided) and all(f",{one.id}," in told for one in decided)


def test_the_readme_names_files_that_there_are():
    text = (ROOT / readme.README).read_text("utf-8")
    for path in re.findall(r"\]\((?!https?:)([^)#]+)", text):
        assert (ROOT / path).exists(), path
