"""KRISSBERT on the embedded corpus with encoders trained from nothing, against plain loops."""

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
import torch
from toy import BENCHMARK

from benchlib.corpus import Corpus
from benchlib.encoders import encode, mention_inputs, text_inputs
from benchlib.ontology import Ontology
from benchlib.sampling import items_by_concept, pair_batch
from benchlib.scoring import Scoring, outcomes, recall
from study.corpora import load
from study.corpora.transforms import apply
from study.records import Store, linking_record
from study.records.outcomes import parquet
from study.records.training import in_folder
from study.systems import KrissbertLinker
from study.systems.by_entity import entity_text
from study.systems.krissbert import linker as krissbert
from study.systems.krissbert.mention_pairs import MentionPairs
from study.systems.linked_text import annotated_text, matched_text


@pytest.fixture(scope="module")
def mini():
    return apply(load("mini"), ["unlabelled:train"])


def small(encoder, **settings):
    fixed = {"window": 24, "concepts": 8, "steps": 0, "learning_rate": 3e-3, "precision": "fp32"}
    return KrissbertLinker(encoder, **fixed | {"progress": False} | settings)


def vectors(linker, spans):
    inputs = mention_inputs(linker.encoder.mention, spans, 24).inputs
    return encode(linker.encoder.mention, inputs, linker.pooling, progress=False)


def span(document, mention):
    return document.text, mention.start, mention.end


def prototypes(linker, mini):
    """(concept, vector, string) of every mention that may be in the index, found without it."""
    spans, ids = [], []
    if linker.prototypes != "train":
        linked = matched_text(mini)
        assert linker.per_concept is None
        for i, concept in enumerate(linked.concept):
            spans.append((linked.texts[linked.text[i]], int(linked.start[i]), int(linked.end[i])))
            ids.append(linked.concepts[concept])
    if linker.prototypes != "text":
        for document, mention in mini.train.mentions():
            if len(meant := mini.ontology.concepts_in(mention.gold.ids)) == 1:
                spans.append(span(document, mention))
                ids += meant
    strings = [text[start:end] for text, start, end in spans]
    return list(zip(ids, vectors(linker, spans), strings, strict=True))


def answers(predictions, row):
    found = zip(predictions.index[row].tolist(), predictions.scores[row].tolist(), strict=True)
    return [(predictions.candidates[i].ids[0], score) for i, score in found if i >= 0]


@pytest.mark.parametrize(
    ("source", "pooling"), [("text", "mention"), ("train", "mention"), ("both", "mention"), ("both", "cls")]
)
def test_a_mention_has_the_concept_of_its_nearest_prototype(mini, encoder, source, pooling):
    linker = small(encoder, prototypes=source, per_concept=None, pooling=pooling).fit(mini)
    [*documents] = mini.test.hidden().documents[:3]
    predictions = linker.link(documents, k=4)
    known = prototypes(linker, mini)
    texts = {document.id: document.text for document in documents}
    asked = vectors(linker, [(texts[q.document], q.start, q.end) for q in predictions.queries])
    for row, vector in enumerate(asked):
        best: dict[str, float] = {}
        for id, prototype, _ in known:
            best[id] = max(best.get(id, -2), float(vector @ prototype))
        expected = sorted(best.values(), reverse=True)[:4]
        found = answers(predictions, row)
        assert [score for _, score in found] == pytest.approx(expected, abs=1e-5)
        assert all(best[id] == pytest.approx(score, abs=1e-5) for id, score in found)
    # Lazy learning is a larger index, not another encoder.
    assert linker.weights == small(encoder, pooling=pooling).fit(mini).weights


def test_an_entity_is_read_beside_its_prototypes(mini, encoder):
    linker = small(encoder, references=True, fields="title+synonyms", per_concept=None).fit(mini)
    [document] = mini.test.hidden().documents[:1]
    predictions = linker.link([document], k=1000)
    concepts, backbone = mini.ontology.concepts, linker.encoder.entity
    texts = [entity_text(concept, mini.ontology, ("title", "synonyms")) for concept in concepts.values()]
    read = encode(backbone, text_inputs(backbone, texts, 48), "mean", progress=False)
    entity, known = dict(zip(concepts, read, strict=True)), prototypes(linker, mini)
    alone = entity.keys() - {id for id, *_ in known}
    for row, vector in enumerate(vectors(linker, [span(document, q) for q in predictions.queries])):
        score = {id: [float(vector @ entity[id])] if id in alone else [] for id in entity}
        for id, prototype, _ in known:
            score[id].append(float(vector @ (prototype + entity[id])))
        found = dict(answers(predictions, row))
        assert found == pytest.approx({id: max(score[id]) for id in found}, abs=1e-5)
        if row == 0:
            assert found.keys() == entity.keys() and alone
    assert linker.encoder.entity is not linker.encoder.mention


