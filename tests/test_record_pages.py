"""The page of a record: what was run, what came out, and where it leads."""

import json
from dataclasses import replace

import pytest
import ranked
from bs4 import BeautifulSoup
from ranked import strata
from toy import BENCHMARK

from benchlib.scoring import Scoring
from study.book.layout import Layout
from study.book.records import page, siblings, title, write_records
from study.chapters.uses import Use
from study.figures.training import trace
from study.records import Record, Store, linking_record
from study.records.pack import pack
from study.systems import ExactLinker

ASKED = (
    Use("cosines", "table1", "CoSiNES", (("Table 1", "tab-1"),)),
    Use("cosines", "times", "CoSiNES", (("Table 1", "tab-1"), ("Figure 5", "fig-5"))),
)
TRACE = tuple(
    {"step": step, "seconds": 1.0, "loss": loss, "gradient_norm": 1.0, "dev_score": dev}
    for step, loss, dev in ((4, 2.5, None), (8, 1.5, 0.25), (12, 0.5, 0.75))
)
MADE = ranked.MADE | {"seconds": {"fit": 12.5, "link": 0.25}, "peak_memory_mb": 1500}


@pytest.fixture
def store(tmp_path):
    """The records of a build folder that has no chapter."""
    layout = Layout(tmp_path)
    (tmp_path / "data" / "chapters").mkdir(parents=True)
    layout.records.mkdir()
    return Store(layout.records)


def read(html: str) -> BeautifulSoup:
    return BeautifulSoup(html, "html.parser")


def rows(soup: BeautifulSoup, heading: str) -> dict[str, str]:
    """The table under a heading, by the first cell of each row."""
    table = soup.find("h2", string=heading).find_next("table")
    found = ([cell.get_text() for cell in row.find_all(["th", "td"])] for row in table.tbody.find_all("tr"))
    return {first: " | ".join(rest) for first, *rest in found}


def test_a_run_shows_its_settings_scores_counts_and_who_asks_for_it(store):
    made = linking_record(ExactLinker(), BENCHMARK, store)
    soup = read(page(replace(made, made=MADE, trace=TRACE), ASKED, {"seed 1": "of+one", "seed 2": "two"}))
    assert soup.h1.get_text() == title(made) == f"exact on {made.inputs['dataset']}, test, seed 0"
    metric = made.metric("recall@1", Scoring())
    shown = "{:.1f} [{:.1f}, {:.1f}]".format(*(100 * metric[of] for of in ("value", "low", "high")))
    assert rows(soup, "Scores")["strict/names/any-of"].startswith(f"{shown} | ")
    counts = rows(soup, "Counts")
    assert int(counts["mentions, raw"]) == made.counts["n_raw"]
    dropped = sum(int(n) for name, n in counts.items() if name.startswith("dropped: "))
    assert int(counts["mentions, scored"]) + dropped == made.counts["n_raw"]
    settings = rows(soup, "Settings")
    assert settings["dataset"] == made.inputs["dataset"] and settings.keys() >= made.inputs["config"].keys()
    assert "config" not in settings
    assert rows(soup, "Made").items() >= {
        "date, UTC": "2026-01-02 03:04", "commit": "0123456789ab with uncommitted changes", "threads": "2",
        "machine": "Fast <CPU>, 4 cores, 16 GB", "versions": "python 3.11.7, benchlib 0.1",
        "seconds to fit": "12.5", "peak memory": "1.5 GB",
    }.items()  # fmt: skip
    assert len(soup.select(".traces figure[role=img] svg")) == 2
    at = "../../notebooks/cosines_results.html"
    leads = {"The book": "../../book/index.html", "this record as JSON": f"{made.short_key}.json"}
    leads |= {"CoSiNES": at, "Table 1": f"{at}#tab-1", "Figure 5": f"{at}#fig-5"}
    leads |= {"seed 1": "of+one.html", "seed 2": "two.html"}
    assert {tag.get_text(): tag["href"] for tag in soup.find_all("a")} == leads
    told = [" ".join(p.get_text().split()) for p in soup.find_all("p")]
    assert told[:2] == ["Asked for by CoSiNES, Table 1, Figure 5.", "The same with seed 1, seed 2."]
    assert soup.find("pre").get_text() == f"study run cosines --set table1 --again {made.short_key}"
    alone = read(page(made, (), {}))
    assert alone.p.get_text() == "No chapter asks for this record." and alone.find("pre") is None


