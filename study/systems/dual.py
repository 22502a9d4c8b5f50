"""Two encoders, of mentions and of entities, whose vectors are compared."""

from __future__ import annotations

from collections.abc import Sequence

import torch

from benchlib.encoders.backbone import Backbone, state_digest
from benchlib.encoders.pooling import Pooling

from .encoders import load_backbone


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

        ``markers`` are those of mentions. Raises ValueError as :func:`load_backbone`.
        """
        mention = load_backbone(model, layers, markers)
        return cls(mention, mention if shared else load_backbone(model, layers), pooling, pooling)

    def fingerprint(self) -> str:
        """SHA-256 over all weights and both vocabularies."""
        poolings = (self.mention_pooling, self.entity_pooling)
        states = [one.state_dict() for one in poolings if isinstance(one, torch.nn.Module)]
        labelled = (
            (f"{name} {of.dtype} {tuple(of.shape)}", of) for own in states for name, of in own.items()
        )
        return state_digest(f"{self.mention.fingerprint()} {self.entity.fingerprint()}", labelled)
