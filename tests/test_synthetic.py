"""The controlled corpus does what its dials say, and can be learned."""

import math
import re
from collections import Counter, defaultdict
from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchlib.ontology import fold_name
from benchlib.scoring import Scoring, outcomes, recall
from benchlib.synthetic import KINDS, Dials, generate
from benchlib.synthetic.vocabulary import SYSTEMS
from study.systems import ExactLinker, TfidfLinker

SHARES = (*KINDS, "context", "unseen")
WORD = r"[a-z]{3,}"
CUES = {
    f"{system.name} disease": [
        cue.lower() for cue in (*system.findings, *system.tests, *system.drugs, *system.genes)
    ]
    for system in SYSTEMS
}
CUE_WORDS = {word for cues in CUES.values() for cue in cues for word in re.findall(WORD, cue)}


def mentions(benchmark, *splits):
    for split in splits or ("train", "dev", "test"):
        yield from benchmark.split(split).mentions()


def sentence(document, mention) -> str:
    """The sentence around a mention, lower-cased."""
    ends = [0, *(match.end() for match in re.finditer(r"[.?] ", document.text)), len(document.text)]
    start = max(end for end in ends if end <= mention.start)
    return document.text[start : min(end for end in ends if end > mention.start)].lower()


@cache
def distance(a: str, b: str) -> int:
    """Levenshtein."""
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, start=1):
        last, row[0] = row[0], i
        for j, y in enumerate(b, start=1):
            last, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, last + (x != y))
    return row[-1]


def kind(benchmark, mention) -> str:
    """The kind of a mention, told from text, gold and ontology alone."""
    gold, owners = mention.gold, benchmark.ontology.owners().get(fold_name(mention.text), ())
    if len(gold.parts) != 1:
        return "composite" if gold.parts else "nil"
    if owners:
        return "ambiguity" if len(owners) > 1 else "plain"
    (id,) = gold.ids
    names = benchmark.ontology.concepts[id].names
    one_edit = any(distance(fold_name(mention.text), fold_name(name)) == 1 for name in names)
    return "typos" if one_edit else "synonymy"


def realised(benchmark) -> dict[str, float]:
    kinds = Counter(kind(benchmark, mention) for _, mention in mentions(benchmark))
    shares = {name: kinds[name] / kinds.total() for name in KINDS}
    known = [(d, m) for d, m in mentions(benchmark) if m.gold.parts]
    shares["context"] = sum(bool(cued_types(d, m)) for d, m in known) / len(known)
    train = {id for _, mention in mentions(benchmark, "train") for id in mention.gold.ids}
    test = [mention.gold.ids for _, mention in mentions(benchmark, "test") if mention.gold.parts]
    shares["unseen"] = sum(not ids & train for ids in test) / len(test)
    return shares


def cued_types(document, mention) -> list[str]:
    words = sentence(document, mention)
    return [type for type, cues in CUES.items() if any(cue in words for cue in cues)]


@pytest.fixture(scope="module")
def mini():
    return generate()


@pytest.fixture(scope="module")
def large():
    return generate(Dials(n_documents=400))


def test_the_same_dials_and_seed_give_the_same_benchmark(mini):
    assert generate().fingerprint() == mini.fingerprint()
    assert mini.fingerprint() == "591d75ea82faa7523482f23afc347e236866653a7c502b1167cd1ae1c952ca0a"
    assert generate(seed=1).fingerprint() != mini.fingerprint()


@pytest.mark.parametrize("dial", [*SHARES, "n_concepts", "n_documents"])
def test_every_dial_changes_the_benchmark(mini, dial):
    value = {"n_concepts": 90, "n_documents": 60}.get(dial, 0)
    changed = generate(Dials(**{dial: value}))
    assert changed.fingerprint() != mini.fingerprint()
    assert changed.notes == (*mini.notes, f"dials: {dial}={value}")


def test_sizes_and_form(mini, large):
    assert [len(mini.split(split).documents) for split in ("train", "dev", "test")] == [60, 20, 30]
    assert list(mini.ontology.concepts) == [f"M{i:04d}" for i in range(1, 121)]
    assert (mini.name, mini.cluster, mini.transforms) == ("mini", "document", ())
    assert mini.notes == ("synthetic: shows that the code runs and learns, never a finding",)
    documents = [document for split in ("train", "dev", "test") for document in mini.split(split).documents]
    assert [document.id for document in documents] == [f"{i:05d}" for i in range(1, 111)]
    assert {len(document.mentions) for document in documents} == set(range(4, 11))
    assert not any(mini.split(split).dropped for split in ("train", "dev", "test"))
    assert len({document.text for document in documents}) == 110
    assert [len(large.split(split).documents) for split in ("train", "dev", "test")] == [218, 73, 109]


