"""Dictionary matching: raw text × ontology → self-supervised mentions, each a span and its concept."""

from .matcher import NAMES, SHARED, Matcher
from .mentions import find_mentions
