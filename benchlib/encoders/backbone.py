"""A pretrained transformer with its tokenizer."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from pathlib import Path

import torch

from .folders import DEFAULT
from .pretrained import pretrained


class Backbone(torch.nn.Module):
    """A transformer, the tokenizer it reads with, and the markers added to both.

    ``markers`` are tokens of their own, never split; a marked mention stands between the first two.
    """

    def __init__(self, network: torch.nn.Module, tokenizer, markers: Sequence[str] = ()):
        super().__init__()
        self.network, self.tokenizer, self.markers = network, tokenizer, tuple(markers)

    @classmethod
    def load(cls, model: str = DEFAULT, layers: int | None = None, markers: Sequence[str] = ()) -> Backbone:
        """The default encoder, a local folder or a Hub id, in float32 and evaluation mode, on the GPU if
        there is one.

        ``layers`` keeps the first so many layers. Markers that the tokenizer lacks are added; their
        embeddings start as the mean of all others, so loading twice gives the same weights. Without
        ``markers``, those that ``save`` wrote. Raises ValueError as :func:`pretrained`.
        """
        tokenizer, network = pretrained(model, layers)
        markers = tuple(markers) or tuple(getattr(network.config, "markers", ()))
        new = [marker for marker in markers if marker not in tokenizer.get_vocab()]
        if new:
            mean = network.get_input_embeddings().weight.detach().mean(0)
            tokenizer.add_tokens(new, special_tokens=True)
            if len(tokenizer) > network.config.vocab_size:  # some checkpoints have rows to spare
                network.resize_token_embeddings(len(tokenizer), mean_resizing=False)
            with torch.no_grad():
                network.get_input_embeddings().weight[tokenizer.convert_tokens_to_ids(new)] = mean
        network.config.markers = list(markers)
        return cls(network, tokenizer, markers).to("cuda" if torch.cuda.is_available() else "cpu").eval()

    def forward(
        self,
        input_ids: torch.Tensor,
        attention_mask: torch.Tensor,
        inputs_embeds: torch.Tensor | None = None,
        token_type_ids: torch.Tensor | None = None,
    ) -> torch.Tensor:
        """Last hidden states, batch × tokens × width, of ids and a mask that are batch × tokens.

        ``inputs_embeds`` (batch × tokens × width) stand in for the word embeddings of the ids, as an
        adversarial example needs; ``token_type_ids`` are ignored by a model that knows one type only.
        """
        words = {"input_ids": input_ids} if inputs_embeds is None else {"inputs_embeds": inputs_embeds}
        if token_type_ids is not None and getattr(self.network.config, "type_vocab_size", 0) > 1:
            words["token_type_ids"] = token_type_ids
        return self.network(attention_mask=attention_mask, **words).last_hidden_state

    @property
    def device(self) -> torch.device:
        return next(self.parameters()).device

    @property
    def width(self) -> int:
        return self.network.config.hidden_size

    @property
    def max_length(self) -> int:
        """The most tokens of one input, special tokens included."""
        positions = self.network.config.max_position_embeddings
        # Those of RoBERTa and its kin begin behind the number of the padding token.
        before = getattr(getattr(self.network, "embeddings", None), "padding_idx", -1) + 1
        return min(self.tokenizer.model_max_length, positions - before)

    def marker_ids(self) -> list[int]:
        return self.tokenizer.convert_tokens_to_ids(list(self.markers))

    def fingerprint(self) -> str:
        """SHA-256 over weights and vocabulary: which encoder made a vector."""
        weights = self.network.state_dict().items()
        labelled = ((f"{name} {weight.dtype} {tuple(weight.shape)}", weight) for name, weight in weights)
        return state_digest(repr(sorted(self.tokenizer.get_vocab().items())), labelled)

    def save(self, folder: str | Path) -> None:
        """An ordinary Hugging Face folder: configuration, safetensors, tokenizer with its markers. Raises
        FileExistsError for a file of that name, where transformers would write nothing."""
        Path(folder).mkdir(parents=True, exist_ok=True)
        self.network.save_pretrained(folder)
        self.tokenizer.save_pretrained(folder)


def state_digest(start: str, weights: Iterable[tuple[str, torch.Tensor]]) -> str:
    """SHA-256, in hexadecimal, over a text and the bytes of some weights, each behind its label."""
    digest = hashlib.sha256(start.encode())
    for label, weight in weights:
        digest.update(label.encode())
        digest.update(weight.detach().cpu().contiguous().numpy().data)
    return digest.hexdigest()