def test_text_is_clean_and_mentions_follow_one_another(large):
    for split in ("train", "dev", "test"):
        for document in large.split(split).documents:
            assert not re.search(r"[{}\n\t]|  | [.,;]|\.\.", document.text)
            assert all(part[0].isupper() for part in re.split(r"(?<=[.?]) ", document.text))
            spans = [(mention.start, mention.end) for mention in document.mentions]
            assert all(end < start for (_, end), (start, _) in zip(spans, spans[1:], strict=False))


@pytest.mark.parametrize("dial", [None, *SHARES])
@pytest.mark.parametrize("value", [0, 0.4])
def test_a_dial_does_what_it_says_and_leaves_the_others_alone(dial, value):
    if dial is None:
        dials = Dials(n_documents=400, **dict.fromkeys(SHARES, 0.2 if value else 0))
    else:
        dials = Dials(n_documents=400, **{dial: value})
    found = realised(generate(dials))
    for name in SHARES:
        wanted = getattr(dials, name)
        # Counts are apportioned, so only what is measured on a part of the mentions may stray.
        assert found[name] == pytest.approx(wanted, abs=0.02 if name == "context" else 0.005), name
        assert wanted > 0 or found[name] == 0, name


def test_a_cue_is_of_the_concept_and_no_other_system_is_heard(large):
    types = large.ontology.concepts
    for document, mention in mentions(large):
        if mention.gold.parts:
            wanted = {types[id].types[0] for id in mention.gold.ids}
            assert set(cued_types(document, mention)) <= wanted


def test_context_changes_sentences_and_not_mentions():
    silent, loud = (generate(Dials(context=share)) for share in (0, 1))
    pairs = list(zip(mentions(silent), mentions(loud), strict=True))
    assert all(fold_name(a.text) == fold_name(b.text) and a.gold == b.gold for (_, a), (_, b) in pairs)
    assert all(a.text != b.text for a, b in zip(silent.test.documents, loud.test.documents, strict=True))


def test_dials_other_than_size_leave_the_ontology_and_unseen_leaves_train(mini):
    for dial in SHARES:
        assert generate(Dials(**{dial: 0})).ontology.fingerprint() == mini.ontology.fingerprint()
    assert generate(Dials(unseen=0.9)).train.fingerprint() == mini.train.fingerprint()


@pytest.mark.parametrize(("n_concepts", "seed"), [(40, 0), (40, 7), (120, 0), (333, 5), (2000, 1)])
def test_the_ontology_is_a_tree_whose_shared_names_cross_systems(n_concepts, seed):
    ontology = generate(Dials(n_concepts=n_concepts), seed).ontology
    assert len(ontology) == n_concepts
    depths = Counter()
    for concept in ontology.concepts.values():
        depth, above = 0, concept
        while above.parents:
            (parent,) = above.parents
            depth, above = depth + 1, ontology.concepts[parent]
            assert above.types == concept.types
        depths[depth] += 1
        assert concept.definition.endswith(".") and concept.names
    assert set(depths) == {0, 1, 2} and depths[0] < depths[1] < depths[2]
    shared = [ids for ids in ontology.owners().values() if len(ids) > 1]
    assert all(len(ids) <= 3 for ids in shared)
    assert all(len({ontology.concepts[id].types for id in ids}) == len(ids) for ids in shared)
    assert len({id for ids in shared for id in ids}) > 0.3 * n_concepts
    # The preferred name is nobody else's.
    assert all(len(ontology.owners()[fold_name(c.names[0])]) == 1 for c in ontology.concepts.values())


def test_gold_is_in_the_ontology_and_owns_the_name(large):
    owners = large.ontology.owners()
    hidden = defaultdict(set)
    for _, mention in mentions(large):
        gold, name = mention.gold, fold_name(mention.text)
        assert all(id in large.ontology.concepts for id in gold.ids)
        if gold.nil:
            assert gold.printed == "-1" and name not in owners
        elif len(gold.parts) == 2:
            ids = gold.printed.split("|")
            assert gold.parts == tuple(frozenset([id]) for id in ids) and ids[0] != ids[1]
            assert [owners[fold_name(text)] for text in gold.texts] == [(id,) for id in ids]
            words = {word for text in gold.texts for word in fold_name(text).split()}
            assert " and " in name and set(name.split()) == words | {"and"}
        else:
            assert gold.parts == (frozenset([gold.printed]),) and gold.texts == ()
            assert gold.printed in owners.get(name, (gold.printed,))
        if name not in owners:
            hidden[name].add(gold.printed)
    # What the dictionary lacks is not ambiguous on top of it.
    assert all(len(meant) == 1 for name, meant in hidden.items() if " and " not in name)


