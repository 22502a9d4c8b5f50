"""A mention and an entity read together, for a cross-encoder."""

from collections.abc import Sequence

from benchlib import encoders
from benchlib.encoders import Encoded


def pair_inputs(
    backbone: "encoders.Backbone", mentions: Sequence[Encoded], entities: Sequence[Encoded]
) -> list[Encoded]:
    """[CLS] mention in context [SEP] entity text [SEP] for each mention with the entity beside it.

    Each side was encoded in a room of its own, so neither takes from the other (KRISSBERT, section 3.6:
    the second [CLS] is left out). The span is that of the mention. Raises ValueError when there are not
    as many mentions as entities, and for a pair longer than the encoder reads.
    """
    if len(mentions) != len(entities):
        raise ValueError(f"expected one entity per mention, found {len(mentions)} and {len(entities)}")
    pairs = [
        Encoded(mention.ids + entity.ids[1:], mention.spans, second=len(mention.ids))
        for mention, entity in zip(mentions, entities, strict=True)
    ]
    longest = max((len(pair.ids) for pair in pairs), default=0)
    if longest > backbone.max_length:
        raise ValueError(f"a pair has {longest} tokens; the encoder reads {backbone.max_length}")
    return pairs
