"""The name linker of the library as a system of the study."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field
from typing import Literal

from pydantic.dataclasses import dataclass

from benchlib.benchmark import Benchmark
from benchlib.corpus import Corpus, Document
from benchlib.name_linker import NameLinker
from benchlib.predictions import Predictions

from ...places import data_dir
from ..encoders import encoder_folder
from ..settings import Settings
from ..training_names import training_splits


@dataclass
class NameLinkerSystem(Settings):
    """:class:`benchlib.NameLinker` with the memory of the splits that it ``learns`` from, and ``nearest``
    names by an encoder, TF-IDF, both, or not at all (``exact``). ``abbreviations`` says whether those that a
    document defines are written out. ``model`` is as of :class:`.names.EncoderLinker`."""

    learns: Literal["nothing", "train", "train+dev"] = "train"
    nearest: Literal["both", "encoder", "tfidf", "exact"] = "both"
    abbreviations: bool = True
    model: str = "minilm"
    precision: str = "bf16"
    progress: bool = field(default=True, repr=False, compare=False)
    base = "name-linker"

    def fit(self, benchmark: Benchmark, seed: int = 0) -> NameLinkerSystem:
        """Raises ValueError for an ontology without a name, and for an encoder that cannot be used so."""
        encoder = None
        if self.nearest in ("both", "encoder"):
            from benchlib.encoder import Encoder  # which loads torch

            encoder = Encoder(encoder_folder(self.model), precision=self.precision)
            self.weights = encoder.names.fingerprint()
        splits = [] if self.learns == "nothing" else training_splits(self.learns, benchmark.transforms)
        documents = tuple(document for split in splits for document in benchmark.split(split).documents)
        how = {"encoder": encoder, "abbreviations": self.abbreviations, "cache": data_dir() / "vectors"}
        self._linker = NameLinker(how=self.nearest, progress=self.progress, **how)
        self._linker.fit(benchmark.ontology, train=Corpus(f"{benchmark.name}-{self.learns}", documents))
        return self

    def link(self, documents: Sequence[Document], k: int = 64) -> Predictions:
        """Up to k candidates for every mention span of the documents."""
        return self._linker.link(documents, k)
