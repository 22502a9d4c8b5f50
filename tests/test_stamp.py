"""The foot of a page: what it was made from, on which machines, and at what cost."""

import platform
import re

import pytest
from ranked import MADE

import benchlib
from study.chapters.parameters import checked
from study.pages import stamp as stamps
from study.pages.stamp import costs, machine, stamp

DEFAULTS = {"scale": "open", "compute": "missing", "dataset": "all", "seeds": [1, 2]}
PAGE = checked({"compute": "never", "dataset": "<b>x</b>"}, DEFAULTS)
OTHER = {"machine": "aarch64", "cpu": "", "cores": 8, "threads": 1, "memory_gb": 32, "gpu": "Some GPU"}


@pytest.fixture
def foot(monkeypatch):
    def foot(records=(), page=PAGE, **changed) -> str:
        monkeypatch.setattr(stamps, "provenance", lambda: MADE | changed)
        return stamp(page, "protocols", {"ncbi-disease": "f" * 64}, records).data

    return foot


def test_it_says_what_the_page_was_made_from_and_escapes_it(foot):
    html = foot()
    for part in (
        "0123456789ab with uncommitted changes",
        "<th>Machine</th><td>Fast &lt;CPU&gt;, 4 cores, 16 GB<",
        "ncbi-disease ffffffffffff<",
        "<th>Seeds</th><td>[1, 2]</td>",
        "<th>Records</th><td>none</td>",
        'id="rerun"',
        "-r compute missing",
        # The book runs its pages with ``compute=never``, and shows the cell as it is written.
        "<td>scale = open, compute = never (in the parameters cell: missing), dataset = &lt;b&gt;x&lt;/b&gt; "
        "(in the parameters cell: all), seeds = [1, 2]</td>",
    ):
        assert part in html
    assert "<b>x" not in html
    output = re.search(r"papermill \S+ (\S+) ", html)[1]
    assert f"<code>jupyter lab {output}</code>" in html and f"nbconvert --to html {output}</code>" in html


def test_records_cost_core_hours_by_machine(foot):
    """1800 s on two threads are a core-hour; 90 s + 90 s on one are a twentieth."""
    of_other = {**MADE, "hardware": OTHER}
    records = [
        {**MADE, "commit": "aaaa", "seconds": {"fit": 1700.0, "link": 100.0}, "peak_memory_mb": 1500},
        {**of_other, "commit": "aaaa", "date": "2026-02-01", "seconds": {"measure": 90.0}},
        {**of_other, "commit": "bbbb", "seconds": {"fit": 60, "link": 30}, "peak_memory_mb": 900},
    ]
    assert "<td>3, computed 2026-01-02 to 2026-02-01 at aaaa, bbbb<" in foot(records)
    assert costs(records).to_numpy().tolist() == [
        ["Fast <CPU>, 4 cores, 16 GB", "1", "1.00", "1.5 GB"],
        ["aarch64, 8 cores, 32 GB, Some GPU", "2", "0.05", "0.9 GB"],
    ]
    assert [*costs(records).columns] == ["machine", "records", "core-hours", "peak memory"]
    bare = {**MADE, "commit": "", "hardware": {"machine": "x86_64", "cores": 2}}
    assert "<td>1, computed 2026-01-02 at no commit<" in foot([bare])
    assert costs([bare]).iloc[0].tolist() == ["x86_64, 2 cores", "1", "0.0000", "not recorded"]
    # Nine seconds on two threads, which two digits would show as nothing.
    assert costs([{**MADE, "seconds": {"fit": 9}}])["core-hours"][0] == "0.0050"
    assert costs([]).empty and machine(bare["hardware"]) == "x86_64, 2 cores"


def test_a_parameter_that_the_scale_sets_says_so():
    html = stamp(PAGE, "protocols", {}, used={"seeds": [0], "steps": 3}).data
    assert "seeds = [0] (set by the scale)</td>" in html and "<th>Seeds</th><td>[0]</td>" in html
    # The rendering says by itself where it was made.
    assert f"python {platform.python_version()}, benchlib {benchlib.__version__}" in html
    assert "<th>Data</th><td>none</td>" in html


def test_what_is_fixed_by_the_inputs_stands_apart_from_what_is_not(foot):
    def fixed(**changed):
        return foot(**changed).split('<tbody class="fixed">')[1].split("</tbody>")[0]

    assert fixed() == fixed(commit="ffff", date="2027-01-01T00:00:00+00:00") and "ncbi-disease" in fixed()
    assert fixed() != fixed(page=checked({"dataset": "other"}, DEFAULTS))