def test_a_concept_without_a_name_has_no_reference(encoder):
    labelled = small(encoder, references=True, prototypes="train", learns="train").fit(BENCHMARK)
    predictions = labelled.link(BENCHMARK.test.hidden().documents)
    answered = {id for row in range(len(predictions.queries)) for id, _ in answers(predictions, row)}
    assert answered == {"D1", "D2", "D3"}  # D4 has no name


def test_the_index_has_what_its_settings_say(mini, encoder):
    linker = small(encoder, prototypes="both", per_concept=2, examples=1).fit(mini, seed=3)
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


def test_prototypes_are_drawn_by_name(mini, encoder):
    linker = small(encoder, prototypes="both", per_concept=None, per_name=2).fit(mini, seed=3)
    (linked, drawn), (of_train, every) = linker.index().values()
    often = Counter(linked.name.tolist())
    assert Counter(linked.name[drawn].tolist()) == {name: min(n, 2) for name, n in often.items()} != often
    assert len(every) == len(of_train.concept)
    # A concept with several names has at most per_concept of those.
    linker.per_concept = 3
    (_, fewer), _ = linker.index().values()
    of_names = Counter(linked.concept[drawn].tolist())
    assert max(of_names.values()) > 3 and set(fewer) < set(drawn)
    assert Counter(linked.concept[fewer].tolist()) == {one: min(n, 3) for one, n in of_names.items()}


@pytest.mark.parametrize(
    ("source", "names", "references"),
    [("text", "all", False), ("both", "all", False), ("none", "preferred", False), ("none", "all", True)],
)
def test_bare_names_are_prototypes_of_every_concept_that_has_one(mini, encoder, source, names, references):
    settings = {"prototypes": source, "names": names, "references": references, "per_concept": None}
    linker = small(encoder, bare_names=True, **settings).fit(mini)
    named = {
        id: concept.names[: 1 if names == "preferred" else None]
        for id, concept in mini.ontology.concepts.items()
        if concept.names
    }
    known = prototypes(linker, mini) if source != "none" else []
    pairs = [(id, name) for id, own in named.items() for name in own]
    bare = vectors(linker, [(name, 0, len(name)) for _, name in pairs])
    known += [(id, vector, name) for (id, name), vector in zip(pairs, bare, strict=True)]
    assert linker.behind == "name" and (source == "none") == (not linker.index())
    entity = dict(zip(mini.ontology.concepts, linker._references, strict=True)) if references else {}
    [document] = mini.test.hidden().documents[:1]
    predictions = linker.link([document], k=1000)
    asked = vectors(linker, [span(document, query) for query in predictions.queries])
    for row, vector in enumerate(asked):
        best: dict[str, float] = {}
        for id, prototype, _ in known:
            best[id] = max(best.get(id, -3), float(vector @ (prototype + entity.get(id, 0))))
        found = dict(answers(predictions, row))
        assert found == pytest.approx({id: best[id] for id in found}, abs=1e-5)
        assert max(best.values()) == pytest.approx(max(found.values()), abs=1e-5)
        if source == "none":
            assert found.keys() == named.keys()


def test_a_concept_without_a_prototype_may_count_twice(mini, encoder):
    settings = {"references": True, "fields": "title", "per_concept": 1}
    single, doubled = (
        small(encoder, lone_references=lone, **settings).fit(mini) for lone in ("single", "doubled")
    )
    [document] = mini.test.hidden().documents[:1]
    [(linked, drawn)] = single.index().values()
    there = {linked.concepts[concept] for concept in linked.concept[drawn].tolist()}
    once, twice = (linker.link([document], k=1000) for linker in (single, doubled))
    for row in range(len(once.queries)):
        before, after = dict(answers(once, row)), dict(answers(twice, row))
        expected = {id: score * (1 if id in there else 2) for id, score in before.items()}
        assert after == pytest.approx(expected, abs=1e-5) and there < set(after)


