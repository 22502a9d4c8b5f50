"""What a light and a dark page both have to show: the colours of figures, and the drawings made by hand."""

import re
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator
from pathlib import Path

import pytest
from bs4 import BeautifulSoup
from seen import PAGES, contrast, on_both

from study.book.inline_svg import labelled
from study.figures import style

STATIC = Path(__file__).resolve().parents[1] / "book" / "_static"
NAMES = [f"cosines-{what}" for what in ("mentions", "siamese", "triplets")]
NAMES += [f"{paper}-overview" for paper in ("biocom", "dual-encoder", "krissbert", "pel")]
DRAWINGS = [STATIC / f"{name}.svg" for name in NAMES]
SVG = "{http://www.w3.org/2000/svg}"
EM = 0.57  # of a character in a wide sans-serif face such as Verdana, on average
PHONE = 328  # px: the text of a page on a phone that is 360 wide


def test_the_contrast_is_that_of_the_standard():
    assert contrast("#fff", "#000000") == pytest.approx(21)
    # The grey that is known as the lightest with 4.5:1 on white.
    assert contrast("#767676", "#ffffff") == pytest.approx(4.54, abs=0.005)


def test_lines_can_be_seen_on_both_pages_and_no_colour_does_for_text():
    # The best that one colour can do is the geometric mean of the two pages.
    best = contrast(*PAGES) ** 0.5
    assert best < 4.5 and on_both(style.GREY) >= best - 0.02
    assert all(on_both(colour) >= 3 for colour in style.COLOURS)


def elements(node: ElementTree.Element, **inherited: str) -> Iterator[tuple[str, dict[str, str], str]]:
    """(tag, attributes with those inherited, text) of what is drawn, lines of text one by one."""
    own = inherited | node.attrib
    yield node.tag.removeprefix(SVG), own, (node.text or "").strip()
    for child in node:
        if child.tag not in (SVG + "defs", SVG + "title", SVG + "desc"):
            yield from elements(child, **own)


@pytest.fixture(params=DRAWINGS, ids=lambda path: path.stem)
def drawing(request) -> Path:
    return request.param


def test_a_drawing_is_small_named_and_described(drawing):
    assert drawing.stat().st_size < 8000
    root = ElementTree.parse(drawing).getroot()
    assert [child.tag for child in root[:2]] == [SVG + "title", SVG + "desc"]
    assert root.get("aria-labelledby").split() == [child.get("id") for child in root[:2]]
    assert root.get("font-family") == "sans-serif" and root.get("viewBox").startswith("0 0 720 ")
    text = drawing.read_text(encoding="utf-8")
    assert "var(" not in text and "<style" not in text and "<script" not in text
    assert set(re.findall(r"url\(#(\w+)\)", text)) <= set(re.findall(r'id="([\w-]+)"', text))


def test_text_is_large_fits_and_stands_out_from_what_is_behind_it(drawing):
    found = [*elements(ElementTree.parse(drawing).getroot())]
    width, height = map(float, found[0][1]["viewBox"].split()[2:])
    boxes = [
        ([float(own[name]) for name in ("x", "y", "width", "height")], own["fill"])
        for tag, own, _ in found
        if tag == "rect"
    ]
    y, lines = 0.0, 0
    for tag, own, text in found:
        if tag not in ("text", "tspan"):
            continue
        y = float(own["y"]) if tag == "text" else y + (float(own["dy"]) if "dy" in own else 0)
        if not text:
            continue
        lines += 1
        size, x = float(own["font-size"]), float(own["x"])
        wide = EM * size * len(text)
        left = x - wide * {"start": 0, "middle": 0.5, "end": 1}[own.get("text-anchor", "start")]
        right = left + wide
        assert size * PHONE / width >= 10 and left >= 0 and right <= width and size <= y <= height, text
        if around := [
            (box, fill) for box, fill in boxes
            if box[0] <= x <= box[0] + box[2] and box[1] <= y <= box[1] + box[3]
        ]:  # fmt: skip
            [((at, top, across, down), fill)] = around
            assert contrast(own["fill"], fill) >= 4.5 and on_both(fill) >= 3, text
            assert at < left and right < at + across and top < y - size and y < top + down, text
        else:
            # The colour of the page's text.
            assert own["fill"] == "currentColor", text
    assert lines >= 8


def test_a_drawing_in_a_page_has_one_name_and_ids_of_its_own(drawing):
    text = drawing.read_text(encoding="utf-8")
    soup = BeautifulSoup(
        labelled('<?xml version="1.0"?>\n' + text, 'strings "a" & <b>', "svg7-"), "html.parser"
    )
    svg = soup.svg
    assert soup.contents[0] is svg
    assert svg["aria-label"] == 'strings "a" & <b>' and svg["role"] == "img" and svg["class"] == ["drawn"]
    assert not svg.has_attr("aria-labelledby") and svg["viewbox"].startswith("0 0 720 ")
    ids = [node["id"] for node in svg.find_all(id=True)]
    assert ids and all(name.startswith("svg7-") for name in ids)
    assert {*re.findall(r"url\(#([\w-]+)\)", str(svg))} <= {*ids}
