"""The systems of the CoSiNES chapter, as its page's parameters say."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import pandas as pd

from ..linkers import BioSynLinker, CosinesLinker
from ..linkers.cosines import GRAPH
from . import reported
from .systems import System

TECHNICAL = ("esappmod",)
BIOMEDICAL = {
    "ncbi-disease": "ncbi",
    "bc5cdr-disease": "bc5cdr-d",
    "bc5cdr-chemical": "bc5cdr-c",
    "bc2gn": "bc2gm",
}
"""The four corpora by what the paper calls them."""
TFIDF, UNTUNED, BIOSYN = "TF-IDF, char 1-2", "encoder as it comes, [CLS]", "BioSyn, small"
PAPER_RATE, CHOSEN_RATE, LONGER = "CoSiNES", "CoSiNES, chosen rate", "CoSiNES, longer"
CLEAN, RELEASED = "CoSiNES, clean", "CoSiNES, as released"
GROWN = "[CLS], training mentions searched"
MINING = ("hybrid", "batch-all", "batch-hard")
TIMED = {
    TFIDF: "tfidf-char-1-2",
    "TF-IDF, words 2-4": "tfidf-char_wb-2-4",
    "GNN": GRAPH,
    UNTUNED: "encoder-6-cls",
}
"""What of :mod:`benchlib.linkers.inference` times which system."""
TIMED_THERE = {
    "TF-IDF": "tfidf-char-1-2",
    "GNN": GRAPH,
    "BERT": "encoder-6-mean",
    "CoSiNES": "encoder-6-cls",
}
"""The same for the systems of the paper's table 1."""
_GRIDS = {"margin": (0.5, 1.0, 2.0, 5.0, 10.0), "groups": (4, 8, 16, 32)}
_GRID_RATES = (1e-3, 1e-4, 1e-5, 1e-6)
_SMALL = {"layers": 1, "pooling": "mean", "epochs": 1, "learning_rate": 1e-4}
_EPOCHS = {"mini": 1, "paper": 200}


