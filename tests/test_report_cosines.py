"""The systems of the CoSiNES chapter: their names make them again, and are those that the claims name."""

import ast
from pathlib import Path
from types import SimpleNamespace

import nbformat
import pytest

from benchlib.linkers import CosinesLinker, linker
from benchlib.report import claims, cosines, reported

NOTEBOOK = Path(__file__).resolve().parent.parent / "notebooks" / "cosines.ipynb"


def setup(**given) -> cosines.Setup:
    """As the page's own parameters say, but for what is given."""
    source = nbformat.read(NOTEBOOK, as_version=4).cells[1].source
    values = {node.targets[0].id: ast.literal_eval(node.value) for node in ast.parse(source).body}
    return cosines.Setup(SimpleNamespace(**values | given))


def every(of: cosines.Setup) -> list[str]:
    systems = [*of.table1(), *of.with_mentions(), *of.perturbed("misspelt"), *of.sizes().values()]
    names = [one.linker for one in [*systems, *of.biomedical()] if one.linker]
    cells = [name for grid in of.grids().values() for name in grid.values()]
    return [*names, *of.curves().values(), *of.rates().values(), *of.mining().values(), *cells]


@pytest.mark.parametrize("scale", ["mini", "open", "paper"])
def test_every_name_makes_the_linker_again(scale):
    of = setup(scale=scale)
    assert [linker(name).name for name in every(of)] == every(of)
    labels = [one.label for one in of.table1()]
    assert len(set(labels)) == len(labels) and of.reference in labels
    assert {label for pair in of.biomedical_pairs() for label in pair} <= {x.label for x in of.biomedical()}
    assert set(cosines.TIMED) <= set(labels)


def test_the_embedded_corpus_has_one_small_network_and_no_other():
    of = setup(scale="mini")
    trained = [linker(name) for name in every(of) if "cosines" in name]
    assert {(one.layers, one.epochs) for one in trained if one.model == "minilm"} == {(1, 1)}
    assert not [name for name in every(of) if "+pubmed" in name or "biosyn" in name]


def test_the_paper_scale_trains_as_long_as_the_paper_with_every_layer():
    of = setup(scale="paper", encoder="someone/bert-small")
    assert linker(of.rates()["1e-05"]) == CosinesLinker(
        "someone/bert-small", epochs=200, learning_rate=1e-5, evaluate_epochs=1
    )


def test_the_grids_have_the_values_of_the_papers_and_meet_at_its_setting():
    margin, groups = setup().grids().values()
    printed = reported.table("cosines", "table5")

    def values(metric):
        return {float(value) for value in reported.select(printed, metric=metric)["value"]}

    for grid, metric in ((margin, "hp_margin"), (groups, "hp_batch_size")):
        assert {float(row) for row, _ in grid} == values(metric)
        assert {float(rate) for _, rate in grid} == values("hp_learning_rate")
    assert {margin["2", rate] == groups["16", rate] for _, rate in margin} == {True}
    assert len({*margin.values(), *groups.values()}) == 20 + 16 - 4


def test_the_claims_are_decided_by_the_systems_of_the_page():
    of = setup()
    shown = set(every(of))
    named = set()
    for claim in claims.load():
        if claim.paper == "cosines" and claim.test is not None:
            arguments = claim.test.arguments
            named |= {arguments[key] for key in ("linker", "first", "second") if key in arguments}
            others = arguments.get("others", ())
            named |= {other for other in others if claim.test.name != "time_ratio"}
    assert named <= shown | {"minilm-mean"}
    assert {"cosines,learns=train+dev,learning_rate=0.0001", of.biomedical()[-1].linker} <= named


def test_the_printed_counts_are_those_of_the_text():
    assert cosines.printed_counts() == {
        "dictionary.concepts": "640",
        "learn.distinct_no_canonical": "3,973",
        "test.mentions": "2,439",
        "test.nil": "420",
    }
