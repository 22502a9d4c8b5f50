"""The dictionary name nearest to the mention, by an encoder tuned on the names of the dictionary."""

from __future__ import annotations

from typing import Literal

from pydantic.dataclasses import dataclass

from benchlib.benchmark import Benchmark

from ..encoders import encoder_folder
from ..settings import Trainable
from ..training_names import name_concept_pairs
from .by_name import NameSystem


@dataclass
class TunedLinker(NameSystem, Trainable):
    """Nearest name by a transformer tuned to bring the names of one concept together.

    The names are those of the dictionary and, of concepts that it knows, the strings of training mentions;
    the dictionary that is searched stays as it is. With ``multi-similarity`` this is what SapBERT (Liu et
    al. 2021) does to UMLS, here for one small dictionary. A fixed number of steps, nothing chosen on dev;
    with none the encoder stays as it comes. A step has two names of each of ``concepts`` concepts, those with
    a single one left out; ``loss`` is one of :mod:`benchlib.losses.by_name`. ``ms_alpha``, ``ms_beta``,
    ``ms_lambda`` (its base) and ``miner`` are those of ``MultiSimilarity`` there and have no part in another.
    """

    model: str = "minilm"
    layers: int | None = None
    loss: Literal["info-nce", "multi-similarity", "triplet", "cross-entropy", "proxy"] = "multi-similarity"
    pooling: str = "mean"
    steps: int = 300
    concepts: int = 32
    learning_rate: float = 5e-5
    max_length: int = 25
    ms_alpha: float = 2.0
    ms_beta: float = 50.0
    ms_lambda: float = 1.0
    miner: Literal["pairs", "triplets"] = "pairs"
    precision: str = "bf16"
    base, later = "tuned", ("ms_alpha", "ms_beta", "ms_lambda", "miner")
    training_only = ("loss", "concepts", "learning_rate", *later)
    dictionary_only = False

    def fit(self, benchmark: Benchmark, seed: int = 0) -> TunedLinker:
        """Raises ValueError for an ontology without a name, and one in which no concept has two."""
        from benchlib.encoder import Encoder  # which loads torch
        from benchlib.losses.by_name import MultiSimilarity

        pairs, loss = name_concept_pairs(benchmark, mentions=not self.dictionary_only), self.loss
        if loss == "multi-similarity":
            loss = MultiSimilarity(self.ms_alpha, self.ms_beta, self.ms_lambda, self.miner)
        reads = (self.layers, self.pooling, self.max_length, self.precision, self.progress)
        encoder = Encoder(encoder_folder(self.model), *reads)
        if self.steps:
            how = (loss, self.steps, self.concepts, self.learning_rate, seed, self.checkpoints)
            encoder.train(pairs, *how)
        self._index(benchmark.ontology, encoder.names)
        self.trace, self.weights = encoder.trace, encoder.names.fingerprint()
        return self


@dataclass
class SapBertLinker(TunedLinker):
    """:class:`TunedLinker` on the names of the dictionary alone: the recipe of SapBERT (Liu et al. 2021),
    with which BioCoM tunes its strongest baseline on its own small dictionary (section 4.2, appendix D).

    The defaults are the constants and the mining that BioCoM prints, and the mean of the word pieces.
    SapBERT's released program is
    ``sapbert,pooling=cls,ms_alpha=1,ms_beta=60,ms_lambda=0.5,miner=triplets``.
    """

    base = "sapbert"
    dictionary_only = True
