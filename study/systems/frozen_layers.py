"""Frozen lower layers, whose states are cached: an update of the weights runs the upper layers alone."""

from __future__ import annotations

import copy
from collections.abc import Sequence

import numpy as np
import torch
from tqdm import tqdm

from benchlib.encoders.backbone import Backbone
from benchlib.encoders.batches import runs
from benchlib.encoders.inputs import Encoded, pad
from benchlib.encoders.precision import autocast

from .dual import DualEncoder

BOUND = 2**30  # bytes of cached states of one network
_DTYPES = {"fp32": torch.float32, "bf16": torch.float16}  # of cached states, by the precision of products
_TYPES = ("bert", "roberta")  # whose layers take the states alone, and nothing else from the embeddings


def freeze_layers(
    model: DualEncoder,
    frozen: int,
    mentions: Sequence[Encoded],
    entities: Sequence[Encoded],
    precision: str = "fp32",
    progress: bool = True,
) -> DualEncoder:
    """A dual encoder of the upper layers of ``model``, with its poolings, that reads what ``model`` reads.

    The embeddings and the lowest ``frozen`` layers of both networks are frozen: they run without dropout and
    without gradient, and are no part of what is returned. Its other weights are those of ``model`` itself, so
    that training it trains ``model``. States of the ``mentions`` and ``entities``, each of one text, are
    computed now in ``precision``, as of :func:`autocast`, and cached: the shortest inputs first, up to
    ``BOUND`` bytes a network, in float32 for ``fp32`` and in float16 for ``bf16``. Those of other inputs are
    computed whenever they are read, and not kept: no state depends on what was read before, so that a resumed
    training ends as one that was never stopped.

    Raises ValueError for no frozen layer or no other, and for an encoder that is not of the type of BERT or
    RoBERTa.
    """
    if model.mention is model.entity:
        mention = entity = _upper(model.mention, frozen, [*mentions, *entities], precision, progress)
    else:
        mention = _upper(model.mention, frozen, mentions, precision, progress)
        entity = _upper(model.entity, frozen, entities, precision, progress)
    return DualEncoder(mention, entity, model.mention_pooling, model.entity_pooling).eval()


def _upper(
    backbone: Backbone, frozen: int, inputs: Sequence[Encoded], precision: str, progress: bool
) -> Backbone:
    network, n_layers = backbone.network, backbone.network.config.num_hidden_layers
    if network.config.model_type not in _TYPES:
        raise ValueError(
            f"frozen: expected an encoder of type {' or '.join(_TYPES)}, found {network.config.model_type}"
        )
    if not 0 < frozen < n_layers:
        raise ValueError(f"frozen: expected 1 to {n_layers - 1} of {n_layers} layers, found {frozen}")
    layers, encoder = network.encoder.layer, network.encoder
    lower = _with(network, encoder=_with(encoder, layer=layers[:frozen]))
    states = CachedStates(Backbone(lower, backbone.tokenizer), inputs, precision, progress)
    upper = _with(network, embeddings=states, encoder=_with(encoder, layer=layers[frozen:]))
    return Backbone(upper, backbone.tokenizer, backbone.markers)


def _with(module: torch.nn.Module, **parts: torch.nn.Module) -> torch.nn.Module:
    """A module that shares everything with another but these parts."""
    other = copy.copy(module)
    other._modules = {**module._modules, **parts}
    return other


class CachedStates(torch.nn.Module):
    """The states behind a ``lower`` network, without gradient, in the place of an upper network's embeddings.

    Takes token ids (batch × tokens, padded at the end) or, as embeddings do, ``inputs_embeds``, which here
    are states; gives batch × tokens × width in float32. ``inputs`` are cached as far as ``BOUND`` reaches.
    """

    def __init__(self, lower: Backbone, inputs: Sequence[Encoded], precision: str, progress: bool):
        super().__init__()
        self._lower = (lower.eval(),)  # in a tuple: its weights are no part of this module
        self._padding = lower.tokenizer.pad_token_id
        dtype = _DTYPES[precision]
        distinct = sorted({one.ids for one in inputs}, key=lambda ids: (len(ids), ids))
        ends = np.cumsum([1, *map(len, distinct)])  # row 0 is that of padding
        n = np.searchsorted(ends, BOUND // (lower.width * dtype.itemsize), side="right") - 1
        self._start = dict(zip(distinct[: max(n, 0)], ends.tolist(), strict=False))
        n_rows = int(ends[len(self._start)])
        self._states = torch.zeros(n_rows, lower.width, dtype=dtype, device=lower.device)
        self._fill(lower, precision, progress)

    def _fill(self, lower: Backbone, precision: str, progress: bool) -> None:
        kept = [Encoded(ids) for ids in self._start]
        with torch.no_grad(), tqdm(total=len(kept), unit="input", disable=not progress) as bar:
            for part in runs(lower, kept):
                batch = pad(kept[part], self._padding, lower.device)
                with autocast(lower.device, precision):
                    states = lower(batch.ids, batch.mask)
                begin = self._start[kept[part.start].ids]
                self._states[begin : begin + int(batch.mask.sum())] = states[batch.mask.bool()]
                bar.update(len(batch.ids))

    @property
    def word_embeddings(self) -> CachedStates:
        """This module: what a network of transformers takes its input embeddings from."""
        return self

    def forward(
        self,
        input_ids: torch.Tensor | None = None,
        inputs_embeds: torch.Tensor | None = None,
        **unused: object,
    ) -> torch.Tensor:
        if inputs_embeds is not None:
            return inputs_embeds
        place = torch.arange(input_ids.shape[1], device=input_ids.device)
        lengths = ((input_ids != self._padding) * (place + 1)).amax(1)
        rows = zip(input_ids.tolist(), lengths.tolist(), strict=True)
        starts = [self._start.get(tuple(ids[:length]), 0) for ids, length in rows]  # 0: not cached
        first, real = torch.tensor(starts, device=input_ids.device)[:, None], place < lengths[:, None]
        states = self._states[torch.where(real & (first > 0), first + place, 0)].float()
        if missing := [row for row, start in enumerate(starts) if not start]:
            with torch.no_grad():
                states[missing] = self._lower[0](input_ids[missing], real[missing].long()).float()
        return states
