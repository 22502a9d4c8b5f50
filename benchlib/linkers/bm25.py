"""The dictionary name that shares the most telling words with the mention, by BM25."""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_matrix

from ..datasets.benchmark import Benchmark
from ..retrieval import search
from .by_name import ByName, dictionary

_WORD = re.compile(r"\w+")


@dataclass
class Bm25Linker(ByName):
    """Ranks names by the BM25 score of the words of the mention, each as often as it stands there.

    As Lucene computes it: a word that n of the N names have weighs log(1 + (N - n + 1/2) / (n + 1/2)), and f
    times in a name of l words, the mean being L, counts f / (f + ``k1`` (1 - ``b`` + ``b`` l / L)). A name
    without a word of the mention is no answer. It retrieves the candidates of LATTE and of the cross-encoder
    that the dual encoder is compared with (Bhowmik et al. 2021, section 4.1), which give no constants.
    """

    k1: float = 1.2
    b: float = 0.75
    base = "bm25"

    def fit(self, benchmark: Benchmark, seed: int = 0) -> Bm25Linker:
        """Raises ValueError for an ontology without a name."""
        self._candidates = dictionary(benchmark.ontology)
        names = [_WORD.findall(candidate.name) for candidate in self._candidates]
        self._column = {word: i for i, word in enumerate(dict.fromkeys(w for name in names for w in name))}
        counts = self._counts(names)
        having = np.bincount(counts.indices, minlength=counts.shape[1])
        lengths = np.array([len(name) for name in names], dtype=np.float64)
        penalty = self.k1 * (1 - self.b + self.b * lengths / max(lengths.mean(), 1))
        f = counts.data / (counts.data + np.repeat(penalty, np.diff(counts.indptr)))
        weight = np.log1p((len(names) - having + 0.5) / (having + 0.5))
        self._names = csr_matrix((f * weight[counts.indices], counts.indices, counts.indptr), counts.shape)
        return self

    def _rank(self, strings: list[str], k: int) -> tuple[np.ndarray, np.ndarray]:
        index, scores = search(self._counts([_WORD.findall(string) for string in strings]), self._names, k)
        return np.where(scores > 0, index, -1), scores

    def _counts(self, texts: list[list[str]]) -> csr_matrix:
        """How often each text has each word of the dictionary, texts × words."""
        known = [[self._column[word] for word in text if word in self._column] for text in texts]
        ends = np.cumsum([0, *map(len, known)])
        columns = [column for text in known for column in text]
        found = csr_matrix((np.ones(len(columns)), columns, ends), (len(texts), max(len(self._column), 1)))
        found.sum_duplicates()
        return found
