"""The states of a setting, one after the other: what ``sliders.js`` steps through."""

import shlex
from collections.abc import Mapping, Sequence

import numpy as np

from benchlib.scoring import Scoring

from ..chapters.results import SystemResult
from ..pages.literal import in_html
from ..pages.page import Page
from ..pages.show import linked
from ..pages.stamp import run_command
from .settings import points_of, value_text


def steps(
    page: Page,
    run_sets: Sequence[str],
    lines: Mapping[str, Sequence[SystemResult]],
    scoring: Scoring,
    setting: str,
    axis: str,
    mentions: Mapping[str, np.ndarray] | None = None,
) -> str:
    """The numbers of :func:`.by_setting` as HTML, a section for each value: Recall@1 in percent
    with its interval, *not run* where there is no record, and the command that makes the records again."""
    found = points_of(lines, scoring, setting, mentions)
    command = shlex.split(run_command(page.parameters, page.name))
    command += [word for run_set in run_sets for word in ("--set", run_set)]
    sections = []
    for value, state in found.sort_values("at", kind="stable").groupby(setting, sort=False):
        cells: dict[str, dict[str, str]] = {}
        keys = []
        for row in state.to_dict("records"):
            told = row["left out"].lower()
            told = told or "{accuracy_percent:.1f} [{low_percent:.1f}, {high_percent:.1f}]".format_map(row)
            keys += [word for record in row["runs"].there for word in ("--again", record.short_key)]
            cells.setdefault(row["data"], {})[row["system"]] = linked(told, row["runs"].record)
        heads = [f"<th scope=col>{in_html(label)}</th>" for label in lines]
        rows = [f"<tr><th></th>{''.join(heads)}</tr>"]
        for data, told in cells.items():
            numbers = "".join(f"<td>{told.get(label, '')}</td>" for label in lines)
            rows.append(f"<tr><th scope=row>{in_html(data)}</th>{numbers}</tr>")
        sections.append(
            f"<section><p><strong>{value_text(value)}</strong> {in_html(axis)}: Recall@1 in percent</p>"
            f"<table><tbody>{''.join(rows)}</tbody></table>"
            "<details><summary>The command that makes these records</summary><div class='highlight'>"
            f"<pre>{in_html(shlex.join([*command, *keys]))}</pre></div></details></section>"
        )
    return f'<div class="steps" data-axis="{in_html(axis)}">{"".join(sections)}</div>' if sections else ""