@dataclass(frozen=True)
class Setup:
    """Every linker of the chapter by name. On the embedded corpus CoSiNES is one layer, trained for an epoch,
    and what differs in settings alone is left out. At scale ``paper`` it trains for the paper's 200 epochs,
    with all layers of the encoder that the page names.

    ``page`` has the parameters ``scale``, ``encoder``, ``adapted``, ``epochs``, ``learning_rate``,
    ``chosen_rate``, ``longer``, ``rates``, ``folds``, ``fold_layers``, ``fold_epochs`` and ``seeds``.
    """

    page: Any

    @property
    def real(self) -> bool:
        return self.page.scale != "mini"

    @property
    def epochs(self) -> int:
        return _EPOCHS.get(self.page.scale, self.page.epochs)

    @property
    def fold_epochs(self) -> int:
        return _EPOCHS.get(self.page.scale, self.page.fold_epochs)

    @property
    def reference(self) -> str:
        """The label of the row that the others are compared with."""
        return self.trained()[-1].label

    def printed(self, item: str) -> pd.DataFrame:
        """The rows of one of the paper's tables; none beside results on the embedded corpus."""
        return reported.table("cosines", item)[: None if self.real else 0]

    def cosines(self, **settings: Any) -> str:
        return CosinesLinker(self.page.encoder, **settings | ({} if self.real else _SMALL)).name

    def untuned(self) -> list[System]:
        encoder, adapted = self.page.encoder, f"{self.page.adapted}-mean"
        return [
            System(TFIDF, "tfidf-char-1-2", "TF-IDF"),
            System("TF-IDF, words 2-4", "tfidf-char_wb-2-4"),
            # Adapting an encoder takes longer than an embedded corpus is worth.
            *([System("adapted encoder", adapted, "BERT")] if self.real else []),
            System("encoder as it comes, mean", f"{encoder}-mean"),
            System(UNTUNED, f"{encoder}-cls"),
        ]

    def trained(self) -> list[System]:
        seeds = tuple(self.page.seeds) if self.real else (0,)
        graph = CosinesLinker(
            GRAPH, learns="train+dev", epochs=40 if self.real else 1, learning_rate=1e-2
        ).name
        paper, chosen = self.page.learning_rate, self.page.chosen_rate
        trainings = {
            PAPER_RATE: (self.epochs, paper),
            LONGER: (max(self.epochs, self.page.longer), paper),
            CHOSEN_RATE: (self.epochs, chosen),
        }
        systems = [System("GNN", graph, "GNN", seeds)]
        for label, (epochs, rate) in trainings.items():
            name = self.cosines(learns="train+dev", epochs=epochs, learning_rate=rate)
            if name not in [one.linker for one in systems]:
                systems.append(System(label, name, "CoSiNES" * (label == PAPER_RATE), seeds))
        return systems

    def table1(self) -> list[System]:
        paid = System("GPT-3 embeddings", printed="GPT3", reason="NOT RUN: paid service")
        return [*self.untuned(), paid, *self.trained()]

    def pairs(self) -> list[tuple[str, str]]:
        """Each CoSiNES of table 1 against every baseline, and the first against the others."""
        graph, *networks = (one.label for one in self.trained())
        others = [*(one.label for one in self.untuned()), graph]
        compared = [(network, other) for network in networks for other in others]
        return compared + [(networks[0], one) for one in networks[1:]]

    def with_mentions(self) -> list[System]:
        """As table 1, the training mentions being names of the list."""
        networks = {one.label for one in self.trained() if one.label != "GNN"}
        wanted = {TFIDF, "TF-IDF, words 2-4", "encoder as it comes, mean", UNTUNED} | networks
        wanted = wanted if self.real else {TFIDF, self.reference}
        return [
            System(s.label, s.linker, seeds=s.seeds, changes=("add-names:train+dev",))
            for s in self.table1()
            if s.label in wanted
        ]

    def perturbed(self, kind: str) -> list[System]:
        """Three systems of table 1 on perturbed test mentions, the quickest alone on the embedded corpus."""
        wanted = (TFIDF, *([UNTUNED, self.reference] if self.real else []))
        return [
            System(s.label, s.linker, seeds=s.seeds, changes=(f"{kind}:test",))
            for s in self.table1()
            if s.label in wanted
        ]

    def curves(self) -> dict[str, str]:
        """The trainings of table 1 by learning rate, once more with dev held out and evaluated."""
        rates = dict.fromkeys((self.page.learning_rate, self.page.chosen_rate) if self.real else (1e-4,))
        return {
            f"{rate:g}": self.cosines(epochs=self.epochs, learning_rate=rate, evaluate_epochs=1)
            for rate in rates
        }

    def folds(self) -> list[tuple[str, ...]]:
        return [(f"fold:{i}/{self.page.folds}",) for i in range(1, self.page.folds + 1 if self.real else 2)]

    def rates(self) -> dict[str, str]:
        """The trainings of figure 3 by learning rate."""
        rates = self.page.rates if self.real else (1e-4,)
        return {f"{rate:g}": self._fold(learning_rate=rate) for rate in rates}

    def mining(self) -> dict[str, str]:
        """The trainings of figure 4 by the way to mine."""
        kinds = MINING if self.real else MINING[::2]
        return {kind: self._fold(learning_rate=self.page.chosen_rate, mining=kind) for kind in kinds}

    def sizes(self) -> dict[str, System]:
        """CoSiNES with the first layers of the encoder, by what was timed; figure 5."""
        sizes = {}
        for layers in (1, 2, 4, 6) if self.real else (1,):
            part = {} if layers == 6 else {"layers": layers, "pooling": "mean"}
            name = self.cosines(
                **part, learns="train+dev", epochs=self.epochs, learning_rate=self.page.chosen_rate
            )
            sizes[f"encoder-{layers}-cls"] = System(f"{layers} layers", name)
        return sizes

    def grids(self) -> dict[str, dict[tuple[str, str], str]]:
        """The trainings of table 5 by the setting that varies with the learning rate, the third of the
        grid at the paper's value, and by the values of both; on the embedded corpus that of the curve."""
        if not self.real:
            return {"margin": {("2", rate): name for rate, name in self.curves().items()}}
        return {
            setting: {
                (f"{value:g}", f"{rate:g}"): self.cosines(
                    **self._part, epochs=2, learning_rate=rate, **{setting: value}
                )
                for value in values
                for rate in _GRID_RATES
            }
            for setting, values in _GRIDS.items()
        }

    def biomedical(self) -> list[System]:
        budget = {"steps": 200, "evaluate_steps": 100, "keep": "best"} if self.real else {}
        encoder, name = self.page.encoder, self.cosines(**budget)
        released = ("add-names:train+dev", "dev:test")
        return [
            System(TFIDF, "tfidf-char-1-2", "TF-IDF"),
            *([System("adapted encoder", f"{self.page.adapted}-mean", "BioBERT")] if self.real else []),
            System(UNTUNED, f"{encoder}-cls"),
            *([System(BIOSYN, BioSynLinker(encoder, epochs=1).name, "BioSyn")] if self.real else []),
            System(CLEAN, name, "CoSiNES"),
            *([System(GROWN, f"{encoder}-cls", changes=released[:1])] if self.real else []),
            System(RELEASED, name, "CoSiNES", changes=released),
        ]

    def biomedical_pairs(self) -> list[tuple[str, str]]:
        clean, released = [TFIDF, UNTUNED], [CLEAN]
        if self.real:
            clean, released = [*clean, BIOSYN], [*released, GROWN]
        return [*((CLEAN, other) for other in clean), *((RELEASED, other) for other in released)]

    def _fold(self, **settings: Any) -> str:
        return self.cosines(**self._part, epochs=self.fold_epochs, evaluate_epochs=1, **settings)

    @property
    def _part(self) -> dict[str, Any]:
        """The first layers of the encoder, for what is trained many times. After few layers the first token
        has gathered little of the others, so their mean is taken."""
        return {} if self.page.scale == "paper" else {"layers": self.page.fold_layers, "pooling": "mean"}


def printed_counts() -> Mapping[str, str]:
    """What the paper prints of ESAppMod, by the count of :mod:`benchlib.datasets.strings` that it equals."""
    of = partial(reported.cell, "cosines", "text", metric="count", dataset="ESAppMod")
    negatives = reported.cell("cosines", "figure6", metric="count")
    return {
        "dictionary.concepts": f"{of(variant='entities'):,}",
        "learn.distinct_no_canonical": f"{of(variant='mentions', split='train'):,}",
        "test.mentions": f"{of(variant='mentions', split='test'):,}",
        "test.nil": f"{negatives:,}",
    }
