"""Two encoders, of mentions and of entities, whose vectors are compared."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import torch

from benchlib.encoders.backbone import Backbone
from benchlib.encoders.pooling import Pooling


class DualEncoder(torch.nn.Module):
    """The transformer that reads mentions and the one that reads entities, which may be the same, each with
    its pooling.

    A bi-encoder (PEL, section 5.2), or a dual encoder (Bhowmik et al. 2021, section 3.1).
    """

    def __init__(
        self,
        mention: Backbone,
        entity: Backbone,
        mention_pooling: str | Pooling = "mean",
        entity_pooling: str | Pooling = "mean",
    ):
        super().__init__()
        self.mention, self.mention_pooling = mention, mention_pooling
        self.entity, self.entity_pooling = entity, entity_pooling

    @classmethod
    def load(
        cls,
        model: str,
        layers: int | None = None,
        shared: bool = False,
        markers: Sequence[str] = (),
        pooling: str = "mean",
    ) -> DualEncoder:
        """Both from the same weights and with the same pooling; with ``shared`` one network reads both.

        ``markers`` are those of mentions. Raises ValueError as :meth:`Backbone.load`.
        """
        mention = Backbone.load(model, layers, markers)
        return cls(mention, mention if shared else Backbone.load(model, layers), pooling, pooling)

    def fingerprint(self) -> str:
        """SHA-256 over all weights and both vocabularies."""
        digest = hashlib.sha256(f"{self.mention.fingerprint()} {self.entity.fingerprint()}".encode())
        for pooling in (self.mention_pooling, self.entity_pooling):
            for name, weight in pooling.state_dict().items() if isinstance(pooling, torch.nn.Module) else ():
                digest.update(f"{name} {weight.dtype} {tuple(weight.shape)}".encode())
                digest.update(weight.detach().cpu().contiguous().numpy().data)
        return digest.hexdigest()
