"""One ambiguous name under every protocol: the worked example of the protocols page."""

from __future__ import annotations

import numpy as np
import pandas as pd

from ..corpus import Corpus, Document, Gold, Mention
from ..ontology import Concept, Ontology
from ..predictions import Candidate, Predictions, Query
from ..scoring import PROTOCOLS, mrr, outcomes, recall
from .show import table_from

TEXT = "Misfolded proteins pile up in the ER of the cell."
ONTOLOGY = Ontology(
    "three concepts called ER",
    [
        Concept("C0562508", ("ER", "accident and emergency department")),
        Concept("C1414461", ("ER", "EREG gene")),
        Concept("C0014239", ("ER", "endoplasmic reticulum")),
    ],
)
ANSWERS = {
    "by name": [("er", 0.98), ("ereg gene", 0.61), ("endoplasmic reticulum", 0.55)],
    "in context": [("endoplasmic reticulum", 0.91), ("er", 0.42), ("ereg gene", 0.12)],
}
"""Two linkers' ranked names with their scores: one that sees the mention, one that reads the sentence."""


def example() -> pd.DataFrame:
    """The two answers scored under every any-of protocol: Recall@1, Recall@2, reciprocal rank."""
    start = TEXT.index("ER ")
    gold = Gold((frozenset({"C0014239"}),), printed="C0014239")
    corpus = Corpus("one mention", (Document("1", TEXT, (Mention(start, start + 2, "ER", gold=gold),)),))
    owners = ONTOLOGY.owners()
    rows = []
    scored = {}
    for system, answer in ANSWERS.items():
        predictions = Predictions(
            (Query("1", start, start + 2),),
            tuple(Candidate(name, owners[name]) for name, _ in answer),
            np.arange(len(answer))[None],
            np.array([[score for _, score in answer]], dtype=np.float32),
        )
        scored[system] = outcomes(predictions, corpus, ONTOLOGY)
    for scoring in PROTOCOLS:
        if scoring.gold == "any-of":
            row = {"match": scoring.match, "over": scoring.over}
            for system, found in scored.items():
                values = (recall(found, 1, scoring)[0], recall(found, 2, scoring)[0], mrr(found, scoring)[0])
                for measure, value in zip(("R@1", "R@2", "MRR"), values, strict=True):
                    row[f"{system}: {measure}"] = f"{value:.3f}".rstrip("0").rstrip(".")
            rows.append(row)
    return table_from(rows)


def answers() -> pd.DataFrame:
    """The ranked names of the two linkers with the concepts that carry each."""
    owners = ONTOLOGY.owners()
    return table_from(
        [
            {
                "linker": system,
                "rank": rank,
                "name": name,
                "score": score,
                "concepts": ", ".join(owners[name]),
            }
            for system, answer in ANSWERS.items()
            for rank, (name, score) in enumerate(answer, start=1)
        ]
    )
