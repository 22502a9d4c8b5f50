"""BioCoM on the embedded corpus with an encoder trained from nothing, against plain loops."""

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
import torch
from linking import DOCUMENTS, MINI, WITH_TEXT, called, recalled

from benchlib import losses
from benchlib.corpus import Corpus, Document, Mention
from benchlib.encoders import MARKERS, Backbone, encode, mention_inputs
from benchlib.matching import Matcher
from benchlib.ontology import Concept, Ontology, fold_name
from benchlib.predictions import spans as spans_of
from benchlib.sampling import items_by_concept, pair_batch
from benchlib.training import Trained
from study.corpora.transforms import apply
from study.systems import BioComLinker
from study.systems.biocom import linker as biocom
from study.systems.linked_text import match_counts, matched_text
from study.systems.mention_vectors import MentionVectors
from study.systems.sentences import sentences_of

DRAWN = 16  # mentions that the windows of a batch are drawn for


def small(encoder, **settings):
    fixed = {"window": 24, "concepts": 8, "steps": 0, "learning_rate": 3e-3, "pooling": "mention"}
    return BioComLinker(encoder, **fixed | {"precision": "fp32", "progress": False} | settings)


def vectors(backbone, spans, window=24):
    return encode(backbone, mention_inputs(backbone, spans, window).inputs, "mention", progress=False)


def drawn_at(linker, number):
    return pair_batch(items_by_concept(linker._linked.concept), 0, number, 8).ravel()


def test_linked_text_is_what_the_matcher_finds():
    linked = matched_text(WITH_TEXT)
    matcher, rows = Matcher(MINI.ontology), []
    for number, document in enumerate(MINI.train.documents):
        [found] = matcher([document.text])
        for start, end, name in found:
            rows.append((number, start, end, *matcher.ids[name], document.text[start:end].casefold()))
    here = zip(linked.text, linked.start, linked.end, linked.concept, strict=True)
    assert [(t, a, b, linked.concepts[c]) for t, a, b, c in here] == [row[:4] for row in rows]
    # The same name has the same number, whatever its case.
    assert len(set(zip(linked.name.tolist(), (row[4] for row in rows), strict=True))) == len(set(linked.name))
    often = Counter(linked.name.tolist())
    kept = Counter(linked.name[linked.sample(2, 0)].tolist())
    assert kept == {name: min(n, 2) for name, n in often.items()}
    assert linked.sample(None, 0).tolist() == list(range(len(rows)))
    above = max(often.values()) - 1
    kept = Counter(linked.name[linked.sample(1, 0, above)].tolist())
    assert kept == {name: 1 if n > above else n for name, n in often.items()} != often


@pytest.mark.parametrize("tags", ["all", "one"])
def test_every_marked_mention_of_a_window_has_its_own_concept(encoder, tags):
    linker = small(encoder, tags=tags).fit(WITH_TEXT)
    linked, tokenizer = linker._linked, linker.backbone.tokenizer
    which = np.random.default_rng(0).choice(len(linked.name), 60, replace=False).tolist()
    inputs, concepts = linked.windows(linker.backbone, which, 128, tags)
    assert [found[0] for found in concepts] == linked.concept[which].tolist()
    for one, found in zip(inputs, concepts, strict=True):
        for (first, last), concept in zip(one.spans, found, strict=True):
            names = MINI.ontology.concepts[linked.concepts[concept]].names
            pieces = tokenizer.convert_ids_to_tokens(list(one.ids[first : last + 1]))
            assert pieces in [tokenizer.tokenize(name) for name in names]
    assert (max(map(len, concepts)) > 1) == (tags == "all")


def test_a_mention_has_the_concept_of_most_of_its_neighbours(encoder):
    linker = small(encoder, per_name=3, neighbours=5, tags="one").fit(WITH_TEXT, seed=1)
    predictions, linked = linker.link(DOCUMENTS[:3], k=4), linker._linked
    taken = linked.sample(3, 1)
    entries = vectors(linker.backbone, [linked.span(i) for i in taken])
    asked = vectors(linker.backbone, [(d.text, m.start, m.end) for d in DOCUMENTS[:3] for m in d.mentions])
    for vector, index, scores in zip(asked, predictions.index, predictions.scores, strict=True):
        cosines = entries @ vector
        nearest = linked.concept[taken[np.argsort(-cosines, kind="stable")]].tolist()
        votes = Counter(nearest[:5])
        expected = [c for c, _ in votes.most_common()] + [c for c in dict.fromkeys(nearest) if c not in votes]
        assert index.tolist() == expected[:4]
        assert np.floor(scores).tolist() == [votes[c] for c in expected[:4]]


def test_bare_names_are_entries_without_context(encoder):
    linker = small(encoder, database="names").fit(WITH_TEXT)
    keys, concept = linker._keys()
    owned = [(name, id) for name, ids in MINI.ontology.owners().items() for id in ids]
    assert [linker._linked.concepts[c] for c in concept] == [id for _, id in owned]
    expected = vectors(linker.backbone, [(name, 0, len(name)) for name, _ in owned])
    assert keys == pytest.approx(expected, abs=1e-5)
    linker.database = "both"
    both, of_both = linker._keys()
    assert len(both) == len(of_both) == len(owned) + len(linker._linked.sample(20, 0))


