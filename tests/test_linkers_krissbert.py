"""KRISSBERT on the embedded corpus with encoders trained from nothing, against plain loops."""

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
import torch
from linking import DOCUMENTS, MINI, WITH_TEXT, called, recalled
from toy import BENCHMARK

from benchlib.corpus import Corpus
from benchlib.encoders import encode, mention_inputs, text_inputs
from benchlib.ontology import Ontology
from benchlib.sampling import items_by_concept, pair_batch
from study.records import Store, linking_record
from study.records.outcomes import parquet
from study.systems import KrissbertLinker
from study.systems.by_entity import entity_text
from study.systems.krissbert import linker as krissbert
from study.systems.krissbert import mention_pairs
from study.systems.krissbert.mention_pairs import MentionPairs
from study.systems.linked_text import annotated_text, matched_text


def small(encoder, **settings):
    fixed = {"window": 24, "concepts": 8, "steps": 0, "learning_rate": 3e-3, "precision": "fp32"}
    return KrissbertLinker(encoder, **fixed | {"progress": False} | settings)


def vectors(linker, spans):
    inputs = mention_inputs(linker.encoder.mention, spans, 24).inputs
    return encode(linker.encoder.mention, inputs, linker.pooling, progress=False)


def asked(linker, documents, predictions):
    texts = {document.id: document.text for document in documents}
    return vectors(linker, [(texts[q.document], q.start, q.end) for q in predictions.queries])


def labelled(benchmark):
    """The text, start and end of every training mention of one concept, and that."""
    for document, mention in benchmark.train.mentions():
        if len(meant := benchmark.ontology.concepts_in(mention.gold.ids)) == 1:
            yield document.text, mention.start, mention.end, *meant


def keys(linker):
    """(concept, vector) of every mention and name that may be in the index, found without it."""
    found = []
    if linker.prototypes in ("text", "both"):
        assert linker.per_concept is None
        linked = matched_text(WITH_TEXT)
        found += [(*linked.span(i), linked.concepts[concept]) for i, concept in enumerate(linked.concept)]
    if linker.prototypes in ("train", "both"):
        found += labelled(WITH_TEXT)
    if linker.bare_names:
        most = 1 if linker.names == "preferred" else None
        concepts = MINI.ontology.concepts.items()
        found += [(name, 0, len(name), id) for id, concept in concepts for name in concept.names[:most]]
    *spans, ids = zip(*found, strict=True)
    return list(zip(ids, vectors(linker, list(zip(*spans, strict=True))), strict=True))


def answers(predictions, row):
    found = zip(predictions.index[row].tolist(), predictions.scores[row].tolist(), strict=True)
    return {predictions.candidates[i].ids[0]: score for i, score in found if i >= 0}


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"prototypes": "train"},
        {"prototypes": "both"},
        {"prototypes": "both", "pooling": "cls"},
        {"bare_names": True},
        {"bare_names": True, "prototypes": "both"},
        {"bare_names": True, "prototypes": "none", "names": "preferred"},
        {"bare_names": True, "prototypes": "none", "references": True},
        {"references": True},
        {"references": True, "pooling": "cls"},
    ],
)
def test_a_mention_has_the_concept_of_its_nearest_key(encoder, settings):
    linker = small(encoder, per_concept=None, fields="title+synonyms", **settings).fit(WITH_TEXT)
    predictions, known = linker.link(DOCUMENTS[:2], k=1000), keys(linker)
    concepts, entity = MINI.ontology.concepts, {}
    if linker.references:
        texts = [entity_text(one, MINI.ontology, ("title", "synonyms")) for one in concepts.values()]
        backbone, pooling = linker.encoder.entity, "cls" if linker.pooling == "cls" else "mean"
        read = encode(backbone, text_inputs(backbone, texts, 48), pooling, progress=False)
        entity = dict(zip(concepts, read, strict=True))
        assert backbone is not linker.encoder.mention
        # A concept without another key has its reference, which scores up to 1 alone.
        known += [(id, 0 * entity[id]) for id in entity.keys() - {id for id, _ in known}]
    for row, vector in enumerate(asked(linker, DOCUMENTS, predictions)):
        best: dict[str, float] = {}
        for id, key in known:
            best[id] = max(best.get(id, -3), float(vector @ (key + entity.get(id, 0))))
        found = answers(predictions, row)
        assert found == pytest.approx({id: best[id] for id in found}, abs=1e-5)
        assert list(found.values())[:4] == pytest.approx(sorted(best.values(), reverse=True)[:4], abs=1e-5)
        if linker.references or linker.prototypes == "none":
            assert found.keys() == best.keys()
    assert linker.behind == ("name" if linker.bare_names else "reference")
    # Lazy learning is a larger index, not another encoder.
    reads = {name: settings[name] for name in ("pooling", "references") if name in settings}
    assert linker.weights == small(encoder, **reads).fit(WITH_TEXT).weights


