"""What a linker answers to strings that are named."""

import pytest

from study.corpora import load
from study.measurements.answers import link_strings
from study.systems import linker

MINI = load("mini")


def test_answers_are_the_first_names_of_the_concepts_ranked():
    owners = MINI.ontology.owners()
    concept, synonym = next(
        (one, name)
        for one in MINI.ontology.concepts.values()
        for name in one.names[1:]
        if len(owners[name.casefold()]) == 1
    )
    found = link_strings(MINI, "tfidf", [synonym, "zzz"], k=3)
    # The whole name is its own nearest one.
    assert list(found) == [synonym, "zzz"] and found[synonym][0] == concept.names[0]
    assert all(len(ranked) <= 3 for ranked in found.values())
    # The same linker on the mentions of the corpus gives the same to a string that is one of them.
    mention = next(m for _, m in MINI.test.mentions())
    predicted = linker("tfidf").fit(MINI.visible()).link(MINI.test.hidden().documents, 1)
    row = next(i for i, q in enumerate(predicted.queries) if (q.start, q.end) == (mention.start, mention.end))
    best = predicted.candidates[predicted.index[row, 0]]
    first = ", ".join(MINI.ontology.concepts[id].names[0] for id in best.ids)
    assert link_strings(MINI, "tfidf", [mention.text], k=1)[mention.text] == [first]


@pytest.mark.parametrize("mentions", [["a", "a"], ["a", ""]])
def test_mentions_that_cannot_be_told_apart_or_are_empty(mentions):
    with pytest.raises(ValueError, match="expected strings, each once"):
        link_strings(MINI, "tfidf", mentions)
