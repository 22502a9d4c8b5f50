"""From vectors to ranked names and concepts."""

from .concepts import best_per_concept
from .faiss_index import faiss_search
from .prototypes import prototype_keys, sample_prototypes
from .search import search, softmax_search
from .vote import by_votes
