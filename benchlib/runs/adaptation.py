"""The record of an adapted encoder: what its pretraining took, and what it did to perplexity."""

from __future__ import annotations

from dataclasses import asdict

from ..datasets import registry
from ..pretraining import RECIPES, adapt
from .compute import obtain
from .provenance import provenance
from .record import Record
from .store import Store

PREFIX = "pretraining-"


def adaptation(encoder: str, store: Store, compute: str = "missing") -> Record:
    """The record of an encoder of :data:`benchlib.pretraining.RECIPES`, which is made where it is missing.

    Raises KeyError for one that has no recipe, MissingRecord under ``never``.
    """
    recipe = RECIPES[encoder]
    inputs = {
        "name": f"{PREFIX}{encoder}",
        "version": "1",
        "config": {"encoder": encoder, **asdict(recipe)},
        "dataset": recipe.corpus,
        "transforms": [],
        "fingerprint": registry.source(recipe.corpus).fingerprint(),
        "seed": recipe.seed,
    }

    def make() -> Record:
        values = adapt(encoder)["values"]
        return Record(inputs, {**provenance(), "seconds": {"train": values["seconds"]}}, values=values)

    return obtain(inputs, store, compute, make)
