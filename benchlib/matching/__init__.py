"""Dictionary matching: raw text × ontology → self-supervised mentions, each a span and its concept."""

from .matcher import NAMES, SHARED, Matcher, Matches
from .symbols import CASES

__all__ = ["CASES", "NAMES", "SHARED", "Matcher", "Matches"]
