"""The collective dual encoder that finds the mentions as well (Bhowmik et al. 2021, section 3.4)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Literal

import numpy as np
from pydantic import NonNegativeInt, PositiveInt
from pydantic.dataclasses import dataclass

from benchlib import encoders
from benchlib.benchmark import Benchmark
from benchlib.corpus import Document
from benchlib.encoders import Encoded
from benchlib.encoders.pieces import Span
from benchlib.predictions import Predictions, Query

from ..by_entity import TrainingMention, rank_entities
from ..contrast import ContrastiveBatch, Loss
from ..pel.linker import BiEncoderLinker
from ..texts import texts_of
from .passes import chunk_inputs
from .windows import text_windows

_TEXTS = 64  # read at a time: every word piece has a vector


@dataclass
class EndToEndLinker(BiEncoderLinker):
    """A :class:`BiEncoderLinker` without markers that can ``find`` the spans that it links.

    A text is read in windows of at most ``window`` word pieces, each in one pass, and the vector of a span is
    the mean of its word pieces; the paper's chunks are cut by their gold mentions, at test time too. In
    training the loss of a head that looks for the gold spans is added to that of linking: spans of all
    mentions, NIL and composite ones too, in the windows with a mention that linking learns from. ``head``:
    ``exhaustive``, all spans of at most ``longest`` word pieces (10 in section 4.3), or ``bio`` tags. The
    head has a learning rate of its own, ``head_rate``.

    The exhaustive head takes the spans whose probability is above a threshold: that of the best F1 of spans
    on dev, or 0.5 where dev has none or is learned from. With ``least`` a window in which none passes gives
    its ``least`` most probable ones, 8 in the released code.

    Raises ValueError also for ``least`` with ``bio``, whose tags have no order, and for ``frozen`` layers.
    """

    loss: Loss = "ce"
    window: int = 256
    batch: int = 3
    head: Literal["exhaustive", "bio"] = "exhaustive"
    longest: PositiveInt = 10
    head_rate: float = 3e-3
    least: NonNegativeInt = 0
    base, after_training = "end-to-end", ("score", "least")
    training_only = (*BiEncoderLinker.training_only, "head_rate")

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.frozen or self.least and self.head == "bio":
            raise ValueError("expected no frozen layers with a head, and no least of a bio head")

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
        found = load_span_finder(self.model, *settings)
        for parameter in found.head.parameters():
            parameter.times = self.head_rate / self.learning_rate
        return found

    def save(self, folder: str | Path) -> None:
        """What was trained, as a Hugging Face folder: the ``model`` of a linker with the same settings that
        trains on, or with ``steps`` 0 links with it. What is chosen on dev is chosen again."""
        self.encoder.save(folder)

    # The loss has that of the head in it, so the chance of linking is no bound of it.
    _watched = None

    def _loss(self, model, batch: ContrastiveBatch, share: float):
        from torch.nn.functional import normalize

        vectors, of_spans = model.read(batch.mentions, [self._gold_spans[one] for one in batch.mentions])
        if self.contrast.cosine:
            vectors = normalize(vectors, dim=-1)
        return self.contrast.from_vectors(vectors, model, batch) + of_spans

    def _read_seen(self, seen: Sequence[TrainingMention]) -> tuple[list[Encoded], Sequence[int]]:
        of_document: dict[str, list[int]] = {}
        for i, one in enumerate(seen):
            of_document.setdefault(one.document.id, []).append(i)
        inputs, order, self._gold_spans = [], [], {}
        documents, backbone = list(of_document.values()), self.encoder.mention
        for window in text_windows(backbone, [seen[own[0]].document.text for own in documents], self.window):
            own = documents[window.document]
            places = dict(zip(own, window.places([seen[i].place[1:] for i in own]), strict=True))
            if there := [i for i in own if places[i]]:
                gold = [(one.start, one.end) for one in seen[own[0]].document.mentions]
                inputs.append(window.inputs(backbone, [places[i] for i in there]))
                order += there
                self._gold_spans[inputs[-1]] = sorted({*filter(None, window.places(gold))})
        return inputs, order

    def mention_vectors(self, documents: Sequence[Document], queries: Sequence[Query]) -> np.ndarray:
        texts = texts_of(queries, documents)  # all mentions of a text in one input, as far as they fit
        read = chunk_inputs(self.encoder.mention, texts, len(queries), None, self.window)
        return self._encode("mention", read.inputs)[read.order]
