"""Why a mention was linked as it was: its nearest prototypes found again by hand."""

import numpy as np
import pytest

from benchlib.encoders import encode, mention_inputs
from study.corpora import load
from study.corpora.transforms import apply
from study.measurements.explanations import AROUND, explanations
from study.systems import linker
from study.systems.linked_text import annotated_text, matched_text


@pytest.fixture(scope="module")
def mini():
    return apply(load("mini"), ["unlabelled:train"])


def name(encoder, **settings):
    fixed = {"model": encoder, "window": 24, "steps": 0, "precision": "fp32", "per_concept": None}
    return ",".join(["krissbert", *(f"{key}={value}" for key, value in {**fixed, **settings}.items())])


def test_the_nearest_prototypes_stand_in_their_context(mini, encoder):
    document = mini.test.documents[1]
    mention = document.mentions[0]
    place = f"{document.id}:{mention.start}:{mention.end}"
    [told] = explanations(mini, name(encoder, prototypes="both"), [place], nearest=4)["mentions"]
    # Every mention that may be near, encoded here without an index.
    backbone = linker(name(encoder)).fit(mini).encoder.mention
    spans, known = [(document.text, mention.start, mention.end)], []
    for source, linked in (("text", matched_text(mini)), ("train", annotated_text(mini))):
        for i, concept in enumerate(linked.concept):
            spans.append(linked.span(i))
            known.append((source, linked.concepts[concept]))
    vectors = encode(backbone, mention_inputs(backbone, spans, 24).inputs, "mention", progress=False)
    cosines = vectors[1:] @ vectors[0]
    best = np.argsort(-cosines, kind="stable")[:4]
    assert [one["similarity"] for one in told["nearest"]] == pytest.approx(cosines[best], abs=1e-3)
    for one in told["nearest"]:
        places = np.flatnonzero(np.isclose(cosines, one["similarity"], atol=1e-3))
        same = [(known[i], spans[i + 1]) for i in places if known[i] == (one["from"], one["concept"][0])]
        text, start, end = same[0][1]
        assert text[start:end].casefold() == one["mention"].casefold()
        assert any(
            text[max(0, start - AROUND) : start] == one["before"].lstrip("…") for _, (text, start, _) in same
        )
    assert told["mention"] == mention.text and told["document"] == document.id
    assert [id for id, _ in told["gold"]] == sorted(mention.gold.ids)


def test_without_a_place_some_are_drawn_and_a_reference_has_no_string(mini, encoder):
    found = explanations(mini, name(encoder, references=True, per_concept=1), drawn=3, nearest=100)[
        "mentions"
    ]
    again = explanations(mini, name(encoder, references=True, per_concept=1), drawn=2, nearest=2)["mentions"]
    assert [one["mention"] for one in found[:2]] == [one["mention"] for one in again]
    assert len({one["mention"].casefold() for one in found}) == 3
    near = [other for one in found for other in one["nearest"]]
    assert {other["from"] for other in near} == {"text", "reference"}
    assert all(bool(other["mention"]) == (other["from"] == "text") for other in near)


def test_what_cannot_be_explained_is_an_error(mini, encoder):
    with pytest.raises(ValueError, match=r"no test mention at 'x:1:2'; expected document:start:end, such as"):
        explanations(mini, name(encoder), ["x:1:2"])
    with pytest.raises(ValueError, match="'tfidf' compares no mentions; expected a linker biocom"):
        explanations(mini, "tfidf")


def test_what_votes_stands_in_its_context_and_a_bare_name_has_none(mini, encoder):
    fixed = f"biocom,model={encoder},window=24,steps=0,precision=fp32,pooling=mention,per_name=None"
    found = explanations(mini, f"{fixed},database=both", drawn=2, nearest=100_000)["mentions"]
    linked = matched_text(mini)
    names = sum(len(owners) for owners in mini.ontology.owners().values())
    for one in found:
        kinds = [other["from"] for other in one["nearest"]]
        assert (kinds.count("text"), kinds.count("name")) == (len(linked.concept), names)
        in_text = [(n["concept"][0], n["mention"]) for n in one["nearest"] if n["from"] == "text"]
        spans = [(linked.concepts[concept], linked.span(i)) for i, concept in enumerate(linked.concept)]
        assert sorted(in_text) == sorted((id, text[start:end]) for id, (text, start, end) in spans)
        scores = [other["similarity"] for other in one["nearest"]]
        assert scores == sorted(scores, reverse=True)
    bare = explanations(mini, f"{fixed},database=names", drawn=1, nearest=1)["mentions"][0]["nearest"]
    assert [(other["from"], other["mention"]) for other in bare] == [("name", "")]
