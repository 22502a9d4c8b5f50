"""How often the right entry comes first on the held-out mentions: of any linker, and of those to beat."""

from collections.abc import Mapping

import numpy as np

from benchlib.benchmark import Benchmark
from benchlib.corpus import Corpus
from benchlib.ontology import Ontology
from benchlib.predictions import Predictions
from benchlib.scoring import Estimate, estimate, outcomes, recall

from ..systems import CosinesLinker, EncoderLinker, TfidfLinker

DEPTHS = (1, 3, 5)


def accuracy(predictions: Predictions, corpus: Corpus, ontology: Ontology) -> dict[int, Estimate]:
    """By the depth k of ``DEPTHS`` the share of mentions whose id is among the first k (strict, over
    concepts); empty without a mention that has one."""
    found = outcomes(predictions, corpus, ontology)
    if not len(found.scored):
        return {}
    credits = np.stack([recall(found, k) for k in DEPTHS], axis=1)
    return dict(zip(DEPTHS, estimate(credits, found.clusters), strict=True))


def baselines(benchmark: Benchmark, linker: CosinesLinker) -> dict[str, Mapping[int, Estimate]]:
    """The :func:`accuracy` on dev of what learns nothing from the mentions, by its name: TF-IDF, and the
    encoder that ``linker`` starts from as it comes, the mean of all tokens taken, which is kinder to an
    untuned encoder than the first."""
    untuned = EncoderLinker(linker.model, linker.layers, precision=linker.precision, progress=False)
    systems = {
        "TF-IDF, char 2-4 in words": TfidfLinker("2-4", "char_wb"),
        f"untuned {linker.model}, mean": untuned,
    }
    dev = benchmark.dev.hidden().documents
    return {
        name: accuracy(one.fit(benchmark.visible()).link(dev), benchmark.dev, benchmark.ontology)
        for name, one in systems.items()
    }
