"""A study of small chapters in a folder of its own, and records that took a given time."""

import json
from pathlib import Path

from ranked import record

from study.chapters.parameters import checked, defaults_of
from study.chapters.plan import plan_of
from study.corpora import load
from study.pages.page import Page
from study.records import Record, Store, linking_inputs
from study.systems import linker


def write_study(root: Path, parameters: str, **chapters: str) -> Path:
    """Write chapters in YAML, each with a notebook of a title and these parameters; gives the folder."""
    for folder in ("notebooks", "data/chapters"):
        (root / folder).mkdir(parents=True, exist_ok=True)
    cells = [
        {"cell_type": "markdown", "metadata": {}, "source": ["# A small study\n", "Text."]},
        {"cell_type": "code", "metadata": {"tags": ["parameters"]}, "source": parameters},
    ]
    for name, chapter in chapters.items():
        (root / "data" / "chapters" / f"{name}.yaml").write_text(chapter, encoding="utf-8")
        (root / "notebooks" / f"{name}.ipynb").write_text(json.dumps({"cells": cells}))
    return root


def page(root: Path, name: str = "tiny", **given) -> Page:
    """The page of a chapter of this study, with these parameters."""
    parameters = checked(given, defaults_of(root / "notebooks" / f"{name}.ipynb"))
    return Page(name, parameters, plan_of(name, parameters.values(), root / "data" / "chapters"))


def put(store: Store, name: str, fit: float, link: float, seed: int = 5, split: str = "test", **more) -> None:
    """Write a record of a linker on the embedded corpus that took so many seconds."""
    one, inputs = record([1]), linking_inputs(linker(name), load("mini"), seed=seed, split=split)
    made = {"seconds": {"fit": fit, "link": link}, **more}
    store.write(Record(inputs, made, one.counts, one.metrics, one.table))
