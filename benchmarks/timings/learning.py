"""How long training takes for the same mentions, systems side by side."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from statistics import median

import torch

from benchlib.benchmark import Benchmark
from benchlib.corpus import Corpus
from benchlib.linker import Linker
from benchlib.ontology import Ontology
from benchlib.sampling import batches_per_epoch
from study.systems.by_entity import concepts_with_names, training_mentions
from study.systems.pel.linker import BiEncoderLinker
from study.systems.training_names import single_concept_mentions

from .linking import per_pass, quiet, spread


def updates(
    benchmark: Benchmark,
    linkers: Sequence[str],
    runs: int = 10,
    mentions: int = 64,
    concepts: int = 1000,
) -> dict[str, float | list[float]]:
    """Seconds that each of some dual encoders takes to learn once from the same training mentions: the median
    of ``runs``, by the name of the linker (dual encoder, section 4.5 and figures 2 and 3).

    A linker has its own batch and negatives, and whatever its steps, so many updates that it sees each
    mention once: ``LINKER.updates``. Systems take turns, each training anew; what counts is the time of the
    updates, without loading and without the vectors of the ontology afterwards. ``LINKER.runs`` lists the
    runs. The mentions, ``n.mentions``, are those that are learned from in documents spread over train, with
    about ``mentions`` together, and the ontology has every so-many-th concept, ``n.concepts`` in all, and
    theirs: how many there are has no part in an update whose negatives are random. Mined ones are
    searched for in the ontology, so that their time would not be that of the whole. Also ``n.threads``.

    Raises ValueError for a linker that is none of these, for one with mined negatives, and for bf16 as
    :func:`.linking.inference`.
    """
    few = _few(benchmark, mentions, concepts)
    place = {concept.id: i for i, concept in enumerate(concepts_with_names(few.ontology))}
    of_document = Counter(document.id for document, _, _ in training_mentions(few, ["train"], place))
    trained = {name: _for_an_epoch(quiet(name), [*of_document.values()]) for name in linkers}
    seconds: dict[str, list[float]] = {name: [] for name in trained}
    for _ in range(runs):
        for name, system in trained.items():
            seconds[name].append(system.fit(few).trace[-1]["seconds"])
    return {name: round(median(each), 4) for name, each in seconds.items()} | {
        **{f"{name}.runs": each for name, each in seconds.items()},
        **{f"{name}.updates": system.steps for name, system in trained.items()},
        "n.mentions": of_document.total(),
        "n.concepts": len(place),
        "n.threads": torch.get_num_threads(),
    }


def _for_an_epoch(system: Linker, of_document: Sequence[int]) -> BiEncoderLinker:
    """A linker with as many updates as visit the mentions of each document once."""
    if not isinstance(system, BiEncoderLinker) or system.negatives != "random":
        raise ValueError(f"linker {system.name!r}: expected a dual encoder with random negatives")
    inputs = sum(-(-n // per_pass(system)) for n in of_document)
    return replace(system, steps=batches_per_epoch(inputs, system.batch), epochs=None)


def _few(benchmark: Benchmark, mentions: int, concepts: int) -> Benchmark:
    """Some training documents, no others, and the concepts of their mentions with others of the ontology."""
    train = replace(benchmark.train, documents=spread(benchmark.train.documents, mentions))
    few = replace(
        benchmark, train=train, dev=Corpus(benchmark.dev.name, ()), test=Corpus(benchmark.test.name, ())
    )
    every = benchmark.ontology.concepts
    kept = {concept for _, _, concept in single_concept_mentions(few)}
    kept |= set([*every][:: max(1, len(every) // concepts)])
    return replace(few, ontology=Ontology(benchmark.ontology.name, (every[id] for id in every if id in kept)))