@pytest.mark.parametrize("seed", range(3))
def test_names_help_more_than_equality_and_do_not_suffice(seed):
    benchmark = generate(seed=seed)

    def score(system, match: str) -> float:
        found = system.fit(benchmark.visible()).link(benchmark.test.hidden().documents)
        return recall(outcomes(found, benchmark.test, benchmark.ontology), 1, Scoring(match)).mean()

    exact, lenient = (score(ExactLinker(), match) for match in ("strict", "lenient"))
    assert 0.3 < exact < 0.7
    assert lenient - exact > 0.05
    assert exact + 0.1 < score(TfidfLinker(), "strict") < 0.9


def ambiguous_accuracy(benchmark, listens=CUE_WORDS.__contains__) -> tuple[float, float]:
    """Of the ambiguous test mentions: by the words of the sentence, counted by type; by the usual owner."""
    ontology, counts, frequency = benchmark.ontology, defaultdict(Counter), Counter()

    def words(document, mention) -> list[str]:
        rest = sentence(document, mention).replace(mention.text.lower(), " ")
        return [word for word in re.findall(WORD, rest) if listens(word)]

    for document, mention in mentions(benchmark, "train"):
        if len(mention.gold.parts) == 1:
            frequency[mention.gold.printed] += 1
            counts[ontology.concepts[mention.gold.printed].types].update(words(document, mention))
    vocabulary = len({word for one in counts.values() for word in one})

    def fit(id: str, seen: list[str]) -> float:
        one = counts[ontology.concepts[id].types]
        return sum(math.log((one[word] + 1) / (one.total() + vocabulary)) for word in seen)

    by_words = by_frequency = n = 0
    for document, mention in mentions(benchmark, "test"):
        owners = ontology.owners().get(fold_name(mention.text), ())
        if len(owners) > 1:
            seen = words(document, mention)
            by_words += max(owners, key=lambda id: fit(id, seen)) == mention.gold.printed
            by_frequency += max(owners, key=lambda id: frequency[id]) == mention.gold.printed
            n += 1
    return by_words / n, by_frequency / n


def test_context_and_only_context_resolves_ambiguous_names(mini, large):
    for benchmark, margin in ((mini, 0.1), (large, 0.25)):
        by_words, by_frequency = ambiguous_accuracy(benchmark)
        assert by_words > by_frequency + margin
    assert ambiguous_accuracy(generate(Dials(n_documents=400, context=1)))[0] > 0.97
    silent = generate(Dials(n_documents=400, context=0))
    by_any_word, by_frequency = ambiguous_accuracy(silent, listens=lambda word: True)
    assert by_any_word < by_frequency + 0.05


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"ambiguity": 1.2}, "dial ambiguity: expected a number from 0 to 1, found 1.2"),
        ({"context": -0.1}, "dial context: .* found -0.1"),
        ({"nil": float("nan")}, "dial nil: .* found nan"),
        ({"typos": "0.1"}, "dial typos: .* found '0.1'"),
        ({"unseen": True}, "dial unseen: .* found True"),
        ({"n_concepts": 39}, "dial n_concepts: expected a whole number from 40 to 2000, found 39"),
        ({"n_documents": 100.0}, "dial n_documents: .* found 100.0"),
        ({"n_documents": 10}, "dial n_documents: .* found 10"),
        ({"ambiguity": 0.5, "synonymy": 0.5}, "expected 1 at most, found 1.15"),
    ],
)
def test_a_wrong_dial_is_an_error(values, message):
    with pytest.raises(ValueError, match=message):
        Dials(**values)


@pytest.mark.parametrize("seed", ["0", 1.0, None, True])
def test_a_wrong_seed_is_an_error(seed):
    with pytest.raises(ValueError, match="seed: expected a whole number"):
        generate(seed=seed)


@pytest.mark.parametrize("dial", KINDS)
def test_a_corpus_of_one_kind(dial):
    dials = Dials(**{**dict.fromkeys(KINDS, 0), dial: 1})
    benchmark = generate(dials)
    assert {kind(benchmark, mention) for _, mention in mentions(benchmark)} == {dial}


@settings(max_examples=25, deadline=None)
@given(
    st.integers(40, 90),
    st.integers(11, 30),
    st.lists(st.floats(0, 1), min_size=6, max_size=6),
    st.floats(0, 1),
    st.floats(0, 1),
    st.integers(0, 10_000),
)
def test_any_dials_give_a_corpus_or_say_what_to_raise(
    n_concepts, n_documents, weights, context, unseen, seed
):
    total = math.fsum(weights) or 1
    kinds = {name: weight / total for name, weight in zip(KINDS, weights, strict=False)}
    dials = Dials(n_concepts, n_documents, context=context, unseen=unseen, **kinds)
    try:
        benchmark = generate(dials, seed)
    except ValueError as error:
        assert "raise n_documents or n_concepts" in str(error)
    else:
        assert len(benchmark.ontology) == n_concepts
        for _, mention in mentions(benchmark):
            assert all(id in benchmark.ontology for id in mention.gold.ids)