def test_labelled_text_is_the_training_mentions_of_one_concept(mini):
    linked = annotated_text(mini)
    found = [(*linked.span(i), linked.concepts[c]) for i, c in enumerate(linked.concept.tolist())]
    expected = [
        (*span(document, mention), *meant)
        for document, mention in mini.train.mentions()
        if len(meant := mini.ontology.concepts_in(mention.gold.ids)) == 1
    ]
    assert found == expected
    for i, (text, start, end, _) in enumerate(found):
        assert linked.names[linked.name[i]] == text[start:end].casefold()


@pytest.mark.parametrize("examples", [None, 1])
def test_the_shortcut_puts_the_one_known_concept_of_a_string_first(encoder, examples):
    # In train cold means D2, Cold D2, COLD D1 and shivers D3; fever and ague are new.
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
    texts, hits = {document.id: document.text for document in documents}, 0
    for row, query in enumerate(with_it.queries):
        before, after = answers(without, row), answers(with_it, row)
        known = meant.get(texts[query.document][query.start : query.end], set())
        if len(known) == 1:
            hits += 1
            assert [after[0][0]] == list(known) and after[1:] == [
                one for one in before if one[0] not in known
            ]
        else:
            assert after == before
    # Cold and shivers, and cold in the last document; with one example of D2 one of two strings.
    assert hits == (3 if examples is None else 2)


def pairs_of(linker, mini, linked, **settings):
    fixed = {"seed": 0, "size": 8, "window": 24, "masked": 0.2, "replaced": 0.2, "temperature": 0.5}
    concepts = list(mini.ontology.concepts.values())
    return MentionPairs(linker.encoder.mention, linked, concepts, [], **fixed | settings)


def test_mentions_are_masked_or_replaced_and_their_context_stays(mini, encoder):
    linker, linked = small(encoder).fit(mini), matched_text(mini)
    tokenizer, which = linker.encoder.mention.tokenizer, list(range(len(linked.concept)))
    pairs = pairs_of(linker, mini, linked)
    counts: Counter[str] = Counter()
    for i, one in zip(which * 2, pairs.views(which, 0) + pairs.views(which, 1), strict=True):
        text, start, end = linked.span(i)
        [(first, last)] = one.spans
        shown = tokenizer.convert_ids_to_tokens(list(one.ids[first : last + 1]))
        names = mini.ontology.concepts[linked.concepts[linked.concept[i]]].names
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
    total = counts.total()
    replaceable = (
        total * 0.2 * (1 - counts["as it is", False] / (counts["as it is", False] + counts["as it is", True]))
    )
    assert counts["masked"] == pytest.approx(0.2 * total, rel=0.25)
    assert 0 < counts["replaced"] == pytest.approx(replaceable, rel=0.35)
    plain = pairs_of(linker, mini, linked, masked=0.0, replaced=0.0).views(which[:50], 0)
    assert plain == mention_inputs(linker.encoder.mention, [linked.span(i) for i in which[:50]], 24).inputs


