"""Why mentions were linked as they were: the mentions nearest to each, in their context."""

from collections.abc import Sequence
from dataclasses import replace

from benchlib.benchmark import Benchmark
from benchlib.corpus import Document, Mention
from benchlib.ontology import fold_name

from ..systems import linker as linker_named
from .examples import LONGEST, digest, named

AROUND = 30  # characters of context shown on either side: a few words, since records are published


def explanations(
    benchmark: Benchmark, linker: str, mentions: Sequence[str] = (), drawn: int = 6, nearest: int = 3
) -> dict[str, list[dict[str, object]]]:
    """Under ``mentions`` the test mentions at some places, ``document:start:end``, each with its string, what
    stands ``before`` and ``after`` it, its ``gold``, (id, name) of each concept, and the ``nearest`` of what
    it is compared with: of each the (id, name) of its ``concept``, the ``similarity``, the string with what
    is before and after it, and whether it is ``from`` text or train, or a reference or name, which has no
    string.

    Without a place up to ``drawn`` short mentions, one for each string, the first by :func:`digest`.
    ``linker`` is the name of one of KRISSBERT or BioCoM, which is fitted here with seed 0. Raises ValueError
    for another one and for a place where no test mention is, and as it does.
    """
    made = linker_named(linker)
    # Those that compare mentions say what stands behind these that is no mention.
    if not hasattr(made, "behind"):
        raise ValueError(f"{linker!r} compares no mentions; expected a linker biocom or krissbert")
    made.progress = False  # a bar for each mention would be all there is to see
    chosen = _at(benchmark, mentions) if mentions else _drawn(benchmark, drawn)
    fitted = made.fit(benchmark.visible(), 0)
    mentioned = [
        (source, linked.span(i)) for source, (linked, which) in fitted.index().items() for i in which.tolist()
    ]
    ids, told = list(benchmark.ontology.concepts), []
    numbered = enumerate(chosen)  # a document of its own each, since others of its text would be marked too
    alone = [replace(d, id=str(i), mentions=(replace(m, type="", gold=None),)) for i, (d, m) in numbered]
    keys, similarity, concept = fitted.nearest(alone, nearest)
    for (document, mention), *near in zip(chosen, keys.tolist(), similarity.tolist(), strict=True):
        told.append({"document": document.id, **_in_context(document.text, mention.start, mention.end)})
        told[-1]["gold"] = named(benchmark, sorted(mention.gold.ids))
        told[-1]["nearest"] = [
            {"concept": named(benchmark, [ids[concept[key]]])[0], "similarity": round(score, 4)}
            | (_where(*mentioned[key]) if key < len(mentioned) else _where(made.behind))
            for key, score in zip(*near, strict=True)
        ]
    return {"mentions": told}


def _at(benchmark: Benchmark, places: Sequence[str]) -> list[tuple[Document, Mention]]:
    there = {f"{d.id}:{m.start}:{m.end}": (d, m) for d, m in benchmark.test.mentions()}
    for place in places:
        if place not in there:
            raise ValueError(
                f"{benchmark.name}: no test mention at {place!r}; expected document:start:end, such as "
                f"{next(iter(there), '')}"
            )
    return [there[place] for place in places]


def _drawn(benchmark: Benchmark, n: int) -> list[tuple[Document, Mention]]:
    found: dict[str, tuple[Document, Mention]] = {}
    for document, mention in sorted(benchmark.test.mentions(), key=lambda one: digest(*one)):
        if len(found) < n and len(mention.text) <= LONGEST and not mention.gold.nil:
            found.setdefault(fold_name(mention.text), (document, mention))
    return list(found.values())


def _where(source: str, span: tuple[str, int, int] = ("", 0, 0)) -> dict[str, str]:
    """What a neighbour is from, and its string in its text; none of what is not a mention."""
    return {"from": source, **_in_context(*span)}


def _in_context(text: str, start: int, end: int) -> dict[str, str]:
    first, last = max(0, start - AROUND), min(len(text), end + AROUND)
    return {
        "before": "…" * (first > 0) + text[first:start],
        "mention": text[start:end],
        "after": text[end:last] + "…" * (last < len(text)),
    }
