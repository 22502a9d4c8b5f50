"""The times of inference and training: what is timed, on which mentions and in which order. Nothing here
looks at a duration."""

from collections import Counter

import pytest
from linking import MINI, called
from tiny import tiny_encoder
from toy import BENCHMARK, document

from benchlib.encoders import Backbone
from study.measurements import inference, updates
from study.systems import BiEncoderLinker, CollectiveLinker, TfidfLinker, linker
from study.systems.contrast import ContrastiveObjective
from study.systems.pel import linker as bi_encoder
from study.systems.ranker import Ranker

READS = "fields=title,max_length=12,window=8,steps=0,shared=True,precision=fp32"
LEARNS = "fields=title,max_length=12,window=8,shared=True,n_negatives=8,steps=200,precision=fp32"


def test_every_system_links_the_mentions_that_have_a_concept(monkeypatch):
    linked = called(monkeypatch, TfidfLinker, "link")
    timed = (TfidfLinker(), TfidfLinker("2-4"))
    monkeypatch.setattr(inference, "systems", lambda encoder: timed)
    found = inference.inference(BENCHMARK, runs=3, k=2)
    runs = {"tfidf.runs", "tfidf,ngrams=2-4.runs"}
    assert set(found) == {"tfidf", "tfidf,ngrams=2-4", *runs, "n.mentions", "n.strings", "n.threads"}
    assert all(len(found[name]) == 3 for name in runs)
    assert len(linked) == 6 and {k for _, k, _ in linked} == {2}
    documents = linked[0][0]
    golds = {d.id: d.mentions for d in BENCHMARK.test.documents}
    assert [d.id for d in documents] == [id for id, ms in golds.items() if any(not m.gold.nil for m in ms)]
    # The gold is hidden from what is timed.
    assert all(m.gold is None for d in documents for m in d.mentions)
    strings = {m.text.casefold() for d in documents for m in golds[d.id]}
    assert found["n.mentions"] == sum(len(golds[d.id]) for d in documents)
    assert found["n.strings"] == len(strings)


@pytest.mark.parametrize(("deepest", "cut"), [(1, []), (3, [1, 2]), (4, [1, 2])])
def test_an_encoder_is_timed_with_the_layers_that_it_has(tmp_path, deepest, cut):
    model = tiny_encoder(tmp_path, width=32, layers=deepest)
    found = inference.inference(BENCHMARK, model, runs=1)
    expected = ["tfidf", "tfidf,ngrams=2-4,analyzer=char_wb", "cosines,model=character-graph,epochs=1"]
    expected += [f"encoder,model={model},layers={layers},pooling=cls" for layers in cut]
    expected += [f"encoder,model={model},pooling=cls", f"encoder,model={model}"]
    assert [name for name in found if f"{name}.runs" in found] == expected
    assert [linker(name).name for name in expected] == expected


@pytest.fixture
def names(encoder):
    """A collective dual encoder with three mentions a pass, one with one, and a re-ranker of its answers."""
    single = f"bi-encoder,model={encoder},loss=ce,{READS}"
    settings = "candidates=3,fields=title,max_length=12,window=8,steps=1,precision=fp32"
    reranker = f"cross-encoder,model={encoder},first={single.replace(',', ';')},{settings}"
    found = (f"collective,model={encoder},mentions=3,{READS}", single, reranker)
    return tuple(linker(name).name for name in found)


class Fake:
    """A linker that notes its calls."""

    config = {}

    def __init__(self, name, noted):
        self.name, self.noted = name, noted
        if name == "three":
            self.mentions = 3

    def fit(self, benchmark, seed=0):
        assert not benchmark.test.documents
        return self

    def link(self, documents, k):
        self.noted.append((self.name, documents))


