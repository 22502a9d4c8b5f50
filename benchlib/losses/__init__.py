"""The losses of the papers: pure functions of tensors, each of which returns a scalar for ``backward``.

Losses over pairs read a matrix, mentions × mentions or mentions × entities, that the caller makes:
``info_nce_loss(c @ c.T, labels)``. They compute in float32 at least and keep float64, so a matrix in
half precision is read as it is: make it in float32 where its digits matter. A batch without any valid
pair gives a zero whose gradients are zeros. Other shapes than those stated raise ValueError.
"""

from .adversarial import adversarial_entities, fgsm, random_signs, regularised
from .chance import chance_loss
from .cross_entropy import candidate_cross_entropy
from .info_nce import info_nce_loss
from .marginal import marginal_nll
from .masked_lm import IGNORED, corrupt, masked_lm_loss
from .multi_similarity import mine_pairs, mine_triplets, multi_similarity_loss
from .pairs import label_masks, mean_cosines
from .proxy import proxy_loss
from .triplet import batch_all, batch_hard, distances, hybrid
