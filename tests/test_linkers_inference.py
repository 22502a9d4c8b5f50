"""The times of inference: what is timed, and on which mentions. Nothing here looks at a duration."""

from toy import BENCHMARK

from benchlib.linkers.inference import SYSTEMS, inference


def test_every_system_links_the_mentions_that_have_a_concept(monkeypatch):
    linked = []
    for name, system in list(SYSTEMS.items()):
        if not name.startswith("tfidf"):
            monkeypatch.delitem(SYSTEMS, name)
            continue

        def watched(system=system):
            fitted = system()
            link = fitted.link
            fitted.link = lambda documents, k: linked.append((documents, k)) or link(documents, k)
            return fitted

        monkeypatch.setitem(SYSTEMS, name, watched)
    found = inference(BENCHMARK, runs=3, k=2)
    runs = {f"{name}.runs" for name in SYSTEMS}
    assert set(found) == {*SYSTEMS, *runs, "n.mentions", "n.strings", "n.threads"}
    assert all(len(found[name]) == 3 for name in runs)
    assert len(linked) == 3 * len(SYSTEMS) and {k for _, k in linked} == {2}
    documents = linked[0][0]
    golds = {d.id: d.mentions for d in BENCHMARK.test.documents}
    assert [d.id for d in documents] == [id for id, ms in golds.items() if any(not m.gold.nil for m in ms)]
    # The gold is hidden from what is timed.
    assert all(m.gold is None for d in documents for m in d.mentions)
    strings = {m.text.casefold() for d in documents for m in golds[d.id]}
    assert found["n.mentions"] == sum(len(golds[d.id]) for d in documents)
    assert found["n.strings"] == len(strings)