def test_systems_take_turns_and_link_every_mention_in_passes(monkeypatch, encoder):
    noted = []
    monkeypatch.setattr(inference, "quiet", lambda name: Fake(name, noted))
    found = inference.inference(BENCHMARK, encoder, runs=2, linkers=("one", "three"), batches=(1, 2))
    every = [(d.id, m.start) for d in BENCHMARK.test.documents for m in d.mentions]
    sizes = {"one by 1": 7 * [1], "one by 2": [2, 2, 2, 1], "three by 1": [3, 3, 1], "three by 2": [6, 1]}
    turn = [(name.partition(" ")[0], size) for name, each in sizes.items() for size in each]
    assert [(name, sum(len(d.mentions) for d in of)) for name, of in noted] == 2 * turn
    for name in ("one", "three"):
        of_name = [of for one, of in noted if one == name]
        assert [(d.id, m.start) for of in of_name for d in of for m in d.mentions] == 4 * every
    # A document stands once in a call, and a pass is of one document.
    assert all(len({d.id for d in of}) == len(of) for _, of in noted)
    assert all(m.gold is None for _, of in noted for d in of for m in d.mentions)
    assert {name.removesuffix(".runs") for name in found if name.endswith(".runs")} == set(sizes)
    assert all(len(found[f"{name}.runs"]) == 2 for name in sizes) and found["n.mentions"] == 7
    tokenizer = Backbone.load(encoder, layers=1).tokenizer
    pieces = sum(len(tokenizer.tokenize(d.text)) for d in BENCHMARK.test.documents)
    assert found["n.pieces"] == found["all.pieces"] == pieces and found["all.mentions"] == 7


def test_a_part_of_the_mentions_is_that_of_documents_spread_over_all():
    found = [document(str(i), *[("cold", "D1")] * 2) for i in range(10)]
    assert [d.id for d in inference.spread(found, 6)] == ["0", "3", "6"]
    assert [d.id for d in inference.spread(found, 1)] == ["0"]
    assert inference.spread(found, 99) == tuple(found)


def test_vectors_of_concepts_are_there_before_the_clock_starts(monkeypatch, names, encoder):
    encoded, linking = Counter(), []
    encode, link = BiEncoderLinker._encode, BiEncoderLinker.link

    def linked(self, documents, k):
        linking.append(1)
        found = link(self, documents, k)
        linking.pop()
        return found

    def counted(self, side, inputs):
        encoded[side, bool(linking)] += 1
        return encode(self, side, inputs)

    monkeypatch.setattr(BiEncoderLinker, "_encode", counted)
    monkeypatch.setattr(BiEncoderLinker, "link", linked)
    found = inference.inference(MINI, encoder, runs=2, linkers=names, batches=(1,), mentions=10)
    n, chunks = found["n.mentions"], chunks_of(inference.spread(MINI.test.documents, 10))
    # Entities once in the fitting of each of the three encoders of concepts, and never in linking; the
    # re-ranker has linked its training documents once before.
    assert encoded == {("entity", False): 3, ("mention", True): 2 * (n + n + chunks) + 1}


