"""How long linking takes once everything is fitted, all systems in one run."""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import fields, replace
from itertools import groupby
from statistics import median

import torch

from benchlib.benchmark import Benchmark
from benchlib.corpus import Corpus, Document
from benchlib.encoders import Backbone
from benchlib.encoders.folders import DEFAULT
from benchlib.encoders.pieces import word_pieces
from benchlib.encoders.precision import has_bf16
from benchlib.linker import Linker
from benchlib.ontology import fold_name
from benchlib.predictions import spans
from study.systems import linker
from study.systems.baselines.names import EncoderLinker, TfidfLinker
from study.systems.cosines.linker import GRAPH, CosinesLinker
from study.systems.cross_encoder import CrossEncoderLinker
from study.systems.encoders import encoder_folder
from study.systems.pel.linker import BiEncoderLinker

_TRAIN = 4  # documents that a re-ranker, which has no training of no update, learns from


def systems(encoder: str = DEFAULT) -> tuple[Linker, ...]:
    """What is timed: TF-IDF, the character graph, and an encoder with the first 1, 2, 4 and all layers.

    An encoder is as fast before its training as after: these are untrained.
    """
    deepest = Backbone.load(encoder_folder(encoder)).network.config.num_hidden_layers
    cut = [layers for layers in (1, 2, 4) if layers < deepest]
    return (
        TfidfLinker(),
        TfidfLinker("2-4", "char_wb"),
        CosinesLinker(GRAPH, epochs=1, progress=False),
        *(EncoderLinker(encoder, layers, "cls", progress=False) for layers in (*cut, None)),
        EncoderLinker(encoder, progress=False),
    )


def inference(
    benchmark: Benchmark,
    encoder: str = DEFAULT,
    runs: int = 10,
    k: int = 5,
    linkers: Sequence[str] = (),
    batches: Sequence[int] = (),
    mentions: int | None = None,
) -> dict[str, float | list[float]]:
    """Seconds to link the test mentions that have a concept, k candidates each: the median of ``runs``, by
    the name of the linker.

    From the mention strings to ranked names, the vectors of the dictionary being there before (CoSiNES,
    section 3.5 and table 1; dual encoder, section 4.5). Systems take turns, so that what else the machine
    does falls on all of them. ``LINKER.runs`` lists the runs. Also ``n.mentions``, ``n.strings`` (distinct,
    case-folded, each linked once) and ``n.threads``.

    ``linkers`` names others than :func:`systems`: untrained ones, by ``steps=0``, or ``steps=1`` for a
    re-ranker, which learns from a few documents. With ``mentions`` only so many are linked, about, those of
    whole documents spread over the split. With ``batches`` each linker is timed for each of these numbers
    of passes that a call to it has, a pass being of as many mentions as it reads together; ``LINKER by 1``,
    with one pass, is batch size 1. ``.encoding`` behind these names are the median seconds that the vectors
    of mentions take, ``.re-ranking`` what a re-ranker takes more than its first linker, and ``.search`` the
    rest. Also
    ``n.pieces``, word pieces of ``encoder`` in the documents linked, and ``all.mentions`` and ``all.pieces``
    of the whole split: how many mentions share a text decides what a shared pass is worth.

    Raises ValueError for a linker that there is not, and one in bf16 on a processor without its arithmetic,
    where it is emulated.
    """
    documents = tuple(d for d in benchmark.test.documents if any(not m.gold.nil for m in d.mentions))
    every = Corpus(benchmark.test.name, documents).hidden().documents
    hidden = spread(every, mentions) if mentions else every
    fitted = _fitted(benchmark.visible(), encoder, linkers)
    work = {
        name if batch is None else f"{name} by {batch}": (system, list(_calls(hidden, system, batch)))
        for name, system in fitted.items()
        for batch in batches or (None,)
    }
    seconds: dict[str, list[float]] = {name: [] for name in work}
    parts: dict[str, list[float]] = {}
    for _ in range(runs):
        for name, (system, calls) in work.items():
            seconds[name].append(sum(_seconds(system.link, call, k) for call in calls))
            if batches:
                for part, of in _parts(system, calls, k, seconds[name][-1]).items():
                    parts.setdefault(f"{name}.{part}", []).append(of)
    found = {name: round(median(each), 4) for name, each in (seconds | parts).items()} | {
        **{f"{name}.runs": [round(one, 4) for one in each] for name, each in seconds.items()},
        "n.mentions": sum(len(d.mentions) for d in hidden),
        "n.strings": len({fold_name(d.text[m.start : m.end]) for d in hidden for m in d.mentions}),
        "n.threads": torch.get_num_threads(),
    }
    return found | (_density(hidden, every, encoder) if batches else {})


