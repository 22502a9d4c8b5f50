"""BioCoM on the embedded corpus with an encoder trained from nothing, against plain loops."""

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
import torch
from toy import BENCHMARK

from benchlib import losses
from benchlib.corpus import Corpus, Document, Mention
from benchlib.encoders import Backbone, encode, mention_inputs
from benchlib.encoders.mention import MARKERS
from benchlib.matching import Matcher
from benchlib.ontology import Concept, Ontology, fold_name
from benchlib.predictions import spans as spans_of
from benchlib.sampling import items_by_concept, pair_batch
from benchlib.scoring import Scoring, outcomes, recall
from benchlib.training import Trained
from study.corpora import load
from study.corpora.transforms import apply
from study.systems import BioComLinker
from study.systems.biocom import linker as biocom
from study.systems.linked_text import match_counts, matched_text
from study.systems.mention_vectors import MentionVectors
from study.systems.sentences import sentences_of


@pytest.fixture(scope="module")
def mini():
    return apply(load("mini"), ["unlabelled:train"])


def small(encoder, **settings):
    fixed = {"window": 24, "concepts": 8, "steps": 0, "learning_rate": 3e-3, "pooling": "mention"}
    return BioComLinker(encoder, **fixed | {"precision": "fp32", "progress": False} | settings)


def test_linked_text_is_what_the_matcher_finds(mini):
    linked = matched_text(mini)
    matcher, rows = Matcher(mini.ontology), []
    for number, document in enumerate(mini.train.documents):
        [found] = matcher([document.text])
        for start, end, name in found:
            [id] = matcher.ids[name]
            rows.append((number, start, end, id, document.text[start:end].casefold()))
    here = zip(linked.text, linked.start, linked.end, linked.concept, strict=True)
    assert [(t, a, b, linked.concepts[c]) for t, a, b, c in here] == [row[:4] for row in rows]
    # The same name has the same number, whatever its case.
    assert len(set(zip(linked.name.tolist(), (row[4] for row in rows), strict=True))) == len(set(linked.name))
    kept = Counter(linked.name[linked.sample(2, 0)].tolist())
    assert kept == {name: min(n, 2) for name, n in Counter(linked.name.tolist()).items()}
    assert linked.sample(None, 0).tolist() == list(range(len(rows)))


@pytest.mark.parametrize("tags", ["all", "one"])
def test_every_marked_mention_of_a_window_has_its_own_concept(mini, encoder, tags):
    linker = small(encoder, tags=tags).fit(mini)
    linked, tokenizer = linker._linked, linker.backbone.tokenizer
    which = np.random.default_rng(0).choice(len(linked.name), 60, replace=False).tolist()
    inputs, concepts = linked.windows(linker.backbone, which, 128, tags)
    assert [found[0] for found in concepts] == linked.concept[which].tolist()
    for one, found in zip(inputs, concepts, strict=True):
        assert len(one.spans) == len(found)
        for (first, last), concept in zip(one.spans, found, strict=True):
            names = mini.ontology.concepts[linked.concepts[concept]].names
            pieces = tokenizer.convert_ids_to_tokens(list(one.ids[first : last + 1]))
            assert pieces in [tokenizer.tokenize(name) for name in names]
    assert (max(map(len, concepts)) > 1) == (tags == "all")


def test_a_mention_has_the_concept_of_most_of_its_neighbours(mini, encoder):
    linker = small(encoder, per_name=3, neighbours=5, tags="one").fit(mini, seed=1)
    [*documents] = mini.test.hidden().documents[:3]
    predictions = linker.link(documents, k=4)
    linked = linker._linked
    taken = linked.sample(3, 1)
    place = [(linked.texts[linked.text[i]], int(linked.start[i]), int(linked.end[i])) for i in taken]

    def vectors(spans):
        inputs = mention_inputs(linker.backbone, spans, 24).inputs
        return encode(linker.backbone, inputs, "mention", progress=False)

    entries = vectors(place)
    texts = {document.id: document.text for document in documents}
    asked = vectors([(texts[q.document], q.start, q.end) for q in predictions.queries])
    for vector, index, scores in zip(asked, predictions.index, predictions.scores, strict=True):
        cosines = entries @ vector
        nearest = linked.concept[taken[np.argsort(-cosines, kind="stable")]].tolist()
        votes = Counter(nearest[:5])
        expected = [c for c, _ in votes.most_common()] + [c for c in dict.fromkeys(nearest) if c not in votes]
        assert index.tolist() == expected[:4]
        assert np.floor(scores).tolist() == [votes[c] for c in expected[:4]]


