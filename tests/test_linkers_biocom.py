"""BioCoM on the embedded corpus with an encoder trained from nothing, against plain loops."""

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
import torch
from toy import BENCHMARK

from benchlib.corpus import Corpus, Document
from benchlib.datasets import load
from benchlib.datasets.transforms import apply
from benchlib.encoders import encode, mention_inputs
from benchlib.linkers import BioComLinker, biocom
from benchlib.linkers.linked_text import linked_counts, linked_text
from benchlib.matching import Matcher
from benchlib.ontology import Concept, Ontology, fold_name
from benchlib.sampling import items_by_concept, pair_batch
from benchlib.scoring import Scoring, outcomes, recall


@pytest.fixture(scope="module")
def mini():
    return apply(load("mini"), ["unlabelled:train"])


def small(encoder, **settings):
    fixed = {"window": 24, "concepts": 8, "steps": 0, "learning_rate": 3e-3, "pooling": "mention"}
    return BioComLinker(encoder, **fixed | {"precision": "fp32", "progress": False} | settings)


def test_linked_text_is_what_the_matcher_finds(mini):
    linked = linked_text(mini)
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
    seen, of = [], biocom.mine_pairs
    monkeypatch.setattr(biocom, "mine_pairs", lambda *a: seen.append(len(a[0])) or of(*a))
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

    monkeypatch.setattr(biocom, "mine_pairs", mined)
    linker = small(encoder, steps=1, tags="one").fit(mini)
    items = items_by_concept(linker._linked.concept)
    (told,) = [row["mined_share"] for row in linker.trace]
    assert told == pytest.approx(2 / pair_batch(items, 0, 0, 8).size)


def test_what_is_linked_is_counted(mini):
    counts, linked = linked_counts(load("mini"), "train"), linked_text(mini)
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
    fewer = linked_counts(load("mini"), "train", names="preferred")
    first = {fold_name(one.names[0]) for one in mini.ontology.concepts.values()}
    assert {name for name, _ in fewer["frequent"]} <= first
    assert set(fewer["found"]) < set(counts["found"]) and fewer["mentions"] < counts["mentions"]
