"""A readable page for every published record, beside its JSON: where the links of the tables lead."""

import re
from collections.abc import Iterable

from ..chapters.uses import uses
from ..records import Record, Store
from ..records.loose import rendered
from ..records.record import key_of
from .layout import Layout
from .record_page import page

_FOLD = re.compile(r"fold:(.*)")


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
