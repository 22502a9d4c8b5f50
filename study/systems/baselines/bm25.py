"""The dictionary name that shares the most telling words with the mention, by BM25."""

from __future__ import annotations

import re

import numpy as np
from pydantic.dataclasses import dataclass
from scipy.sparse import csr_matrix

from benchlib.benchmark import Benchmark
from benchlib.linker import name_candidates
from benchlib.retrieval import search

from .by_name import StringSystem

_WORD = re.compile(r"\w+")


@dataclass
class Bm25Linker(StringSystem):
    """Ranks names by the BM25 score of the words of the mention, each as often as it stands there.

    As Lucene computes it: a word that n of the N names have weighs log(1 + (N - n + 1/2) / (n + 1/2)), and f
    times in a name of l words, the mean being L, counts f / (f + ``k1`` (1 - ``b`` + ``b`` l / L)). A name
    without a word of the mention is no answer. It retrieves the candidates of LATTE and of the cross-encoder
    that the dual encoder is compared with (Bhowmik et al. 2021, section 4.2), which give no constants.
    """

    k1: float = 1.2
    b: float = 0.75
    base = "bm25"

    def fit(self, benchmark: Benchmark, seed: int = 0) -> Bm25Linker:
        """Raises ValueError for an ontology without a name."""
        self._candidates = name_candidates(benchmark.ontology)
        # Here, not above, as in TfidfEncoder: it takes long to import.
        from sklearn.feature_extraction.text import CountVectorizer

        names = [candidate.name for candidate in self._candidates]
        words = list(dict.fromkeys(word for name in names for word in _WORD.findall(name)))
        # The empty word, which no text has, stands for none: scikit-learn refuses to count nothing.
        self._counts = CountVectorizer(analyzer=_WORD.findall, vocabulary=words or [""], dtype=np.float64)
        counts = self._counts.transform(names)
        having = np.bincount(counts.indices, minlength=counts.shape[1])
        lengths = np.asarray(counts.sum(1)).ravel()
        penalty = self.k1 * (1 - self.b + self.b * lengths / max(lengths.mean(), 1))
        f = counts.data / (counts.data + np.repeat(penalty, np.diff(counts.indptr)))
        weight = np.log1p((len(names) - having + 0.5) / (having + 0.5))
        self._names = csr_matrix((f * weight[counts.indices], counts.indices, counts.indptr), counts.shape)
        return self

    def _rank(self, strings: list[str], k: int) -> tuple[np.ndarray, np.ndarray]:
        index, scores = search(self._counts.transform(strings), self._names, k)
        return np.where(scores > 0, index, -1), scores
