"""What a linker answers to strings that somebody names: the examples of a paper, say."""

from collections.abc import Sequence

from benchlib.benchmark import Benchmark
from benchlib.corpus import Document, Mention

from ..systems import linker as linker_named
from .examples import named


def link_strings(
    benchmark: Benchmark, linker: str, mentions: Sequence[str], k: int = 5
) -> dict[str, list[str]]:
    """By mention the ``k`` candidates that come first, each the first names of its concepts, of a linker by
    its name that is fitted with seed 0. Where names are ranked a concept can be there more than once.

    Each mention is a document of its own. Raises ValueError for a mention that is empty or named twice.
    """
    if len(set(mentions)) < len(mentions) or not all(mentions):
        raise ValueError(f"mentions: expected strings, each once, found {list(mentions)}")
    documents = [
        Document(str(number), text, (Mention(0, len(text), text),)) for number, text in enumerate(mentions)
    ]
    found = linker_named(linker).fit(benchmark.visible(), 0).link(documents, k)
    ranked = {}
    for query, row in zip(found.queries, found.index, strict=True):
        listed = [named(benchmark, found.candidates[i].ids) for i in row if i >= 0]
        ranked[mentions[int(query.document)]] = [", ".join(name for _, name in of) for of in listed]
    return ranked
