"""Masked-language-model training of an encoder, and its perplexity on held-out text."""

import math
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
import torch
from torch import nn

from benchlib.encoders.backbone import Backbone
from benchlib.losses import corrupt, masked_lm_loss
from benchlib.training import Training, train

from . import Recipe

_HELD_OUT = 50  # every so many texts one is held out
_JUDGED = 400  # held-out windows that perplexity is taken on
_TOKENISED = 1_000  # texts at a time


class MaskedLM(nn.Module):
    """An encoder with the head of BERT's masked language model: a layer, then the word embeddings."""

    def __init__(self, backbone: Backbone, seed: int = 0):
        super().__init__()
        self.backbone = backbone
        embeddings = backbone.network.get_input_embeddings()
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            self.layer = nn.Sequential(
                nn.Linear(backbone.width, backbone.width), nn.GELU(), nn.LayerNorm(backbone.width)
            )
        self.bias = nn.Parameter(torch.zeros(embeddings.num_embeddings))
        self.to(backbone.device)

    def head(self, states: torch.Tensor) -> torch.Tensor:
        """Logits (n × vocabulary) of states (n × width)."""
        words = self.backbone.network.get_input_embeddings().weight
        return nn.functional.linear(self.layer(states), words, self.bias)

    def loss(self, tokens: np.ndarray, generator: torch.Generator) -> torch.Tensor:
        """The loss of windows (windows × tokens) under a fresh corruption."""
        tokenizer, device = self.backbone.tokenizer, self.backbone.device
        ids, labels = corrupt(
            torch.from_numpy(tokens.astype(np.int64)),
            tokenizer.all_special_ids,
            tokenizer.mask_token_id,
            len(self.bias),
            generator,
        )
        ids, labels = ids.to(device), labels.to(device)
        return masked_lm_loss(self.backbone(ids, torch.ones_like(ids)), labels, self.head)


def pretrain(
    backbone: Backbone,
    texts: Sequence[str],
    recipe: Recipe,
    folder: Path | None = None,
    progress: bool = True,
) -> dict[str, float | int]:
    """Adapt an encoder in place.

    ``folder`` takes the checkpoints, so that a run that was killed goes on. Returns counts of texts, windows,
    tokens and steps, the held-out perplexity before, with its head alone trained, and after, and the seconds.
    Raises ValueError when the texts hold fewer tokens than the recipe wants.
    """
    order = np.random.default_rng(recipe.seed).permutation(len(texts))
    held_out = [texts[i] for i in order[::_HELD_OUT]]
    rest = [texts[i] for place, i in enumerate(order) if place % _HELD_OUT]
    kept = windows(_enough(rest, recipe), backbone.tokenizer, recipe.window)
    judged = windows(held_out, backbone.tokenizer, recipe.window)[:_JUDGED]
    head_steps, steps = (n // (recipe.window * recipe.batch) for n in (recipe.head_tokens, recipe.tokens))
    if len(kept) < (head_steps + steps) * recipe.batch:
        wanted = (head_steps + steps) * recipe.batch * recipe.window
        raise ValueError(f"expected at least {wanted:,} tokens of text, found {kept.size:,}")
    model = MaskedLM(backbone, recipe.seed)

    def learn(name: str, steps: int, first: int, learning_rate: float):
        how = {"learning_rate": learning_rate, "precision": recipe.precision}
        config = Training(steps=steps, warmup=0.06, seed=recipe.seed, **how)

        def batch_at(number: int) -> tuple[np.ndarray, torch.Generator]:
            start = (first + number) * recipe.batch
            return kept[start : start + recipe.batch], _generator(recipe.seed, first + number)

        place = folder / name if folder else None
        return train(model, batch_at, lambda m, b, share: m.loss(*b), config, folder=place, progress=progress)

    backbone.requires_grad_(False)
    learn("head", head_steps, 0, recipe.head_learning_rate)
    backbone.requires_grad_(True)
    before = perplexity(model, judged, recipe)
    trained = learn("all", steps, head_steps, recipe.learning_rate)
    return {
        "texts": len(texts),
        "held_out_texts": len(held_out),
        "judged_windows": len(judged),
        "tokens": steps * recipe.batch * recipe.window,
        "steps": trained.step,
        "seconds": round(trained.seconds, 1),
        "perplexity_before": round(before, 4),
        "perplexity_after": round(perplexity(model, judged, recipe), 4),
    }


def perplexity(model: MaskedLM, tokens: np.ndarray, recipe: Recipe) -> float:
    """exp of the mean over windows of the mean loss of their batch over its masked tokens; the masks are the
    same at every call."""
    training, losses = model.training, []
    model.eval()
    with torch.inference_mode():
        for first in range(0, len(tokens), recipe.batch):
            batch = tokens[first : first + recipe.batch]
            losses.append((float(model.loss(batch, _generator(recipe.seed, -1 - first))), len(batch)))
    model.train(training)
    return math.exp(sum(loss * n for loss, n in losses) / sum(n for _, n in losses))


def _generator(seed: int, number: int) -> torch.Generator:
    """The masks of a batch; negative numbers are those of held-out batches."""
    entropy = np.random.SeedSequence([seed, abs(number), int(number < 0)])
    return torch.Generator().manual_seed(int(entropy.generate_state(1, np.uint64)[0] >> np.uint64(1)))


def _enough(texts: Sequence[str], recipe: Recipe) -> Sequence[str]:
    """The first texts, which surely hold the tokens asked for: a word piece has two characters or more in
    running text, and tokenising the whole pool would take longer than reading it."""
    wanted, characters = recipe.tokens + recipe.head_tokens, 0
    for n, text in enumerate(texts):
        characters += len(text)
        if characters > 8 * wanted:
            return texts[: n + 1]
    return texts


def windows(texts: Iterable[str], tokenizer, length: int) -> np.ndarray:
    """Windows of ``length`` tokens, int32 (windows, length): [CLS] … [SEP] around what fits between.

    Texts follow one another, each ended by [SEP], so no window has padding; what is left over at the end
    is dropped. Raises ValueError for a length without room, and when the texts do not fill one window.
    """
    if length < 3:
        raise ValueError(f"window: expected room for a token between [CLS] and [SEP], found length {length}")
    texts, room = list(texts), length - 2
    parts = [np.zeros(0, dtype=np.int32)]
    for first in range(0, len(texts), _TOKENISED):
        # Texts are longer than the model reads at once: that is what windows are for.
        encoded = tokenizer(texts[first : first + _TOKENISED], add_special_tokens=False, verbose=False)
        parts += [np.array([*ids, tokenizer.sep_token_id], dtype=np.int32) for ids in encoded["input_ids"]]
    tokens = np.concatenate(parts)
    n = len(tokens) // room
    if not n:
        raise ValueError(f"expected at least {room} tokens of text for a window, found {len(tokens)}")
    inside = tokens[: n * room].reshape(n, room)
    ends = [np.full((n, 1), id, dtype=np.int32) for id in (tokenizer.cls_token_id, tokenizer.sep_token_id)]
    return np.hstack([ends[0], inside, ends[1]])
