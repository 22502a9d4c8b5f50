"""Of which kind each mention of a corpus is."""

import re
from collections import Counter
from collections.abc import Sequence

import pandas as pd

from ..corpus import Corpus
from ..ontology import Ontology, fold_name, refined

STRATA = {
    "no name": "as it is, case aside, the mention matches no name of the dictionary",
    "several concepts": "the name it matches belongs to several concepts",
    "seen name": "a training or development mention has the same string, case aside",
    "seen concept": "a training or development mention means the same concept",
    "refined": "mentions kept by the filter of Tutubalina et al. 2020: unseen names, one of each (name, id)",
    "abbreviation": "one word of at most ten characters with two capitals or more",
    "composite": "the gold has several parts",
    "reachable": "a concept of the gold has a name in the dictionary",
    "nil": "the gold is NIL: no concept of the ontology",
}
CLASSES = {
    "words": "how many words the mention has",
    "frequency": "how many training and development mentions mean the same concept",
    "type": "the type that the corpus gives the mention",
}
_WORDS = {4: "4+", 3: "3", 2: "2", 0: "1"}  # from so many on
_FREQUENCIES = {100: "100+", 10: "10-99", 1: "1-9", 0: "0"}
_TYPES = 24  # the most frequent of a corpus; the others are told apart from these only
OTHER = "other"


def strata(corpus: Corpus, ontology: Ontology, seen: Sequence[Corpus]) -> pd.DataFrame:
    """One row per mention, in corpus order: boolean columns ``STRATA`` and text columns ``CLASSES``.

    ``seen`` are the corpora that count as seen: train and dev. Their spans and gold decide "seen name",
    "seen concept" and "frequency", the dictionary is not consulted for these. Of a NIL mention only the
    string decides, and its frequency is 0. ``words`` and ``frequency`` are ranges such as ``1-9`` and
    ``100+``; a corpus with more than 24 types keeps the most frequent.
    """
    owners = ontology.owners()
    names, frequency = set(), Counter()
    for split in seen:
        for _, mention in split.mentions():
            names.add(fold_name(mention.text))
            frequency.update(ontology.concepts_of(mention.gold.ids if mention.gold else ()))
    types = Counter(mention.type for _, mention in corpus.mentions())
    kept = {type for type, _ in types.most_common(_TYPES)}
    rows = []
    for (_, mention), unseen in zip(corpus.mentions(), refined(corpus, seen), strict=True):
        name = fold_name(mention.text)
        gold = ontology.concepts_of(mention.gold.ids)
        matched = len(owners.get(name, ()))
        times = max((frequency[id] for id in gold), default=0)
        rows.append(
            (
                matched == 0,
                matched > 1,
                name in names,
                times > 0,
                unseen,
                is_abbreviation(mention.text),
                len(mention.gold.parts) > 1,
                any(ontology.concepts[id].names for id in gold if id in ontology.concepts),
                mention.gold.nil,
                next(label for n, label in _WORDS.items() if len(mention.text.split()) >= n),
                next(label for n, label in _FREQUENCIES.items() if times >= n),
                mention.type if mention.type in kept else OTHER,
            )
        )
    table = pd.DataFrame(rows, columns=[*STRATA, *CLASSES])
    return table.astype(dict.fromkeys(STRATA, bool) | dict.fromkeys(CLASSES, object))


def is_abbreviation(text: str) -> bool:
    """One word of at most ten characters with two capitals or more; by shape alone, the document unread."""
    return len(text) <= 10 and not re.search(r"\s", text) and sum(c.isupper() for c in text) >= 2
