"""The corpora and dictionaries: their data cards as tables, what must be said of them, and excerpts."""

from collections.abc import Iterable, Mapping
from html import escape
from itertools import islice

import pandas as pd

from benchlib.benchmark import SPLITS

from ..chapters.chapter import NOT_RUN
from ..chapters.jobs import DataRef
from ..corpora import registry
from ..corpora.files import MissingFile
from ..pages.cells import Markup
from ..pages.literal import in_html, in_markdown
from ..pages.show import linked, table_from
from .protocols import dropped
from .rows import Records, counted, heads, in_context

_CONTEXT = 40  # characters on each side of a mention


def corpora(cards: Records) -> pd.DataFrame:
    """One row per corpus and split: documents, how mentions close, kinds of gold, reachability."""
    rows, columns = [], heads("split")
    for name, card in cards.items():
        for split in SPLITS:
            row = {"corpus": linked(name, card), "split": split, "documents": NOT_RUN}
            if card and not card.values[f"{split}.raw"]:
                continue
            if card:
                row |= counted(card, {f"{split}.documents": "documents", f"{split}.raw": "raw"})
                row["dropped"] = dropped(card.values[f"{split}.dropped"])
                row |= counted(card, {f"{split}.{key}": head for key, head in columns.items()})
                row["reachable, %"] = f"{card.values[f'{split}.reachable_pct']:.1f}"
            rows.append(row)
    return table_from(rows)


def notes(datasets: Iterable[DataRef]) -> str:
    """What must be said wherever the numbers of these data sets stand, as a Markdown list.

    Notes of the registry may have Markdown; those of other corpora tell what their files hold.
    """
    return _listed({in_markdown(data.name): _said_of(data) for data in datasets}) or "Nothing."


def _said_of(data: DataRef) -> tuple[str, ...]:
    if data.registered:
        return registry.benchmark(data.dataset).notes
    return tuple(map(in_markdown, data.benchmark.notes))


def sources() -> pd.DataFrame:
    """One row per source: its title, which leads to its home, what to cite, its licence and files."""
    rows = []
    for source in registry.sources():
        obtained = "licensed" if source.licensed else "mirror only" if source.mirror_only else "download"
        rows.append(
            {
                "source": Markup(f'<a href="{escape(source.homepage)}">{in_html(source.title)}</a>'),
                "cite": Markup(f"{{cite}}`{source.citation}`" if source.citation else ""),
                "licence": source.licence,
                "files": str(len(source.files)),
                "bytes": f"{sum(file.bytes or 0 for file in source.files):,}",
                "obtained by": obtained,
            }
        )
    return table_from(rows)


def source_notes() -> str:
    """What the registry says of its sources beside that, as a Markdown list."""
    return _listed({source.title: source.notes for source in registry.sources()})


def _listed(said: Mapping[str, tuple[str, ...]]) -> str:
    return "\n".join("\n  - ".join((f"- **{of}**", *notes)) for of, notes in said.items() if notes)


def excerpts(datasets: Iterable[DataRef]) -> str:
    """The first three test mentions of each data set in their context, as HTML.

    Needs the corpora themselves; one that is not there says so.
    """
    blocks = []
    for data in datasets:
        try:
            benchmark = data.load()
        except MissingFile:
            blocks.append(f"<p><strong>{escape(data.name)}</strong>: needs <code>make data</code></p>")
            continue
        lines = [
            f"<li>{in_context(document.text, mention.start, mention.end, _CONTEXT)} → "
            f"<code>{escape(mention.gold.printed or 'NIL')}</code></li>"
            for document, mention in islice(benchmark.test.mentions(), 3)
        ]
        blocks.append(f"<p><strong>{escape(data.name)}</strong></p><ul>{''.join(lines)}</ul>")
    return "".join(blocks)