def test_a_concept_without_a_name_has_no_reference(encoder):
    fitted = small(encoder, references=True, prototypes="train", learns="train").fit(BENCHMARK)
    predictions = fitted.link(BENCHMARK.test.hidden().documents)
    answered = {id for row in range(len(predictions.queries)) for id in answers(predictions, row)}
    assert answered == {"D1", "D2", "D3"}  # D4 has no name


def test_the_index_has_what_its_settings_say(encoder):
    linker = small(encoder, prototypes="both", per_concept=2, examples=1).fit(WITH_TEXT, seed=3)
    (_, of_text), (_, of_train) = linker.index().values()
    for (linked, drawn), most in zip(linker.index().values(), (2, 1), strict=True):
        kept, every = Counter(linked.concept[drawn].tolist()), Counter(linked.concept.tolist())
        assert kept == {concept: min(n, most) for concept, n in every.items()} != every
    linker.prototypes = "train"
    [(_, again)] = linker.index().values()
    assert again.tolist() == of_train.tolist()
    linker._seed = 4
    assert linker.index()["train"][1].tolist() != of_train.tolist()
    linker.examples = None
    [(linked, drawn)] = linker.index().values()
    assert len(drawn) == len(linked.concept) > len(of_train)
    # By name, and of a concept with several names at most per_concept of those.
    linker.prototypes, linker.per_concept, linker.per_name = "text", None, 2
    [(linked, drawn)] = linker.index().values()
    often, of_names = Counter(linked.name.tolist()), Counter(linked.concept[drawn].tolist())
    assert Counter(linked.name[drawn].tolist()) == {name: min(n, 2) for name, n in often.items()} != often
    linker.per_concept = 3
    [(_, fewer)] = linker.index().values()
    assert max(of_names.values()) > 3 and set(fewer) < set(drawn)
    assert Counter(linked.concept[fewer].tolist()) == {one: min(n, 3) for one, n in of_names.items()}


def test_a_concept_without_a_prototype_may_count_twice(encoder):
    settings = {"references": True, "fields": "title", "per_concept": 1}
    single, doubled = (
        small(encoder, lone_references=lone, **settings).fit(WITH_TEXT) for lone in ("single", "doubled")
    )
    [(linked, drawn)] = single.index().values()
    there = {linked.concepts[concept] for concept in linked.concept[drawn].tolist()}
    once, twice = (linker.link(DOCUMENTS[:1], k=1000) for linker in (single, doubled))
    for row in range(len(once.queries)):
        before, after = answers(once, row), answers(twice, row)
        expected = {id: score * (1 if id in there else 2) for id, score in before.items()}
        assert after == pytest.approx(expected, abs=1e-5) and there < set(after)


def test_labelled_text_is_the_training_mentions_of_one_concept():
    linked = annotated_text(WITH_TEXT)
    found = [(*linked.span(i), linked.concepts[c]) for i, c in enumerate(linked.concept.tolist())]
    assert found == list(labelled(WITH_TEXT))
    for i, (text, start, end, _) in enumerate(found):
        assert linked.names[linked.name[i]] == text[start:end].casefold()
    with pytest.raises(ValueError, match="training mention of one concept, found none"):
        annotated_text(replace(WITH_TEXT, train=Corpus("train", ())))


@pytest.mark.parametrize(("examples", "hits"), [(None, 3), (1, 2)])
def test_the_shortcut_puts_the_one_known_concept_of_a_string_first(encoder, examples, hits):
    # In train cold means D2, Cold D2, COLD D1 and shivers D3; fever and ague are new. Cold and shivers, and
    # cold in the last document; with one example of D2 one of two strings.
    settings = {"prototypes": "train", "learns": "train", "examples": examples}
    plain = small(encoder, **settings).fit(BENCHMARK)
    quick = small(encoder, shortcut=True, **settings).fit(BENCHMARK)
    documents = BENCHMARK.test.hidden().documents
    without, with_it = plain.link(documents), quick.link(documents)
    [(linked, drawn)] = plain.index().values()
    meant: dict[str, set[str]] = {}
    for i in drawn:
        text, start, end = linked.span(i)
        meant.setdefault(text[start:end], set()).add(linked.concepts[linked.concept[i]])
    texts = {document.id: document.text for document in documents}
    for row, query in enumerate(with_it.queries):
        before, after = answers(without, row), answers(with_it, row)
        known = meant.get(texts[query.document][query.start : query.end], set())
        if len(known) == 1:
            hits -= 1
            first, *others = after
            assert [first] == list(known)
            assert [(id, after[id]) for id in others] == [one for one in before.items() if one[0] != first]
        else:
            assert list(after.items()) == list(before.items())
    assert hits == 0


