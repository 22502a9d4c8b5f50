"""The foot of a page: what it was made from, and the command that makes it again."""

import json
import shlex
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from html import escape
from typing import Any

import pandas as pd
import yaml
from IPython.display import HTML

from ..chapters.parameters import Parameters
from ..records.provenance import provenance
from .show import table_from

_QUICKER = (
    ". In the command, <code>mini</code> for the value of <code>scale</code> and <code>all</code> for that "
    "of <code>dataset</code> takes seconds, and <code>always</code> for that of <code>compute</code> ignores "
    "the records"
)


def command(page: Parameters, notebook: str) -> str:
    """The papermill command for the page with these parameters.

    Text goes by ``-r``, which papermill leaves alone, and a list by ``-y``. A page that may only show
    records (``compute=never``) is run again with ``missing``: what is not recorded is then computed.
    """
    words = ["papermill", f"notebooks/{notebook}.ipynb", "out.ipynb", "-k", "python3"]
    for name, value in page.values().items():
        if name == "compute" and value == "never":
            value = "missing"
        if isinstance(value, tuple):
            listed = yaml.safe_dump({name: list(value)}, default_flow_style=True, width=10**6).strip()
            words += ["-y", listed]
        else:
            words += ["-r" if isinstance(value, str) else "-p", name, str(value)]
    return shlex.join(words)


def run_command(page: Parameters, chapter: str) -> str:
    """The command that makes the records that are missing, with the parameters that are not the default."""
    words, defaults = ["study", "run", chapter], page.defaults()
    for name, value in page.values().items():
        if name != "compute" and value != defaults[name]:
            text = json.dumps(value, ensure_ascii=False) if isinstance(value, tuple) else str(value)
            words += ["-p", name, text]
    return shlex.join(words)


def stamp(
    page: Parameters,
    notebook: str,
    editions: Mapping[str, str],
    records: Iterable[Mapping[str, Any]] = (),
    used: Mapping[str, Any] = {},  # noqa: B006
) -> HTML:
    """The closing block of a page.

    ``editions`` maps each data set shown to its fingerprint, ``records`` are the provenances of the records
    shown, ``used`` has the values that a scale sets instead of the parameters given. What depends only on the
    inputs stands first, what changes with every run after it.
    """
    made, values = provenance(), {**page.values(), **used}
    on_own = page.defaults().get("dataset") != "all"  # its data are the reader's, and it has no records
    seeds = values.get("seeds", values.get("seed"))
    fixed = {
        "benchlib": made["versions"].get("benchlib", ""),
        "Parameters": ", ".join(_parameters(page, used)),
        "Data": ", ".join(f"{name} {fingerprint[:12]}" for name, fingerprint in editions.items()) or "none",
        "Seeds": "none: nothing on this page is trained" if seeds is None else _shown(seeds),
    }
    varying = {
        "Commit": commit_said(made["commit"]),
        "Rendered": f"{made['date']}, in {page.seconds:.1f} s",
        "Machine": machine(made["hardware"]),
        "Versions": ", ".join(f"{name} {version}" for name, version in made["versions"].items()),
        "Records": _records(list(records)),
    }
    rows = [
        f'<tbody class="{group}">'
        + "".join(f"<tr><th>{name}</th><td>{escape(str(of[name]))}</td></tr>" for name in of)
        + "</tbody>"
        for group, of in (("fixed", fixed), ("varying", varying))
    ]
    return HTML(
        '<details class="stamp"><summary>What it was made from</summary><div class="table-scroll"><table>'
        f"{''.join(rows)}</table></div></details>\n"
        f'<div class="rerun" id="rerun"><p>Rerun this page{"" if on_own else _QUICKER}:</p>'
        f'<div class="highlight"><pre>{escape(command(page, notebook))}</pre></div>'
        "<p>The page is then in <code>out.ipynb</code>, in the folder where the command was given. "
        "<code>jupyter lab out.ipynb</code> opens it; <code>jupyter nbconvert --to html out.ipynb</code> "
        "makes <code>out.html</code> of it, for any browser.</p></div>"
    )


def machine(hardware: Mapping[str, Any]) -> str:
    """``AMD EPYC 9654, 4 cores, 16 GB``, and the accelerator; what an old record does not say is left out."""
    said = [hardware.get("cpu") or hardware["machine"], f"{hardware['cores']} cores"]
    said += [f"{hardware['memory_gb']} GB"] if "memory_gb" in hardware else []
    return ", ".join([*said, *([str(hardware["gpu"])] if "gpu" in hardware else [])])


def commit_said(commit: str) -> str:
    if not commit:
        return "not in a git checkout"
    return f"{commit.removesuffix('+')} with uncommitted changes" if commit.endswith("+") else commit


def _parameters(page: Parameters, used: Mapping[str, Any]) -> Iterator[str]:
    """``name = value`` of each parameter, and what the cell that a reader sees says where it is another; or
    that the scale sets it."""
    written = page.defaults()
    for name, value in page.values().items():
        if _shown(here := used.get(name, value)) != _shown(value):
            yield f"{name} = {_shown(here)} (set by the scale)"
        elif value != written[name]:
            yield f"{name} = {_shown(value)} (in the parameters cell: {_shown(written[name])})"
        else:
            yield f"{name} = {_shown(value)}"


def _shown(value: Any) -> str:
    if isinstance(value, tuple | list):
        return f"[{', '.join(map(str, value))}]"
    return str(value) or "(none)"


def costs(records: Iterable[Mapping[str, Any]]) -> pd.DataFrame:
    """What making records took, by machine: how many there are, core-hours (threads times seconds), and the
    most memory that one took, where any says; ``records`` are their provenances."""
    by_machine = defaultdict(list)
    for made in records:
        by_machine[machine(made["hardware"])].append(made)
    rows = []
    for name, made in sorted(by_machine.items()):
        hours = sum(m["hardware"].get("threads", 1) * sum(m.get("seconds", {}).values()) for m in made) / 3600
        most = max(m.get("peak_memory_mb", 0) for m in made)
        row = {"machine": name, "records": f"{len(made):,}"}
        row["core-hours"] = f"{hours:,.2f}" if hours >= 0.01 else f"{hours:.4f}"
        row["peak memory"] = f"{most / 1000:.1f} GB" if most else "not recorded"
        rows.append(row)
    return table_from(rows)


def _records(made: Sequence[Mapping[str, Any]]) -> str:
    if not made:
        return "none"
    days = sorted(str(m["date"])[:10] for m in made)
    span = days[0] if days[0] == days[-1] else f"{days[0]} to {days[-1]}"
    commits = sorted({str(m["commit"]) for m in made} - {""})
    return f"{len(made)}, computed {span} at {', '.join(commits) or 'no commit'}"
