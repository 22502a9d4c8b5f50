"""Inputs to vectors: with gradient for training, in well-filled batches for inference."""

from collections.abc import Hashable, Iterator, Sequence

import numpy as np
import torch
from tqdm import tqdm

from .backbone import Backbone
from .inputs import Encoded, pad
from .pooling import POOLINGS, Pooling
from .precision import autocast

TOGETHER = 1_024  # tokens read together on a CPU, padding included


def embed(
    backbone: Backbone,
    inputs: Sequence[Encoded],
    pooling: str | Pooling,
    normalize: bool = True,
    words: torch.Tensor | None = None,
) -> torch.Tensor:
    """The vectors of one batch, with gradient: one row per span, or per input without spans, in order.

    ``pooling`` is ``cls``, ``mean``, ``start``, ``mention``, or a function of states and batch, row by row.
    Pooling is done in float32 whatever the autocast around it. ``normalize`` gives them length 1. ``words``
    stand in for the embeddings of the tokens, which are those of :func:`word_embeddings`. Inputs of like
    length are read together: a batch of names padded to its longest is mostly padding. Raises ValueError
    for another name, for no input, and for a pooling that does not give a vector per span or input.
    """
    if not inputs:
        raise ValueError("a batch has at least one input")
    order = sorted(range(len(inputs)), key=lambda i: len(inputs[i].ids))
    by_length = [inputs[i] for i in order]
    if words is not None:
        words = words.index_select(0, torch.tensor(order, device=words.device))
    parts = []
    for part in runs(backbone, by_length):
        run = by_length[part]
        own = None if words is None else words[part, : len(run[-1].ids)]
        parts.append(_read(backbone, run, pooling, own))
    rows = _rows(order, by_length)
    places = torch.tensor([row for i in range(len(inputs)) for row in rows[i]], device=backbone.device)
    # Not an index in brackets, whose gradient several threads sum in any order.
    vectors = torch.cat(parts).index_select(0, places)
    return torch.nn.functional.normalize(vectors, dim=-1) if normalize else vectors


def _read(
    backbone: Backbone, inputs: Sequence[Encoded], pooling: str | Pooling, words: torch.Tensor | None = None
) -> torch.Tensor:
    """The vectors of inputs that are padded to one length, in float32 and of any length."""
    if isinstance(pooling, str) and pooling not in POOLINGS:
        raise ValueError(f"pooling is {pooling!r}; expected {', '.join(POOLINGS)}")
    pool = POOLINGS[pooling] if isinstance(pooling, str) else pooling
    batch = pad(inputs, backbone.tokenizer.pad_token_id, backbone.device)
    states = backbone(batch.ids, batch.mask, inputs_embeds=words, token_type_ids=batch.types)
    with torch.autocast(backbone.device.type, enabled=False):
        vectors = pool(states.to(torch.promote_types(states.dtype, torch.float32)), batch)
    expected = sum(item.n_vectors for item in inputs)
    if len(vectors) != expected:
        raise ValueError(
            f"pooling {pooling!r} gave {len(vectors)} vectors, but the inputs ask for {expected}"
        )
    return vectors


def word_embeddings(backbone: Backbone, inputs: Sequence[Encoded]) -> torch.Tensor:
    """The embeddings of the tokens of one batch, inputs × tokens × width, with gradient.

    The encoder adds those of place and segment: a step from these is a step from the sum.
    """
    ids = pad(inputs, backbone.tokenizer.pad_token_id, backbone.device).ids
    return backbone.network.get_input_embeddings()(ids)


def encode(
    backbone: Backbone,
    inputs: Sequence[Encoded],
    pooling: str | Pooling,
    normalize: bool = True,
    precision: str = "fp32",
    progress: bool = True,
) -> np.ndarray:
    """The vectors of any number of inputs, as ``embed`` gives them, float32 and without gradient.

    Equal inputs are encoded once; batches hold inputs of like length, as many as keep the device busy. What
    is batched together depends on the inputs and not on their order. Dropout is off meanwhile. ``precision``
    is as of :func:`autocast`.
    """
    distinct = sorted(set(inputs), key=lambda item: (len(item.ids), item))
    training, parts = backbone.training, []
    backbone.eval()
    try:
        with torch.inference_mode(), tqdm(total=len(distinct), unit="input", disable=not progress) as bar:
            for part in runs(backbone, distinct):
                batch = distinct[part]
                with autocast(backbone.device, precision):
                    vectors = _read(backbone, batch, pooling)
                    if normalize:
                        vectors = torch.nn.functional.normalize(vectors, dim=-1)
                parts.append(vectors.float().cpu().numpy())
                bar.update(len(batch))
    finally:
        backbone.train(training)
    if not parts:
        return np.zeros((0, backbone.width), dtype=np.float32)
    vectors = np.concatenate(parts)
    rows = _rows(distinct, distinct)
    return vectors[[row for item in inputs for row in rows[item]]]


def runs(backbone: Backbone, inputs: Sequence[Encoded]) -> Iterator[slice]:
    """The runs of inputs sorted by length that keep the device busy, such as a CPU with ``TOGETHER`` tokens;
    an input that is longer is a run of its own."""
    budget = TOGETHER if backbone.device.type == "cpu" else 65_536
    begin = 0
    for end in range(1, len(inputs) + 1):
        if end == len(inputs) or (end - begin + 1) * len(inputs[end].ids) > budget:
            yield slice(begin, end)
            begin = end


def _rows(keys: Sequence[Hashable], inputs: Sequence[Encoded]) -> dict[Hashable, range]:
    """Which rows of the vectors of some inputs are those of each, by a key for each."""
    ends = np.cumsum([item.n_vectors for item in inputs]).tolist()
    return {key: range(end - item.n_vectors, end) for key, item, end in zip(keys, inputs, ends, strict=True)}
