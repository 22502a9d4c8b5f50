"""Mentions found by dictionary matching: how right they are, and which texts are left out."""

from collections.abc import Mapping

import pandas as pd

from ..chapters.chapter import NOT_RUN
from ..pages.numbers import percent
from ..pages.show import linked, table_from
from .measured import Records, counted

_SHARED = {"skip": "left out", "keep": "with all their concepts"}


def precision(found: Mapping[str, Records]) -> pd.DataFrame:
    """The two bounds of the precision of matches, in percent with intervals over documents, and the recall:
    by data set, names matched and what becomes of those that several concepts share, as
    :func:`study.measurements.match_audit.match_precision` measures them."""
    rows = []
    for data in dict.fromkeys(data for records in found.values() for data in records):
        for names, records in found.items():
            if (record := records.get(data)) is None:
                bounds = dict.fromkeys(("right of those at mentions", "right of all"), NOT_RUN)
                rows.append({"data": data, "names": names, **bounds})
                continue
            for shared, said in _SHARED.items():
                values = {
                    key.partition(".")[2]: value
                    for key, value in record.values.items()
                    if key.startswith(f"{shared}.")
                }
                row = {"data": linked(data, record), "names": names, "shared names": said}
                row |= {"matches": f"{values['matches']:,}", "at mentions": f"{values['exact']:,}"}
                for head, key in (
                    ("right of those at mentions", "precision_at_mentions"),
                    ("right of all", "precision"),
                    ("mentions found", "recall"),
                ):
                    bounds = {
                        "value": values[key],
                        "low": values[f"{key}_low"],
                        "high": values[f"{key}_high"],
                    }
                    row[head] = percent(bounds) if values[key] == values[key] else ""
                rows.append(row)
    return table_from(rows)


def excluded_texts(found: Records) -> pd.DataFrame:
    """Texts of a pool that are not learnt from, because they have something of a test document, as
    :func:`study.corpora.exclusion.exclusion_counts` counts them."""
    heads = {
        "test.documents": "test documents",
        "all.texts": "texts",
        "all.same_id": "with their id",
        "all.shared_text": "with a passage of theirs",
        "all.boilerplate": "with boilerplate of theirs, kept",
        "all.kept": "kept",
    }
    return table_from(
        [{"data": linked(data, record), **counted(record, heads)} for data, record in found.items()]
    )


def coverage(found: Records) -> pd.DataFrame:
    """What the names of a dictionary find in unlabelled text, and how many test mentions have a concept that
    was found there, as :func:`study.systems.linked_text.match_counts` counts them."""
    heads = {
        "texts": "texts with a name",
        "mentions": "mentions found",
        "names": "names found",
        "dictionary.names": "of all names",
        "concepts": "concepts found",
        "dictionary.concepts": "of all with a name",
        "test.mentions": "test mentions",
    }
    rows = []
    for data, record in found.items():
        row = {"data": linked(data, record)} | counted(record, heads)
        if record:
            share = len(record.values["found"]) / record.values["test.mentions"]
            row["their concept found"] = f"{100 * share:.1f} %"
        rows.append(row)
    return table_from(rows)


def frequent_names(found: Records) -> pd.DataFrame:
    """The names that a text has most often, with the number of mentions of each, from the first record that
    there is: the texts of data sets differ by what is left out alone."""
    record = next(filter(None, found.values()), None)
    if record is None:
        return table_from([{"name": "", "mentions": NOT_RUN}])
    return table_from({"name": name, "mentions": f"{n:,}"} for name, n in record.values["frequent"])
