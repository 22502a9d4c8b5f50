"""One row per mention: what was answered, where the gold stands, and what that is worth."""

import numpy as np
import pandas as pd

from ..corpus import Corpus, Gold
from ..predictions import Predictions, Query
from .outcomes import ORDERS, Outcomes
from .protocol import Scoring
from .ranking import recall

CREDITS = {"strict": Scoring("strict", "concepts"), "lenient": Scoring("lenient", "names")}
"""The columns of credit, from 0 to 1, and the protocol of each: that of KRISSBERT, and that of BioSyn for the
list of the whole mention."""


def per_mention(
    predictions: Predictions, corpus: Corpus, outcomes: Outcomes, strata: pd.DataFrame
) -> pd.DataFrame:
    """A row per mention in corpus order, from the outcomes and strata of these predictions and this corpus.

    ``document``, ``start``, ``end``, ``text``, ``type``; ``gold`` as printed. ``answer`` and ``name`` are the
    ids, joined by ``|``, and the name of the first candidate, no ids for the answer NIL, and neither for no
    answer; ``score`` is its score, NaN for no answer. ``rank`` is the first place that the best gold concept
    may have, ``tied`` how many concepts share its score, both missing where no gold is listed. The credits
    are ``CREDITS``, NaN for a NIL mention, which has none. Then the columns of
    :func:`benchlib.scoring.strata`.

    Raises ValueError where the outcomes or the strata are of another number of mentions.
    """
    mentions = list(corpus.mentions())
    if not len(mentions) == int(outcomes.every.sum()) == len(strata):
        raise ValueError(
            f"expected outcomes and strata of the {len(mentions)} mentions of {corpus.name}, "
            f"found {int(outcomes.every.sum())} and {len(strata)}"
        )
    row_of = {query: row for row, query in enumerate(predictions.queries)}
    rows = []
    for document, mention in mentions:
        answer, name, score = _first(predictions, row_of.get(Query(document.id, mention.start, mention.end)))
        place = (document.id, mention.start, mention.end, mention.text, mention.type)
        rows.append((*place, _printed(mention.gold), answer, name, score))
    columns = ["document", "start", "end", "text", "type", "gold", "answer", "name", "score"]
    table = pd.DataFrame(rows, columns=columns)

    concepts, every = ORDERS.index("concepts"), outcomes.every
    above = outcomes.above[every, concepts]
    listed = (above >= 0) & ~outcomes.is_nil
    for name, values in (("rank", above + 1), ("tied", outcomes.ties[every, concepts])):
        table[name] = pd.array(np.where(listed, values, 0), dtype="Int64")
        table.loc[~listed, name] = pd.NA
    for name, scoring in CREDITS.items():
        table[name] = np.nan
        table.loc[outcomes.scored, name] = recall(outcomes, 1, scoring)
    return pd.concat([table, strata.drop(columns="type").reset_index(drop=True)], axis=1)


def _first(predictions: Predictions, row: int | None) -> tuple[str, str, float]:
    """The ids, the name and the score of the first candidate of a list."""
    if row is None or not predictions.index.shape[1] or predictions.index[row, 0] < 0:
        return "", "", np.nan
    candidate = predictions.candidates[predictions.index[row, 0]]
    return "|".join(candidate.ids), candidate.name, float(predictions.scores[row, 0])


def _printed(gold: Gold) -> str:
    return gold.printed or "+".join("|".join(sorted(part)) for part in gold.parts)
