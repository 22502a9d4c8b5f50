"""The times of inference: what is timed, and on which mentions. Nothing here looks at a duration."""

import pytest
from tiny import tiny_encoder
from toy import BENCHMARK

from benchlib.linkers import TfidfLinker, inference, linker


def test_every_system_links_the_mentions_that_have_a_concept(monkeypatch):
    linked = []

    class Watched(TfidfLinker):
        def link(self, documents, k=64):
            linked.append((documents, k))
            return super().link(documents, k)

    timed = (Watched(), Watched("2-4"))
    monkeypatch.setattr(inference, "systems", lambda encoder: timed)
    found = inference.inference(BENCHMARK, runs=3, k=2)
    runs = {"tfidf.runs", "tfidf,ngrams=2-4.runs"}
    assert set(found) == {"tfidf", "tfidf,ngrams=2-4", *runs, "n.mentions", "n.strings", "n.threads"}
    assert all(len(found[name]) == 3 for name in runs)
    assert len(linked) == 6 and {k for _, k in linked} == {2}
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