def pairs_of(linker, linked, **settings):
    fixed = {"seed": 0, "size": 8, "window": 24, "masked": 0.2, "replaced": 0.2, "temperature": 0.5}
    concepts = list(MINI.ontology.concepts.values())
    return MentionPairs(linker.encoder.mention, linked, concepts, **{"entities": []} | fixed | settings)


def test_mentions_are_masked_or_replaced_and_their_context_stays(encoder):
    linker, linked = small(encoder).fit(WITH_TEXT), matched_text(WITH_TEXT)
    tokenizer, which = linker.encoder.mention.tokenizer, list(range(len(linked.concept)))
    pairs = pairs_of(linker, linked)
    counts: Counter[str] = Counter()
    for i, one in zip(which * 2, pairs.views(which, 0) + pairs.views(which, 1), strict=True):
        text, start, end = linked.span(i)
        [(first, last)] = one.spans
        shown = tokenizer.convert_ids_to_tokens(list(one.ids[first : last + 1]))
        names = MINI.ontology.concepts[linked.concepts[linked.concept[i]]].names
        others = [name for name in names if name.casefold() != text[start:end].casefold()]
        if shown == ["[MASK]"]:
            counts["masked"] += 1
        elif shown == tokenizer.tokenize(text[start:end]):
            counts["as it is", bool(others)] += 1
        else:
            assert shown in [tokenizer.tokenize(name) for name in others]
            counts["replaced"] += 1
        # The markers stand around it, and what is beside them is beside the mention in the text.
        assert tokenizer.convert_ids_to_tokens([one.ids[first - 1], one.ids[last + 1]]) == ["[ent]", "[/ent]"]
        beside = tokenizer.convert_ids_to_tokens(list(one.ids[1 : first - 1]))
        before = tokenizer.tokenize(text[:start])
        assert beside == before[len(before) - len(beside) :]
    total, alone, several = counts.total(), counts["as it is", False], counts["as it is", True]
    assert counts["masked"] == pytest.approx(0.2 * total, rel=0.25)
    assert 0 < counts["replaced"] == pytest.approx(0.2 * total * several / (alone + several), rel=0.35)
    plain = pairs_of(linker, linked, masked=0.0, replaced=0.0).views(which[:50], 0)
    assert plain == mention_inputs(linker.encoder.mention, [linked.span(i) for i in which[:50]], 24).inputs


