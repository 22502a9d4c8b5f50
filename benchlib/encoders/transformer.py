"""A pretrained transformer as an encoder of strings."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np
import torch
from tqdm import tqdm

from .backbone import DEFAULT, Backbone, model_folder
from .inputs import Batch
from .pooling import cls, mean

POOLINGS = {"cls": cls, "mean": mean}


@dataclass
class TransformerEncoder:
    """Strings to L2-normalised vectors.

    ``pooling`` is ``cls`` (state of the first token) or ``mean`` (over the tokens that are not padding).
    ``precision`` is ``fp32`` or ``bf16``, which on a CPU is about three times as fast and changes the
    nearest of 75,000 names for about 2 % of strings. Texts are cut at ``max_length`` word pieces,
    special tokens included; ``max_length=25`` is that of SapBERT's evaluation script.
    """

    model: str = DEFAULT
    pooling: str = "mean"
    max_length: int = 32
    precision: str = "bf16"
    batch_size: int = 128
    progress: bool = True

    def __post_init__(self) -> None:
        if self.pooling not in POOLINGS:
            raise ValueError(f"pooling is {self.pooling!r}; expected cls or mean")
        if self.precision not in ("fp32", "bf16"):
            raise ValueError(f"precision is {self.precision!r}; expected fp32 or bf16")

    def encode(self, texts: Sequence[str]) -> np.ndarray:
        """Float32 vectors of length 1, texts × width. Each distinct text is encoded once.

        Texts are batched by length and then alphabetically, so a vector does not depend on the order
        in which a dictionary lists its names. One pass gives every pooling, and the last passes are
        kept: the same texts with another pooling cost nothing more.
        """
        distinct = tuple(sorted(set(texts), key=lambda text: (len(text), text)))
        settings = (self.model, self.max_length, self.precision, self.batch_size, self.progress)
        vectors = _encode(distinct, *settings)[self.pooling]
        place = {text: i for i, text in enumerate(distinct)}
        return vectors[[place[text] for text in texts]]

    def checksum(self) -> str:
        """SHA-256 of the weights, "" for a model that is not a local folder."""
        path = Path(model_folder(self.model)) / "model.safetensors"
        if not path.is_file():
            return ""
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()


@lru_cache(maxsize=2)  # the names of a dictionary and the strings looked up in it
def _encode(
    texts: tuple[str, ...], model: str, max_length: int, precision: str, batch_size: int, progress: bool
) -> dict[str, np.ndarray]:
    """The vectors of texts by pooling."""
    backbone = Backbone.load(model)
    vectors = {pooling: np.zeros((len(texts), backbone.width), dtype=np.float32) for pooling in POOLINGS}
    bar = tqdm(total=len(texts), unit="text", desc="encode", disable=not progress)
    with torch.inference_mode(), bar:
        for first in range(0, len(texts), batch_size):
            batch = list(texts[first : first + batch_size])
            inputs = backbone.tokenizer(
                batch, padding=True, truncation=True, max_length=max_length, return_tensors="pt"
            ).to(backbone.device)
            padded = Batch(inputs["input_ids"], inputs["attention_mask"])
            with torch.autocast(backbone.device.type, dtype=torch.bfloat16, enabled=precision == "bf16"):
                states = backbone(padded.ids, padded.mask).float()
            for pooling, into in vectors.items():
                pooled = torch.nn.functional.normalize(POOLINGS[pooling](states, padded), dim=1)
                into[first : first + len(batch)] = pooled.cpu().numpy()
            bar.update(len(batch))
    return vectors
