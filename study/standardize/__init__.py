"""Standardise an own list of names: two CSV files in, a trained encoder and a table of answers out.

CoSiNES (Yuan et al. 2023) links the strings of a table to a list of canonical names. Here both are a
reader's own, and an answer is given only from a score on that was right often enough on labelled mentions
that the encoder has not learned from. What was saved links again with ``encoder,model=FOLDER,pooling=cls``.
"""

from .expected import expected_seconds
from .held_out import DEPTHS, baselines
from .lists import HELD_OUT, NIL, read_mentions, read_names, write_names
from .threshold import Threshold, answer_threshold, answers
from .training import ALIKE, LEAST, Standardized, standardize
