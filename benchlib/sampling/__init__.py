"""Sampling: which items make a batch, as a pure function of (seed, step).

Nothing here has a state: the batch of a step is the same whenever and however often it is asked for, so a
training is resumed from its step alone (and, for hard negatives, the ranking that was mined last). ``step``
counts batches from 0.
"""

from .epochs import batches_per_epoch, epoch_batch, items_by_concept, pair_batch
from .negatives import shared_negatives
