"""One record as a page: its settings, scores, counts, trace, how it was made, and who asks for it."""

from collections.abc import Iterable, Mapping, Sequence
from html import escape

import pandas as pd

from ..chapters.uses import Use
from ..figures.traces import trace
from ..measurements import TIMINGS
from ..pages.stamp import commit_said, machine
from ..records import Record
from ..tables.own import grid

MOST = 12  # elements of a list that are shown; the file has the rest
MEASURES = ("recall@1", "recall@3", "recall@5", "mrr")
STYLES = ("styles/theme.css", "styles/pydata-sphinx-theme.css", "styles/sphinx-book-theme.css", "book.css")
UP = "../../"  # from data/records to the root of the book

_PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<script>
// The reader's choice in the book; where there is none, the system's.
const mode = localStorage.getItem("mode");
const dark = mode === "dark" || (mode !== "light" && matchMedia("(prefers-color-scheme: dark)").matches);
document.documentElement.dataset.theme = dark ? "dark" : "light";
</script>
{styles}
<link rel="icon" href="{up}_static/favicon.svg">
<script src="{up}_static/tables.js"></script>
</head>
<body class="record">
<main>
<nav><a href="{up}book/index.html">The book</a> · <a href="{file}.json">this record as JSON</a></nav>
<article class="bd-article">
{body}
</article>
</main>
</body>
</html>
"""


def page(record: Record, asked: Sequence[Use], others: Mapping[str, str]) -> str:
    """The page; ``asked`` is who asks for the record, ``others`` leads to the same run with other seeds or on
    other folds: what it is to its short key."""
    parts = [
        f"<h1>{escape(title(record))}</h1>",
        _shown(asked, others),
        _scores(record),
        _table("Values", record.values),
        _strata(record),
        _table("Counts", _counts(record)),
        _trace(record),
        _table("Settings", _settings(record)),
        _table("Made", _made(record)),
        _again(record, asked),
    ]
    styles = [f'<link rel="stylesheet" href="{UP}_static/{name}">' for name in (*STYLES, "records.css")]
    return _PAGE.format(
        title=escape(title(record)),
        styles="\n".join(styles),
        up=UP,
        file=record.short_key,
        body="\n".join(filter(None, parts)),
    )


def title(record: Record) -> str:
    """``cosines,layers=2 on esappmod, fold:1/3, dev, seed 0``"""
    of = record.inputs
    said = [f"{of['name']} on {of['dataset']}", *of["transforms"], of.get("split", "")]
    return ", ".join([*filter(None, said), *([f"seed {of['seed']}"] if "seed" in of else [])])


def _shown(asked: Sequence[Use], others: Mapping[str, str]) -> str:
    lines = []
    for chapter, heading in dict.fromkeys((use.chapter, use.title) for use in asked):
        address = f"{UP}notebooks/{chapter}.html"
        places = dict.fromkeys(place for use in asked if use.chapter == chapter for place in use.places)
        links = [f'<a href="{address}#{anchor}">{escape(item)}</a>' for item, anchor in places]
        lines.append(", ".join([f'<a href="{address}">{escape(heading)}</a>', *links]))
    told = [f"Asked for by {'; '.join(lines)}." if lines else "No chapter asks for this record."]
    if others:
        links = [f'<a href="{short}.html">{escape(what)}</a>' for what, short in others.items()]
        told.append(f"The same with {', '.join(links)}.")
    return "".join(f"<p>{line}</p>" for line in told)


def _scores(record: Record) -> str:
    if not record.metrics:
        return ""
    frame = grid(pd.DataFrame(list(record.metrics)), MEASURES)
    head = "".join(f"<th>{escape(name)}</th>" for name in frame.columns)
    body = "".join(_row(row) for row in frame.itertuples(index=False))
    return (
        "<h2>Scores</h2><p>In percent, by protocol, with 95 % intervals over documents, in ESAppMod over "
        "gold entities.</p>"
        f'<table id="scores" class="sortable download"><thead><tr>{head}</tr></thead>'
        f"<tbody>{body}</tbody></table>"
    )


def _strata(record: Record) -> str:
    if record.strata is None:
        return ""
    shares = {name: f"{100 * share:.1f} %" for name, share in record.strata.mean(numeric_only=True).items()}
    return _table("Kinds of mentions", {"mentions": f"{len(record.strata):,}", **shares})


def _counts(record: Record) -> dict[str, object]:
    if not record.counts:
        return {}
    of = dict(record.counts)
    dropped = {f"dropped: {reason}": n for reason, n in of.pop("dropped").items()}
    counts = {"mentions, raw": of.pop("n_raw"), **dropped, "mentions, scored": of.pop("n_scored"), **of}
    return {name.replace("_", " "): n for name, n in counts.items()}


def _trace(record: Record) -> str:
    figures = trace(record.trace) if record.trace else {}
    drawn = [
        f'<figure role="img" aria-label="{escape(what)} over the updates">{figure.svg}</figure>'
        for what, figure in figures.items()
    ]
    return f'<h2>Training</h2><div class="traces">{"".join(drawn)}</div>' if drawn else ""


def _settings(record: Record) -> dict[str, object]:
    of = dict(record.inputs)
    nested = {**of.pop("config", {}), **of.pop("arguments", {})}
    return {**of, **nested}


def _made(record: Record) -> dict[str, object]:
    of = dict(record.made)
    seconds = of.pop("seconds", {})
    memory = of.pop("peak_memory_mb", None)
    return {
        "date, UTC": str(of.pop("date"))[:16].replace("T", " "),
        "commit": commit_said(of.pop("commit")),
        "machine": machine(of["hardware"]),
        "threads": of.pop("hardware").get("threads", "not recorded"),
        **{f"seconds to {phase}": f"{value:,.1f}" for phase, value in seconds.items()},
        **({"peak memory": f"{memory / 1000:.1f} GB"} if memory else {}),
        "versions": ", ".join(f"{name} {version}" for name, version in of.pop("versions").items()),
        **of,
        "key": record.key,
    }


def _again(record: Record, asked: Sequence[Use]) -> str:
    if not asked:
        return ""
    command = f"{asked[0].command} --again {record.short_key}"
    if record.inputs["name"] in TIMINGS:
        command = f"python -m benchmarks.timings {asked[0].chapter} --again"
    return f'<h2>Make it again</h2><div class="rerun"><pre>{escape(command)}</pre></div>'


def _table(heading: str, values: Mapping[str, object]) -> str:
    """Names and values, those without one left out; nothing where there are none."""
    there = {name: text for name, value in values.items() if (text := _text(value))}
    rows = "".join(_row(row) for row in there.items())
    return f"<h2>{heading}</h2><table><tbody>{rows}</tbody></table>" if rows else ""


def _row(cells: Iterable[object]) -> str:
    first, *rest = (escape(str(cell)) for cell in cells)
    return f'<tr><th scope="row">{first}</th>{"".join(f"<td>{cell}</td>" for cell in rest)}</tr>'


def _text(value: object) -> str:
    """A value as text; of a long list its first elements and how many there are."""
    if value is None:
        return "none"
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {_text(one)}" for name, one in value.items())
    if isinstance(value, list | tuple):
        nested = any(isinstance(one, list | tuple | Mapping) for one in value)
        told = ("; " if nested else ", ").join(map(_text, value[:MOST]))
        return f"{told}, … ({len(value):,} in all)" if len(value) > MOST else told
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else str(value)
