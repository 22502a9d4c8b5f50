"""What claims test of runs end to end: the gap of F1."""

from typing import Literal

import numpy as np

from benchlib.scoring import MATCHES, MEASURES, SpanOutcomes, by_match, spans_against

from .effect import Effect
from .evidence import Evidence
from .quantities import OfSeveral

STRICT_F1 = MATCHES.index("strict") * len(MEASURES) + MEASURES.index("f1")
"""Its row among those of :func:`benchlib.scoring.by_match`."""


class SpanGap(OfSeveral):
    """Strict F1 of mentions found and linked, of a system minus another, in points: of all seeds together,
    documents resampled and, for p, swapped."""

    name: Literal["span_gap"]
    over: tuple[str]

    def effect(self, evidence: Evidence, corpus: str) -> Effect:
        both = self.found(evidence, corpus)
        first, second = ([record.spans for record in runs.there] for runs in both)
        row = spans_against(*map(SpanOutcomes.together, (first, second)))[STRICT_F1]
        f1 = [[by_match(one)[STRICT_F1]["value"] for one in of] for of in (first, second)]
        seeds = tuple(100 * np.subtract(*f1)) if len(first) > 1 else ()
        numbers = (100 * row[name] for name in ("value", "low", "high"))
        n, systems = int(first[0].golds.sum()), " minus ".join(runs.label for runs in both)
        return Effect(corpus, *numbers, n, row["p"], seeds, systems)
