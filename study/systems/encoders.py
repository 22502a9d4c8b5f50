"""Adapted encoders by name, such as ``minilm+pubmed``: made once on this machine, then found."""

import json
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path

from benchlib import encoders

from ..corpora import unlabelled
from ..lock import locked
from ..places import data_dir
from . import pretraining

ENCODERS = data_dir() / "encoders"
RECIPES: Mapping[str, pretraining.Recipe] = {"minilm+pubmed": pretraining.Recipe(corpus="unlabelled-pubmed")}
_NOTE = "pretraining.json"


def encoder_folder(model: str) -> str:
    """Where an encoder's weights lie: those of an adapted one, which is made where it is missing; any other
    name, Hub id or folder as it is."""
    if model not in RECIPES:
        return model
    adapt(model)
    return str(ENCODERS / model)


def load_backbone(model: str, layers: int | None = None, markers: Sequence[str] = ()) -> "encoders.Backbone":
    """The transformer of an encoder by its name; raises ValueError as :meth:`Backbone.load`."""
    return encoders.Backbone.load(encoder_folder(model), layers, markers)


def adapt(name: str) -> dict[str, object]:
    """Make the encoder of a recipe, unless it is there: an ordinary Hugging Face folder.

    Returns what :func:`study.systems.pretraining.pretrain` measured, with the recipe. A run that was killed
    goes on; of several processes one is at work and the others wait. Raises ValueError for a name without a
    recipe, for a corpus that is not there, and for a folder of that name which was made by another recipe.
    """
    if name not in RECIPES:
        raise ValueError(f"no recipe for the encoder {name!r}; expected one of {', '.join(RECIPES)}")
    recipe, folder = RECIPES[name], ENCODERS / name
    if not (folder / _NOTE).exists():
        with locked(ENCODERS / f".{name}.lock", f"waiting for another process that pretrains {name}"):
            if not (folder / _NOTE).exists():  # the other process may have made it
                _make(recipe, folder)
    made = json.loads((folder / _NOTE).read_text(encoding="utf-8"))
    if made["recipe"] != asdict(recipe):
        raise ValueError(f"{folder} was made by another recipe, {made['recipe']}; delete it to make it anew")
    return made


def _make(recipe: pretraining.Recipe, folder: Path) -> None:
    checkpoints, unfinished = (folder.with_name(f".{folder.name}.{of}") for of in ("checkpoints", "new"))
    backbone = encoders.Backbone.load(recipe.base)
    values = pretraining.pretrain(backbone, read_texts(recipe.corpus), recipe, checkpoints)
    backbone.save(unfinished)
    note = json.dumps({"recipe": asdict(recipe), "values": values}, indent=1)
    (unfinished / _NOTE).write_text(f"{note}\n", encoding="utf-8")
    unfinished.rename(folder)
    shutil.rmtree(checkpoints)


def read_texts(corpus: Path | str) -> list[str]:
    """The texts of a registered source or of a folder of JSON lines, by file name and line.

    Raises ValueError for a corpus without text, and as :func:`study.corpora.unlabelled.files`.
    """
    files = unlabelled.files(corpus)
    texts = [one.text for path in files for one in unlabelled.read(path)]
    if not any(texts):
        raise ValueError(f"{corpus}: expected text, found none in {len(files)} files")
    return texts
