"""What a bi-encoder is trained to: mentions close to their entity, and far from a pool of others.

Shared by the systems that compare vectors of mentions with vectors of entities (PEL, dual encoder).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, NamedTuple

from benchlib import encoders, losses
from benchlib.encoders import Encoded

if TYPE_CHECKING:
    from torch import Tensor

    from .dual import DualEncoder

Loss = Literal["ce", "proxy", "ce-cosine"]
Fgsm = Literal["none", "fgsm", "random-sign"]


class ContrastiveBatch(NamedTuple):
    """Mentions and the entities that they are compared with.

    ``mentions`` have one vector for each mention. ``entities`` are the golds of the batch, each once, then
    its pool of negatives. ``gold`` (mentions,) is the place of each mention's gold among them, ``n_golds``
    where the pool begins. ``negative`` (mentions × entities, boolean) says which are negatives of which
    mention; None: the pool is that of all mentions, and the gold of another mention is neither positive nor
    negative.
    """

    mentions: list[Encoded]
    entities: list[Encoded]
    gold: Tensor
    n_golds: int
    negative: Tensor | None = None


@dataclass(frozen=True)
class ContrastiveObjective:
    """The loss of a batch, ``contrast(model, batch)``; a scalar.

    ``loss``: ``ce``, cross-entropy of dot products (PEL, equation 1; dual encoder, section 3.3); ``proxy``,
    the proxy-based loss of cosines (PEL, equation 3); ``ce-cosine``, cross-entropy of ``alpha`` times the
    cosine: the control, with the first's loss and the second's similarity.

    ``fgsm`` adds ``weight`` times the loss of the same entities with their token embeddings moved by
    ``epsilon`` (PEL, equations 6 to 8): ``fgsm`` so that a gold becomes less similar to its mention and a
    negative more, ``random-sign`` at random. Each entity of a pool stands for all mentions, and is moved for
    the hardest: a gold for the least similar of its mentions, a negative for the most similar of all.

    ``watched`` has the :func:`chance_loss` of the last batch.
    """

    loss: Loss = "proxy"
    alpha: float = 32.0
    delta: float = 0.0
    fgsm: Fgsm = "none"
    epsilon: float = 0.01
    weight: float = 1.0
    watched: dict[str, float] = field(default_factory=dict, repr=False, compare=False)

    @property
    def cosine(self) -> bool:
        """Whether vectors are compared by their cosine, not by their dot product."""
        return self.loss != "ce"

    def __call__(self, model: DualEncoder, batch: ContrastiveBatch) -> Tensor:
        vectors = encoders.embed(model.mention, batch.mentions, model.mention_pooling, self.cosine)
        return self.from_vectors(vectors, model, batch)

    def from_vectors(self, mentions: Tensor, model: DualEncoder, batch: ContrastiveBatch) -> Tensor:
        """The same, of vectors of the mentions (mentions × width), of length 1 where they are compared by
        their cosine."""
        import torch

        def similarity_of(words: Tensor) -> Tensor:
            entities = encoders.embed(model.entity, batch.entities, model.entity_pooling, self.cosine, words)
            # Similarities in half precision would lose the differences that hard negatives live by.
            with torch.autocast(mentions.device.type, enabled=False):
                return mentions @ entities.T

        words = encoders.word_embeddings(model.entity, batch.entities)
        similarity = similarity_of(words)
        loss = self.of(similarity, batch)
        both = 1.0 if self.fgsm == "none" else 1.0 + self.weight
        chance = losses.chance_loss(lambda equal: self.of(equal, batch), similarity)
        self.watched["chance_loss"] = both * chance
        if self.fgsm == "none":
            return loss
        moved = similarity_of(self._moved(words, similarity, batch))
        return loss + self.weight * self.of(moved, batch)

    def of(self, similarity: Tensor, batch: ContrastiveBatch) -> Tensor:
        """The loss of similarities, mentions × entities."""
        positive, negative = masks(similarity, batch)
        if self.loss == "proxy":
            return losses.proxy_loss(similarity, positive, negative, self.alpha, self.delta)
        scores = self.alpha * similarity if self.cosine else similarity
        return losses.candidate_cross_entropy(scores, batch.gold, left_out=~(positive | negative))

    def _moved(self, words: Tensor, similarity: Tensor, batch: ContrastiveBatch) -> Tensor:
        import torch

        if self.fgsm == "random-sign":
            return losses.random_signs(words, self.epsilon)
        positive, _ = masks(similarity, batch)
        is_gold = torch.arange(len(batch.entities), device=similarity.device) < batch.n_golds
        farthest = similarity.masked_fill(~positive, torch.inf).amin(0)
        hardest = torch.where(is_gold, farthest, similarity.amax(0))
        return losses.adversarial_entities(words, hardest, is_gold, self.epsilon)


def masks(similarity: Tensor, batch: ContrastiveBatch) -> tuple[Tensor, Tensor]:
    """Which entities are the gold of each mention and which its negatives, boolean, mentions × entities."""
    import torch

    columns = torch.arange(similarity.shape[1], device=similarity.device)
    positive = batch.gold.to(similarity.device).unsqueeze(1) == columns
    if batch.negative is None:
        return positive, (columns >= batch.n_golds).expand_as(positive)
    return positive, batch.negative.to(similarity.device)
