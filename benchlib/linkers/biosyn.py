"""BioSyn: an encoder and character n-grams, trained by synonym marginalization (Sung et al. 2020)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
import torch
from scipy.sparse import csr_matrix

from ..corpus import Document
from ..datasets.benchmark import Benchmark
from ..encoders import Backbone, Encoded, TfidfEncoder, embed, encode, text_inputs
from ..losses import candidate_scores, marginal_nll
from ..ontology import fold_name
from ..predictions import Candidate, Predictions
from ..pretraining import encoder_folder
from ..retrieval import search
from ..sampling import Mining, batches_per_epoch, epoch_batch
from ..training import Training, train
from .by_name import dictionary, link_strings, places
from .linker import settings_of, variant
from .resumable import resumable

SPARSE_RATE = 0.01  # the learning rate of λ in the released code, whatever that of the encoder
_QUERIES = 128  # searched at a time: with 300,000 names 150 MB of dense scores, and as many of sparse ones


@dataclass
class BioSynLinker:
    """The name with the largest score: inner product of [CLS] vectors plus λ times that of TF-IDF vectors.

    One encoder reads mentions and names, its vectors are not normalised; TF-IDF is of character 1- and
    2-grams, fitted on the dictionary; λ starts at ``sparse_weight`` and is trained as well. A training
    string has ``candidates`` names, of which a share of ``dense_share`` is the nearest by the encoder,
    retrieved anew before each epoch, and the others by TF-IDF; the loss is :func:`marginal_nll`. The paper
    takes 20 candidates, half of each kind, 10 epochs, and a constant rate.

    Raises ValueError for a share that is none, or no whole number of candidates.
    """

    model: str = "minilm"
    layers: int | None = None
    epochs: int = 2
    batch: int = 16
    candidates: int = 20
    dense_share: float = 0.5
    sparse_weight: float = 0.0
    learning_rate: float = 1e-5
    max_length: int = 25
    precision: str = "bf16"
    version = "1"
    progress: bool = field(default=True, repr=False)

    def __post_init__(self) -> None:
        dense = self.candidates * self.dense_share
        if not 0 <= self.dense_share <= 1 or abs(dense - round(dense)) > 1e-9:
            raise ValueError(
                "dense_share: expected a share from 0 to 1 that is a whole number of candidates, "
                f"found {self.dense_share} of {self.candidates}"
            )

    @property
    def name(self) -> str:
        return variant("biosyn", self)

    @property
    def config(self) -> Mapping[str, object]:
        return settings_of(self)

    def fit(self, benchmark: Benchmark, seed: int = 0) -> BioSynLinker:
        """Raises ValueError for an ontology without a name, and for no string to train on."""
        self._candidates = dictionary(benchmark.ontology)
        names = [candidate.name for candidate in self._candidates]
        queries = training_strings(benchmark, self._candidates)
        self._tfidf = TfidfEncoder().fit(names)
        self.backbone = Backbone.load(encoder_folder(self.model), layers=self.layers)
        scorer = Scorer(self.backbone, self.sparse_weight, SPARSE_RATE / self.learning_rate)
        self.trace = self._train(scorer, names, queries, benchmark, seed)
        self.weights, self.trained_sparse_weight = self.backbone.fingerprint(), scorer.sparse_weight.item()
        self._names = self._vectors(names)
        return self

    def link(self, documents: Sequence[Document], k: int = 64) -> Predictions:
        return link_strings(
            documents,
            self._candidates,
            lambda strings: summed_search(self._vectors(strings), self._names, self.trained_sparse_weight, k),
        )

    def _train(
        self,
        scorer: Scorer,
        names: list[str],
        queries: Mapping[str, set[int]],
        benchmark: Benchmark,
        seed: int,
    ) -> tuple[dict[str, float | None], ...]:
        inputs = text_inputs(self.backbone, [*names, *queries], self.max_length)
        synonyms = list(queries.values())
        of_names, of_queries = self._tfidf.encode(names), self._tfidf.encode(list(queries))
        n_sparse = self.candidates - round(self.candidates * self.dense_share)
        sparse = search(of_queries, of_names, self.candidates)[0][:, :n_sparse]
        epoch = batches_per_epoch(len(queries), self.batch)
        carried: dict[str, torch.Tensor] = {}

        def batch_at(number: int) -> Batch:
            if Mining(epoch).due(number):
                vectors = self._encode(inputs)
                dense, _ = search(vectors[len(names) :], vectors[: len(names)], self.candidates)
                carried["candidates"] = torch.from_numpy(joined(sparse, dense))
            rows = epoch_batch(len(queries), self.batch, seed, number)
            chosen = carried["candidates"].numpy()[rows]
            read = [inputs[i] for i in np.column_stack([len(names) + rows, chosen]).ravel()]
            distinct = {one: place for place, one in enumerate(dict.fromkeys(read))}
            pairs = of_queries[rows.repeat(chosen.shape[1])].multiply(of_names[chosen.ravel()])
            return Batch(
                list(distinct),
                torch.tensor([distinct[one] for one in read]).view(len(rows), -1),
                torch.from_numpy(np.asarray(pairs.sum(1), dtype=np.float32).reshape(chosen.shape)),
                torch.tensor([[i in synonyms[row] for i in chosen[j]] for j, row in enumerate(rows)]),
            )

        def loss_of(model: Scorer, batch: Batch, share: float) -> torch.Tensor:
            scores = model(batch)
            return marginal_nll(scores, batch.synonym.to(scores.device))

        settings = Training(
            self.learning_rate,
            steps=self.epochs * epoch,
            schedule="constant",
            clip=None,
            precision=self.precision,
            seed=seed,
        )
        with resumable(self, benchmark, seed) as folder:
            return train(
                scorer, batch_at, loss_of, settings, carried=carried, folder=folder, progress=self.progress
            ).trace

    def _encode(self, inputs: Sequence[Encoded]) -> np.ndarray:
        return encode(
            self.backbone,
            inputs,
            "cls",
            normalize=False,
            precision=self.precision,
            progress=self.progress,
        )

    def _vectors(self, texts: Sequence[str]) -> Vectors:
        inputs = text_inputs(self.backbone, texts, self.max_length)
        return Vectors(self._encode(inputs), self._tfidf.encode(texts))


class Vectors(NamedTuple):
    """Both vectors of some texts: ``dense`` texts × width, ``sparse`` texts × n-grams, float32."""

    dense: np.ndarray
    sparse: csr_matrix


class Batch(NamedTuple):
    """Strings with their candidates. ``place`` (strings × 1 + candidates) tells which of ``inputs``, each
    there once, the string and its candidates are; ``sparse`` (strings × candidates) holds the TF-IDF scores,
    ``synonym`` is True where a candidate is right."""

    inputs: list[Encoded]
    place: torch.Tensor
    sparse: torch.Tensor
    synonym: torch.Tensor


class Scorer(torch.nn.Module):
    """The encoder and λ. λ is a parameter times ``speed``, the ratio of its learning rate to the encoder's:
    a training has one rate, and a step of AdamW is of that size whatever the size of the gradient."""

    def __init__(self, backbone: Backbone, sparse_weight: float, speed: float):
        super().__init__()
        self.backbone, self.speed = backbone, speed
        self.slow = torch.nn.Parameter(torch.tensor(sparse_weight / speed, device=backbone.device))

    @property
    def sparse_weight(self) -> torch.Tensor:
        """λ, whose gradient is the parameter's too, so that the norm in the trace is of λ."""
        return self.slow + (self.speed - 1) * self.slow.detach()

    def forward(self, batch: Batch) -> torch.Tensor:
        """The scores of the candidates, strings × candidates, in float32 whatever the autocast around."""
        distinct = embed(self.backbone, batch.inputs, "cls", normalize=False)
        # By index_select: the gradient of an index in brackets is summed in any order by several threads.
        place = batch.place.to(distinct.device)
        vectors = distinct.index_select(0, place.flatten()).unflatten(0, place.shape)
        dense = candidate_scores(vectors[:, 0], vectors[:, 1:])
        return dense + self.sparse_weight * batch.sparse.to(dense.device)


def training_strings(benchmark: Benchmark, candidates: Sequence[Candidate]) -> dict[str, set[int]]:
    """The folded strings of training mentions with one gold concept that the ontology knows, each with its
    synonyms: the places in ``candidates`` of the names of all concepts that it stands for.

    Raises ValueError without any such string.
    """
    owned = places(candidates)
    found: dict[str, set[int]] = {}
    for _, mention in benchmark.train.mentions():
        concepts = {c for id in mention.gold.ids for c in benchmark.ontology.resolve(id)}
        if len(concepts) == 1:
            found.setdefault(fold_name(mention.text), set()).update(owned.get(concepts.pop(), ()))
    if not found:
        raise ValueError(
            f"benchmark {benchmark.name}: expected a training mention with one gold concept of the ontology, "
            f"found none among {benchmark.train.n_mentions}"
        )
    return found


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
