"""The table of all systems: every cell worked out by hand from ranks, seconds and memory."""

from dataclasses import replace

import numpy as np
import pytest
from ranked import GONE, cells, measured, record, runs

from study import figures, tables
from study.tables import published_systems

# Strict credits 1, 1/2, 0, 1 and 0 of the five with an entity; a tie counts 1 by the lenient count.
RANKS = (1, "half", 2, None, 1, 0)
UNSEEN = {"toy": np.array([False, False, True, True, True, True])}
NOT_MEASURED = "not measured"


def made(*ranks, link=None, **of):
    """A run on these mentions and four that were dropped on reading."""
    counts = record(ranks).counts
    counts = counts | {"n_raw": len(ranks) + 4, "dropped": counts["dropped"] | {"span": 4}}
    return replace(
        record(ranks), counts=counts, made={"seconds": {"link": link}} | of if link is not None else of
    )


def system(key, *seeds, learns="mentions", **of):
    return runs(key, *seeds, values={"learns from": learns}, **of)


@pytest.fixture
def found():
    listed = [
        system("lost", reason=GONE),
        system("ours", made(*RANKS, link=0.5), made(*RANKS, link=2.0, peak_memory_mb=1234), learns="nothing"),
        system("again", made(*[2] * 6, link=0.0, resumed=True, peak_memory_mb=700)),
        system("quick", made(*[0] * 6, link=0.0)),
        system("theirs", made(1, 1, 2, None, 1, 0, link=0.1), linker="published,system=theirs"),
    ]
    return published_systems.where_alike(listed, {"toy": measured(here=6, unlike=[5]), "other": None})


def test_the_best_is_first_and_published_answers_count_where_they_align(found):
    table = tables.leaderboard(found, UNSEEN)
    heads = ["strict", "lenient", "strict, unseen", "lenient, unseen"]
    assert list(table) == ["system", "learns from", "n", *heads, "mentions a second", "memory, MB"]
    assert cells(table, "system", "n", *heads) == [
        ["theirs", "4", "75.0", "75.0", "50.0", "50.0"],  # of mentions 0, 1, 2 and 4; unseen of these 2 and 4
        ["ours", "5", "50.0", "60.0", "33.3", "33.3"],
        ["again", "6", "0.0", "0.0", "0.0", "0.0"],
        ["quick", "6", "0.0", "0.0", "0.0", "0.0"],
        ["lost", "", GONE, "", "", ""],
    ]
    assert "strict, unseen" not in tables.leaderboard(found, {})
    assert {"strict", "lenient"} < {*tables.leaderboard(found[:1], {})}  # where nothing has run


def test_speed_and_memory_are_those_of_the_best_run_or_not_measured(found):
    table = tables.leaderboard(found, UNSEEN)
    assert cells(table, "mentions a second", "memory, MB") == [
        [NOT_MEASURED, NOT_MEASURED],  # what took 0.1 s is reading a file
        ["12", "1,234"],  # six mentions, the NIL one too, in half a second
        [NOT_MEASURED, "700"],  # another run had encoded its index
        ["600", NOT_MEASURED],  # in no hundredth of a second
        ["", ""],
    ]


def test_the_leaders_of_a_data_set_in_a_sentence(found):
    told = "theirs 75.0 %, ours 50.0 %, again 0.0 %; without a labelled mention ours 50.0 %."
    assert tables.leaders(found).replace("\\", "") == f"- **toy**: {told}"
    assert tables.leaders(found[:1]) == "Nothing has run on these data."


def test_systems_are_drawn_by_rank_and_by_speed():
    found = [
        system("slow", made(*RANKS, link=2.0), linker="cosines"),
        system("quick", made(0, 0, 2, None, 1, 0, link=0.5), linker="exact"),
        system("worse", made(0, 0, 2, None, 0, 0, link=1.0), linker="exact"),
        system("theirs", made(1, 1, 2, None, 1, 0), linker="published,system=theirs"),
        system("lost", reason=GONE),
    ]
    rows = figures.ranked(found).data
    assert rows[["system", "kind"]].to_numpy().tolist() == [
        ["theirs", "published"], ["slow", "trained here"], ["quick", "without training"],
        ["worse", "without training"],
    ]  # fmt: skip
    assert rows["accuracy_percent"].tolist() == [60, 50, 20, 0]
    assert rows["lenient_percent"].tolist() == [60, 60, 20, 0]
    shown = figures.speeds(found)
    assert shown.data["mentions_a_second"].tolist()[:3] == [3, 12, 6]
    [axes] = shown.figure.axes
    # What is slower and no better has a mark without a name.
    assert [text.get_text() for text in axes.texts] == ["quick", "slow"]
    assert axes.get_xlabel().endswith("No speed on some or all of them: theirs")
    assert sorted(dots.get_offsets().tolist() for dots in axes.collections) == [
        [[3, 50]], [[12, 20], [6, 0]],
    ]  # fmt: skip
