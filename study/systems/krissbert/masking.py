"""Mention masking and replacement (KRISSBERT, section 3.3)."""

from collections.abc import Sequence

from benchlib.sampling.epochs import generator


def mention_view(
    mention: str,
    synonyms: Sequence[str],
    seed: int,
    step: int,
    item: int,
    p_mask: float = 0.2,
    p_replace: float = 0.2,
    mask: str = "[MASK]",
) -> str:
    """What stands in the mention's place at this step: ``mask``, one of its synonyms, or the mention.

    ``p_mask`` and ``p_replace`` (0.2 each in section 4.2) are taken as exclusive: of all views 20 % are
    masked and another 20 % replaced. The mask is one token for the whole mention. ``synonyms`` are names of
    its entity, drawn uniformly without the mention itself; with no other name a replacement leaves the
    mention as it is. ``item`` is the item's own number, so that its view does not depend on its company in
    the batch. Raises ValueError for shares below 0 or above 1 together.
    """
    if not (p_mask >= 0 and p_replace >= 0 and p_mask + p_replace <= 1):
        raise ValueError(f"expected p_mask + p_replace from 0 to 1, found {p_mask} and {p_replace}")
    rng = generator("mention", seed, step, item)
    chance = rng.random()
    if chance < p_mask:
        return mask
    others = [name for name in synonyms if name != mention]
    if chance < p_mask + p_replace and others:
        return others[rng.integers(len(others))]
    return mention