def chunks_of(documents) -> int:
    return sum(-(-len(d.mentions) // 3) for d in documents)


def test_seconds_are_split_into_their_parts(monkeypatch, names, encoder):
    now = [0.0]

    def taking(seconds, owner, name):
        work = getattr(owner, name)

        def slow(*given, **named):
            now[0] += seconds
            return work(*given, **named)

        monkeypatch.setattr(owner, name, slow)

    monkeypatch.setattr(inference.time, "perf_counter", lambda: now[0])
    for owner in (BiEncoderLinker, CollectiveLinker):
        taking(3, owner, "_mentions")
    taking(1, bi_encoder, "rank_entities")
    taking(5, Ranker, "score")
    found = inference.inference(MINI, encoder, runs=2, linkers=names, batches=(1, 4), mentions=10)
    n, chunks = found["n.mentions"], chunks_of(inference.spread(MINI.test.documents, 10))
    for name, passes in zip(names, (chunks, n, n), strict=True):
        for batch in (1, 4):
            calls = -(-passes // batch)
            again = 5 * calls if name == names[2] else 0
            key = f"{name} by {batch}"
            assert found[f"{key}.runs"] == 2 * [4 * calls + again] and found[key] == 4 * calls + again
            assert (found[f"{key}.encoding"], found[f"{key}.search"]) == (3 * calls, calls)
            assert found.get(f"{key}.re-ranking", 0) == again


def test_arithmetic_that_is_emulated_is_not_timed(monkeypatch, names):
    monkeypatch.setattr(inference, "has_bf16", lambda: False)
    monkeypatch.setattr(inference.torch.cuda, "is_available", lambda: False)
    assert [inference.quiet(name).name for name in names] == [*names]
    assert not inference.quiet(names[2]).progress and inference.quiet("exact").name == "exact"
    for name in ("collective", names[2].replace("precision=fp32", "precision=bf16", 1)):
        with pytest.raises(ValueError, match="expected precision=fp32 on a processor without bfloat16"):
            inference.quiet(name)
    monkeypatch.setattr(inference, "has_bf16", lambda: True)
    assert inference.quiet("collective").precision == "bf16"


@pytest.fixture
def learners(encoder):
    of = f"model={encoder},{LEARNS}"
    found = (f"collective,{of},mentions=3,batch=2", f"bi-encoder,{of},loss=ce,batch=4")
    return tuple(linker(name).name for name in found)


def test_every_system_learns_once_from_each_of_the_same_mentions(monkeypatch, learners):
    fitted, learned = [], []
    fit, loss = BiEncoderLinker.fit, ContrastiveObjective.__call__
    monkeypatch.setattr(BiEncoderLinker, "fit", lambda self, of: fitted.append((self, of)) or fit(self, of))

    def noted(self, model, batch):
        learned.append((len(fitted), len(batch.gold), len(batch.entities) - batch.n_golds))
        return loss(self, model, batch)

    monkeypatch.setattr(ContrastiveObjective, "__call__", noted)
    found = updates.updates(MINI, learners, runs=2, mentions=20, concepts=30)
    assert [system.base for system, _ in fitted] == 2 * ["collective", "bi-encoder"]
    documents = inference.spread(MINI.train.documents, 20)
    concepts = [[MINI.ontology.concepts_in(m.gold.ids) for m in d.mentions] for d in documents]
    golds = [[found for found in of if len(found) == 1] for of in concepts]
    n = sum(map(len, golds))
    inputs = {learners[0]: sum(-(-len(of) // 3) for of in golds), learners[1]: n}
    for number, (system, seen) in enumerate(fitted, start=1):
        assert seen.train.documents == documents and not seen.dev.documents + seen.test.documents
        name = learners[(number - 1) % 2]
        sizes = [size for fit, size, _ in learned if fit == number]
        assert len(sizes) == system.steps == found[f"{name}.updates"] == -(-inputs[name] // system.batch)
        assert sum(sizes) == n == found["n.mentions"]
    assert {negatives for *_, negatives in learned} == {8}
    assert all(len(found[f"{name}.runs"]) == 2 for name in learners)
    # Every fourth of 120 concepts, and those of the mentions.
    kept = {*list(MINI.ontology.concepts)[::4]}.union(*(found for of in golds for found in of))
    assert set(fitted[0][1].ontology.concepts) == kept and found["n.concepts"] == len(kept)


def test_the_time_of_training_is_that_of_the_updates(monkeypatch, learners):
    seconds = iter([8.0, 3.0, 6.0, 5.0, 7.0, 1.0])

    def fit(self, benchmark):
        self.trace = ({"seconds": 1.0}, {"seconds": next(seconds)})
        return self

    monkeypatch.setattr(BiEncoderLinker, "fit", fit)
    found = updates.updates(MINI, learners, runs=3, mentions=20)
    assert [found[f"{name}.runs"] for name in learners] == [[8.0, 6.0, 7.0], [3.0, 5.0, 1.0]]
    assert [found[name] for name in learners] == [7.0, 3.0]


@pytest.mark.parametrize("change", ["negatives=mixed", ""])
def test_what_cannot_be_timed_is_named(learners, change):
    name = f"{learners[1]},{change}" if change else "tfidf"
    with pytest.raises(ValueError, match=f"^linker '{name.partition(',')[0]}.*expected a dual encoder with"):
        updates.updates(MINI, (learners[0], name))
