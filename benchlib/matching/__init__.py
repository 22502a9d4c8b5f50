"""Dictionary matching: raw text × ontology → self-supervised mentions, each a span and its concept."""

from .audit import PLACES, audit
from .matcher import NAMES, SHARED, Matcher
from .pool import mentions
from .sentences import sentences_of
from .symbols import CASES
