"""Losses and their miners are those of another library, in value and gradient."""

from functools import partial

import pytest
import torch
from loss_checks import LABELS, METRICS, assert_equal, uniform
from pytorch_metric_learning import distances as library
from pytorch_metric_learning import losses, miners, reducers

from benchlib.losses import (
    batch_all,
    batch_hard,
    distances,
    info_nce_loss,
    mine_pairs,
    mine_triplets,
    multi_similarity_loss,
)

C, R = uniform(6, 5, seed=1), uniform(5, 5, seed=2)  # mentions and references
# Entity 7 has two references, entity 5 none, and entity 9 no mention.
REFERENCES = torch.tensor([7, 0, 9, 7, 4])
DOTS = library.DotProductSimilarity(normalize_embeddings=False)


def cosine(x, y=None):
    unit = torch.nn.functional.normalize
    return unit(x) @ unit(x if y is None else y).T


def info_nce(*temperature):
    """At a temperature, or at that which is the default."""
    theirs = losses.NTXentLoss(*temperature or (1.0,), distance=DOTS)
    yield lambda c: info_nce_loss(c @ c.T, LABELS, None, *temperature), lambda c: theirs(c, LABELS)
    yield (
        lambda c: info_nce_loss(c @ R.T, LABELS, REFERENCES, *temperature),
        lambda c: theirs(c, LABELS, ref_emb=R, ref_labels=REFERENCES),
    )


def triplets(metric, margin):
    # Their cosine is a similarity, so their margin is between similarities: the same number.
    distance = {
        "cosine": library.CosineSimilarity(),
        "euclidean": library.LpDistance(normalize_embeddings=False),
        "squared": library.LpDistance(normalize_embeddings=False, power=2),
    }[metric]
    every = losses.TripletMarginLoss(margin, distance=distance, reducer=reducers.AvgNonZeroReducer())
    hard = losses.TripletMarginLoss(margin, distance=distance, reducer=reducers.MeanReducer())
    hardest = miners.BatchHardMiner(distance=distance)
    yield lambda x: batch_all(distances(x, x, metric), LABELS, margin), lambda x: every(x, LABELS)
    yield (
        lambda x: batch_hard(distances(x, x, metric), LABELS, margin),
        lambda x: hard(x, LABELS, hardest(x, LABELS)),
    )


def multi_similarity(miner, mine, *constants):
    theirs = losses.MultiSimilarityLoss(*constants)
    yield (
        lambda x: multi_similarity_loss(cosine(x), *mine(cosine(x).detach(), LABELS), *constants),
        lambda x: theirs(x, LABELS, miner(x, LABELS)),
    )


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        *(pair for temperature in ((), (0.07,)) for pair in info_nce(*temperature)),
        *(pair for metric in METRICS for margin in (0.2, 2.0) for pair in triplets(metric, margin)),
        *(
            pair
            for epsilon in (0.0, 0.1, 0.5)
            for constants in ((2, 50, 1.0), (2, 50, 0.5))
            for pair in multi_similarity(
                miners.MultiSimilarityMiner(epsilon), partial(mine_pairs, epsilon=epsilon), *constants
            )
        ),
        # The released program of SapBERT has the margin 0.2.
        *(
            pair
            for margin in (0.0, 0.2, 5.0)
            for pair in multi_similarity(
                miners.TripletMarginMiner(margin, type_of_triplets="all"),
                partial(mine_triplets, margin=margin),
                1,
                60,
                0.5,
            )
        ),
    ],
)
def test_the_loss_is_that_of_another_library(ours, theirs):
    assert_equal(ours, theirs, C)
