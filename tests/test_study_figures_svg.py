"""Every figure as a page shows it: text that can be read on a light and a dark page and on a phone."""

import re
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable
from dataclasses import replace

import matplotlib.pyplot as plt
import pandas as pd
import pytest
from drawn_runs import answer, drawn, evaluated, kinds, trained
from ranked import Record, measured, record, runs
from seen import contrast

from benchlib.scoring import Estimate, Scoring
from study import figures
from study.chapters.chapter import HeadlineEntry
from study.chapters.costs import Cost
from study.claims import read_claims
from study.claims.printed_numbers import PrintedNumber
from study.claims.verdicts import VERDICTS
from study.figures import style

pytestmark = pytest.mark.filterwarnings("error")

PHONE = 328  # px: the text of a page on a phone that is 360 wide
SVG = "{http://www.w3.org/2000/svg}"
NAMES = ["TF-IDF, words 2-4", "encoder as it comes, [CLS]", "CoSiNES, rate 0.0001", "a <b> & $c_ of $\\frac{"]

RANKS = [None, "half", None, 1]
TELLING, KINDS = record(RANKS, scores=[1, 2, 3, 4]), kinds(RANKS)
MADE = [runs(name, TELLING, data="medmentions-st21pv", kinds=KINDS) for name in NAMES]
NORMS = [runs(name, trained([8 * i + 9, 3, 2, 1, 2, 1.5])) for i, name in enumerate(NAMES)]
TRAINED = [runs(name, evaluated({1: 0.1 * i, 40: 0.2 * i})) for i, name in enumerate(NAMES)]
GRID = [
    runs("x", record([1] * i + [0] * (24 - i)), values={"margin": i // 5, "rate": i % 5}) for i in range(24)
]
SENTENCES = {
    name: [
        runs("x", record([1, 0]) if n != 5 else None, data=data, values={"sentences": n})
        for data in ("medmentions-st21pv", "toy")
        for n in (1, 5, 10, 20, "all")
    ]
    for name in NAMES
}
PRESETS = pd.DataFrame({"protocol": ["a protocol, a long name", "q"], "value": 0.5, "low": 0.4, "high": 0.6})


def made_in(seconds: float, right: int) -> Record:
    """A run of so many seconds that is right on so many of four mentions."""
    return replace(record([1] * right + [2] * (4 - right)), made={"seconds": {"link": seconds}})


CARD = measured(**{"dictionary.ambiguous_names": 1, "dictionary.folded_names": 8})
COSTS = [Cost("1 layer", 0.5, Estimate(0.5, 0.4, 0.6, 9)), Cost("all layers", 9, Estimate(0.6, 0.5, 0.7, 9))]
NEAR = [{"step": n, "positive_cosine": 1 - 0.3 / n, "negative_cosine": 0.1 + 0.1 / n} for n in range(1, 9)]
COSINES = [runs(NAMES[0], record([1], trace=NEAR))]
NUMBER = PrintedNumber(
    HeadlineEntry(runs="all", system="x"), MADE[0], "recall_at_1", (), "72.1",
    ours=Estimate(0.5, 0.4, 0.6, 9), control=Estimate(0.1, 0.1, 0.2, 9),
)  # fmt: skip
COUNTED = measured(golds={"D1": 1}, mentions=4)
LINKERS = ("exact", "tfidf", "cosines", "published,system=x")
SIDE = [runs(name, made_in(0.1 * i + 0.1, i), linker=LINKERS[i]) for i, name in enumerate(NAMES)]
CLAIMS = [claim for claim in read_claims() if claim.rule and claim.rule.unit == "points"][::6]
ANSWERS = [
    answer(claim, verdict, i - 2.0) for i, (claim, verdict) in enumerate(zip(CLAIMS, VERDICTS, strict=False))
]
EXAMPLES = {
    "against_print": lambda: figures.against_print(
        {"Table 2": [NUMBER, replace(NUMBER, runs=MADE[3], metric="mrr")], "Table 3": []}
    ),
    "ambiguity": lambda: figures.ambiguity(dict.fromkeys(NAMES, CARD)),
    "by_setting": lambda: figures.by_setting(
        SENTENCES, Scoring(), "sentences", "sentences of a name", log=True
    ),
    "cosines": lambda: figures.cosines({"all": COSINES, "one": COSINES}),
    "forest": lambda: figures.forest(ANSWERS, CLAIMS),
    "gaps": lambda: figures.gaps(MADE),
    "gradients": lambda: figures.gradients({"random": NORMS, "mixed": NORMS}),
    "grid": lambda: figures.grid({"a × b": GRID, "the same": GRID}, Scoring()),
    "hubs": lambda: figures.hubs(MADE, {MADE[0].data: COUNTED}),
    "learning": lambda: figures.learning("at 1", TRAINED, 2, 1, "learning rate"),
    "losses": figures.losses,
    "nil": lambda: figures.nil(dict.fromkeys(NAMES, TELLING.outcomes), KINDS.strata),
    "nil_curves": lambda: figures.nil_curves(MADE),
    "nothing": lambda: figures.roc([]),
    "presets": lambda: figures.presets(dict.fromkeys(NAMES, PRESETS)),
    "ranked": lambda: figures.ranked(SIDE),
    "recall_curve": lambda: figures.recall_curve(MADE, Scoring()),
    "roc": lambda: figures.roc(MADE),
    "speeds": lambda: figures.speeds(SIDE),
    "tradeoff": lambda: figures.tradeoff({NAMES[0]: COSTS, NAMES[1]: COSTS[:1]}, {NAMES[0]: (60, 69.9)}),
}


@pytest.fixture(scope="module", params=EXAMPLES.values(), ids=EXAMPLES)
def draw(request) -> Callable[[], figures.Drawn]:
    return request.param


@pytest.fixture(scope="module")
def example(draw) -> figures.Drawn:
    return draw()


@pytest.fixture(scope="module")
def texts(example) -> list[tuple[str, dict[str, str]]]:
    """(text, its style) of every text of the SVG."""
    root = ElementTree.fromstring(example.svg)
    return [
        (node.text, dict(part.strip().split(": ", 1) for part in node.get("style").split(";")))
        for node in root.iter(f"{SVG}text")
    ]


def test_text_is_text_in_the_colour_of_the_page(example, texts):
    cells = {
        text.get_text(): (text.get_color(), axes.collections[0].get_facecolors())
        for axes in example.figure.axes
        for text in axes.texts
        if text.get_color() != style.INK
    }
    assert texts
    for text, drawn_as in texts:
        if text in cells:
            # In the cells of a heat map, which have a colour of their own.
            continue
        assert drawn_as["fill"] == "currentColor", text
    shown = {text for text, _ in texts}
    for axes in example.figure.axes:
        labels = (axes.get_title(), axes.get_xlabel(), axes.get_ylabel())
        assert {line for label in labels for line in label.split("\n")} - {""} <= shown
    assert "1b1f24" not in example.svg


def test_numbers_in_a_heat_map_stand_out_from_their_cells():
    for axes in drawn(EXAMPLES["grid"]()).axes:
        colours = axes.collections[0].get_facecolors()
        numbers = [text for text in axes.texts if text.get_text() != "–"]
        assert len(numbers) == 24 and len({text.get_color() for text in numbers}) == 2
        for text in numbers:
            x, y = text.get_position()
            behind = "#" + "".join(f"{round(255 * part):02x}" for part in colours[int(y) * 5 + int(x)][:3])
            assert contrast(text.get_color(), behind) >= 4.5, text


def test_the_page_is_seen_behind_a_drawing(example):
    assert example.figure.get_facecolor()[3] == 0
    assert all(axes.get_facecolor()[3] == 0 for axes in example.figure.axes)


def test_letters_have_ten_pixels_on_a_phone(example, texts):
    width = float(ElementTree.fromstring(example.svg).get("viewBox").split()[2])
    assert width == pytest.approx(72 * style.WIDTH)
    for text, drawn_as in texts:
        size = float(re.search(r"([\d.]+)px", drawn_as.get("font-size") or drawn_as["font"])[1])
        assert size * PHONE / width >= 10, text


def test_nothing_is_cut_off_and_the_legend_covers_nothing(example):
    figure = drawn(example)
    boxes = [axes.get_tightbbox() for axes in figure.axes]
    for box in [*boxes, *(one.get_window_extent() for one in figure.legends)]:
        assert box.x0 >= -0.5 and box.y0 >= -0.5, box
        assert box.x1 <= figure.bbox.x1 + 0.5 and box.y1 <= figure.bbox.y1 + 0.5, box
    for one in figure.legends:
        assert not any(one.get_window_extent().overlaps(box) for box in boxes)
    for i, box in enumerate(boxes):
        assert not any(box.overlaps(other) for other in boxes[i + 1 :])
        assert box.height > 30 and box.width > 100


def test_a_drawing_is_the_same_every_time(draw, example):
    assert draw().svg == example.svg


def test_a_drawing_fits_into_a_page(example):
    assert example.svg.startswith("<svg") and example.svg.endswith("</svg>") and "\n" not in example.svg
    # A style sheet would hold for the whole page.
    assert "<style" not in example.svg and "<metadata" not in example.svg
    ids = re.findall(r' id="([^"]+)"', example.svg)
    assert len(ids) == len({*ids}) and {*re.findall(r"#([pm]\w{10})", example.svg)} == {*ids}


def test_a_name_is_drawn_as_it_is(request, texts):
    """Between two dollars matplotlib reads mathematics, and stops at what is none."""
    if request.node.callspec.id in {"cosines", "forest", "grid", "losses", "nothing", "tradeoff"}:
        pytest.skip("draws no names")
    assert NAMES[-1] in " ".join(text or "" for text, _ in texts)


def test_every_function_has_an_example():
    offered = {name for name, one in vars(figures).items() if callable(one)}
    assert {*EXAMPLES} - {"nothing"} == offered - {"Drawn", "steps"}  # steps are HTML, not a drawing


def test_a_figure_is_closed_so_that_a_cell_shows_it_once():
    figures.losses()
    assert plt.get_fignums() == []
