"""What KRISSBERT is trained on: two mentions of each concept, and beside them what is written of it."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from benchlib.encoders import Backbone, Encoded, embed, mention_inputs
from benchlib.losses import chance_loss, info_nce_loss, mean_cosines
from benchlib.ontology import Concept, fold_name
from benchlib.sampling import items_by_concept, pair_batch
from benchlib.sampling.epochs import generator

from ..dual import DualEncoder
from ..linked_text import MatchedText


class MentionPairBatch(NamedTuple):
    """Mentions, those of a concept side by side, the number of the concept of each, and the texts of their
    entities in the same order, or none."""

    mentions: list[Encoded]
    concepts: np.ndarray
    entities: list[Encoded]


@dataclass(frozen=True)
class MentionPairs:
    """Batches of two mentions of each of ``size`` concepts in ``linked`` text, and their loss.

    That is InfoNCE between mentions (KRISSBERT, equation 2); with ``entities``, the text of each of the
    ``concepts``, half of it and half of InfoNCE between mentions and entities (equation 5; section 4.2), and
    unless ``contrast`` that between mentions and entities alone (table 7, without mention pair contrast). At
    each step a share of the mentions is ``masked`` and another ``replaced`` by a further name of the concept
    (section 3.3). ``window`` is as of :func:`mention_inputs`. ``watched`` has the :func:`mean_cosines` of the
    last batch of mentions, and its :func:`chance_loss`. Raises ValueError where no concept has two.
    """

    backbone: Backbone
    linked: MatchedText
    concepts: Sequence[Concept]
    entities: Sequence[Encoded]
    seed: int
    size: int
    window: int
    masked: float
    replaced: float
    temperature: float
    contrast: bool = True
    watched: dict[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_items", items_by_concept(self.linked.concept))

    def at(self, number: int) -> MentionPairBatch:
        drawn = pair_batch(self._items, self.seed, number, self.size)
        concepts = self.linked.concept[drawn.ravel()]
        entities = [self.entities[i] for i in concepts[::2]] if self.entities else []
        return MentionPairBatch(self.views(drawn.ravel().tolist(), number), concepts, entities)

    def views(self, which: Sequence[int], step: int) -> list[Encoded]:
        """The inputs of some mentions at a step: masked, replaced or as they are."""
        shown, hidden = [], []
        for i in which:
            text, start, end = self.linked.span(i)
            name, names = self.linked.names[self.linked.name[i]], self.concepts[self.linked.concept[i]].names
            others = [other for other in names if fold_name(other) != name]
            drawn = mention_view(text[start:end], others, self.seed, step, i, self.masked, self.replaced)
            hidden.append(drawn is None)
            view = drawn or text[start:end]
            shown.append((text[:start] + view + text[end:], start, start + len(view)))
        inputs = mention_inputs(self.backbone, shown, self.window).inputs
        # As its id: a mask that is spelt in a text is read as text.
        mask = self.backbone.tokenizer.mask_token_id
        return [_masked(one, mask) if hide else one for one, hide in zip(inputs, hidden, strict=True)]

    def loss(self, model: DualEncoder, batch: MentionPairBatch, share: float) -> Tensor:
        mentions = embed(model.mention, batch.mentions, model.mention_pooling)
        entities = embed(model.entity, batch.entities, model.entity_pooling) if batch.entities else None
        label = torch.from_numpy(batch.concepts).to(mentions.device)
        # Cosines in half precision would lose the differences that hard pairs live by.
        with torch.autocast(mentions.device.type, enabled=False):
            cosine = mentions @ mentions.T
            self.watched.update(mean_cosines(cosine, label))

            def of_pairs(similarity: Tensor) -> Tensor:
                return info_nce_loss(similarity, label, temperature=self.temperature)

            def of_entities(similarity: Tensor) -> Tensor:
                return info_nce_loss(similarity, label, label[::2], self.temperature)

            matrices = [(of_pairs, cosine)] if self.contrast else []
            matrices += [] if entities is None else [(of_entities, mentions @ entities.T)]
            self.watched["chance_loss"] = sum(chance_loss(*each) for each in matrices) / len(matrices)
            return sum(loss(similarity) for loss, similarity in matrices) / len(matrices)


def _masked(one: Encoded, mask: int) -> Encoded:
    """An input with one mask in the place of its mention."""
    [(first, last)] = one.spans
    return Encoded((*one.ids[:first], mask, *one.ids[last + 1 :]), ((first, first),))


def mention_view(
    mention: str,
    synonyms: Sequence[str],
    seed: int,
    step: int,
    item: int,
    p_mask: float,
    p_replace: float,
) -> str | None:
    """What stands in the mention's place at this step: one of its synonyms or the mention; None for a mask.

    ``p_mask`` and ``p_replace`` (0.2 each in section 4.2) are taken as exclusive: of all views 20 % are
    masked and another 20 % replaced. ``synonyms`` are the other names of its entity, drawn uniformly; without
    one a replacement leaves the mention as it is. ``item`` is the item's own number, so that its view does
    not depend on its company in the batch. Raises ValueError for shares below 0 or above 1 together.
    """
    if not (p_mask >= 0 and p_replace >= 0 and p_mask + p_replace <= 1):
        raise ValueError(f"expected p_mask + p_replace from 0 to 1, found {p_mask} and {p_replace}")
    rng = generator("mention", seed, step, item)
    chance = rng.random()
    if chance < p_mask:
        return None
    if chance < p_mask + p_replace and synonyms:
        return synonyms[rng.integers(len(synonyms))]
    return mention