def test_bare_names_are_entries_without_context(mini, encoder):
    linker = small(encoder, database="names").fit(mini)
    vectors, concept = linker._entries()
    owned = [(name, id) for name, ids in mini.ontology.owners().items() for id in ids]
    assert [linker._linked.concepts[c] for c in concept] == [id for _, id in owned]
    inputs = mention_inputs(linker.backbone, [(name, 0, len(name)) for name, _ in owned], 24).inputs
    assert vectors == pytest.approx(encode(linker.backbone, inputs, "mention", progress=False), abs=1e-5)
    linker.database = "both"
    both, of_both = linker._entries()
    assert len(both) == len(of_both) == len(owned) + len(linker._linked.sample(20, 0))


@pytest.mark.parametrize("entities", ["all", "drawn"])
def test_the_loss_is_over_all_marked_mentions_or_those_drawn(mini, encoder, monkeypatch, entities):
    seen, of = [], losses.mean_cosines
    monkeypatch.setattr("benchlib.losses.mean_cosines", lambda *a: seen.append(len(a[0])) or of(*a))
    linker = small(encoder, steps=3, window=128, entities=entities).fit(mini)
    items = items_by_concept(linker._linked.concept)
    windows = [pair_batch(items, 0, number, 8).size for number in range(3)]
    assert seen == windows if entities == "drawn" else all(np.array(seen) > windows)


def test_training_teaches_to_link(mini, encoder):
    def top1(**settings):
        fitted = small(encoder, tags="one", **settings).fit(mini)
        found = outcomes(fitted.link(mini.test.hidden().documents), mini.test, mini.ontology, mini.cluster)
        return recall(found, 1, Scoring()).mean()

    assert top1(steps=40) > top1(steps=0) + 0.05


def test_what_cannot_be_linked_is_an_error(mini, encoder):
    with pytest.raises(
        ValueError, match="expected unlabelled text, found none; a transform gives it, such as"
    ):
        small(encoder).fit(load("mini"))
    silent = replace(mini, train=Corpus("train", ()))
    with pytest.raises(ValueError, match="unlabelled train: expected names of"):
        small(encoder).fit(silent)
    with pytest.raises(ValueError, match="tags is 'some'; expected one of all, one"):
        small(encoder, tags="some")
    with pytest.raises(ValueError, match="expected .* folder|no source|nowhere"):
        apply(BENCHMARK, ["unlabelled:nowhere"])


def sentence(text, start, end):
    """The sentence around a span, and where in it that is."""
    [(first, last)] = sentences_of(text, [(start, end)])
    return text[first:last], start - first, end - first


def test_without_a_window_a_mention_is_read_in_its_sentence(mini, encoder):
    linker = small(encoder, window=None, tags="one").fit(mini)
    linked, whole, longest = linker._linked, matched_text(mini), linker.backbone.max_length
    spans = [sentence(*whole.span(i)) for i in range(len(whole.text))]
    assert [linked.span(i) for i in range(len(linked.text))] == spans
    assert (linked.concept == whole.concept).all() and (linked.name == whole.name).all()
    assert len(whole.texts) < len(linked.texts) == len(set(linked.text.tolist()))
    # Those of one sentence have the same number.
    assert {(whole.text[i], spans[i][0]) for i in range(len(spans))} == {
        (whole.text[i], linked.texts[linked.text[i]]) for i in range(len(spans))
    }
    inputs, _ = linked.windows(linker.backbone, range(20), longest)
    assert inputs == mention_inputs(linker.backbone, spans[:20], longest).inputs
    [*documents] = mini.test.hidden().documents[:3]
    asked = [sentence(d.text, m.start, m.end) for d in documents for m in d.mentions]
    read = encode(
        linker.backbone, mention_inputs(linker.backbone, asked, longest).inputs, "mention", progress=False
    )
    assert linker._vectors.query_vectors(spans_of(documents), documents) == pytest.approx(read, abs=1e-5)


