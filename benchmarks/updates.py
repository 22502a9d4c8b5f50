"""CPU-seconds that one update of a bi-encoder takes, beside sentence-transformers' trainer.

An update has 32 mentions, cut at 32 word pieces, and 96 titles of at most 12: the 32 golds, and 64 negatives
for all. All arms have one MiniLM for both, cosines times 20, AdamW, dropout and one thread; sentence-
transformers has the same texts in an order of its own, with MultipleNegativesRankingLoss and two negatives a
pair. Ours are the whole encoder, and the encoder with three frozen layers, with and without a cache of their
states. All take turns; the median of the updates counts, the first of a turn left out. Run with ``make
bench``, with BENCHLIB_DATA where the corpora are: BC5CDR, else the embedded corpus. The trainer of sentence-
transformers needs ``datasets`` and ``accelerate``.
"""

import random
import tempfile
import time
from collections.abc import Callable
from importlib.util import find_spec
from statistics import median

import torch

from benchlib.encoders import Encoded, model_folder, text_inputs
from benchlib.encoders.precision import has_bf16
from benchlib.training import Training, train
from study.corpora import MissingFile, load
from study.systems.by_entity import concepts_with_names, training_mentions
from study.systems.contrast import ContrastiveBatch, ContrastiveObjective
from study.systems.dual import DualEncoder
from study.systems.frozen_layers import freeze_layers

MENTIONS, NEGATIVES, CONTEXT, WINDOW, TITLE, FROZEN = 32, 64, 80, 32, 12, 3
UPDATES, ROUNDS, RATE, SCALE = 6, 3, 2e-5, 20.0
THEIRS = ("sentence_transformers", "datasets", "accelerate")
Row = tuple[str, str, tuple[str, ...]]  # a mention in its context, its title, and its share of the negatives


def rows() -> tuple[str, list[Row]]:
    """The corpus, and the pairs of all updates, in each of which every title stands once."""
    try:
        benchmark = load("bc5cdr")
    except MissingFile:
        benchmark = load("mini")
    tokenizer = DualEncoder.load("minilm", 1, shared=True).mention.tokenizer
    titles = [concept.names[0] for concept in concepts_with_names(benchmark.ontology)]
    short = {title for title in titles if len(tokenizer(title)["input_ids"]) <= TITLE}
    place = {concept.id: i for i, concept in enumerate(concepts_with_names(benchmark.ontology))}
    pairs = [
        (document.text[max(0, mention.start - CONTEXT) : mention.end + CONTEXT], titles[concept])
        for document, mention, concept in training_mentions(benchmark, ["train"], place)
    ]
    drawn, every = random.Random(0), []
    for _ in range(UPDATES):
        own: dict[str, str] = {}
        for text, title in drawn.sample(pairs, len(pairs)):
            if title in short and len(own) < MENTIONS:
                own.setdefault(title, text)
        others = drawn.sample(sorted(short - own.keys()), NEGATIVES)
        share = NEGATIVES // MENTIONS
        every += [
            (text, title, tuple(others[i * share : (i + 1) * share]))
            for i, (title, text) in enumerate(own.items())
        ]
    return benchmark.name, every


def ours(rows: list[Row], precision: str, frozen: int = 0, cached: bool = True) -> list[float]:
    """CPU-seconds of each update by the training loop of this library."""
    model = whole = DualEncoder.load("minilm", shared=True)
    texts, titles, negatives = zip(*rows, strict=True)
    read = {text: one for text, one in zip(texts, text_inputs(whole.mention, texts, WINDOW), strict=True)}
    names = [*titles, *(name for share in negatives for name in share)]
    read |= zip(names, text_inputs(whole.entity, names, WINDOW), strict=True)
    if frozen and cached:
        model = freeze_layers(whole, frozen, *_sides(read, texts), precision, progress=False)
    elif frozen:
        for part in (whole.mention.network.embeddings, *whole.mention.network.encoder.layer[:frozen]):
            part.requires_grad_(False)
    began, contrast = [], ContrastiveObjective("ce-cosine", alpha=SCALE)

    def batch_at(number: int) -> ContrastiveBatch:
        began.append(time.process_time())
        batch = rows[number * MENTIONS : (number + 1) * MENTIONS]
        entities = [title for _, title, _ in batch] + [name for *_, share in batch for name in share]
        gold = torch.arange(len(batch))
        return ContrastiveBatch(
            [read[text] for text, *_ in batch], [read[name] for name in entities], gold, len(batch)
        )

    config = Training(RATE, UPDATES, precision=precision)
    train(model, batch_at, lambda model, batch, share: contrast(model, batch), config, progress=False)
    return _between([*began, time.process_time()])


