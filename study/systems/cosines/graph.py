"""A graph network over the characters of a string."""

import json
from collections.abc import Iterable, Sequence

import numpy as np
import torch
from torch.nn.functional import normalize, pad

from benchlib.encoders.backbone import state_digest

_BATCH = 512


def vocabulary(texts: Iterable[str]) -> str:
    """The distinct characters of texts, in ascending order."""
    return "".join(sorted(set().union(*texts)))


class CharacterGraph(torch.nn.Module):
    """A string as the mean of its characters after message passing along the chain they form: the GNN
    baseline of CoSiNES (section 4.3), which gives neither its layers nor its width.

    A layer is a graph convolution (Kipf and Welling 2017, equation 2): the degree-normalised sum over a
    node and its neighbours, linear, ReLU. ``characters`` have an embedding each; all others share one,
    which training on texts of that vocabulary leaves as it is drawn.
    """

    def __init__(self, characters: str, width: int = 128, layers: int = 2) -> None:
        super().__init__()
        self.config = {"characters": characters, "width": width, "layers": layers}
        self._row = {character: row for row, character in enumerate(characters, start=1)}
        self.embedding = torch.nn.Embedding(len(characters) + 1, width)
        self.layers = torch.nn.ModuleList(torch.nn.Linear(width, width) for _ in range(layers))

    def forward(self, texts: Sequence[str]) -> torch.Tensor:
        """The vectors of texts, texts × width, with gradient; zeros for the empty string."""
        weights = self.embedding.weight
        longest = max(map(len, texts), default=0)
        rows = torch.zeros(len(texts), longest, dtype=torch.long)
        for i, text in enumerate(texts):
            rows[i, : len(text)] = torch.tensor([self._row.get(c, 0) for c in text], dtype=torch.long)
        lengths = torch.tensor([len(text) for text in texts], dtype=torch.long)
        is_node = (torch.arange(longest) < lengths[:, None]).to(weights)[:, :, None]
        # Nodes weigh 1 / sqrt(degree), padding 0, so that it sends and receives nothing.
        weight = is_node / _with_neighbours(is_node).clamp(min=1).sqrt()
        nodes = self.embedding(rows.to(weights.device))
        for layer in self.layers:
            nodes = torch.relu(layer(weight * _with_neighbours(weight * nodes)))
        return (nodes * is_node).sum(1) / is_node.sum(1).clamp(min=1)

    def encode(self, texts: Sequence[str]) -> np.ndarray:
        """Float32 vectors of length 1 without gradient, texts × width. Each distinct text is encoded
        once, beside others of its length."""
        distinct = sorted(set(texts), key=lambda text: (len(text), text))
        vectors = np.zeros((len(distinct), self.config["width"]), dtype=np.float32)
        with torch.inference_mode():
            for first in range(0, len(distinct), _BATCH):
                batch = distinct[first : first + _BATCH]
                vectors[first : first + len(batch)] = normalize(self(batch), dim=1).cpu().numpy()
        place = {text: i for i, text in enumerate(distinct)}
        return vectors[[place[text] for text in texts]]

    def fingerprint(self) -> str:
        """SHA-256 over configuration and weights."""
        return state_digest(json.dumps(self.config), self.state_dict().items())


def _with_neighbours(nodes: torch.Tensor) -> torch.Tensor:
    """Each node plus the nodes before and after it, texts × nodes × width."""
    if not nodes.shape[1]:
        return nodes
    return nodes + pad(nodes[:, :-1], (0, 0, 1, 0)) + pad(nodes[:, 1:], (0, 0, 0, 1))
