"""The record of an adapted encoder: what its pretraining took, and what it did to perplexity."""

from dataclasses import asdict

from ..corpora import registry
from ..systems.encoders import RECIPES, adapt
from .compute import made_by
from .obtain import load_or_compute
from .provenance import provenance
from .record import Record, to_json_types
from .store import Store

PREFIX = "pretraining-"


def adaptation_inputs(encoder: str) -> dict[str, object]:
    """What identifies a pretraining; raises KeyError for an encoder without a recipe in ``RECIPES``."""
    recipe = RECIPES[encoder]
    return {
        "name": f"{PREFIX}{encoder}",
        "version": "1",
        "config": to_json_types({"encoder": encoder, **asdict(recipe)}),
        "dataset": recipe.corpus,
        "transforms": [],
        "fingerprint": registry.source(recipe.corpus).fingerprint(),
        "seed": recipe.seed,
    }


def adaptation(encoder: str, store: Store, compute: str = "missing") -> Record:
    """The record of an adapted encoder. Raises KeyError without a recipe, and as :func:`load_or_compute`."""
    inputs = adaptation_inputs(encoder)

    def make() -> Record:
        before, values = provenance(), adapt(encoder)["values"]
        made = made_by(before, {"train": values["seconds"]})
        return Record(inputs, made, values=to_json_types(values))

    return load_or_compute(inputs, store, compute, make)
