"""What the encoders cost: texts and mentions a second on one corpus, all in one run."""

import time
from collections.abc import Callable

from benchlib.benchmark import SPLITS, Benchmark
from benchlib.encoders.backbone import Backbone
from benchlib.encoders.batches import encode
from benchlib.encoders.folders import DEFAULT
from benchlib.encoders.mention import MARKERS, mention_inputs
from benchlib.encoders.names import text_inputs
from benchlib.encoders.tfidf import TfidfEncoder
from study.systems.by_entity import entity_text, pair_inputs
from study.systems.cosines.graph import CharacterGraph, vocabulary
from study.systems.dual_encoder.passes import chunk_inputs

_REPEATS = 2


def cost(
    benchmark: Benchmark, encoder: str = DEFAULT, names: int = 300, documents: int = 6
) -> dict[str, float]:
    """Vectors a second, the better of two, fp32, on this machine and all its threads.

    ``encoder`` is a folder, a Hub id or the default. ``names.*`` read dictionary names (untrained character
    graph, TF-IDF, the encoder with all its layers and, where it has more, with the first 1, 2 and 3),
    ``mentions.*`` mentions of documents: marked in a window of 64 or 128 word pieces, every span of a
    document in one pass, and a pair of a marked mention and an entity text for a cross-encoder. ``n.*`` are
    how many of each were read.
    """
    listed = list(benchmark.ontology.owners())
    texts = listed[:: max(1, len(listed) // names)][:names]
    read = [d for split in SPLITS for d in benchmark.split(split).documents if d.mentions][:documents]
    spans = [(d.text, m.start, m.end) for d in read for m in d.mentions]
    graph, tfidf = CharacterGraph(vocabulary(texts)).eval(), TfidfEncoder().fit(texts)
    rates = {
        "names.tfidf": _rate(len(texts), lambda: tfidf.encode(texts)),
        "names.graph": _rate(len(texts), lambda: graph.encode(texts)),
    }
    backbone = Backbone.load(encoder, markers=MARKERS)
    for layers in (*(n for n in (1, 2, 3) if n < backbone.network.config.num_hidden_layers), None):
        cut = Backbone.load(encoder, layers=layers)
        inputs = text_inputs(cut, texts)
        label = f"names.{layers}-layers" if layers else "names.all-layers"
        rates[label] = _rate(len(texts), lambda b=cut, i=inputs: encode(b, i, "mean", progress=False))
    marked = [(d.text, [(m.start, m.end) for m in d.mentions]) for d in read]
    whole = chunk_inputs(backbone, marked, len(spans), margin=None)
    concepts = list(benchmark.ontology.concepts.values())[: len(spans)]
    entities = [entity_text(c, benchmark.ontology, ("title", "synonyms")) for c in concepts]
    read_as = text_inputs(backbone, [entities[i % len(entities)] for i in range(len(spans))], 64)
    for label, inputs, pooling in (
        ("marked-64", mention_inputs(backbone, spans, 64).inputs, "start"),
        ("marked-128", mention_inputs(backbone, spans, 128).inputs, "start"),
        ("document", whole.inputs, _first_of_span),
        ("pair-128", pair_inputs(backbone, mention_inputs(backbone, spans, 64).inputs, read_as), "cls"),
    ):
        rates[f"mentions.{label}"] = _rate(
            len(spans), lambda i=inputs, p=pooling: encode(backbone, i, p, progress=False)
        )
    return {name: round(rate, 1) for name, rate in rates.items()} | {
        "n.names": len(texts),
        "n.mentions": len(spans),
        "n.documents": len(read),
    }


def _first_of_span(states, batch):
    return states[batch.row, batch.first]


def _rate(n: int, work: Callable[[], object]) -> float:
    """How many of ``n`` a second, by the fastest of a few runs: what else the machine does only slows."""
    seconds = []
    for _ in range(_REPEATS):
        started = time.perf_counter()
        work()
        seconds.append(time.perf_counter() - started)
    return n / min(seconds)
