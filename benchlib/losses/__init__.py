"""The losses of the papers: pure functions of tensors, each of which returns a scalar for ``backward``.

Losses over pairs read a matrix, mentions × mentions or mentions × entities, that the caller makes:
``info_nce_loss(c @ c.T, labels)``. They compute in float32 at least and keep float64, so a matrix in
half precision is read as it is: make it in float32 where its digits matter. A batch without any valid
pair gives a zero whose gradients are zeros. Other shapes than those stated raise ValueError.
"""

from ..lazy import lazy

__getattr__ = lazy(
    __name__,
    adversarial="adversarial_entities fgsm random_signs",
    candidates="candidate_cross_entropy marginal_nll",
    info_nce="info_nce_loss",
    masked_lm="IGNORED corrupt masked_lm_loss",
    multi_similarity="mine_pairs mine_triplets multi_similarity_loss",
    pairs="chance_loss label_masks mean_cosines",
    proxy="proxy_loss",
    triplet="batch_all batch_hard distances hybrid",
)
