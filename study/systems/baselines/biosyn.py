"""BioSyn: an encoder and character n-grams, trained by synonym marginalization (Sung et al. 2020)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated

import numpy as np
from pydantic import Field
from pydantic.dataclasses import dataclass

from benchlib import encoders, losses
from benchlib.benchmark import Benchmark
from benchlib.encoders import Encoded, TfidfEncoder
from benchlib.linker import name_candidates
from benchlib.ontology import fold_name
from benchlib.predictions import Candidate
from benchlib.retrieval import Vectors, search, summed_search
from benchlib.sampling import batches_per_epoch, epoch_batch

from ..encoders import load_backbone
from ..settings import Trainable
from ..training_names import single_concept_mentions
from .by_name import StringSystem, name_indices

SPARSE_RATE = 0.01  # the learning rate of λ in the released code, whatever that of the encoder


@dataclass
class BioSynLinker(StringSystem, Trainable):
    """The name with the largest score: the product of [CLS] vectors plus λ times that of TF-IDF vectors.

    One encoder reads mentions and names; its vectors are not normalised. TF-IDF counts character 1- and
    2-grams and is fitted on the dictionary. λ starts at ``sparse_weight`` and is trained with the encoder.

    In training each string is compared with ``candidates`` names. A share of ``dense_share`` are those that
    the encoder finds nearest, searched anew before each epoch; the others are those that TF-IDF finds
    nearest. The loss is :func:`marginal_nll`. The paper takes 20 candidates, half of each kind, 10 epochs,
    and a constant rate; without an epoch the encoder and λ stay as they come.

    Raises ValueError for a share that is no whole number of candidates.
    """

    model: str = "minilm"
    layers: int | None = None
    epochs: int = 2
    batch: int = 16
    candidates: int = 20
    dense_share: Annotated[float, Field(ge=0, le=1)] = 0.5
    sparse_weight: float = 0.0
    learning_rate: float = 1e-5
    max_length: int = 25
    precision: str = "bf16"
    base, training_only = "biosyn", ("batch", "candidates", "dense_share", "learning_rate")

    def __post_init__(self) -> None:
        dense = self.candidates * self.dense_share
        if abs(dense - round(dense)) > 1e-9:
            raise ValueError(
                f"dense_share: expected a whole number of candidates, found {self.dense_share} of "
                f"{self.candidates}"
            )

    def fit(self, benchmark: Benchmark, seed: int = 0) -> BioSynLinker:
        """Raises ValueError for an ontology without a name, and for no string to train on."""
        from .dense_sparse import Scorer

        self._candidates = name_candidates(benchmark.ontology)
        names = [candidate.name for candidate in self._candidates]
        queries = training_strings(benchmark, self._candidates)
        self._tfidf = TfidfEncoder().fit(names)
        self.backbone = load_backbone(self.model, self.layers)
        scorer = Scorer(self.backbone, self.sparse_weight, SPARSE_RATE / self.learning_rate)
        self.trace = self._train(scorer, names, queries, seed) if self.epochs else ()
        self.weights, self.trained_sparse_weight = self.backbone.fingerprint(), scorer.sparse_weight.item()
        self._names = self._vectors(names)
        return self

    def _rank(self, strings: list[str], k: int) -> tuple[np.ndarray, np.ndarray]:
        return summed_search(self._vectors(strings), self._names, self.trained_sparse_weight, k)

    def _train(
        self, scorer, names: list[str], queries: Mapping[str, set[int]], seed: int
    ) -> tuple[dict[str, float | None], ...]:
        import torch

        from .dense_sparse import Scorer, SynonymBatch

        inputs = encoders.text_inputs(self.backbone, [*names, *queries], self.max_length)
        synonyms = list(queries.values())
        of_names, of_queries = self._tfidf.encode(names), self._tfidf.encode(list(queries))
        n_sparse = self.candidates - round(self.candidates * self.dense_share)
        sparse = search(of_queries, of_names, self.candidates)[0][:, :n_sparse]
        epoch = batches_per_epoch(len(queries), self.batch)
        carried: dict[str, torch.Tensor] = {}

        def batch_at(number: int) -> SynonymBatch:
            if number % epoch == 0:
                vectors = self._encode(inputs)
                dense, _ = search(vectors[len(names) :], vectors[: len(names)], self.candidates)
                carried["candidates"] = torch.from_numpy(joined(sparse, dense))
            rows = epoch_batch(len(queries), self.batch, seed, number)
            chosen = carried["candidates"].numpy()[rows]
            read = [inputs[i] for i in np.column_stack([len(names) + rows, chosen]).ravel()]
            distinct = {one: place for place, one in enumerate(dict.fromkeys(read))}
            pairs = of_queries[rows.repeat(chosen.shape[1])].multiply(of_names[chosen.ravel()])
            return SynonymBatch(
                list(distinct),
                torch.tensor([distinct[one] for one in read]).view(len(rows), -1),
                torch.from_numpy(np.asarray(pairs.sum(1), dtype=np.float32).reshape(chosen.shape)),
                torch.tensor([[i in synonyms[row] for i in chosen[j]] for j, row in enumerate(rows)]),
            )

        def loss_of(model: Scorer, batch: SynonymBatch, share: float) -> torch.Tensor:
            scores = model(batch)
            return losses.marginal_nll(scores, batch.synonym.to(scores.device))

        kept, how = {"carried": carried}, {"schedule": "constant", "clip": None}
        return self._optimized(scorer, batch_at, loss_of, seed, self.epochs * epoch, kept, **how).trace

    def _encode(self, inputs: Sequence[Encoded]) -> np.ndarray:
        return encoders.encode(self.backbone, inputs, "cls", False, self.precision, progress=self.progress)

    def _vectors(self, texts: Sequence[str]) -> Vectors:
        inputs = encoders.text_inputs(self.backbone, texts, self.max_length)
        return Vectors(self._encode(inputs), self._tfidf.encode(texts))


def training_strings(benchmark: Benchmark, candidates: Sequence[Candidate]) -> dict[str, set[int]]:
    """By folded string of a training mention with one concept, the places of its synonyms in ``candidates``.

    A string may stand for several concepts, in several mentions; its synonyms are the names of all of them.
    Raises ValueError without any such string.
    """
    owned = name_indices(candidates)
    found: dict[str, set[int]] = {}
    for _, mention, concept in single_concept_mentions(benchmark):
        found.setdefault(fold_name(mention.text), set()).update(owned.get(concept, ()))
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
