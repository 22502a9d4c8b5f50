"""A dual encoder with a head that finds the mentions in what it reads (Bhowmik et al. 2021, section 3.4)."""

from collections.abc import Sequence
from pathlib import Path

import torch
from safetensors.torch import load_file, save_file
from torch import Tensor

from benchlib.encoders.backbone import Backbone, state_digest
from benchlib.encoders.inputs import Encoded, PaddedBatch, pad
from benchlib.encoders.pieces import Span
from benchlib.encoders.pooling import Pooling, mention_mean

from ..dual import DualEncoder
from .span_heads import ExhaustiveHead, SpanHead, TagHead

HEAD = "head.safetensors"


class SpanFinder(DualEncoder):
    """A :class:`DualEncoder` whose vector of a mention is the mean of its word pieces, with a ``head`` over
    the states of the mention encoder."""

    def __init__(self, mention: Backbone, entity: Backbone, entity_pooling: str | Pooling, head: SpanHead):
        super().__init__(mention, entity, mention_mean, entity_pooling)
        self.head = head.to(mention.device)

    def read(self, inputs: Sequence[Encoded], gold: Sequence[Sequence[Span]]) -> tuple[Tensor, Tensor]:
        """In one pass, with gradient: the vectors of the spans of some inputs (spans × width), and the loss
        of the head, ``gold`` being all spans of pieces (first, last) that it is to find in each."""
        batch = pad(inputs, self.mention.tokenizer.pad_token_id, self.mention.device)
        states = self.mention(batch.ids, batch.mask)
        with torch.autocast(states.device.type, enabled=False):
            states = states.float()
            # Pieces count from behind [CLS]; the last token of an input is [SEP].
            return mention_mean(states, batch), self.head.loss(states[:, 1:-1], batch.mask[:, 2:] > 0, gold)

    def save(self, folder: str | Path) -> None:
        """A Hugging Face folder of the mention encoder, in it one of the entity encoder, ``entity``, and the
        head, whose file has the fingerprint of all."""
        self.mention.save(folder)
        self.entity.save(Path(folder) / "entity")
        head = {name: weight.detach().cpu().contiguous() for name, weight in self.head.state_dict().items()}
        save_file(head, Path(folder) / HEAD, {"fingerprint": self.fingerprint()})

    def fingerprint(self) -> str:
        """SHA-256 over all weights and both vocabularies."""
        own = ((f"{name} {tuple(of.shape)}", of) for name, of in self.head.state_dict().items())
        return state_digest(super().fingerprint(), own)


def load_span_finder(
    model: str, layers: int | None, shared: bool, pooling: str, head: str, longest: int
) -> SpanFinder:
    """The encoders of a model with a new ``head``, ``bio`` or ``exhaustive``; of a folder that
    :meth:`SpanFinder.save` wrote, with what it holds."""
    both, saved = DualEncoder.load(model, layers, shared, (), pooling), Path(model)
    new = TagHead(both.mention.width) if head == "bio" else ExhaustiveHead(both.mention.width, longest)
    if (saved / HEAD).is_file():
        new.load_state_dict(load_file(saved / HEAD))
        both.entity = both.mention if shared else Backbone.load(str(saved / "entity"), layers)
    return SpanFinder(both.mention, both.entity, both.entity_pooling, new)


def each_piece(states: Tensor, batch: PaddedBatch) -> Tensor:
    """A pooling: the states of single word pieces, each a span of its own."""
    return states[batch.row, batch.first]
