"""The dictionary name nearest to the mention, by an encoder tuned on the names of the dictionary."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from benchlib import encoders, training
from benchlib.benchmark import Benchmark
from benchlib.encoders import Encoded
from benchlib.sampling import items_by_concept, pair_batch

from ..encoders import encoder_folder
from ..settings import check
from ..training_names import named_concepts
from .by_name import NearestName, dictionary

LOSSES = ("info-nce", "multi-similarity", "triplet", "cross-entropy", "proxy")
MINERS = ("pairs", "triplets")


@dataclass
class TunedLinker(NearestName):
    """Nearest name by a transformer tuned to bring the names of one concept together.

    The names are those of the dictionary and, of concepts that it knows, the strings of training mentions;
    the dictionary that is searched stays as it is. With ``multi-similarity`` this is what SapBERT (Liu et
    al. 2021) does to UMLS, here for one small dictionary. A fixed number of steps, nothing chosen on dev;
    with none the encoder stays as it comes. A step has two names of each of ``concepts`` concepts, those with
    a single one left out; ``loss`` is one of :data:`LOSSES`. ``ms_alpha``, ``ms_beta``, ``ms_lambda`` (its
    base) and ``miner`` are those of :class:`MultiSimilarity` and have no part in another loss.
    ``checkpoints`` is a folder of this training alone, where it goes on when it was killed.

    Raises ValueError for another loss or miner.
    """

    model: str = "minilm"
    layers: int | None = None
    loss: str = "multi-similarity"
    pooling: str = "mean"
    steps: int = 300
    concepts: int = 32
    learning_rate: float = 5e-5
    max_length: int = 25
    ms_alpha: float = 2.0
    ms_beta: float = 50.0
    ms_lambda: float = 1.0
    miner: str = "pairs"
    precision: str = "bf16"
    progress: bool = field(default=True, repr=False, compare=False)
    checkpoints: Path | None = field(default=None, repr=False, compare=False)
    base, later = "tuned", ("ms_alpha", "ms_beta", "ms_lambda", "miner")
    training_only = ("loss", "concepts", "learning_rate", *later)
    dictionary_only = False

    def __post_init__(self) -> None:
        check(self, loss=LOSSES, miner=MINERS)

    def fit(self, benchmark: Benchmark, seed: int = 0) -> TunedLinker:
        """Raises ValueError for an ontology without a name, and one in which no concept has two."""
        self._candidates = dictionary(benchmark.ontology)
        backbone = encoders.Backbone.load(encoder_folder(self.model), self.layers)
        settings = (self.pooling, self.max_length, self.precision, self.progress)
        self.encoder = encoders.NameEncoder(backbone, *settings)
        self.trace = self._train(benchmark, seed).trace if self.steps else ()
        self.weights, self._vectors = self.encoder.fingerprint(), self._encoded_names()
        return self

    def _train(self, benchmark: Benchmark, seed: int) -> training.Trained:
        import torch

        from benchlib.losses import by_name

        texts, labels = zip(*named_concepts(benchmark, mentions=not self.dictionary_only), strict=True)
        inputs = encoders.text_inputs(self.encoder.backbone, texts, self.max_length)
        items, loss = items_by_concept(labels), by_name.LOSSES[self.loss]
        if self.loss == "multi-similarity":
            loss = by_name.MultiSimilarity(self.ms_alpha, self.ms_beta, self.ms_lambda, self.miner)

        def batch_at(number: int) -> list[Encoded]:
            return [inputs[i] for i in pair_batch(items, seed, number, self.concepts).ravel()]

        def loss_of(model: encoders.Backbone, batch: list[Encoded], share: float) -> torch.Tensor:
            vectors = encoders.embed(model, batch, self.pooling)
            # Cosines in half precision would lose the differences that hard pairs live by.
            with torch.autocast(model.device.type, enabled=False):
                return loss(vectors.view(-1, 2, vectors.shape[1]), share)

        config, watched = self._training(seed, self.steps, warmup=0.06), getattr(loss, "watched", None)
        return self._trained(self.encoder.backbone, batch_at, loss_of, config, watched=watched)


@dataclass
class SapBertLinker(TunedLinker):
    """:class:`TunedLinker` on the names of the dictionary alone: the recipe of SapBERT (Liu et al. 2021),
    with which BioCoM tunes its strongest baseline on its own small dictionary (section 4.1).

    The defaults are the constants and the mining that BioCoM prints, and the mean of the word pieces.
    SapBERT's released program is
    ``sapbert,pooling=cls,ms_alpha=1,ms_beta=60,ms_lambda=0.5,miner=triplets``.
    """

    base = "sapbert"
    dictionary_only = True
