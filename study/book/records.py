"""A readable page for every published record, beside its file: where the links of the tables lead."""

import re
import shutil
from collections.abc import Iterable

from ..chapters.uses import uses
from ..records import Record, Store
from ..records.record import key_of
from .layout import Layout
from .record_page import page

_FOLD = re.compile(r"fold:(.*)")


def write_records(layout: Layout) -> int:
    """Write ``data/records/NAME.json`` and ``NAME.html`` into the rendered book; returns how many records."""
    folder = layout.html / "data" / "records"
    folder.mkdir(parents=True)
    store, asked = Store(layout.records), uses(layout.root)
    records = {path: store.read(path) for path in store.paths()}
    others = siblings(records.values())
    for path, record in records.items():
        shutil.copy(path, folder)
        html = page(record, asked.get(record.stem, ()), others[record.stem])
        (folder / f"{record.stem}.html").write_text(html, encoding="utf-8")
    return len(records)


def siblings(records: Iterable[Record]) -> dict[str, dict[str, str]]:
    """By file name of each record the records of the same run with another seed or on another fold: what they
    are to their file names."""
    groups: dict[str, dict[str, str]] = {}
    keys = {}
    for record in records:
        of = dict(record.inputs)
        seed = of.pop("seed", None)
        folds = [found[1] for one in of["transforms"] if (found := _FOLD.fullmatch(one))]
        of["transforms"] = [one for one in of["transforms"] if not _FOLD.fullmatch(one)]
        keys[record.stem] = key_of(of)
        what = [*(f"fold {fold}" for fold in folds), *([] if seed is None else [f"seed {seed}"])]
        groups.setdefault(keys[record.stem], {})[", ".join(what)] = record.stem
    return {
        stem: {what: other for what, other in sorted(groups[key].items()) if other != stem}
        for stem, key in keys.items()
    }
