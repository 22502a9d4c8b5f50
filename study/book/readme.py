"""Write the findings and the forest plot of the README from the records: ``python -m study.book.readme``."""

import re
from collections.abc import Sequence
from html import escape
from pathlib import Path

from benchlib.terminal import write

from .. import figures
from ..claims import Claim, read_claims
from ..claims.answers import Answer, answer_all
from ..figures.style import GREY
from ..places import ROOT
from . import front

README, PICTURE = Path("README.md"), Path("book", "_static", "forest.svg")
_BLOCK = re.compile(r"(?<=<!-- findings -->\n).*?(?=<!-- end of findings -->)", re.DOTALL)
_LINK = re.compile(r'<a href="\.\./(\w+/\w+)\.html[^"]*">([^<]*)</a>')


def made(claims: Sequence[Claim], answers: Sequence[Answer]) -> dict[Path, str]:
    """The README with the findings of the front page, whose links lead to the sources of the pages, and the
    forest plot of the decided claims, whose description is its data. The text of the plot is grey, as there
    is no page around it that could give it a colour."""

    def to_source(found: re.Match) -> str:
        return f"[{found[2]}]({found[1]}.{'md' if found[1].startswith('book/') else 'ipynb'})"

    findings = _LINK.sub(to_source, front.found(claims, answers, front.compared()))
    drawn = figures.forest([one for one in answers if one.decided], claims)
    head, close, inside = drawn.svg.replace("currentColor", GREY).partition(">")
    text = _BLOCK.sub(lambda _: findings, (ROOT / README).read_text(encoding="utf-8"))
    return {README: text, PICTURE: f"{head}{close}<desc>{escape(drawn.csv, quote=False)}</desc>{inside}\n"}


if __name__ == "__main__":
    everything = read_claims()
    for path, text in made(everything, answer_all(everything)).items():
        write(ROOT / path, text)
