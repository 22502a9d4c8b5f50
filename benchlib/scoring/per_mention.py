"""One row per mention: what was answered, where the gold stands, and what that is worth."""

import numpy as np
import pandas as pd

from ..corpus import Corpus
from ..predictions import Predictions, Query
from .outcomes import ORDERS, Outcomes
from .protocol import Scoring
from .ranking import recall

CREDITS = {"strict": Scoring("strict", "concepts"), "lenient": Scoring("lenient", "names")}
"""The protocols of KRISSBERT, and of BioSyn for the list of the whole mention."""


def per_mention(
    predictions: Predictions, corpus: Corpus, outcomes: Outcomes, strata: pd.DataFrame
) -> pd.DataFrame:
    """A row per mention in corpus order, from the outcomes and strata of these predictions and this corpus.

    ``document``, ``start``, ``end``, ``text``, ``type``; ``gold`` as printed. ``answer`` and ``name`` are the
    ids, joined by ``|``, and the name of the first candidate with the best score, but for NIL where it ties;
    no ids for the answer NIL, and neither for no answer; ``score`` is its score, NaN for no answer. ``rank``
    is the first place that the best gold concept may have, ``tied`` how many concepts share its score, both
    missing where no gold is listed. Credits from 0 to 1 under each of ``CREDITS`` follow, NaN for a NIL
    mention, then the columns of :func:`benchlib.scoring.strata`.
    """
    row_of = {query: row for row, query in enumerate(predictions.queries)}
    rows = []
    for document, mention in corpus.mentions():
        gold, row = mention.gold, row_of.get(Query(document.id, mention.start, mention.end))
        printed = gold.printed or "+".join("|".join(sorted(part)) for part in gold.parts)
        answer = ("", "", np.nan)
        if row is not None and (predictions.index[row, :1] >= 0).any():
            best = predictions.index[row, predictions.scores[row] == predictions.scores[row, 0]]
            tied = [predictions.candidates[place] for place in best if place >= 0]
            candidate = next((one for one in tied if one.answer_ids), tied[0])
            answer = ("|".join(candidate.ids), candidate.name, float(predictions.scores[row, 0]))
        rows.append((document.id, mention.start, mention.end, mention.text, mention.type, printed, *answer))
    columns = ["document", "start", "end", "text", "type", "gold", "answer", "name", "score"]
    table = pd.DataFrame(rows, columns=columns)

    concepts, every = ORDERS.index("concepts"), outcomes.every
    above = outcomes.n_better[every, concepts]
    listed = (above >= 0) & ~outcomes.is_nil
    for name, values in (("rank", above + 1), ("tied", outcomes.n_tied[every, concepts])):
        table[name] = pd.array(np.where(listed, values, 0), dtype="Int64")
        table.loc[~listed, name] = pd.NA
    for name, scoring in CREDITS.items():
        table[name] = np.nan
        table.loc[outcomes.scored, name] = recall(outcomes, 1, scoring)
    return pd.concat([table, strata.drop(columns="type").reset_index(drop=True)], axis=1)