@pytest.mark.parametrize("references", [False, True])
def test_the_loss_is_that_of_the_paper(mini, encoder, references):
    linker = small(encoder, references=references).fit(mini)
    model, linked = linker.encoder.eval(), matched_text(mini)
    entities = linker._entities(mini.ontology) if references else []
    pairs = replace(pairs_of(linker, mini, linked), entities=entities)
    batch = pairs.at(5)
    drawn = pair_batch(items_by_concept(linked.concept), 0, 5, 8)
    assert batch.concepts.tolist() == linked.concept[drawn].ravel().tolist()
    c = encode(model.mention, batch.mentions, "mention", progress=False).astype(float)
    n, total, near = len(c), 0.0, {"positive": [], "negative": []}
    for i in range(n):
        other = i + 1 if i % 2 == 0 else i - 1
        below = sum(np.exp(c[i] @ c[k] / 0.5) for k in range(n) if k != i)
        total -= np.log(np.exp(c[i] @ c[other] / 0.5) / below) / n
        for k in set(range(n)) - {i}:
            near["positive" if k == other else "negative"].append(c[i] @ c[k])
    if references:
        own = [entities[i] for i in linked.concept[drawn[:, 0]]]
        r = encode(model.entity, own, "mean", progress=False).astype(float)
        of_entities = 0.0
        for i in range(n):
            below = sum(np.exp(c[i] @ other / 0.5) for other in r)
            of_entities -= np.log(np.exp(c[i] @ r[i // 2] / 0.5) / below) / n
        total = 0.5 * total + 0.5 * of_entities
    with torch.no_grad():
        assert float(pairs.loss(model, batch, 0.0)) == pytest.approx(total, abs=1e-4)
        # Equal similarities leave each mention one of all others, and one of all entities.
        equal = (np.log(n - 1) + np.log(len(r))) / 2 if references else np.log(n - 1)
        assert pairs.watched.pop("chance_loss") == pytest.approx(equal, abs=1e-5)
        if references:
            alone = replace(pairs, contrast=False)
            assert float(alone.loss(model, batch, 0.0)) == pytest.approx(of_entities, abs=1e-4)
            assert pairs.watched.pop("chance_loss") == pytest.approx(np.log(len(r)), abs=1e-5)
    expected = {f"{pairs}_cosine": np.mean(cosines) for pairs, cosines in near.items()}
    assert pairs.watched == pytest.approx(expected, abs=1e-5)


@pytest.mark.parametrize("learns", ["text", "train"])
def test_training_teaches_to_link(mini, encoder, learns):
    def top1(**settings):
        fitted = small(encoder, learns=learns, prototypes=learns, **settings).fit(mini)
        assert len(fitted.trace) == fitted.steps
        found = outcomes(fitted.link(mini.test.hidden().documents), mini.test, mini.ontology, mini.cluster)
        return recall(found, 1, Scoring()).mean()

    assert top1(steps=40) > top1(steps=0) + 0.05


def test_both_encoders_are_trained_each_for_itself(mini, encoder):
    linker = small(encoder, references=True, steps=2).fit(mini)
    before = small(encoder, references=True).fit(mini).encoder
    kinds = [before.mention, before.entity, linker.encoder.mention, linker.encoder.entity]
    assert len({one.fingerprint() for one in kinds}) == 4
    assert {"positive_cosine", "negative_cosine"} <= linker.trace[0].keys()


def test_supervised_only_needs_no_raw_text(encoder):
    mini = load("mini")
    settings = {"learns": "train", "prototypes": "train"}
    assert small(encoder, **settings).fit(mini).link(mini.test.hidden().documents[:1]).index.size
    for wrong in ({"learns": "text", "steps": 1}, {"prototypes": "both"}):
        with pytest.raises(ValueError, match="expected unlabelled text, found none"):
            small(encoder, **settings | wrong).fit(mini)


def test_without_aliases_the_preferred_names_are_all_there_is(mini, encoder, monkeypatch):
    given = []
    kept = lambda *a: given.append(a) or MentionPairs(*a)  # noqa: E731
    monkeypatch.setattr("study.systems.krissbert.mention_pairs.MentionPairs", kept)
    small(encoder, names="preferred", steps=1).fit(mini)
    [(_, linked, concepts, *_)] = given
    preferred = [concept.names[:1] for concept in mini.ontology.concepts.values()]
    assert [concept.names for concept in concepts] == preferred  # what a mention may be replaced by
    found = {text[start:end].casefold() for text, start, end in map(linked.span, range(len(linked.text)))}
    assert found and found <= {name.casefold() for names in preferred for name in names}
    assert len(matched_text(mini).text) > len(linked.text)


def test_what_cannot_be_is_an_error(mini, encoder):
    with pytest.raises(ValueError, match="contrast is False: expected references"):
        small(encoder, contrast=False)
    for setting, there in (
        ("pooling", "cls, mention"),
        ("names", "all, preferred"),
        ("learns", "text, train, universal"),
        ("prototypes", "text, train, both, none"),
        ("lone_references", "single, doubled"),
    ):
        with pytest.raises(ValueError, match=f"{setting} is 'some'; expected one of {there}"):
            small(encoder, **{setting: "some"})
    with pytest.raises(ValueError, match="prototypes is 'none': expected bare_names"):
        small(encoder, prototypes="none")
    with pytest.raises(ValueError, match="training mention of one concept, found none"):
        annotated_text(replace(mini, train=Corpus("train", ())))
    with pytest.raises(ValueError, match="unknown field 'some'"):
        small(encoder, references=True, fields="some").fit(mini)
    with pytest.raises(ValueError, match="p_mask"):
        small(encoder, steps=1, masked=0.9).fit(mini)


@pytest.fixture
def updates(monkeypatch) -> list[int]:
    """The numbers of all batches that are trained on."""
    made, batch_at = [], MentionPairs.at
    monkeypatch.setattr(
        MentionPairs, "at", lambda self, number: made.append(number) or batch_at(self, number)
    )
    return made


def test_linkers_that_differ_in_their_index_alone_train_once(mini, encoder, tmp_path, updates):
    store = Store(tmp_path / "records")
    asked = [
        small(encoder, steps=2, **settings)
        for settings in (
            {},
            {"prototypes": "both"},
            {"prototypes": "train", "examples": 1},
            {"per_concept": 1, "shortcut": True},
            {"per_concept": None, "per_name": 1, "bare_names": True},
        )
    ]
    shared = [linking_record(linker, mini, store, keep_training=True) for linker in asked]
    assert updates == [0, 1] and len({parquet(record.table) for record in shared}) == len(asked)
    for number, (linker, record) in enumerate(zip(asked, shared, strict=True)):
        alone = linking_record(linker, mini, Store(tmp_path / str(number) / "records"))
        assert (alone.table, alone.made["weights"]) == (record.table, record.made["weights"])
    assert updates == [0, 1] * (1 + len(asked))
    linking_record(small(encoder, steps=2, masked=0.1), mini, store)
    assert updates == [0, 1] * (2 + len(asked))


@pytest.fixture
def universal(mini, monkeypatch):
    """A dictionary for all, in the place of the one that takes files: every other concept of mini."""
    ontology = Ontology("every other", [*mini.ontology.concepts.values()][::2])
    monkeypatch.setattr(krissbert, "universal", lambda benchmark: replace(benchmark, ontology=ontology))
    return ontology


@pytest.mark.parametrize("references", [False, True])
def test_a_universal_training_is_that_on_the_universal_dictionary(mini, encoder, universal, references):
    settings = {"steps": 2, "references": references, "per_concept": 2}
    one = small(encoder, learns="universal", **settings).fit(mini)
    on_it = small(encoder, **settings).fit(replace(mini, ontology=universal))
    on_its_own = small(encoder, **settings).fit(mini)
    assert one.weights == on_it.weights != on_its_own.weights
    # Its index is that of the benchmark's own dictionary.
    [(_, expected), (_, drawn)] = [linker.index()["text"] for linker in (on_its_own, one)]
    assert drawn.tolist() == expected.tolist()
    documents = mini.test.hidden().documents[:2]
    assert {id for c in one.link(documents).candidates for id in c.ids} == set(mini.ontology.concepts)


def test_a_universal_training_serves_every_data_set(mini, encoder, universal, tmp_path, updates):
    halves = (slice(0, None, 3), slice(1, None, 3))
    data = [
        replace(mini, ontology=Ontology("part", [*mini.ontology.concepts.values()][half])) for half in halves
    ]
    asked = [{}, {"bare_names": True}, {"prototypes": "both"}]
    jobs = [(settings, benchmark) for benchmark in (*data, data[0]) for settings in asked]
    jobs += [({"references": True}, benchmark) for benchmark in data]
    documents, store = mini.test.hidden().documents[:2], Store(tmp_path)
    for settings, benchmark in jobs:
        linker = small(encoder, learns="universal", steps=2, **settings)
        served, _ = in_folder(linker, (f"references {settings.get('references')}",), store)
        served = served.fit(benchmark)
        before = len(updates)
        alone = replace(linker, checkpoints=None).fit(benchmark)
        del updates[before:]
        found, expected = served.link(documents), alone.link(documents)
        assert found.candidates == expected.candidates and (found.index == expected.index).all()
        assert found.scores == pytest.approx(expected.scores, abs=1e-6)
    assert updates == [0, 1] * 2  # with references and without
