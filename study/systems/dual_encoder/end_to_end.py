"""The collective dual encoder that finds the mentions as well (Bhowmik et al. 2021, section 3.4)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchlib import encoders
from benchlib.benchmark import Benchmark
from benchlib.corpus import Document
from benchlib.encoders import Encoded
from benchlib.encoders.pieces import Span
from benchlib.predictions import Predictions, Query

from ..by_entity import TrainingMention, rank_entities
from ..contrast import ContrastiveBatch
from ..encoders import encoder_folder
from ..pel.linker import BiEncoderLinker
from ..settings import require_choice
from .document import document_inputs
from .windows import text_windows

HEADS = ("exhaustive", "bio")
_TEXTS = 64  # read at a time: every word piece has a vector


@dataclass
class EndToEndLinker(BiEncoderLinker):
    """A :class:`BiEncoderLinker` without markers that can ``find`` the spans that it links.

    A text is read in windows of at most ``window`` word pieces, each in one pass, and the vector of a span is
    the mean of its word pieces. In training the loss of a head that looks for the gold spans is added to that
    of linking: spans of all mentions, NIL and composite ones too, in the windows with a mention that linking
    learns from. ``head``: ``exhaustive``, all spans of at most ``longest`` word pieces (10 in section 4.3),
    or ``bio`` tags. The head has a learning rate of its own, ``head_rate``.

    The exhaustive head takes the spans whose probability is above a threshold: that of the best F1 of spans
    on dev, or 0.5 where dev has none or is learned from. With ``least`` a window in which none passes gives
    its ``least`` most probable ones, 8 in the released code.

    The paper's chunks have at most eight gold mentions, at test time too. Here no text is cut by what is to
    be found in it.

    Raises ValueError also for a head that there is not, for ``longest`` below 1, for ``least`` below 0 or
    with ``bio``, whose tags have no order, and for ``frozen`` layers.
    """

    loss: str = "ce"
    window: int = 256
    batch: int = 3
    head: str = "exhaustive"
    longest: int = 10
    head_rate: float = 3e-3
    least: int = 0
    base, after_training = "end-to-end", ("score", "least")
    training_only = (*BiEncoderLinker.training_only, "head_rate")

    def __post_init__(self) -> None:
        super().__post_init__()
        require_choice(self, head=HEADS)
        if self.longest < 1:
            raise ValueError(f"longest: expected spans of 1 word piece or more, found {self.longest}")
        if self.least < 0 or self.least and self.head == "bio":
            raise ValueError(f"least: expected 0 or more, and 0 with bio, found {self.least}")
        if self.frozen:
            raise ValueError(f"frozen: expected 0 for the joint training of a head, found {self.frozen}")

    def fit(self, benchmark: Benchmark, seed: int = 0) -> EndToEndLinker:
        super().fit(benchmark, seed)
        self.threshold = 0.5
        if self.head == "exhaustive" and self.learns == "train":
            self.threshold = self._best_threshold(benchmark.dev.documents)
        return self

    @property
    def chosen(self) -> Mapping[str, float]:
        """What was chosen on dev."""
        return {"threshold": round(self.threshold, 6)} if self.head == "exhaustive" else {}

    def find(self, documents: Sequence[Document], k: int = 64) -> Predictions:
        """Up to k candidates for every span that is found in the texts of documents; their mentions are not
        looked at."""
        queries: list[Query] = []
        vectors = [np.zeros((0, self.encoder.mention.width), dtype=np.float32)]
        for window, states in self.states(documents):
            found: dict[Query, Span] = {}
            for first, last in self.encoder.head.found(states, self.threshold, self.least).tolist():
                start, end = window.offsets(first, last)
                if start < end:  # and once, where a character has two pieces
                    found.setdefault(Query(documents[window.document].id, start, end), (first, last))
            queries += found
            vectors += [states[a : b + 1].mean(0, keepdim=True).numpy() for a, b in found.values()]
        ranking = rank_entities(np.concatenate(vectors), self._entities, k, self.contrast, self.score)
        return Predictions(tuple(queries), self._candidates, *ranking)

    def states(self, documents: Sequence[Document]) -> Iterator[tuple]:
        """Each window of some documents, with the states of its word pieces: pieces × width, float32."""
        import torch

        from .span_finder import each_piece

        backbone = self.encoder.mention
        for begin in range(0, len(documents), _TEXTS):
            texts = [document.text for document in documents[begin : begin + _TEXTS]]
            windows = list(text_windows(backbone, texts, self.window))
            inputs = [one.inputs(backbone, [(i, i) for i in range(len(one.pieces.ids))]) for one in windows]
            states = encoders.encode(backbone, inputs, each_piece, False, self.precision, progress=False)
            ends = np.cumsum([one.n_vectors for one in inputs])[:-1]
            for window, own in zip(windows, np.split(states, ends), strict=True):
                yield window._replace(document=begin + window.document), torch.from_numpy(own)

    def _best_threshold(self, documents: Sequence[Document]) -> float:
        from .span_heads import best_threshold

        gold = [{(mention.start, mention.end) for mention in document.mentions} for document in documents]
        scores, right = [np.zeros(0)], [np.zeros(0, dtype=bool)]
        for window, states in self.states(documents):
            of_window = self.encoder.head.scores(states)
            is_gold = np.zeros(of_window.shape, dtype=bool)
            for first, last in filter(None, window.places(sorted(gold[window.document]))):
                if last - first < self.longest and window.offsets(first, last) in gold[window.document]:
                    is_gold[first, last - first] = True
            scores.append(of_window[of_window > 0])
            right.append(is_gold[of_window > 0])
        return best_threshold(np.concatenate(scores), np.concatenate(right), sum(map(len, gold)))

    def _load(self):
        from .span_finder import load_span_finder

        settings = (self.layers, self.shared, self.pooling, self.head, self.longest)
        found = load_span_finder(encoder_folder(self.model), *settings)
        for parameter in found.head.parameters():
            parameter.times = self.head_rate / self.learning_rate
        return found

    def save(self, folder: str | Path) -> None:
        """What was trained, as a Hugging Face folder: the ``model`` of a linker with the same settings that
        trains on, or with ``steps`` 0 links with it. What is chosen on dev is chosen again."""
        self.encoder.save(folder)

    def _watched(self) -> None:
        """Nothing: the loss has that of the head in it, so the chance of linking is no bound of it."""

    def _loss(self, model, batch: ContrastiveBatch):
        from torch.nn.functional import normalize

        vectors, of_spans = model.read(batch.mentions, [self._gold_spans[one] for one in batch.mentions])
        if self.contrast.cosine:
            vectors = normalize(vectors, dim=-1)
        return self.contrast.from_vectors(vectors, model, batch) + of_spans

    def _read_seen(self, seen: Sequence[TrainingMention]) -> tuple[list[Encoded], np.ndarray]:
        backbone = self.encoder.mention
        of_document: dict[str, list[TrainingMention]] = {}
        for one in seen:
            of_document.setdefault(one[0].id, []).append(one)
        inputs, concepts, self._gold_spans = [], [], {}
        own = list(of_document.values())
        for window in text_windows(backbone, [of[0][0].text for of in own], self.window):
            linked = own[window.document]
            places = window.places([(mention.start, mention.end) for _, mention, _ in linked])
            there = [(place, one[2]) for place, one in zip(places, linked, strict=True) if place]
            if there:
                mentions = linked[0][0].mentions
                spans = {*filter(None, window.places([(one.start, one.end) for one in mentions]))}
                inputs.append(window.inputs(backbone, [place for place, _ in there]))
                concepts += [concept for _, concept in there]
                self._gold_spans[inputs[-1]] = sorted(spans)
        return inputs, np.array(concepts)

    def mention_vectors(self, documents: Sequence[Document], queries: Sequence[Query]) -> np.ndarray:
        of = {document.id: (document.text, []) for document in documents}
        for query in queries:
            of[query.document][1].append((query.start, query.end))
        read = document_inputs(self.encoder.mention, list(of.values()), self.window)
        return self._encode("mention", read.inputs)[read.order]