def test_of_several_mentions_those_of_the_same_sentence_are_marked(encoder):
    text = "Gout and flu came. Then gout went; flu stayed."
    places = [(0, 4), (9, 12), (24, 28), (35, 38)]
    document = Document("d", text, tuple(Mention(a, b, text[a:b]) for a, b in places))
    backbone = Backbone.load(encoder, markers=MARKERS)
    vectors = MentionVectors(backbone, "mention", 64, "fp32", False, "all", sentences=True)
    cut = [[(text[:19], a, b) for a, b in places[:2]], [(text[19:], a - 19, b - 19) for a, b in places[2:]]]
    expected = []
    for own in cut:
        for span, other in ((own[0], own[1]), (own[1], own[0])):
            inputs = mention_inputs(backbone, [span], 64, [[other[1:]]]).inputs
            expected.append(encode(backbone, inputs, "mention", progress=False)[0])
    assert vectors.query_vectors(spans_of([document]), [document]) == pytest.approx(
        np.stack(expected), abs=1e-5
    )


@pytest.mark.parametrize("window", [24, None])
def test_a_pass_by_names_has_each_sentence_once(mini, encoder, monkeypatch, window):
    monkeypatch.setattr(biocom, "SENTENCES", 2)
    linker = small(encoder, sampling="names", window=window).fit(mini, seed=5)
    draw, batches = linker._sampled(5)
    linked, whole = linker._linked, matched_text(mini)
    drawn = np.concatenate([draw(number) for number in range(batches)])
    assert max(len(draw(number)) for number in range(batches)) <= 16  # twice the concepts
    once = Counter(
        (whole.text[i], *sentences_of(whole.texts[whole.text[i]], [whole.span(i)[1:]])) for i in drawn
    )
    assert set(once.values()) == {1}
    of_name = Counter(linked.name[drawn].tolist())
    assert max(of_name.values()) <= 2 and set(drawn) <= set(linked.sample(2, 5))
    # Of every name that is left out a sentence is there by another one.
    sampled = {
        (whole.text[i], *sentences_of(whole.texts[whole.text[i]], [whole.span(i)[1:]]))
        for i in linked.sample(2, 5)
    }
    assert set(once) == sampled
    again = np.concatenate([draw(batches + number) for number in range(batches)])
    assert sorted(again) == sorted(drawn) and again.tolist() != drawn.tolist()