@pytest.mark.parametrize("references", [False, True])
def test_the_loss_is_that_of_the_paper(encoder, references):
    linker = small(encoder, references=references).fit(WITH_TEXT)
    model, linked = linker.encoder.eval(), matched_text(WITH_TEXT)
    entities = linker._entities(MINI.ontology) if references else []
    pairs = pairs_of(linker, linked, entities=entities)
    batch, drawn = pairs.at(5), pair_batch(items_by_concept(linked.concept), 0, 5, 8)
    assert batch.concepts.tolist() == linked.concept[drawn].ravel().tolist()
    c = encode(model.mention, batch.mentions, "mention", progress=False).astype(float)
    n, total, near = len(c), 0.0, {"positive": [], "negative": []}
    for i in range(n):
        other = i + 1 if i % 2 == 0 else i - 1
        below = sum(np.exp(c[i] @ c[k] / 0.5) for k in range(n) if k != i)
        total -= np.log(np.exp(c[i] @ c[other] / 0.5) / below) / n
        for k in set(range(n)) - {i}:
            near["positive" if k == other else "negative"].append(c[i] @ c[k])
    chance = np.log(n - 1)  # equal similarities leave each mention one of all others, and one of all entities
    if references:
        own = [entities[i] for i in linked.concept[drawn[:, 0]]]
        r = encode(model.entity, own, "mean", progress=False).astype(float)
        of_entities = 0.0
        for i in range(n):
            below = sum(np.exp(c[i] @ other / 0.5) for other in r)
            of_entities -= np.log(np.exp(c[i] @ r[i // 2] / 0.5) / below) / n
        total, chance = 0.5 * total + 0.5 * of_entities, (chance + np.log(len(r))) / 2
    expected = {f"{pairs}_cosine": np.mean(cosines) for pairs, cosines in near.items()}
    with torch.no_grad():
        assert float(pairs.loss(model, batch, 0.0)) == pytest.approx(total, abs=1e-4)
        assert pairs.watched == pytest.approx(expected | {"chance_loss": chance}, abs=1e-5)
        if references:
            alone = replace(pairs, contrast=False)
            assert float(alone.loss(model, batch, 0.0)) == pytest.approx(of_entities, abs=1e-4)
            assert alone.watched["chance_loss"] == pytest.approx(np.log(len(r)), abs=1e-5)


@pytest.mark.parametrize("learns", ["text", "train"])
def test_training_teaches_to_link(encoder, learns):
    before, after = (
        small(encoder, learns=learns, prototypes=learns, steps=steps).fit(WITH_TEXT) for steps in (0, 40)
    )
    assert recalled(after) > recalled(before) + 0.05 and len(after.trace) == 40


def test_both_encoders_are_trained_each_for_itself(encoder):
    before, after = (small(encoder, references=True, steps=steps).fit(WITH_TEXT) for steps in (0, 2))
    kinds = [getattr(of.encoder, side) for of in (before, after) for side in ("mention", "entity")]
    assert len({one.fingerprint() for one in kinds}) == 4
    assert {"positive_cosine", "negative_cosine"} <= after.trace[0].keys()


def test_supervised_only_needs_no_raw_text(encoder):
    settings = {"learns": "train", "prototypes": "train"}
    assert small(encoder, **settings).fit(MINI).link(DOCUMENTS[:1]).index.size
    for wrong in ({"learns": "text", "steps": 1}, {"prototypes": "both"}):
        with pytest.raises(ValueError, match="expected unlabelled text, found none"):
            small(encoder, **settings | wrong).fit(MINI)


def test_without_aliases_the_preferred_names_are_all_there_is(encoder, monkeypatch):
    given = called(monkeypatch, mention_pairs, "MentionPairs")
    small(encoder, names="preferred", steps=1).fit(WITH_TEXT)
    [(_, linked, concepts, *_)] = given
    preferred = [concept.names[:1] for concept in MINI.ontology.concepts.values()]
    assert [concept.names for concept in concepts] == preferred  # what a mention may be replaced by
    found = {text[start:end].casefold() for text, start, end in map(linked.span, range(len(linked.text)))}
    assert found and found <= {name.casefold() for names in preferred for name in names}
    assert len(matched_text(WITH_TEXT).text) > len(linked.text)


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ({"contrast": False}, "contrast is False: expected references"),
        ({"prototypes": "none"}, "prototypes is 'none': expected bare_names"),
        ({"steps": 1, "masked": 0.9}, "p_mask"),
    ],
)
def test_what_cannot_be_is_an_error(encoder, settings, told):
    with pytest.raises(ValueError, match=told):
        small(encoder, **settings).fit(WITH_TEXT)


@pytest.fixture
def updates(monkeypatch) -> list[tuple]:
    """All batches that are trained on, each with its number."""
    return called(monkeypatch, MentionPairs, "at")


def test_linkers_that_differ_in_their_index_alone_train_once(encoder, tmp_path, updates):
    store = Store(tmp_path / "records")
    indexes = (
        {},
        {"prototypes": "both"},
        {"prototypes": "train", "examples": 1},
        {"per_concept": 1, "shortcut": True},
        {"per_concept": None, "per_name": 1, "bare_names": True},
    )
    linkers = [small(encoder, steps=2, **settings) for settings in indexes]
    shared = [linking_record(linker, WITH_TEXT, store, keep_training=True) for linker in linkers]
    assert len(updates) == 2 and len({parquet(record.table) for record in shared}) == len(linkers)
    for number, (linker, record) in enumerate(zip(linkers, shared, strict=True)):
        alone = linking_record(linker, WITH_TEXT, Store(tmp_path / str(number) / "records"))
        assert (alone.table, alone.made["weights"]) == (record.table, record.made["weights"])
    linking_record(small(encoder, steps=2, masked=0.1), WITH_TEXT, store)
    assert [number for number, _ in updates] == [0, 1] * (2 + len(linkers))


@pytest.fixture
def universal(monkeypatch):
    """A dictionary for all, in the place of the one that takes files: every other concept of mini."""
    ontology = Ontology("every other", [*MINI.ontology.concepts.values()][::2])
    monkeypatch.setattr(krissbert, "universal", lambda benchmark: replace(benchmark, ontology=ontology))
    return ontology


@pytest.mark.parametrize("references", [False, True])
def test_a_universal_training_is_that_on_the_universal_dictionary(encoder, universal, references):
    settings = {"steps": 2, "references": references, "per_concept": 2}
    one = small(encoder, learns="universal", **settings).fit(WITH_TEXT)
    on_it = small(encoder, **settings).fit(replace(WITH_TEXT, ontology=universal))
    on_its_own = small(encoder, **settings).fit(WITH_TEXT)
    assert one.weights == on_it.weights != on_its_own.weights
    # Its index is that of the benchmark's own dictionary.
    [(_, expected), (_, drawn)] = [linker.index()["text"] for linker in (on_its_own, one)]
    assert drawn.tolist() == expected.tolist()
    assert {id for c in one.link(DOCUMENTS[:2]).candidates for id in c.ids} == set(MINI.ontology.concepts)
