"""The times of linking and of learning: what is timed, and on which mentions. Nothing looks at a duration."""

from collections import Counter

import pytest
from linking import MINI, called
from tiny import tiny_encoder
from toy import BENCHMARK, document

from benchlib.encoders import Backbone
from benchmarks.timings import TIMINGS, learning, linking
from benchmarks.timings.__main__ import main
from study.measurements import TIMINGS as NAMED
from study.measurements import measure
from study.records import MissingRecord, Store
from study.systems import BiEncoderLinker, CollectiveLinker, TfidfLinker, linker
from study.systems.contrast import ContrastiveObjective
from study.systems.pel import linker as bi_encoder
from study.systems.ranker import Ranker

READS = "fields=title,max_length=12,window=8,shared=True,precision=fp32"


@pytest.fixture
def names(encoder):
    """A collective dual encoder with three mentions a pass, one with one, and a re-ranker of its answers."""
    single = f"bi-encoder,model={encoder},loss=ce,{READS},steps=0"
    settings = "candidates=3,fields=title,max_length=12,window=8,steps=1,precision=fp32"
    reranker = f"cross-encoder,model={encoder},first={single.replace(',', ';')},{settings}"
    found = (f"collective,model={encoder},mentions=3,{READS},steps=0", single, reranker)
    return tuple(linker(name).name for name in found)


@pytest.fixture
def learners(encoder):
    of = f"model={encoder},{READS},n_negatives=8,steps=200"
    found = (f"collective,{of},mentions=3,batch=2", f"bi-encoder,{of},loss=ce,batch=4")
    return tuple(linker(name).name for name in found)


def test_times_are_taken_here_and_loaded_everywhere_else(tmp_path):
    assert set(TIMINGS) == set(NAMED)
    store = Store(tmp_path / "records")
    for compute in ("missing", "always"):
        with pytest.raises(MissingRecord):
            measure("updates", BENCHMARK, store, compute=compute)
    taken = measure("updates", BENCHMARK, store, function=lambda benchmark: {"a": 1.5})
    for compute in ("missing", "always", "never"):
        assert measure("updates", BENCHMARK, store, compute=compute) == taken