@pytest.mark.parametrize("entities", ["all", "drawn"])
def test_the_loss_is_over_all_marked_mentions_or_those_drawn(encoder, monkeypatch, entities):
    seen = called(monkeypatch, losses, "mean_cosines")
    linker = small(encoder, steps=3, window=128, entities=entities).fit(WITH_TEXT)
    sizes = [len(cosine) for cosine, *_ in seen]
    windows = [len(drawn_at(linker, number)) for number in range(3)]
    assert sizes == windows if entities == "drawn" else all(np.array(sizes) > windows)


def test_training_teaches_to_link(encoder):
    before, after = (small(encoder, tags="one", steps=steps).fit(WITH_TEXT) for steps in (0, 40))
    assert recalled(after) > recalled(before) + 0.05


def sentence(text, start, end):
    """The sentence around a span, and where in it that is."""
    [(first, last)] = sentences_of(text, [(start, end)])
    return text[first:last], start - first, end - first


def test_without_a_window_a_mention_is_read_in_its_sentence(encoder):
    linker = small(encoder, window=None, tags="one").fit(WITH_TEXT)
    linked, whole, longest = linker._linked, matched_text(WITH_TEXT), linker.backbone.max_length
    spans = [sentence(*whole.span(i)) for i in range(len(whole.text))]
    assert [linked.span(i) for i in range(len(linked.text))] == spans
    assert (linked.concept == whole.concept).all() and (linked.name == whole.name).all()
    # Those of one sentence have the same number.
    assert len(whole.texts) < len(linked.texts) == len(set(linked.text.tolist()))
    assert len({(whole.text[i], text) for i, (text, *_) in enumerate(spans)}) == len(linked.texts)
    inputs, _ = linked.windows(linker.backbone, range(20), longest)
    assert inputs == mention_inputs(linker.backbone, spans[:20], longest).inputs
    asked = [sentence(d.text, m.start, m.end) for d in DOCUMENTS[:3] for m in d.mentions]
    found = linker._vectors.query_vectors(spans_of(DOCUMENTS[:3]), DOCUMENTS[:3])
    assert found == pytest.approx(vectors(linker.backbone, asked, longest), abs=1e-5)


def test_of_several_mentions_those_of_the_same_sentence_are_marked(encoder):
    text = "Gout and flu came. Then gout went; flu stayed."
    places = [(0, 4), (9, 12), (24, 28), (35, 38)]
    document = Document("d", text, tuple(Mention(a, b, text[a:b]) for a, b in places))
    backbone = Backbone.load(encoder, markers=MARKERS)
    cut = [[(text[:19], a, b) for a, b in places[:2]], [(text[19:], a - 19, b - 19) for a, b in places[2:]]]
    expected = []
    for own in cut:
        for span, other in ((own[0], own[1]), (own[1], own[0])):
            inputs = mention_inputs(backbone, [span], 64, [[other[1:]]]).inputs
            expected.append(encode(backbone, inputs, "mention", progress=False)[0])
    found = MentionVectors(backbone, "mention", 64, "fp32", False, "all", sentences=True)
    found = found.query_vectors(spans_of([document]), [document])
    assert found == pytest.approx(np.stack(expected), abs=1e-5)


@pytest.mark.parametrize("window", [24, None])
def test_a_pass_by_names_has_each_sentence_once_a_concept_in_pairs(encoder, monkeypatch, window):
    monkeypatch.setattr(biocom, "SENTENCES", 2)
    linker = small(encoder, sampling="names", window=window).fit(WITH_TEXT, seed=5)
    draw, batches = linker._sampled(5)
    linked, whole = linker._linked, matched_text(WITH_TEXT)

    def sentences(which):
        """How often each is among some mentions, by concept."""
        return Counter((whole.concept[i], whole.text[i], sentence(*whole.span(i))[0]) for i in which)

    drawn = np.concatenate([draw(number) for number in range(batches)])
    assert max(len(draw(number)) for number in range(batches)) <= DRAWN
    # Of every name that is left out a sentence is there by another one of the concept.
    sampled = linked.sample(2, 5)
    assert set(sentences(drawn).values()) == {1} and sentences(drawn).keys() == sentences(sampled).keys()
    pairs = linked.sentence_pairs(2, 5)
    assert sorted(np.concatenate(pairs)) == sorted(drawn)
    assert {len({*linked.concept[pair]}) for pair in pairs} == {1} and {*map(len, pairs)} == {1, 2}
    odd = [linked.concept[pair[0]] for pair in pairs if len(pair) == 1]
    assert len(odd) == len({*odd})  # at most one of a concept
    assert max(Counter(linked.name[drawn].tolist()).values()) <= 2 and set(drawn) <= set(sampled)
    again = np.concatenate([draw(batches + number) for number in range(batches)])
    assert sorted(again) == sorted(drawn) and again.tolist() != drawn.tolist()


