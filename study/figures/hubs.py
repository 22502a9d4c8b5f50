"""How many mentions one concept answers."""

from collections.abc import Sequence

import pandas as pd

from benchlib.scoring import Outcomes

from ..chapters.results import SystemResult
from ..tables.rows import Records
from .drawn import Drawn
from .style import BLUE, VERMILLION, headline, legend, new_rows, not_run, style

_MARKS = {
    "mentions that it answers": {"color": BLUE, "s": 30, "zorder": 3},
    "mentions that it is gold of": {"color": VERMILLION, "marker": "D", "s": 16, "zorder": 4},
}


@style()
def hubs(found: Sequence[SystemResult], golds: Records) -> Drawn:
    """The most frequent first answer of each seed of a system that is made: the shares of all mentions that
    it answers and that it is gold of, in percent, joined by a line.

    ``golds`` are the records of :func:`study.measurements.golds.frequent_golds` by data set; a concept that
    they do not list, gold of less than one mention in a thousand, is drawn at 0. A vector that is near to
    most mentions, a hub, costs rank 1 and leaves the ranks behind it alone.
    """
    made = [runs for runs in found if runs.made and golds.get(runs.data)]
    figure, axes, middles = new_rows([(runs.label, False) for runs in made])
    rows = []
    for y, runs in zip(middles, made, strict=True):
        counted = golds[runs.data].values
        for seed, (concept, share) in enumerate(map(_most_frequent, runs.outcomes), 1):
            shares = 100 * share, 100 * counted["golds"].get(concept, 0) / counted["mentions"]
            axes.hlines(y, *shares, color=BLUE, alpha=0.4, linewidth=2)
            for x, (label, look) in zip(shares, _MARKS.items(), strict=True):
                axes.scatter(x, y, label=label, **look)
            rows.append((runs.data, runs.label, seed, concept, *shares))
    columns = ["data", "system", "seed", "concept", "answered_percent", "gold_percent"]
    axes.set_xlabel("share of all mentions, %")
    legend(figure)
    if made:
        *_, share, gold = max(rows, key=lambda row: row[-2])
        text = f"One concept answers up to {share:.1f} % of the mentions; it is gold of {gold:.1f} %"
        headline(figure, text)
    else:
        not_run(axes)
    return Drawn(figure, pd.DataFrame(rows, columns=columns), {runs.label: runs.there for runs in made})


def _most_frequent(outcomes: Outcomes) -> tuple[str, float]:
    """The concept that is the first answer to most mentions, of equal ones the first by its id, and the share
    of all mentions, NIL included, that it answers; "" and 0 where no mention is answered."""
    answers = pd.Series(outcomes.top[outcomes.every])
    counts = answers[answers != ""].value_counts().sort_index()
    return (counts.idxmax(), counts.max() / len(answers)) if len(counts) else ("", 0.0)
