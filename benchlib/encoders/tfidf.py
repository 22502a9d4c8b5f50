"""Character n-gram TF-IDF vectors."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.sparse import csr_matrix


class TfidfEncoder:
    """TF-IDF over character n-grams, L2-normalised, fitted on the names to be searched.

    ``ngrams`` are the least and the greatest length, 1 and 2 in BioCoM (appendix D). ``analyzer`` is ``char``
    (n-grams cross word boundaries) or ``char_wb`` (within words, padded with a space).
    """

    def __init__(self, ngrams: tuple[int, int] = (1, 2), analyzer: str = "char") -> None:
        # Here, not above: it takes a second to import, which what only asks for records need not spend.
        from sklearn.feature_extraction.text import TfidfVectorizer

        self._vectorizer = TfidfVectorizer(analyzer=analyzer, ngram_range=tuple(ngrams), dtype=np.float32)

    def fit(self, texts: Sequence[str]) -> TfidfEncoder:
        """Learn vocabulary and document frequencies; raises ValueError without any text."""
        self._vectorizer.fit(texts)
        return self

    def encode(self, texts: Sequence[str]) -> csr_matrix:
        """Sparse float32 rows of length 1 (0 for a text without a known n-gram), texts × n-grams."""
        if not len(texts):  # which scikit-learn refuses
            return csr_matrix((0, len(self._vectorizer.vocabulary_)), dtype=np.float32)
        return self._vectorizer.transform(texts)