def spread(documents: Sequence[Document], mentions: int) -> tuple[Document, ...]:
    """Documents at equal distances, so many that they have about ``mentions`` mentions if they are like all;
    one at least."""
    mean = sum(len(d.mentions) for d in documents) / len(documents)
    n = min(len(documents), max(1, round(mentions / mean)))
    return tuple(documents[:: len(documents) // n][:n])


def quiet(name: str) -> Linker:
    """The linker of a name, without a progress bar; raises ValueError as :func:`inference`."""
    system = linker(name)
    first = system.config.get("first", {}).get("config", {})
    emulated = not torch.cuda.is_available() and not has_bf16()
    if emulated and "bf16" in (system.config.get("precision"), first.get("precision")):
        raise ValueError(
            f"linker {name!r}: expected precision=fp32 on a processor without bfloat16 arithmetic"
        )
    return replace(system, progress=False) if any(f.name == "progress" for f in fields(system)) else system


def per_pass(system: Linker) -> int:
    """How many mentions a linker reads together at most."""
    return getattr(system, "mentions", 1)


def _fitted(benchmark: Benchmark, encoder: str, names: Sequence[str]) -> dict[str, Linker]:
    if not names:
        return {system.name: system.fit(benchmark) for system in systems(encoder)}
    few = replace(benchmark, train=Corpus(benchmark.train.name, benchmark.train.documents[:_TRAIN]))
    return {system.name: system.fit(few) for system in map(quiet, names)}


def _calls(
    documents: Sequence[Document], system: Linker, batch: int | None
) -> Iterator[tuple[Document, ...]]:
    """The documents of each call to a linker: all in one without a ``batch``, else with the mentions of so
    many passes, in the order of the text."""
    if batch is None:
        yield tuple(documents)
        return
    n, passes = per_pass(system), []
    for document in documents:
        own = sorted(document.mentions, key=lambda one: (one.start, one.end))
        passes += [(document, own[at : at + n]) for at in range(0, len(own), n)]
    for at in range(0, len(passes), batch):
        of_document = groupby(passes[at : at + batch], key=lambda one: one[0].id)
        together = ([*parts] for _, parts in of_document)
        yield tuple(
            replace(parts[0][0], mentions=tuple(one for _, some in parts for one in some))
            for parts in together
        )


def _parts(system: Linker, calls: Sequence[tuple[Document, ...]], k: int, seconds: float) -> dict[str, float]:
    """What the seconds of some calls go into, by timing the parts once more on their own."""
    parts, first = {}, system
    if isinstance(system, CrossEncoderLinker):
        first = system.retriever
        of_first = sum(_seconds(first.link, call, max(k, system.candidates)) for call in calls)
        parts, seconds = {"re-ranking": seconds - of_first}, of_first
    if isinstance(first, BiEncoderLinker):
        parts["encoding"] = sum(_seconds(first.mention_vectors, call, spans(call)) for call in calls)
    return parts | {"search": seconds - parts.get("encoding", 0)}


def _seconds(work: Callable[..., object], *of: object) -> float:
    started = time.perf_counter()
    work(*of)
    return time.perf_counter() - started


def _density(some: Sequence[Document], every: Sequence[Document], encoder: str) -> dict[str, int]:
    tokenizer = Backbone.load(encoder_folder(encoder), layers=1).tokenizer
    n_pieces, all_pieces = (
        sum(len(found.ids) for found in word_pieces(tokenizer, [d.text for d in of])) for of in (some, every)
    )
    n_all = sum(len(d.mentions) for d in every)
    return {"n.pieces": n_pieces, "all.mentions": n_all, "all.pieces": all_pieces}
