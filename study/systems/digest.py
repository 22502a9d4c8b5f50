"""Which weights a system has."""

import hashlib
from collections.abc import Iterable

from torch import Tensor


def state_digest(start: str, weights: Iterable[tuple[str, Tensor]]) -> str:
    """SHA-256, in hexadecimal, over a text and the bytes of some weights, each behind its label."""
    digest = hashlib.sha256(start.encode())
    for label, weight in weights:
        digest.update(label.encode())
        digest.update(weight.detach().cpu().contiguous().numpy().data)
    return digest.hexdigest()
