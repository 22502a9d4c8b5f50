"""Which mentions are of which kind: masks over the scored mentions of a corpus."""

from __future__ import annotations

from collections.abc import Iterable

import pandas as pd

from ..corpus import Corpus
from ..ontology import Ontology, fold_name

STRATA = {
    "no name": "as it is, case aside, the mention matches no name of the dictionary",
    "several concepts": "the name it matches belongs to several concepts",
    "seen name": "a training or development mention has the same string, case aside",
    "seen concept": "a training or development mention means the same concept",
    "refined": "what is left by the filter of Tutubalina et al. 2020: unseen names, one of each (name, id)",
    "composite": "the gold has several parts",
    "reachable": "a concept of the gold has a name in the dictionary",
}


def strata(corpus: Corpus, ontology: Ontology, seen: Iterable[Corpus]) -> pd.DataFrame:
    """Boolean columns ``STRATA``, one row per mention that is not NIL, in corpus order.

    ``seen`` are the corpora that count as seen: train and dev. Their spans and gold decide "seen name"
    and "seen concept", the dictionary is not consulted for these.
    """
    owners = ontology.owners()
    names, concepts = set(), set()
    for one in seen:
        for _, mention in one.mentions():
            names.add(fold_name(mention.text))
            concepts |= _concepts(ontology, mention.gold.ids)
    rows, listed = [], set()
    for _, mention in corpus.mentions():
        if mention.gold.nil:
            continue
        name = fold_name(mention.text)
        gold = _concepts(ontology, mention.gold.ids)
        matched = len(owners.get(name, ()))
        pair = (name, mention.gold.printed)
        rows.append(
            (
                matched == 0,
                matched > 1,
                name in names,
                bool(gold & concepts),
                name not in names and pair not in listed,
                len(mention.gold.parts) > 1,
                any(ontology.concepts[id].names for id in gold if id in ontology.concepts),
            )
        )
        listed.add(pair)
    return pd.DataFrame(rows, columns=list(STRATA), dtype=bool)


def _concepts(ontology: Ontology, ids: Iterable[str]) -> set[str]:
    return {concept for id in ids for concept in (ontology.resolve(id) or (id,))}
