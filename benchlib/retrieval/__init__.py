"""From vectors to ranked names and concepts."""

from .hybrid import Vectors, summed_search
from .search import search, softmax_search