def test_a_measurement_shows_its_values_escaped_and_long_lists_cut():
    inputs = {"name": "card", "version": "1", "arguments": {"of": "<b>"}, "dataset": "toy", "transforms": []}
    values = {"n": 12345, "share": 0.5, "many": list(range(1300)), "of": {"nil": 3}}
    values |= {"rows": [["a", "b"], ["c"]], "named": [{"mention": "x", "at": [0, 1]}, {"mention": "y"}]}
    soup = read(page(Record(inputs, MADE, values=values), (), {}))
    assert rows(soup, "Values") == {
        "n": "12,345", "share": "0.5", "many": "0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, … (1,300 in all)",
        "of": "nil 3", "rows": "a, b; c", "named": "mention x, at 0, 1; mention y",
    }  # fmt: skip
    assert rows(soup, "Settings")["of"] == "<b>" and soup.find("b") is None
    assert not soup.find("h2", string="Scores") and not soup.find("h2", string="Training")


def test_kinds_of_mentions_are_shown_as_shares():
    record = Record({"name": "strata", "dataset": "toy", "transforms": [], "split": "test"}, MADE)
    record.__dict__["strata"] = strata(nil=[True, False, False, False], no_name=[True, True, False, False])
    assert rows(read(page(record, (), {})), "Kinds of mentions") == {
        "mentions": "4", "nil": "25.0 %", "no name": "50.0 %",
    }  # fmt: skip


def test_a_trace_is_drawn_where_there_is_one_and_has_the_colour_of_the_text():
    figures = trace(TRACE)
    lines = [figures[name].figure.axes[0].lines[0] for name in ("loss", "dev score")]
    loss, dev = (line.get_xydata().tolist() for line in lines)
    assert loss == [[4, 2.5], [8, 1.5], [12, 0.5]] and dev == [[8, 25.0], [12, 75.0]]
    assert set(trace(TRACE[:1])) == {"loss"} and trace(()) == {}
    svg = figures["dev score"].svg
    assert svg.startswith("<svg") and "dev score, %</text>" in svg and "currentColor" in svg
    assert figures["dev score"].data.columns.tolist() == ["update", "dev score, %"]


def test_runs_that_differ_in_seed_or_fold_alone_lead_to_each_other():
    def of(name="a", seed=0, changes=(), **more):
        inputs = {"name": name, "dataset": "toy", "transforms": list(changes), "seed": seed, **more}
        return Record(inputs, {})

    first, second = of(changes=["x", "fold:1/3"]), of(changes=["x", "fold:2/3"], seed=1)
    others = [of(name="b", changes=["x", "fold:1/3"]), of(), of(changes=["x", "fold:1/3"], k=2)]
    found = siblings([first, second, *others])
    assert found[first.short_key] == {"fold 2/3, seed 1": second.short_key}
    assert found[second.short_key] == {"fold 1/3, seed 0": first.short_key}
    assert all(found[other.short_key] == {} for other in others)


def test_every_record_of_a_build_has_a_page_beside_its_json(store, tmp_path):
    made = [linking_record(ExactLinker(), BENCHMARK, store, split=split) for split in ("test", "dev")]
    pack(store)
    assert write_records(Layout(tmp_path)) == 2
    folder = Layout(tmp_path).html / "data" / "records"
    names = {f"{record.short_key}.{end}" for record in made for end in ("html", "json")}
    assert {path.name for path in folder.iterdir()} == names
    content = json.loads((folder / f"{made[0].short_key}.json").read_text())
    assert content["key"] == made[0].key and content["counts"] == made[0].counts
    assert sum(map(len, content["metrics"].values())) == len(made[0].metrics)
