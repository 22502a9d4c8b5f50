"""Concepts taken out of a benchmark, so that their mentions become NIL (PEL, section 5.1 and appendix D).

PEL removes the concepts of eleven semantic types from the knowledge base, which leaves nothing like them.
Here they are those of types, too, or they are drawn by a hash of their id, which leaves those beside them.
"""

from collections.abc import Callable
from dataclasses import replace
from hashlib import blake2b

from benchlib.benchmark import Benchmark
from benchlib.corpus import Corpus, Gold, Mention
from benchlib.ontology import Ontology

LEFT_OUT = "concept held out"


def map_mentions(corpus: Corpus, change: Callable[[Mention], Mention | None], reason: str = "") -> Corpus:
    """Each mention as ``change`` gives it; those for which it gives None are dropped, counted under
    ``reason``. Every document stays."""
    documents = tuple(
        replace(d, mentions=tuple(new for new in map(change, d.mentions) if new is not None))
        for d in corpus.documents
    )
    changed = replace(corpus, documents=documents)
    if not reason:
        return changed
    before, after = ({(d.id, m.start, m.end) for d, m in each.mentions()} for each in (corpus, changed))
    lost = corpus.dropped.get(reason, 0) + corpus.n_mentions - changed.n_mentions
    spans = {span: (span[1:],) for span in before - after} | dict(corpus.moved_spans)
    moved_spans = {key: tuple(s for s in at if (key[0], *s) in after) for key, at in spans.items()}
    return replace(changed, dropped={**corpus.dropped, reason: lost}, moved_spans=moved_spans)


def hold_out(benchmark: Benchmark, what: str) -> Benchmark:
    """Without the concepts that ``what`` names (see :func:`held_out`), in the ontology and in training.

    A mention of train that names one of them, be it in one part or as one of several ids, is left out and
    counted in ``dropped``; its text stays. In dev, where a threshold for NIL is chosen, and in test every
    mention stays: the ids are taken from its gold, and it is NIL when none is left. A composite mention keeps
    its other parts, as ``D002544|-1`` of BC5CDR does. What is printed in the corpus stays in ``printed``, so
    that these mentions can be told from those that are NIL in the corpus.

    Raises ValueError as :func:`held_out`, and where all concepts or none would be held out.
    """
    ontology = benchmark.ontology
    gone = held_out(ontology, what)
    if not 0 < len(gone) < len(ontology):
        raise ValueError(f"hold-out {what!r}: expected some of {len(ontology)} concepts, found {len(gone)}")

    def known(mention: Mention) -> Mention | None:
        return None if any(_gone(id, ontology, gone) for id in mention.gold.ids) else mention

    def reduced(mention: Mention) -> Mention:
        return replace(mention, gold=_reduced(mention.gold, ontology, gone))

    return replace(
        benchmark,
        train=map_mentions(benchmark.train, known, LEFT_OUT),
        dev=map_mentions(benchmark.dev, reduced),
        test=map_mentions(benchmark.test, reduced),
        ontology=Ontology(
            ontology.name,
            (
                replace(
                    concept,
                    # An id that is held out must not come back as a name for a concept that stays.
                    alternatives=tuple(id for id in concept.alternatives if id not in gone),
                    parents=tuple(id for id in concept.parents if id not in gone),
                )
                for id, concept in ontology.concepts.items()
                if id not in gone
            ),
        ),
    )


def held_out(ontology: Ontology, what: str) -> frozenset[str]:
    """The ids of the concepts that ``what`` names.

    ``hash:SHARE``: those whose id has a hash in the first ``SHARE`` of all, the same in every ontology, and
    those of a smaller share among those of a larger. ``types:TYPE+TYPE``: those that have one of these types;
    of MeSH, where types are the tops of its trees, whole trees. Raises ValueError for a type that no concept
    has.
    """
    kind, _, text = what.partition(":")
    concepts = ontology.concepts
    if kind == "hash":
        return frozenset(id for id in concepts if _hash(id) < float(text))
    asked = set(text.split("+"))
    if unknown := asked - {type for concept in concepts.values() for type in concept.types}:
        raise ValueError(f"hold-out {what!r}: {ontology.name} has no type {min(unknown)!r}")
    return frozenset(id for id, concept in concepts.items() if not asked.isdisjoint(concept.types))


def held_out_counts(benchmark: Benchmark, what: str) -> dict[str, int]:
    """How many concepts ``what`` holds out and how many mentions of each split that touches.

    ``SPLIT.mentions`` are those before; ``train.left_out`` leave train. Of dev and test, ``SPLIT.held_out``
    become NIL, ``SPLIT.nil`` are NIL in the corpus, and ``SPLIT.in_part`` lose some of their gold and stay.
    Raises ValueError as :func:`hold_out`.
    """
    after = hold_out(benchmark, what)
    counts = {
        "concepts": len(benchmark.ontology),
        "concepts.held_out": len(benchmark.ontology) - len(after.ontology),
        "train.mentions": benchmark.train.n_mentions,
        "train.left_out": benchmark.train.n_mentions - after.train.n_mentions,
    }
    for split in ("dev", "test"):
        given, found = benchmark.split(split), after.split(split)
        both = list(zip(given.mentions(), found.mentions(), strict=True))
        nil = _n_nil(given)
        held_out = _n_nil(found) - nil  # what was NIL before stays so
        counts |= {
            f"{split}.mentions": given.n_mentions,
            f"{split}.held_out": held_out,
            f"{split}.nil": nil,
            f"{split}.in_part": sum(then.gold != now.gold for (_, then), (_, now) in both) - held_out,
        }
    return counts


def _n_nil(corpus: Corpus) -> int:
    return sum(mention.gold.nil for _, mention in corpus.mentions())


def _hash(id: str) -> float:
    """A number from 0 to below 1 that depends on the id alone, on every machine."""
    return int.from_bytes(blake2b(id.encode(), digest_size=8).digest(), "big") / 2**64


def _gone(id: str, ontology: Ontology, gone: frozenset[str]) -> bool:
    """Whether all that an id stands for is held out; one that the ontology does not know is not."""
    concepts = ontology.resolve(id)
    return bool(concepts) and gone.issuperset(concepts)


def _reduced(gold: Gold, ontology: Ontology, gone: frozenset[str]) -> Gold:
    """The gold without the ids that are held out, and without the parts of which no id is left."""
    parts = [frozenset(id for id in part if not _gone(id, ontology, gone)) for part in gold.parts]
    texts = gold.texts or [""] * len(parts)
    kept = [(part, text) for part, text in zip(parts, texts, strict=True) if part]
    return Gold(
        tuple(part for part, _ in kept), tuple(text for _, text in kept) if gold.texts else (), gold.printed
    )