def _sides(read: dict[str, Encoded], texts: tuple[str, ...]) -> tuple[list[Encoded], list[Encoded]]:
    mentions = {*texts}
    return [read[text] for text in mentions], [one for text, one in read.items() if text not in mentions]


def sentence_transformers(rows: list[Row], precision: str) -> list[float]:
    """CPU-seconds of each update by the trainer of sentence-transformers."""
    from datasets import Dataset
    from sentence_transformers import (
        SentenceTransformer,
        SentenceTransformerTrainer,
        SentenceTransformerTrainingArguments,
    )
    from sentence_transformers.losses import MultipleNegativesRankingLoss
    from transformers import TrainerCallback

    began = []

    class Clock(TrainerCallback):
        def on_step_begin(self, *of, **more) -> None:
            began.append(time.process_time())

        def on_train_end(self, *of, **more) -> None:
            began.append(time.process_time())

    model = SentenceTransformer(model_folder("minilm"), device="cpu")
    model.max_seq_length = WINDOW
    names = ["anchor", "positive", *(f"negative_{i + 1}" for i in range(NEGATIVES // MENTIONS))]
    columns = zip(*((text, title, *share) for text, title, share in rows), strict=True)
    with tempfile.TemporaryDirectory() as folder:
        arguments = SentenceTransformerTrainingArguments(
            folder, max_steps=UPDATES, per_device_train_batch_size=MENTIONS, learning_rate=RATE,
            bf16=precision == "bf16", use_cpu=True, save_strategy="no", logging_strategy="no",
            report_to="none", disable_tqdm=True,
        )  # fmt: skip
        SentenceTransformerTrainer(
            model=model,
            args=arguments,
            train_dataset=Dataset.from_dict(dict(zip(names, map(list, columns), strict=True))),
            loss=MultipleNegativesRankingLoss(model, scale=SCALE),
            callbacks=[Clock()],
        ).train()
    return _between(began)


def _between(began: list[float]) -> list[float]:
    return [after - before for before, after in zip(began, began[1:], strict=False)]


def main() -> None:
    torch.set_num_threads(1)
    corpus, every = rows()
    arms: dict[str, Callable[[], list[float]]] = {}
    theirs = all(map(find_spec, THEIRS))
    for precision in ("fp32", "bf16"):
        frozen = f"{FROZEN} layers frozen, "
        arms |= {
            f"{precision}, whole encoder": lambda p=precision: ours(every, p),
            f"{precision}, {frozen}not cached": lambda p=precision: ours(every, p, FROZEN, cached=False),
            f"{precision}, {frozen}cached": lambda p=precision: ours(every, p, FROZEN),
        }
        if theirs:
            arms[f"{precision}, sentence-transformers"] = lambda p=precision: sentence_transformers(every, p)
    seconds: dict[str, list[float]] = {name: [] for name in arms}
    for _ in range(ROUNDS):
        for name, arm in arms.items():
            seconds[name] += arm()[1:]
    told = "" if has_bf16() else "; bf16 is emulated on this processor"
    print(f"{corpus}: {MENTIONS} mentions and {MENTIONS + NEGATIVES} titles an update, one thread{told}")
    for name, each in seconds.items():
        base = median(seconds[f"{name.partition(',')[0]}, whole encoder"])
        print(
            f"  {name:<34} {median(each):5.2f} CPU-s ({min(each):.2f}–{max(each):.2f}), "
            f"{base / median(each):.2f} × as fast as the whole encoder"
        )
    if not theirs:
        print(f"  sentence-transformers' trainer was not timed: it needs {', '.join(THEIRS)}")


if __name__ == "__main__":
    main()
