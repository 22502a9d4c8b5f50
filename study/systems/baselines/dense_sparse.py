"""Names scored by two vectors in training, a dense and a sparse one, with a learned weight."""

from typing import NamedTuple

import torch

from benchlib.encoders import Backbone, Encoded, embed


class SynonymBatch(NamedTuple):
    """Training strings, each with its candidates.

    ``inputs`` are what the encoder reads, each once; ``place`` (strings × 1 + candidates) is where in them a
    string and its candidates are. ``sparse`` (strings × candidates) are the TF-IDF scores; ``synonym`` is
    True for a candidate that is right.
    """

    inputs: list[Encoded]
    place: torch.Tensor
    sparse: torch.Tensor
    synonym: torch.Tensor


class Scorer(torch.nn.Module):
    """The encoder and λ.

    A training has one learning rate, and AdamW moves a parameter by about that much a step. λ is to move
    ``speed`` times as far as the weights of the encoder, so it is ``speed`` times a parameter.
    """

    def __init__(self, backbone: Backbone, sparse_weight: float, speed: float):
        super().__init__()
        self.backbone, self.speed = backbone, speed
        self.slow = torch.nn.Parameter(torch.tensor(sparse_weight / speed, device=backbone.device))

    @property
    def sparse_weight(self) -> torch.Tensor:
        """λ. Its gradient reaches the parameter as it is: the norm in the trace is then that of λ."""
        return self.slow + (self.speed - 1) * self.slow.detach()

    def forward(self, batch: SynonymBatch) -> torch.Tensor:
        """The scores of the candidates, strings × candidates, in float32 whatever the autocast around."""
        distinct = embed(self.backbone, batch.inputs, "cls", normalize=False)
        # By index_select: the gradient of an index in brackets is summed in any order by several threads.
        place = batch.place.to(distinct.device)
        vectors = distinct.index_select(0, place.flatten()).unflatten(0, place.shape)
        # No matrix product: autocast would make it in half precision.
        dense = (vectors[:, :1] * vectors[:, 1:]).sum(-1)
        return dense + self.sparse_weight * batch.sparse.to(dense.device)
