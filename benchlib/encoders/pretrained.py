"""Pretrained weights with their tokenizer, loaded only where nothing is missing."""

import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from numbers import Integral

import torch

from .folders import EXPECTED, model_folder

_NAMED = 3  # keys in an error
_CONVERT = (
    "weights that are not safetensors are not read, as a pickle can run code: load it once with "
    "AutoModel.from_pretrained of transformers, where you trust it, and save_pretrained writes safetensors"
)
_SPARE_ROWS = 0.1  # of the embeddings that no word of the tokenizer may have: they are rounded up, to 128 say


def pretrained(model: str, layers: int | None):
    """(tokenizer, network) in float32, the network without a pooler and with its first ``layers`` layers.

    Raises ValueError for a model that is not there, is not whole, has weights that are not safetensors or
    code of its own to run, for a number of layers that it does not have, and for a tokenizer that does not
    fit, gives no offsets or has no [PAD], [CLS] or [SEP].
    """
    from transformers import AutoConfig, AutoModel, AutoTokenizer
    from transformers.utils import logging

    # One bar a phase: the encoding shows its own.
    logging.disable_progress_bar()
    folder = model_folder(model)
    with _named(model):
        tokenizer = AutoTokenizer.from_pretrained(folder, trust_remote_code=False)
        config = AutoConfig.from_pretrained(folder, trust_remote_code=False)
    if layers is not None:
        if not isinstance(layers, Integral) or not 1 <= layers <= config.num_hidden_layers:
            raise ValueError(f"encoder {model!r} has {config.num_hidden_layers} layers, not {layers!r}")
        config.num_hidden_layers = int(layers)
    # What the library would warn of, and more, is an error below.
    verbosity = logging.get_verbosity()
    logging.set_verbosity_error()
    try:
        with _named(model):
            network, loading = AutoModel.from_pretrained(
                folder,
                config=config,
                use_safetensors=True,
                trust_remote_code=False,
                ignore_mismatched_sizes=True,
                output_loading_info=True,
            )
    finally:
        logging.set_verbosity(verbosity)
    _check_weights(model, loading, layers, network)
    _check_tokenizer(model, tokenizer, network)
    # Nothing here reads it, and a checkpoint without one gets random weights in its place.
    network.pooler = None
    return tokenizer, network.float()


@contextmanager
def _named(model: str) -> Iterator[None]:
    """Whatever the libraries make of a broken file (they raise bare ``Exception`` too) names the encoder."""
    try:
        yield
    except Exception as error:
        message = (str(error) or type(error).__name__).splitlines()[0]
        convert = f" ({_CONVERT})" if "safetensors" in message else ""
        raise ValueError(f"encoder {model!r} could not be loaded; {EXPECTED}: {message}{convert}") from error


def _check_weights(
    model: str, loading: Mapping[str, Iterable], layers: int | None, network: torch.nn.Module
) -> None:
    """A weight that the checkpoint lacks, or has in another shape, is drawn at random by the library."""
    problems = {
        "lacks": [key for key in loading["missing_keys"] if "pooler" not in key.split(".")],
        "has another shape of": [key for key, *_ in loading["mismatched_keys"]],
        "has no place for": [key for key in loading["unexpected_keys"] if not _spare(key, layers, network)],
    }
    for problem, keys in problems.items():
        if keys:
            shown = ", ".join(sorted(keys)[:_NAMED])
            raise ValueError(f"encoder {model!r} {problem} {len(keys)} of its weights: {shown}")


def _spare(key: str, layers: int | None, network: torch.nn.Module) -> bool:
    """Whether a weight is that of a pooler, of a task's head, whatever its name, or of a layer left out."""
    parts, layer = key.split("."), re.search(r"\blayers?\.(\d+)\.", key)
    left_out = layers is not None and layer is not None and int(layer[1]) >= layers
    own = {name for name, _ in network.named_children()} - {"pooler"}
    return left_out or "position_ids" in parts or own.isdisjoint(parts)


def _check_tokenizer(model: str, tokenizer, network: torch.nn.Module) -> None:
    if not tokenizer.is_fast:
        raise ValueError(f"encoder {model!r} has no fast tokenizer, which is needed for offsets")
    if None in (tokenizer.pad_token_id, tokenizer.cls_token_id, tokenizer.sep_token_id):
        raise ValueError(f"encoder {model!r} has a tokenizer without one of [PAD], [CLS] and [SEP]")
    vocabulary = tokenizer.get_vocab()
    if vocabulary.keys() <= set(tokenizer.all_special_tokens):
        # What the library makes up where the files of the tokenizer are missing.
        raise ValueError(f"encoder {model!r} has a tokenizer without any word")
    largest, rows = max(vocabulary.values()), network.get_input_embeddings().num_embeddings
    if largest >= rows:
        raise ValueError(f"encoder {model!r}: its tokenizer has the id {largest}, its embeddings {rows} rows")
    if len(vocabulary) < (1 - _SPARE_ROWS) * rows:
        sizes = f"its tokenizer has {len(vocabulary)} tokens, its embeddings {rows} rows"
        raise ValueError(f"encoder {model!r}: {sizes}; expected the tokenizer of the same model")
