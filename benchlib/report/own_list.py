"""What the page that standardises a reader's own list works on."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd

from ..datasets import load
from ..linkers import CosinesLinker
from ..standardize import NIL, write_names

EXAMPLE = CosinesLinker(layers=1, pooling="mean", epochs=3, learning_rate=5e-4, precision="fp32")
"""What links the example, in seconds on one core. After one layer the first token knows little of the others,
so the mean of all is taken."""


def inputs(page: Any, folder: Path) -> tuple[Path, Path, CosinesLinker]:
    """The files of names and of mentions that a page's parameters name, and the linker to be trained.

    Without files, and at scale mini, these are the example's: the embedded corpus written into ``folder``.
    Raises ValueError for one file without the other.
    """
    if page.scale == "mini" or not (page.names or page.mentions):
        return *example(folder), replace(EXAMPLE)
    if not (page.names and page.mentions):
        raise ValueError(f"expected names and mentions, found {page.names!r} and {page.mentions!r}")
    linker = CosinesLinker(epochs=page.epochs, layers=page.layers)
    return Path(page.names), Path(page.mentions), linker


def example(folder: Path) -> tuple[Path, Path]:
    """The embedded corpus as a file of names and one of mentions: those of train with their id, those of test
    without. Mentions of several concepts at once are left out, and repeated ones."""
    mini = load("mini")
    rows = {
        (mention.text, "" if split == "test" else "".join(mention.gold.ids) or NIL): None
        for split in ("train", "test")
        for _, mention in mini.split(split).mentions()
        if len(mention.gold.parts) < 2
    }
    names, mentions = folder / "names.csv", folder / "mentions.csv"
    write_names(mini.ontology, names)
    pd.DataFrame(list(rows), columns=["mention", "id"]).to_csv(mentions, index=False, lineterminator="\n")
    return names, mentions
