"""Tables of the pages, as frames of text cells: the same functions for every chapter."""

from . import data, measured, own, published_systems
from .accuracy import accuracy, by_name, folds, largest, paired, side_by_side
from .end_to_end import end_to_end, end_to_end_gaps, marked_text, spans_in_text
from .glance import findings, in_short, setup_table, summary_table
from .in_print import as_printed, gains, restated, statistics
from .kinds import by_kind, classes, examples, perturbation_table
from .leaderboard import leaderboard, leaders
from .nil_detection import areas, nil_detection, nil_gaps
from .protocols import by_scoring, counts, published, scores, strata, under_published
from .qualitative import differences, explained, printed_examples
from .speeds import cost, density, heads, speed_ratios, speeds, times, updates
from .trainings import ends, gradients, states, steadiness
