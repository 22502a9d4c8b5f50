"""Self-supervised mentions of a pool of unlabelled text."""

from collections.abc import Collection, Iterator
from itertools import islice
from pathlib import Path

from tqdm import tqdm

from benchlib.corpus import Document, Gold, Mention
from benchlib.matching.matcher import Matcher

from ..corpora import unlabelled

_TOGETHER = 1_000  # texts that are matched at a time


def mentions(
    corpus: Path | str, matcher: Matcher, excluded: Collection[str] = frozenset(), progress: bool = True
) -> Iterator[Document]:
    """The texts of a registered source or of a folder of JSON lines that have matches, as documents, with the
    matches as mentions: the gold of one is any of the concepts that have its name.

    A document is named by its file and line, ``ohsumed_single_23:17``; those ``excluded`` (see
    :func:`study.corpora.exclusion.exclude`) are left out. A thousand texts are in memory at
    a time. Raises as :func:`unlabelled.files`.
    """
    golds = [Gold((frozenset(ids),)) for ids in matcher.ids]
    for path in tqdm(unlabelled.files(corpus), "matching", unit="file", disable=not progress):
        texts = enumerate(unlabelled.read(path), start=1)
        while group := list(islice(texts, _TOGETHER)):
            matched = matcher([one.text for _, one in group])
            for (line, one), matches in zip(group, matched, strict=True):
                if matches and (id := unlabelled.text_id(path, line)) not in excluded:
                    found = (
                        Mention(start, end, one.text[start:end], gold=golds[n]) for start, end, n in matches
                    )
                    yield Document(id, one.text, tuple(found))
