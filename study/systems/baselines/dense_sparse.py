"""Names scored by two vectors, a dense and a sparse one: in training with a learned weight, and in search."""

from typing import NamedTuple

import numpy as np
import torch
from scipy.sparse import csr_matrix

from benchlib.encoders import Backbone, Encoded, embed

_QUERIES = 128  # searched at a time: with 300,000 names 150 MB of dense scores, and as many of sparse ones


class Vectors(NamedTuple):
    """Both vectors of some texts: ``dense`` texts × width, ``sparse`` texts × n-grams, float32."""

    dense: np.ndarray
    sparse: csr_matrix


class Batch(NamedTuple):
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

    def forward(self, batch: Batch) -> torch.Tensor:
        """The scores of the candidates, strings × candidates, in float32 whatever the autocast around."""
        distinct = embed(self.backbone, batch.inputs, "cls", normalize=False)
        # By index_select: the gradient of an index in brackets is summed in any order by several threads.
        place = batch.place.to(distinct.device)
        vectors = distinct.index_select(0, place.flatten()).unflatten(0, place.shape)
        # No matrix product: autocast would make it in half precision.
        dense = (vectors[:, :1] * vectors[:, 1:]).sum(-1)
        return dense + self.sparse_weight * batch.sparse.to(dense.device)


def joined(sparse: np.ndarray, dense: np.ndarray) -> np.ndarray:
    """The candidates of each string, none twice, as many as ``dense`` (strings × candidates) has: all of
    ``sparse`` (strings × fewer), then the best of ``dense`` that are not among them."""
    return np.array(
        [
            list(dict.fromkeys([*first, *then]))[: dense.shape[1]]
            for first, then in zip(sparse.tolist(), dense.tolist(), strict=True)
        ]
    )


def summed_search(
    queries: Vectors, names: Vectors, sparse_weight: float, k: int
) -> tuple[np.ndarray, np.ndarray]:
    """The k names with the largest dense inner product plus ``sparse_weight`` times the sparse one: (index
    int32, scores float32), each queries × min(k, names), best first, equal scores by ascending index.

    Exact: every name is scored, some queries at a time.
    """
    k = min(k, len(names.dense))
    index = np.empty((len(queries.dense), k), dtype=np.int32)
    scores = np.empty(index.shape, dtype=np.float32)
    for first in range(0, len(index), _QUERIES):
        rows = slice(first, first + _QUERIES)
        sums = queries.dense[rows] @ names.dense.T
        sums += (names.sparse @ (sparse_weight * queries.sparse[rows]).toarray().T).T
        for row, one in enumerate(sums, first):
            # All that equal the last one taken, so that the first of them are.
            near = np.flatnonzero(one >= np.partition(one, -k)[-k])
            index[row] = near[np.argsort(-one[near], kind="stable")][:k]
            scores[row] = one[index[row]]
    return index, scores
