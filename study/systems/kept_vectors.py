"""Vectors that the linkers of one training ask for: each encoded once, and kept in its folder."""

from collections.abc import Callable, Hashable, Sequence
from hashlib import blake2b
from pathlib import Path

import numpy as np
from safetensors.numpy import load_file, save

from benchlib.terminal import write


class KeptVectors:
    """The vectors of inputs by one trained encoder, kept as ``kind-*.safetensors`` in the ``folder`` of the
    training, or in memory alone where that is None.

    How a vector is rounded depends on what it was first encoded with: of two linkers of one training, the
    scores of the second may differ in their last digits from those that it has alone.
    """

    def __init__(self, folder: Path | None, kind: str):
        self._folder, self._kind = folder, kind
        self._rows: dict[bytes, np.ndarray] = {}
        for path in folder.glob(f"{kind}-*.safetensors") if folder else ():
            kept = load_file(path)
            self._rows.update(zip(map(bytes, kept["inputs"]), kept["vectors"], strict=True))

    def of(self, inputs: Sequence[Hashable], encode: Callable[[list[Hashable]], np.ndarray]) -> np.ndarray:
        """The vectors of inputs, inputs × width, float32; ``encode`` makes those that are not kept yet."""
        if not inputs:
            return encode([])
        digests = [blake2b(repr(one).encode(), digest_size=16).digest() for one in inputs]
        new = {of: one for of, one in zip(digests, inputs, strict=True) if of not in self._rows}
        if new:
            vectors = encode([*new.values()])
            self._rows.update(zip(new, vectors, strict=True))
            if self._folder:
                named = np.frombuffer(b"".join(new), np.uint8).reshape(len(new), -1)
                path = self._folder / f"{self._kind}-{len(self._rows)}.safetensors"
                write(path, save({"inputs": named, "vectors": vectors}))
        return np.stack([self._rows[of] for of in digests])