def test_a_training_is_a_pass_at_the_rate_that_the_settings_say(encoder, monkeypatch):
    given = []
    kept = lambda *a, **named: given.append(a[3]) or Trained(done=True)  # noqa: E731
    monkeypatch.setattr("benchlib.training.train", kept)
    concepts = len(items_by_concept(matched_text(WITH_TEXT).concept))
    small(encoder, steps=None).fit(WITH_TEXT)
    small(encoder, steps=7, schedule="constant", sampling="names").fit(WITH_TEXT)
    expected = [(-(-concepts // 8), "linear", 0.06), (7, "constant", 0.0)]
    assert [(one.steps, one.schedule, one.warmup) for one in given] == expected


def test_stop_words_are_no_entries_where_words_are_left_out(encoder):
    ontology = Ontology("o", [Concept("A", ("all",)), Concept("B", ("gout",))])
    text = Document("d", "Not all had gout; all had ALL.")
    given = replace(MINI, ontology=ontology, train=Corpus("train", (text,)))
    linker = small(encoder, words=False).fit(apply(given, ["unlabelled:train"]))
    assert sorted(linker._linked.names) == ["all", "gout"]
    assert [linker._linked.concepts[c] for c in linker._keys()[1]] == ["B"]


def test_the_released_matching_reads_no_case_takes_the_longest_and_no_stop_word():
    names = ("all", "copd"), ("renal cell carcinoma",), ("carcinoma, non-small-cell lung",)
    ontology = Ontology("o", [Concept(f"C{i}", of) for i, of in enumerate(names)])
    text = Document("d", "All with COPD; renal cell carcinoma, Non-Small-Cell lung.")
    given = apply(replace(MINI, ontology=ontology, train=Corpus("train", (text,))), ["unlabelled:train"])

    def found(matching):
        linked = matched_text(given, matching=matching)
        return [linked.span(i)[0][slice(*linked.span(i)[1:])] for i in range(len(linked.text))]

    assert found("cased") == ["All", "renal cell carcinoma"]
    assert found("released") == ["COPD", "carcinoma, Non-Small-Cell lung"]


def test_a_training_tells_how_near_its_pairs_are_and_for_how_many_mentions_one_is_mined(encoder, monkeypatch):
    def mined(cosine, label):
        some = torch.zeros(cosine.shape, dtype=torch.bool)
        some[[0, 0, 3], [1, 2, 1]] = True
        return some, torch.zeros_like(some)

    monkeypatch.setattr("benchlib.losses.mine_pairs", mined)
    near = called(monkeypatch, losses, "mean_cosines")
    linker = small(encoder, steps=1, tags="one").fit(WITH_TEXT)
    [row], [(_, label, cosines)], drawn = linker.trace, near, drawn_at(linker, 0)
    assert row["mined_share"] == pytest.approx(2 / len(drawn))
    assert label.tolist() == linker._linked.concept[drawn].tolist()
    assert {name: row[name] for name in cosines} == pytest.approx(cosines, abs=1e-6) and "chance_loss" in row


def test_what_is_linked_is_counted():
    counts, linked = match_counts(MINI, "train"), matched_text(WITH_TEXT)
    there = {linked.concepts[c] for c in linked.concept}
    assert counts["mentions"] == len(linked.name) and counts["texts"] == len(MINI.train.documents)
    assert counts["concepts"] == len(there) < counts["dictionary.concepts"]
    often = Counter(linked.names[i] for i in linked.name)
    assert sorted(n for _, n in counts["frequent"]) == sorted(often.values())[-len(counts["frequent"]) :]
    assert all(often[name] == n for name, n in counts["frequent"])
    tested = [mention for _, mention in MINI.test.mentions()]
    assert 0 < len(counts["found"]) < counts["test.mentions"] == len(tested)
    for number, mention in enumerate(tested):
        resolved = {concept for id in mention.gold.ids for concept in MINI.ontology.resolve(id)}
        assert (number in counts["found"]) == bool(resolved & there)
    fewer = match_counts(MINI, "train", names="preferred")
    first = {fold_name(one.names[0]) for one in MINI.ontology.concepts.values()}
    assert {name for name, _ in fewer["frequent"]} <= first
    assert set(fewer["found"]) < set(counts["found"]) and fewer["mentions"] < counts["mentions"]


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (MINI, "expected unlabelled text, found none; a transform gives it, such as"),
        (replace(WITH_TEXT, train=Corpus("train", ())), "unlabelled train: expected names of"),
    ],
)
def test_text_that_is_not_there_is_an_error(encoder, given, told):
    with pytest.raises(ValueError, match=told):
        small(encoder).fit(given)


def test_a_source_of_text_that_there_is_not_is_an_error():
    with pytest.raises(ValueError, match="no source 'nowhere' in the registry; expected one of "):
        apply(MINI, ["unlabelled:nowhere"])
