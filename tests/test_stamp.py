"""The foot of a page: what it was made from, on which machines, and at what cost."""

import platform
import re

import pytest

import benchlib
from study.chapters.parameters import Parameters
from study.pages.stamp import costs, machine, stamp

PAGE = {"scale": "open", "compute": "never", "dataset": "<b>x</b>", "seeds": (1, 2)}
ONE = {"machine": "x86_64", "cpu": "Fast CPU", "cores": 4, "threads": 2, "memory_gb": 16}
OTHER = {"machine": "aarch64", "cpu": "", "cores": 8, "threads": 1, "memory_gb": 32, "gpu": "Some GPU"}
MADE = {
    "commit": "0123456789ab+",
    "date": "2026-01-02T03:04:05+00:00",
    "hardware": ONE,
    "versions": {"python": "3.11.7", "benchlib": "0.1"},
}


def foot(records=(), made=MADE, **changed) -> str:
    return stamp(Parameters(PAGE | changed), "protocols", {"ncbi-disease": "f" * 64}, records, made).data


def test_it_says_what_the_page_was_made_from_and_escapes_it():
    html = foot()
    for part in (
        "0123456789ab with uncommitted changes",
        "<th>Machine</th><td>Fast CPU, 4 cores, 16 GB<",
        "ncbi-disease ffffffffffff<",
        "<th>Seeds</th><td>[1, 2]</td>",
        "<th>Records</th><td>none</td>",
        'id="rerun"',
        "-r compute missing",
    ):
        assert part in html
    assert "<b>x" not in html


def test_records_cost_core_hours_by_machine():
    """1800 s on two threads are a core-hour; 90 s + 90 s on one are a twentieth."""
    records = [
        {**MADE, "commit": "aaaa", "seconds": {"fit": 1700.0, "link": 100.0}, "peak_memory_mb": 1500},
        {**MADE, "commit": "aaaa", "date": "2026-02-01", "hardware": OTHER, "seconds": {"measure": 90.0}},
        {
            **MADE,
            "commit": "bbbb",
            "hardware": OTHER,
            "seconds": {"fit": 60, "link": 30},
            "peak_memory_mb": 900,
        },
    ]
    assert "<td>3, computed 2026-01-02 to 2026-02-01 at aaaa, bbbb<" in foot(records)
    assert costs(records).to_dict("records") == [
        {
            "machine": "Fast CPU, 4 cores, 16 GB",
            "records": "1",
            "core-hours": "1.00",
            "peak memory": "1.5 GB",
        },
        {
            "machine": "aarch64, 8 cores, 32 GB, Some GPU",
            "records": "2",
            "core-hours": "0.05",
            "peak memory": "0.9 GB",
        },
    ]


def test_a_record_without_seconds_or_memory_costs_nothing():
    bare = {**MADE, "commit": "", "hardware": {"machine": "x86_64", "cores": 2}}
    assert "<td>1, computed 2026-01-02 at no commit<" in foot([bare])
    assert costs([bare]).iloc[0].tolist() == ["x86_64, 2 cores", "1", "0.0000", "not recorded"]
    assert costs([]).empty
    # Nine seconds on two threads, which two digits would show as nothing.
    assert costs([{**MADE, "seconds": {"fit": 9}}])["core-hours"][0] == "0.0050"


def test_a_parameter_that_is_not_what_its_cell_shows_says_so():
    """The book runs its pages with ``compute=never``, and shows the cell as it is written."""
    written = {"scale": "open", "compute": "missing", "dataset": "all", "seeds": (1, 2)}
    html = stamp(Parameters(PAGE, written), "protocols", {}).data
    [told] = re.findall("<th>Parameters</th><td>(.*?)</td>", html)
    assert told == (
        "scale = open, compute = never (in the parameters cell: missing), "
        "dataset = &lt;b&gt;x&lt;/b&gt; (in the parameters cell: all), seeds = [1, 2]"
    )


def test_a_parameter_that_the_scale_sets_says_so():
    html = stamp(Parameters(PAGE), "protocols", {}, used={"seeds": [0], "steps": 3}).data
    [told] = re.findall("<th>Parameters</th><td>(.*?)</td>", html)
    assert told.endswith("seeds = [0] (set by the scale)") and "<th>Seeds</th><td>[0]</td>" in html


def test_a_page_run_by_hand_says_where_it_is_and_how_to_open_it():
    html = foot()
    output = re.search(r"papermill \S+ (\S+) ", html)[1]
    assert f"<code>jupyter lab {output}</code>" in html
    assert f"<code>jupyter nbconvert --to html {output}</code>" in html


@pytest.mark.parametrize("made", [{**MADE, "commit": "ffff", "date": "2027-01-01T00:00:00+00:00"}])
def test_what_is_fixed_by_the_inputs_stands_apart_from_what_is_not(made):
    fixed = [foot(made=one).split('<tbody class="fixed">')[1].split("</tbody>")[0] for one in (MADE, made)]
    assert fixed[0] == fixed[1] and "ncbi-disease" in fixed[0]
    assert fixed[0] not in foot(dataset="other")


def test_a_machine_that_says_little_is_named_by_what_it_says():
    assert machine({"machine": "x86_64", "cores": 2}) == "x86_64, 2 cores"


def test_the_rendering_says_by_itself_where_it_was_made():
    html = stamp(Parameters(PAGE), "protocols", {}).data
    assert f"python {platform.python_version()}, benchlib {benchlib.__version__}" in html
    assert "<th>Data</th><td>none</td>" in html
