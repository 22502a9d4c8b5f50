"""What the README says of the results is what the records say."""

import re

import pytest

from study.book import readme
from study.claims import read_claims
from study.claims.answers import answer_all
from study.places import ROOT

AGAIN = "the records say otherwise; run: python -m study.book.readme"


@pytest.fixture(scope="module")
def answers():
    return answer_all(read_claims())


def test_the_findings_and_the_picture_are_those_of_the_records(answers):
    made = readme.made(read_claims(), answers)
    text, svg = ((ROOT / path).read_text("utf-8") for path in (readme.README, readme.PICTURE))
    assert made[readme.README] == text, AGAIN
    data, told = (re.search("<desc>(.*?)</desc>", of, re.DOTALL)[1] for of in (svg, made[readme.PICTURE]))
    assert data == told, AGAIN
    decided = [one for one in answers if one.decided and one.unit == "points"]
    assert data.count("\n") == 1 + len(decided) and all(f",{one.id}," in data for one in decided)
    assert len(svg) < 100_000 and "currentColor" not in svg


def test_the_readme_links_files_that_exist():
    for path in re.findall(r"\]\((?!https?:)([^)#]+)", (ROOT / readme.README).read_text("utf-8")):
        assert (ROOT / path).exists(), path
