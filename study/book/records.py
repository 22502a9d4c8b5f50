"""A readable page for every published record, beside its JSON: where the links of the tables lead."""

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache

import jinja2
import pandas as pd

from ..chapters.uses import Use, uses
from ..figures.training import trace
from ..measurements import TIMINGS
from ..pages.stamp import commit_said, machine
from ..papers import results_page
from ..places import ROOT
from ..records import Record, Store
from ..records.loose import rendered
from ..records.record import key_of
from ..tables.own import grid
from .layout import Layout

_FOLD = re.compile(r"fold:(.*)")
MOST = 12  # elements of a list that are shown; the file has the rest
MEASURES = ("recall@1", "recall@3", "recall@5", "mrr")


def write_records(layout: Layout) -> int:
    """Write ``data/records/KEY.html`` and ``KEY.json``, by short keys, into the rendered book; returns how
    many."""
    folder = layout.html / "data" / "records"
    folder.mkdir(parents=True)
    asked, records = uses(layout.root), list(Store(layout.records))
    others = siblings(records)
    for record in records:
        html = page(record, asked.get(record.stem, ()), others[record.short_key])
        (folder / f"{record.short_key}.html").write_text(html, encoding="utf-8")
        (folder / f"{record.short_key}.json").write_bytes(rendered(record))
    return len(records)


def siblings(records: Iterable[Record]) -> dict[str, dict[str, str]]:
    """By short key of each record the records of the same run with another seed or on another fold: what they
    are to their short keys."""
    groups: dict[str, dict[str, str]] = {}
    keys = {}
    for record in records:
        of = dict(record.inputs)
        seed = of.pop("seed", None)
        folds = [found[1] for one in of["transforms"] if (found := _FOLD.fullmatch(one))]
        of["transforms"] = [one for one in of["transforms"] if not _FOLD.fullmatch(one)]
        keys[record.short_key] = key_of(of)
        what = [*(f"fold {fold}" for fold in folds), *([] if seed is None else [f"seed {seed}"])]
        groups.setdefault(keys[record.short_key], {})[", ".join(what)] = record.short_key
    return {
        short: {what: other for what, other in sorted(groups[key].items()) if other != short}
        for short, key in keys.items()
    }


def page(record: Record, asked: Sequence[Use], others: Mapping[str, str]) -> str:
    """The page (``book/_templates/record.html``); ``asked`` is who asks for the record, ``others`` leads to
    the same run with other seeds or on other folds: what it is to its short key."""
    tables = {
        "values": record.values or {},
        "strata": _strata(record),
        "counts": _counts(record),
        "settings": _settings(record),
        "made": _made(record),
    }
    return _template().render(
        title=title(record),
        file=record.short_key,
        asked=_chapters(asked),
        others=others,
        scores=grid(pd.DataFrame(list(record.metrics)), MEASURES) if record.metrics else None,
        traces=trace(record.trace) if record.trace else {},
        again=_again(record, asked),
        # A value without a text is left out.
        **{
            name: {of: text for of, value in rows.items() if (text := _text(value))}
            for name, rows in tables.items()
        },
    )


def title(record: Record) -> str:
    """``cosines,layers=2 on esappmod, fold:1/3, dev, seed 0``"""
    of = record.inputs
    said = [f"{of['name']} on {of['dataset']}", *of["transforms"], of.get("split", "")]
    return ", ".join([*filter(None, said), *([f"seed {of['seed']}"] if "seed" in of else [])])


@cache
def _template() -> jinja2.Template:
    loader = jinja2.FileSystemLoader(ROOT / "book" / "_templates")
    return jinja2.Environment(loader=loader, autoescape=True).get_template("record.html")


def _chapters(asked: Sequence[Use]) -> list[Mapping[str, object]]:
    """Each chapter that asks, with the address of its page, its title, and the items shown there."""
    found: dict[tuple[str, str], dict[tuple[str, str], None]] = {}
    for use in asked:
        found.setdefault((use.chapter, use.title), {}).update(dict.fromkeys(use.places))
    return [
        {"page": f"notebooks/{results_page(chapter)}.html", "title": title, "places": list(places)}
        for (chapter, title), places in found.items()
    ]


def _strata(record: Record) -> dict[str, object]:
    if record.strata is None:
        return {}
    shares = {name: f"{100 * share:.1f} %" for name, share in record.strata.mean(numeric_only=True).items()}
    return {"mentions": len(record.strata), **shares}


def _counts(record: Record) -> dict[str, object]:
    if not record.counts:
        return {}
    of = dict(record.counts)
    dropped = {f"dropped: {reason}": n for reason, n in of.pop("dropped").items()}
    counts = {"mentions, raw": of.pop("n_raw"), **dropped, "mentions, scored": of.pop("n_scored"), **of}
    return {name.replace("_", " "): n for name, n in counts.items()}


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
    if record.inputs["name"] in TIMINGS:
        return f"python -m benchmarks.timings {asked[0].chapter} --again"
    return f"{asked[0].command} --again {record.short_key}"


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
