"""PEL's losses over an encoder that stays as it comes: what is trained is a linear map of each side."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from pydantic.dataclasses import dataclass

from benchlib import training
from benchlib.benchmark import Benchmark
from benchlib.encoders import Encoded

from ..pools import NegativePool
from .linker import TRAINING, BiEncoderLinker, Learned

_kept: dict[tuple, np.ndarray] = {}  # the vectors that this process asked for last, by what was read and how


@dataclass
class FrozenBiEncoderLinker(BiEncoderLinker):
    """A :class:`BiEncoderLinker` that trains no encoder, but :func:`maps_of` its vectors.

    The settings are the same; ``shared`` is for the maps as well, and these train in fp32 whatever the
    ``precision`` of the encoder. Texts are encoded once for all linkers of a process that read the same: a
    training takes seconds, and many show what the constants of a loss do. How well a trained encoder links
    they do not show.

    Raises ValueError also for hard negatives, and for an ``fgsm``, ``leave_own_out`` and ``frozen`` layers,
    which say how an encoder is trained.
    """

    learning_rate: float = 1e-3
    base = "frozen-bi-encoder"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.fgsm != "none" or self.leave_own_out or self.frozen:
            raise ValueError("expected no fgsm, leave_own_out or frozen layers, where no encoder is trained")
        if self.negatives == "mixed" or self.own_hard:
            raise ValueError("expected no hard negatives, where no encoder is trained")

    def fit(self, benchmark: Benchmark, seed: int = 0) -> FrozenBiEncoderLinker:
        """Raises what :meth:`BiEncoderLinker.fit` raises."""
        self.maps = None
        super().fit(benchmark, seed)
        if self.maps is not None:
            from benchlib.encoders.backbone import state_digest

            self.weights = state_digest(self.weights, (("", of) for of in self.maps.state_dict().values()))
        return self

    def _train(self, learned: Learned, seed: int) -> training.Trained:
        import torch
        from torch.nn.functional import normalize

        device = self.encoder.entity.device
        # No maps yet: these are the encoder's.
        of_mentions, of_entities = (
            torch.tensor(self._encode(side, given), device=device)
            for side, given in (("mention", learned.inputs), ("entity", learned.entities))
        )
        self.maps = maps_of(of_entities.shape[1], self.shared).to(device)

        def loss_of(maps: torch.nn.ModuleDict, pool: NegativePool, share: float) -> torch.Tensor:
            rows = [torch.tensor(numbers, device=device) for numbers in pool[:2]]
            both = maps["mention"](of_mentions[rows[0]]), maps["entity"](of_entities[rows[1]])
            mentions, others = (normalize(vectors) for vectors in both) if self.contrast.cosine else both
            return self.contrast.of(mentions @ others.T, pool)

        pools, how = self._pools(learned, None, seed), TRAINING | {"precision": "fp32"}
        return self._optimized(self.maps, pools.at, loss_of, seed, pools.steps, **how)

    def _encode(self, side: str, inputs: Sequence[Encoded]) -> np.ndarray:
        import torch

        backbone = getattr(self.encoder, side)
        key = (backbone.fingerprint(), self.pooling, self.precision, *inputs)
        vectors = _kept.pop(key) if key in _kept else super()._encode(side, inputs)
        _kept[key] = vectors
        if len(_kept) > 4:  # entities, and the mentions of three splits
            del _kept[next(iter(_kept))]
        if self.maps is None:
            return vectors
        with torch.no_grad():
            return self.maps[side](torch.tensor(vectors, device=backbone.device)).cpu().numpy()


def maps_of(width: int, shared: bool = False):
    """A linear map of the vectors of mentions and one of those of entities, or one for both: a module of maps
    by side. They start as the identity, where vectors are as the encoder gives them."""
    import torch

    mention, entity = (torch.nn.Linear(width, width, bias=False) for _ in range(2))
    maps = torch.nn.ModuleDict({"mention": mention, "entity": mention if shared else entity})
    for linear in maps.values():
        torch.nn.init.eye_(linear.weight)
    return maps
