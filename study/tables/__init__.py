"""Tables of the pages, as frames of text cells: the same functions for every chapter."""

from . import data, matching, measured, own
from .accuracy import accuracy, folds, hubs, largest, paired
from .end_to_end import end_to_end, end_to_end_gaps, heads, marked_text, spans_in_text
from .gains import beside, gains
from .glance import glance, setup
from .in_print import as_printed, restated
from .kinds import areas, by_stratum, classes, damaged, examples, rules
from .links import by_name
from .nil_detection import nil_detection, nil_gaps
from .printed_counts import statistics
from .protocols import by_scoring, counts, published, scores, strata, under_published
from .qualitative import differences, explained, printed_examples
from .speeds import density, speed_ratios, speeds, updates
from .trainings import gradients, states, steadiness