def test_what_a_chapter_shows_is_timed_once(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr("study.chapters.plan.local", lambda: Store(tmp_path / "records"))
    taken = []
    for name in TIMINGS:
        monkeypatch.setitem(TIMINGS, name, lambda benchmark, name=name, **more: taken.append(name) or more)
    for _ in range(2):
        assert main(["parts", "-p", "scale", "mini"]) == 0
        assert taken == ["encoder-cost", "retrieval-exactness"]
    assert main(["parts", "-p", "scale", "mini", "--again"]) == 0 and len(taken) == 4
    assert "encoder-cost" in capsys.readouterr().out


def test_every_system_links_the_mentions_that_have_a_concept(monkeypatch):
    linked = called(monkeypatch, TfidfLinker, "link")
    monkeypatch.setattr(linking, "systems", lambda encoder: (TfidfLinker(), TfidfLinker("2-4")))
    found = linking.inference(BENCHMARK, runs=3, k=2)
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


@pytest.mark.parametrize(("deepest", "cut"), [(1, []), (4, [1, 2])])
def test_an_encoder_is_timed_with_the_layers_that_it_has(tmp_path, deepest, cut):
    model = tiny_encoder(tmp_path, width=32, layers=deepest)
    found = linking.inference(BENCHMARK, model, runs=1)
    expected = ["tfidf", "tfidf,ngrams=2-4,analyzer=char_wb", "cosines,model=character-graph,epochs=1"]
    expected += [f"encoder,model={model},layers={layers},pooling=cls" for layers in cut]
    expected += [f"encoder,model={model},pooling=cls", f"encoder,model={model}"]
    assert [name for name in found if f"{name}.runs" in found] == expected
    assert [linker(name).name for name in expected] == expected


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
    monkeypatch.setattr(linking, "quiet", lambda name: Fake(name, noted))
    found = linking.inference(BENCHMARK, encoder, runs=2, linkers=("one", "three"), batches=(1, 2))
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
    assert [d.id for d in linking.spread(found, 6)] == ["0", "3", "6"]
    assert [d.id for d in linking.spread(found, 1)] == ["0"]
    assert linking.spread(found, 99) == tuple(found)


def test_seconds_are_split_into_their_parts_and_concepts_are_encoded_before(monkeypatch, names, encoder):
    now = [0.0]

    def taking(seconds, owner, name):
        work = getattr(owner, name)

        def slow(*given, **named):
            now[0] += seconds
            return work(*given, **named)

        monkeypatch.setattr(owner, name, slow)

    encoded = called(monkeypatch, BiEncoderLinker, "_encode")
    monkeypatch.setattr(linking.time, "perf_counter", lambda: now[0])
    for owner in (BiEncoderLinker, CollectiveLinker):
        taking(3, owner, "mention_vectors")
    taking(1, bi_encoder, "rank_entities")
    taking(5, Ranker, "score")
    found = linking.inference(MINI, encoder, runs=2, linkers=names, batches=(1, 4), mentions=10)
    # Once in the fitting of each of the three.
    assert Counter(side for side, *_ in encoded)["entity"] == 3
    n = found["n.mentions"]
    chunks = sum(-(-len(d.mentions) // 3) for d in linking.spread(MINI.test.documents, 10))
    for name, passes in zip(names, (chunks, n, n), strict=True):
        for batch in (1, 4):
            calls = -(-passes // batch)
            again = 5 * calls if name == names[2] else 0
            key = f"{name} by {batch}"
            assert found[f"{key}.runs"] == 2 * [4 * calls + again] and found[key] == 4 * calls + again
            assert (found[f"{key}.encoding"], found[f"{key}.search"]) == (3 * calls, calls)
            assert found.get(f"{key}.re-ranking", 0) == again


def test_arithmetic_that_is_emulated_is_not_timed(monkeypatch, names):
    monkeypatch.setattr(linking, "has_bf16", lambda: False)
    monkeypatch.setattr(linking.torch.cuda, "is_available", lambda: False)
    assert [linking.quiet(name).name for name in names] == [*names]
    assert not linking.quiet(names[2]).progress and linking.quiet("exact").name == "exact"
    for name in ("collective", names[2].replace("precision=fp32", "precision=bf16", 1)):
        with pytest.raises(ValueError, match="expected precision=fp32 on a processor without bfloat16"):
            linking.quiet(name)
    monkeypatch.setattr(linking, "has_bf16", lambda: True)
    assert linking.quiet("collective").precision == "bf16"


def test_every_system_learns_once_from_each_of_the_same_mentions(monkeypatch, learners):
    fitted, learned = [], []
    fit, loss = BiEncoderLinker.fit, ContrastiveObjective.__call__
    monkeypatch.setattr(BiEncoderLinker, "fit", lambda self, of: fitted.append((self, of)) or fit(self, of))

    def noted(self, model, batch):
        learned.append((len(fitted), len(batch.gold), len(batch.entities) - batch.n_golds))
        return loss(self, model, batch)

    monkeypatch.setattr(ContrastiveObjective, "__call__", noted)
    found = learning.updates(MINI, learners, runs=2, mentions=20, concepts=30)
    assert [system.base for system, _ in fitted] == 2 * ["collective", "bi-encoder"]
    documents = linking.spread(MINI.train.documents, 20)
    concepts = [
        [{c for id in m.gold.ids for c in MINI.ontology.resolve(id)} for m in d.mentions] for d in documents
    ]
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
    # Every fourth of 120 concepts, and those of the mentions.
    kept = {*list(MINI.ontology.concepts)[::4]}
    kept |= {concept for of in golds for found in of for concept in found}
    assert set(fitted[0][1].ontology.concepts) == kept and found["n.concepts"] == len(kept)


def test_the_time_is_that_of_the_updates(monkeypatch, learners):
    seconds = iter([8.0, 3.0, 6.0, 5.0, 7.0, 1.0])

    def fit(self, benchmark):
        self.trace = ({"seconds": 1.0}, {"seconds": next(seconds)})
        return self

    monkeypatch.setattr(BiEncoderLinker, "fit", fit)
    found = learning.updates(MINI, learners, runs=3, mentions=20)
    assert [found[f"{name}.runs"] for name in learners] == [[8.0, 6.0, 7.0], [3.0, 5.0, 1.0]]
    assert [found[name] for name in learners] == [7.0, 3.0]


@pytest.mark.parametrize("change", ["negatives=mixed", ""])
def test_what_cannot_be_timed_is_named(learners, change):
    name = f"{learners[1]},{change}" if change else "tfidf"
    with pytest.raises(ValueError, match=f"^linker '{name.partition(',')[0]}.*expected a dual encoder with"):
        learning.updates(MINI, (learners[0], name))
