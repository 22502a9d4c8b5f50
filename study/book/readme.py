"""Write the findings and the forest plot of the README from the records: ``python -m study.book.readme``."""

import re
from collections.abc import Sequence
from pathlib import Path

from .. import figures
from ..claims import Claim, read_claims
from ..claims.answers import Answer, answer_all
from ..figures.style import GREY
from ..places import ROOT
from . import front

README, PICTURE = Path("README.md"), Path("book", "_static", "forest.svg")
_BLOCK = re.compile(r"(?<=<!-- findings -->\n).*?(?=<!-- end of findings -->)", re.DOTALL)
_LINK = re.compile(r'<a href="\.\./(\w+/\w+)\.html[^"]*">([^<]*)</a>')


def findings(claims: Sequence[Claim], answers: Sequence[Answer]) -> str:
    """The findings of the front page, with links to the sources of the pages."""

    def source(found: re.Match) -> str:
        return f"[{found[2]}]({found[1]}.{'md' if found[1].startswith('book/') else 'ipynb'})"

    return _LINK.sub(source, front.found(claims, answers, front.compared()))


def picture(claims: Sequence[Claim], answers: Sequence[Answer]) -> str:
    """The forest plot of the decided claims as an SVG file, with its data as the description; its text is
    grey, for there is no page around it whose colour it could take."""
    drawn = figures.forest([one for one in answers if one.decided], claims)
    head, close, inside = drawn.svg.replace("currentColor", GREY).partition(">")
    return f"{head}{close}<desc>{drawn.csv}</desc>{inside}\n"


def main() -> None:
    claims = read_claims()
    answers = answer_all(claims)
    text = (ROOT / README).read_text(encoding="utf-8")
    (ROOT / README).write_text(_BLOCK.sub(lambda _: findings(claims, answers), text), encoding="utf-8")
    (ROOT / PICTURE).write_text(picture(claims, answers), encoding="utf-8")


if __name__ == "__main__":
    main()
