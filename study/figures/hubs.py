"""How many mentions one concept answers."""

from collections.abc import Sequence

import pandas as pd

from ..chapters.results import SystemResult
from ..tables.kinds import most_frequent
from ..tables.rows import Records
from .drawn import Drawn
from .style import BLUE, VERMILLION, headline, legend, new_rows, not_run, style


@style()
def hubs(found: Sequence[SystemResult], golds: Records) -> Drawn:
    """The most frequent first answer of each seed of a system that is made: the share of all mentions that it
    answers and, of which it is gold, in percent, one above the other in the row of the system.

    ``golds`` are the records of :func:`study.measurements.golds.frequent_golds` by data set; a concept that
    they do not list, gold of less than one mention in a thousand, is drawn at 0.
    """
    made = [runs for runs in found if runs.made and golds.get(runs.data)]
    figure, axes, middles = new_rows([(runs.label, False) for runs in made])
    rows = []
    for y, runs in zip(middles, made, strict=True):
        counted = golds[runs.data].values
        for seed, (concept, share) in enumerate(map(most_frequent, runs.outcomes), 1):
            gold = counted["golds"].get(concept, 0) / counted["mentions"]
            axes.hlines(y, 100 * gold, 100 * share, color=BLUE, alpha=0.4, linewidth=2)
            axes.scatter(100 * share, y, color=BLUE, s=30, zorder=3, label="mentions that it answers")
            axes.scatter(
                100 * gold,
                y,
                color=VERMILLION,
                marker="D",
                s=16,
                zorder=4,
                label="mentions that it is gold of",
            )
            rows.append((runs.data, runs.label, seed, concept, 100 * share, 100 * gold))
    columns = ["data", "system", "seed", "concept", "answered_percent", "gold_percent"]
    frame = pd.DataFrame(rows, columns=columns)
    if made:
        axes.set_xlabel("share of all mentions, %")
        top = frame.loc[frame["answered_percent"].idxmax()]
        headline(figure, f"One concept answers up to {top['answered_percent']:.1f} % of the mentions; "
                 f"it is gold of {top['gold_percent']:.1f} %")  # fmt: skip
    else:
        not_run(axes)
    legend(figure)
    return Drawn(figure, frame, {runs.label: runs.there for runs in made})