def test_a_training_is_a_pass_at_the_rate_that_the_settings_say(mini, encoder, monkeypatch):
    given = []
    kept = lambda *a, **named: given.append(a[3]) or Trained(done=True)  # noqa: E731
    monkeypatch.setattr("benchlib.training.train", kept)
    concepts = len(items_by_concept(matched_text(mini).concept))
    small(encoder, steps=None).fit(mini)
    small(encoder, steps=7, schedule="constant", sampling="names").fit(mini)
    assert [(one.steps, one.schedule, one.warmup) for one in given] == [
        (-(-concepts // 8), "linear", 0.06),
        (7, "constant", 0.0),
    ]
    with pytest.raises(ValueError, match="schedule is 'cosine'; expected one of linear, constant"):
        small(encoder, schedule="cosine")
    with pytest.raises(ValueError, match="sampling is 'all'; expected one of concepts, names"):
        small(encoder, sampling="all")


def test_the_database_leaves_out_what_its_settings_say(mini, encoder):
    linked = small(encoder).fit(mini)._linked
    often = Counter(linked.name.tolist())
    above = max(often.values()) - 1
    kept = Counter(linked.name[linked.sample(1, 0, above)].tolist())
    assert kept == {name: 1 if n > above else n for name, n in often.items()} != often


def test_stop_words_are_no_entries_where_words_are_left_out(encoder):
    ontology = Ontology("o", [Concept("A", ("all",)), Concept("B", ("gout",))])
    text = Document("d", "Not all had gout; all had ALL.")
    given = replace(load("mini"), ontology=ontology, train=Corpus("train", (text,)))
    linker = small(encoder, words=False).fit(apply(given, ["unlabelled:train"]))
    assert sorted(linker._linked.names) == ["all", "gout"]
    _, concept = linker._entries()
    assert [linker._linked.concepts[c] for c in concept] == ["B"]


def test_a_training_tells_how_near_its_pairs_are(mini, encoder):
    linker = small(encoder, steps=2, learning_rate=1e-12, tags="one").fit(mini)
    untouched = small(encoder, tags="one").fit(mini)
    items = items_by_concept(linker._linked.concept)
    for row in linker.trace:
        drawn = pair_batch(items, 0, row["step"] - 1, 8).ravel().tolist()
        inputs, concepts = linker._linked.windows(untouched.backbone, drawn, 24, "one")
        vectors = encode(untouched.backbone, inputs, "mention", progress=False)
        near = {True: [], False: []}
        for i in range(len(drawn)):
            for j in range(len(drawn)):
                if i != j:
                    near[concepts[i][0] == concepts[j][0]].append(float(vectors[i] @ vectors[j]))
        # Dropout of the training blurs them.
        assert row["positive_cosine"] == pytest.approx(np.mean(near[True]), abs=0.1)
        assert row["negative_cosine"] == pytest.approx(np.mean(near[False]), abs=0.1)
        assert row["positive_cosine"] > row["negative_cosine"]


def test_a_training_tells_for_how_many_mentions_a_pair_is_mined(mini, encoder, monkeypatch):
    def mined(cosine, label):
        some = torch.zeros(cosine.shape, dtype=torch.bool)
        some[[0, 0, 3], [1, 2, 1]] = True
        return some, torch.zeros_like(some)

    monkeypatch.setattr("benchlib.losses.mine_pairs", mined)
    linker = small(encoder, steps=1, tags="one").fit(mini)
    items = items_by_concept(linker._linked.concept)
    (told,) = [row["mined_share"] for row in linker.trace]
    assert told == pytest.approx(2 / pair_batch(items, 0, 0, 8).size)


def test_what_is_linked_is_counted(mini):
    counts, linked = match_counts(load("mini"), "train"), matched_text(mini)
    there = {linked.concepts[c] for c in linked.concept}
    assert counts["mentions"] == len(linked.name) and counts["texts"] == len(mini.train.documents)
    assert counts["concepts"] == len(there) < counts["dictionary.concepts"]
    often = Counter(linked.names[i] for i in linked.name)
    assert sorted(n for _, n in counts["frequent"]) == sorted(often.values())[-len(counts["frequent"]) :]
    assert all(often[name] == n for name, n in counts["frequent"])
    tested = [mention for _, mention in mini.test.mentions()]
    assert counts["test.mentions"] == len(tested)
    for number, mention in enumerate(tested):
        resolved = {concept for id in mention.gold.ids for concept in mini.ontology.resolve(id)}
        assert (number in counts["found"]) == bool(resolved & there)
    assert 0 < len(counts["found"]) < len(tested)
    fewer = match_counts(load("mini"), "train", names="preferred")
    first = {fold_name(one.names[0]) for one in mini.ontology.concepts.values()}
    assert {name for name, _ in fewer["frequent"]} <= first
    assert set(fewer["found"]) < set(counts["found"]) and fewer["mentions"] < counts["mentions"]
