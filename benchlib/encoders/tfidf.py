"""Character n-gram TF-IDF vectors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from scipy.sparse import csr_matrix

if TYPE_CHECKING:
    from sklearn.feature_extraction.text import TfidfVectorizer


@dataclass
class TfidfEncoder:
    """TF-IDF over character n-grams, L2-normalised, fitted on the names to be searched.

    ``analyzer`` is ``char`` (n-grams cross word boundaries; BioCoM, appendix D, takes 1- and 2-grams) or
    ``char_wb`` (within words, padded with a space).
    """

    ngrams: tuple[int, int] = (1, 2)
    analyzer: str = "char"
    _vectorizer: TfidfVectorizer | None = field(default=None, init=False, repr=False)

    def fit(self, texts: Sequence[str]) -> TfidfEncoder:
        """Learn vocabulary and document frequencies; raises ValueError without any text."""
        if not texts:
            raise ValueError("TF-IDF has no text to be fitted on")
        # Here, not above: it takes a second to import, which what only asks for records need not spend.
        from sklearn.feature_extraction.text import TfidfVectorizer

        self._vectorizer = TfidfVectorizer(
            analyzer=self.analyzer, ngram_range=tuple(self.ngrams), dtype=np.float32
        ).fit(texts)
        return self

    def encode(self, texts: Sequence[str]) -> csr_matrix:
        """Sparse float32 rows of length 1 (0 for a text without a known n-gram), texts × n-grams."""
        if self._vectorizer is None:
            raise ValueError("the TF-IDF encoder is not fitted")
        if not len(texts):  # which scikit-learn refuses
            return csr_matrix((0, len(self._vectorizer.vocabulary_)), dtype=np.float32)
        return self._vectorizer.transform(texts)
