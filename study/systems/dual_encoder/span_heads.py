"""Where the mentions are: two heads on the states of a text (Bhowmik et al. 2021, section 3.4)."""

from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import binary_cross_entropy_with_logits, cross_entropy, pad

from benchlib.encoders.pieces import Span, without_overlaps


class SpanHead(torch.nn.Module):
    """A linear layer over the states of word pieces, and what ``forward(states)`` makes of its three outputs.

    Its weights start at 0, and its biases so that nothing is a mention: few spans are, and a head that has to
    learn this first learns nothing else in a short training.

    ``loss(states, real, gold)`` is that of states (inputs × pieces × width), of which those that are ``real``
    (inputs × pieces, boolean) are of the text; ``gold`` are the spans (first, last) of each input.
    ``found(states, threshold, least)`` are the spans in the text of these states (pieces × width), in its
    order: spans × 2, first and last.
    """

    def __init__(self, width: int):
        super().__init__()
        self.linear = torch.nn.Linear(width, 3)
        torch.nn.init.zeros_(self.linear.weight)
        torch.nn.init.zeros_(self.linear.bias)

    def _of_one(self, states: Tensor) -> Tensor:
        """The outputs for the states of one text, which may lie on another device than the head."""
        return self(states.to(self.linear.weight.device).unsqueeze(0))[0]


class ExhaustiveHead(SpanHead):
    """Scores every span of at most ``longest`` word pieces (equation 4): start + end + the sum over all its
    pieces. What is scored is a number a span, so memory is that of pieces × ``longest`` numbers.

    The loss is the binary cross-entropy of all spans, in which one longer than ``longest`` has no part, for
    each gold span of the batch: the mean over all spans would be next to nothing of the linking loss.
    """

    def __init__(self, width: int, longest: int = 10):
        super().__init__(width)
        self.longest = longest
        self.bias = torch.nn.Parameter(torch.tensor([-4.0]))

    def forward(self, states: Tensor) -> Tensor:
        """Logits, inputs × pieces × ``longest``: of the span that begins at a piece and has 1, 2, ... pieces.
        Those past the end of an input mean nothing."""
        start, *others = self.linear(states).unbind(-1)
        end, inside = (pad(one, (0, self.longest - 1)).unfold(1, self.longest, 1) for one in others)
        return start.unsqueeze(-1) + end + inside.cumsum(-1) + self.bias

    def loss(self, states: Tensor, real: Tensor, gold: Sequence[Sequence[Span]]) -> Tensor:
        whole = pad(real, (0, self.longest - 1)).unfold(1, self.longest, 1).cumprod(-1).bool()
        target = torch.zeros(whole.shape, device=states.device)
        for row, spans in enumerate(gold):
            for first, last in spans:
                if last - first < self.longest:
                    target[row, first, last - first] = 1.0
        loss = binary_cross_entropy_with_logits(self(states)[whole], target[whole], reduction="sum")
        return loss / target.sum().clamp(min=1)

    def scores(self, states: Tensor) -> np.ndarray:
        """Probabilities of the spans of one text (pieces × width): pieces × ``longest``, 0 past its end."""
        n = len(states)
        past = torch.arange(n).unsqueeze(1) + torch.arange(self.longest) >= n
        with torch.inference_mode():
            return self._of_one(states).sigmoid().cpu().masked_fill(past, 0.0).numpy()

    def found(self, states: Tensor, threshold: float = 0.5, least: int = 0) -> np.ndarray:
        """Those more probable than ``threshold``. Where there is none, the ``least`` most probable: the
        released code emits eight, which can only be wrong where no mention is."""
        scores = self.scores(states)
        first, more = np.nonzero(scores > threshold)
        if least and not len(first):
            best = np.argsort(-scores, axis=None, kind="stable")[: min(least, (scores > 0).sum())]
            first, more = np.unravel_index(np.sort(best), scores.shape)
        return np.stack([first, first + more], axis=1)


class TagHead(SpanHead):
    """Tags each word piece O, B or I; a mention is a B with the I that follow it. Gold spans that overlap
    another are left out of the tags, the first and longest going first. The loss is the cross-entropy, for
    each gold span of the batch as in :class:`ExhaustiveHead`."""

    def __init__(self, width: int):
        super().__init__(width)
        with torch.no_grad():
            self.linear.bias.copy_(torch.tensor([2.0, 0.0, 0.0]))

    def forward(self, states: Tensor) -> Tensor:
        """Logits of O, B and I: inputs × pieces × 3."""
        return self.linear(states)

    def loss(self, states: Tensor, real: Tensor, gold: Sequence[Sequence[Span]]) -> Tensor:
        target = torch.zeros(real.shape, dtype=torch.long, device=states.device)
        n_spans = 0
        for row, spans in enumerate(gold):
            for first, stop in without_overlaps([(a, b + 1) for a, b in spans], (0, 0)):
                target[row, first:stop] = 2
                target[row, first] = 1
                n_spans += 1
        return cross_entropy(self(states)[real], target[real], reduction="sum") / max(n_spans, 1)

    def found(self, states: Tensor, threshold: float = 0.5, least: int = 0) -> np.ndarray:
        """The most probable tag of each piece decides: ``threshold`` and ``least`` have no part."""
        with torch.inference_mode():
            return spans_of_tags(self._of_one(states).argmax(-1).cpu().numpy())


def spans_of_tags(tags: np.ndarray) -> np.ndarray:
    """The spans of tags (pieces,), 0 for O, 1 for B and 2 for I: spans × 2, first and last. An I that follows
    no B or I of a mention is in none."""
    first = np.flatnonzero(tags == 1)
    others = np.flatnonzero(np.append(tags, 0) != 2)
    return np.stack([first, others[np.searchsorted(others, first, side="right")] - 1], axis=1)


def best_threshold(scores: np.ndarray, right: np.ndarray, n_gold: int) -> float:
    """The threshold above which spans make the best F1: midway between the last span taken and the first not.

    ``scores`` (spans,) are probabilities, ``right`` (spans,) says which are gold, of ``n_gold`` in all, found
    or not. 0.5 where nothing is right.
    """
    if not right.any():
        return 0.5
    order = np.argsort(-scores, kind="stable")
    ranked, hits = scores[order], right[order].cumsum()
    f1 = 2 * hits / (np.arange(1, len(hits) + 1) + n_gold)
    next_one = np.append(ranked[1:], 0.0)
    f1[ranked == next_one] = -1.0  # equal scores are taken together
    best = int(f1.argmax())
    return float((ranked[best] + next_one[best]) / 2)
