"""Tables of the pages, as frames of text cells: the same functions for every chapter."""

from . import data, matching, measured, own
from .accuracy import accuracy, folds, largest, paired
from .end_to_end import end_to_end, end_to_end_gaps, heads, marked_text, spans_in_text
from .gains import gains, side_by_side
from .glance import setup_table, summary_table
from .hubs import most_predicted
from .in_print import as_printed, restated
from .kinds import areas, by_stratum, classes, examples, perturbation_table, rules
from .links import by_name
from .nil_detection import nil_detection, nil_gaps
from .printed_counts import statistics
from .protocols import by_scoring, counts, published, scores, strata, under_published
from .qualitative import differences, explained, printed_examples
from .speeds import density, speed_ratios, speeds, updates
from .states import states
from .trainings import ends, gradients, steadiness
