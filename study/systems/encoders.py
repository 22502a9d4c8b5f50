"""Adapted encoders by name, such as ``minilm+pubmed``: made once on this machine, then found."""

import json
import os
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path

from benchlib import encoders

from ..corpora import unlabelled
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


def adapt(name: str, progress: bool = True) -> dict[str, object]:
    """Make the encoder of a recipe, unless it is there: an ordinary Hugging Face folder.

    Returns what :func:`study.systems.pretraining.pretrain` measured, with the recipe. A run that was killed
    goes on. Raises ValueError for a name without a recipe, for a corpus that is not there, and for a folder
    of that name which was made by another recipe.
    """
    if name not in RECIPES:
        raise ValueError(f"no recipe for the encoder {name!r}; expected one of {', '.join(RECIPES)}")
    recipe = RECIPES[name]
    folder, checkpoints = ENCODERS / name, ENCODERS / f".{name}.checkpoints"
    if (folder / _NOTE).exists():
        made = json.loads((folder / _NOTE).read_text(encoding="utf-8"))
        if made["recipe"] != asdict(recipe):
            raise ValueError(
                f"{folder} was made by another recipe, {made['recipe']}; delete it to make it anew"
            )
        return made
    backbone = encoders.Backbone.load(recipe.base)
    values = pretraining.pretrain(backbone, read_texts(recipe.corpus), recipe, checkpoints, progress)
    made = {"recipe": asdict(recipe), "values": values}
    unfinished = ENCODERS / f".{name}.{os.getpid()}"
    backbone.save(unfinished)
    (unfinished / _NOTE).write_text(json.dumps(made, indent=1) + "\n", encoding="utf-8")
    os.replace(unfinished, folder)
    shutil.rmtree(checkpoints)
    return made


def read_texts(corpus: Path | str) -> list[str]:
    """The texts of a registered source or of a folder of JSON lines, by file name and line.

    Raises ValueError for a corpus without text, and as :func:`study.corpora.unlabelled.files`.
    """
    files = unlabelled.files(corpus)
    texts = [one.text for path in files for one in unlabelled.read(path)]
    if not any(texts):
        raise ValueError(f"{corpus}: expected text, found none in {len(files)} files")
    return texts
