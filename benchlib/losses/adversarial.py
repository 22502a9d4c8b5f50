"""Adversarial positives and negatives by the fast gradient sign method, FGSM (PEL)."""

import torch
from torch import Tensor


def fgsm(embeddings: Tensor, objective: Tensor, epsilon: float = 0.01) -> Tensor:
    """x + ε·sign(∇ₓ L): every value moved by ``epsilon`` in the direction that raises the objective.

    PEL (Wiatrak et al. 2022), equation 5, after Goodfellow et al. 2015; the perturbation's largest value,
    its maximum norm, is epsilon. ``embeddings``, of any shape, require a gradient; ``objective``, of any
    shape, is computed from them and summed. A value without influence, such as that of a padding token,
    stays. The perturbation is a constant: gradients of the result are those of ``embeddings``, whose
    dtype it has. Raises ValueError when the objective does not depend on the embeddings.
    """
    gradient = None
    if embeddings.requires_grad and objective.requires_grad:
        # The loss of the unperturbed examples still needs the graph.
        (gradient,) = torch.autograd.grad(objective.sum(), embeddings, retain_graph=True, allow_unused=True)
    if gradient is None:
        raise ValueError("expected an objective computed from embeddings that require a gradient, found none")
    return embeddings + epsilon * gradient.sign()


def adversarial_entities(
    embeddings: Tensor, scores: Tensor, positive: Tensor, epsilon: float = 0.01
) -> Tensor:
    """Harder entities for a mention: the score of a positive pushed down, that of a negative up.

    PEL (Wiatrak et al. 2022), equations 6 and 7. ``embeddings`` are the entity encoder's inputs (word plus
    position plus segment), entities × tokens × width; ``scores`` (entities,) their similarities to their
    mention; ``positive`` (entities,) boolean. Leading dimensions may be more, such as mentions ×
    entities, but each score has embeddings of its own: an entity of two mentions stands there twice.
    """
    shape = tuple(scores.shape)
    if positive.dtype != torch.bool or positive.shape != shape or embeddings.shape[: len(shape)] != shape:
        shapes = f"{positive.dtype} of {tuple(positive.shape)} and {tuple(embeddings.shape)}"
        raise ValueError(f"expected a boolean and embeddings for each of the scores {shape}, found {shapes}")
    return fgsm(embeddings, torch.where(positive, -scores, scores), epsilon)


def random_signs(embeddings: Tensor, epsilon: float = 0.01) -> Tensor:
    """x ± ε with random signs: the control of :func:`fgsm`, a step of its size that no gradient directs.

    Drawn from torch's own random numbers. Padding moves too, which no encoder reads.
    """
    return embeddings + epsilon * (2.0 * torch.randint_like(embeddings, 2) - 1.0)
