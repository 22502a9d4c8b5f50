"""An encoder of names: vectors of texts, trained so that names of one concept are near each other."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from numbers import Integral
from pathlib import Path

import numpy as np
import torch
from pydantic import ValidationError

from .encoders import Backbone, Encoded, NameEncoder, embed, text_inputs
from .losses.by_name import LOSSES
from .sampling import items_by_concept, pair_batch
from .training import Training, train
from .training.config import first_mistake


class Encoder:
    """A transformer that reads names and other short texts.

    ``model`` is ``minilm``, which this package installs, a Hugging Face folder or an id of the Hub; its first
    ``layers`` are kept. ``pooling`` is ``mean`` or ``cls``, ``max_length`` in word pieces: by default as
    :meth:`save` wrote them, else ``mean`` and 32. ``precision`` is ``fp32`` or ``bf16``. Raises ValueError
    for another of these, and for a model that cannot be loaded whole.
    """

    def __init__(
        self,
        model: str | Path = "minilm",
        layers: int | None = None,
        pooling: str | None = None,
        max_length: int | None = None,
        precision: str = "fp32",
        progress: bool = False,
    ) -> None:
        if not isinstance(pooling, str | None):  # a function has no fingerprint
            raise ValueError(f"pooling is {pooling!r}; expected mean or cls")
        backbone = Backbone.load(str(model), layers)
        given = {"pooling": pooling, "max_length": max_length}
        reading = {"pooling": "mean", "max_length": 32} | getattr(backbone.network.config, "reading", {})
        reading |= {name: value for name, value in given.items() if value is not None}
        if isinstance(reading["max_length"], Integral):  # those of numpy are not written as JSON
            reading["max_length"] = int(reading["max_length"])
        backbone.network.config.reading = reading
        self.names = NameEncoder(backbone, **reading, precision=precision, progress=progress)
        self.trace: Sequence[dict[str, float | None]] = ()

    def __repr__(self) -> str:
        names, config = self.names, self.names.backbone.network.config
        reads = f"pooling={names.pooling!r}, max_length={names.max_length}, precision={names.precision!r}"
        return f"Encoder({config.num_hidden_layers} layers of width {config.hidden_size}, {reads})"

    def encode(self, texts: Sequence[str]) -> np.ndarray:
        """The vectors of texts, texts × width, float32 and of length 1: their inner product is the cosine."""
        return self.names.encode(texts)

    def fingerprint(self) -> str:
        """What vectors depend on: weights, configuration without its folder, tokenizer and precision."""
        names, network = self.names, self.names.backbone.network
        tokenizer = json.loads(names.backbone.tokenizer.backend_tokenizer.to_str())
        rules = [tokenizer[part] for part in ("normalizer", "pre_tokenizer", "post_processor")]
        config = json.loads(network.config.to_json_string())
        config = [(k, v) for k, v in config.items() if k[0] != "_" and k != "transformers_version"]
        read = hashlib.sha256(repr((config, rules)).encode()).hexdigest()
        return f"{names.fingerprint()} {read} {names.precision}"

    def train(
        self,
        pairs: Sequence[tuple[str, str]],
        loss: str | Callable[[torch.Tensor, float], torch.Tensor] = "multi-similarity",
        steps: int = 300,
        concepts: int = 32,
        learning_rate: float = 5e-5,
        seed: int = 0,
        checkpoints: Path | None = None,
    ) -> Encoder:
        """Train on ``pairs`` of a text and the id of its concept for ``steps`` updates; returns itself, and
        ``trace`` is what the training loop noted.

        An update has two texts of each of at most ``concepts`` concepts, so many that the updates of an epoch
        are of like size, and a ``loss`` of :data:`benchlib.losses.by_name.LOSSES` by its name, such as
        ``multi-similarity`` as in SapBERT (Liu et al. 2021), or any function of the vectors of the batch
        (concepts × 2 × width, of length 1) and the share of the training that is done. The rate rises from 0
        at the first update over 6 % of them; the precision is the encoder's. In a folder ``checkpoints`` a
        training of a fresh encoder that was killed goes on: below it each choice of pairs and settings has a
        folder; of losses that are given themselves each needs ``checkpoints`` of its own. Raises ValueError
        for another loss or number, for what is not a pair of a text and an id, for ids of two kinds, and
        without two concepts of two texts; others as :func:`benchlib.training.train`.
        """
        if not callable(loss) and loss not in LOSSES:
            raise ValueError(f"loss is {loss!r}; expected one of {', '.join(LOSSES)}")
        reader, called = self.names, loss if isinstance(loss, str) else None
        loss = LOSSES[loss] if isinstance(loss, str) else loss
        pairs = [*pairs]
        for pair in pairs:
            # Missing cells would be one concept: NaN, NA, or an empty text.
            match tuple(pair) if isinstance(pair, np.ndarray) else pair:
                case [str(), str() | Integral() as id] if id != "":
                    continue
            raise ValueError(f"pairs: expected a text and the id of its concept, found {pair!r}")
        texts, labels = zip(*pairs, strict=True) if pairs else ((), ())
        if len({isinstance(id, str) for id in labels}) > 1:
            raise ValueError("pairs: expected ids that are all texts or all numbers, found both")
        inputs, items = text_inputs(reader.backbone, texts, reader.max_length), items_by_concept(labels)
        if not isinstance(concepts, Integral) or min(len(items), concepts) < 2:
            raise ValueError(f"expected two concepts of two texts, found {len(items)} of {concepts!r}")
        steps, seed = (int(n) if isinstance(n, np.integer) else n for n in (steps, seed))
        how = {"learning_rate": learning_rate, "steps": steps, "precision": reader.precision, "seed": seed}
        try:
            config = Training(**how, warmup=0.06)
        except ValidationError as error:
            raise ValueError(first_mistake(error)) from None
        if checkpoints is not None:
            what = repr((texts, labels, called, concepts, config, reader.max_length, self.fingerprint()))
            checkpoints = Path(checkpoints) / hashlib.sha256(what.encode()).hexdigest()[:16]

        def batch_at(number: int) -> list[Encoded]:
            return [inputs[i] for i in pair_batch(items, seed, number, concepts).ravel()]

        def loss_of(model: Backbone, batch: list[Encoded], share: float) -> torch.Tensor:
            vectors = embed(model, batch, reader.pooling)
            # Cosines in half precision would lose the differences that hard pairs live by.
            with torch.autocast(model.device.type, enabled=False):
                return loss(vectors.view(-1, 2, vectors.shape[1]), share)

        kept = {"folder": checkpoints, "watched": getattr(loss, "watched", None)}
        trained = train(reader.backbone, batch_at, loss_of, config, progress=reader.progress, **kept)
        self.trace = trained.trace
        return self

    def save(self, folder: str | Path) -> None:
        """Write a Hugging Face folder, which ``Encoder(folder)`` reads as this encoder does, in fp32."""
        self.names.backbone.save(folder)
