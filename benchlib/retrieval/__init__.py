"""From vectors to ranked names and concepts."""

from .search import search, softmax_search
