"""The time of training: who learns from what, and in which order. Nothing here looks at a duration."""

import pytest

from study.corpora import load
from study.measurements import updates
from study.measurements.inference import spread
from study.systems import BiEncoderLinker, linker
from study.systems.contrast import ContrastiveObjective

READS = "fields=title,max_length=12,window=8,shared=True,n_negatives=8,steps=200,precision=fp32"


@pytest.fixture(scope="module")
def mini():
    return load("mini")


@pytest.fixture
def names(encoder):
    of = f"model={encoder},{READS}"
    found = (f"collective,{of},mentions=3,batch=2", f"bi-encoder,{of},loss=ce,batch=4")
    return tuple(linker(name).name for name in found)


def test_every_system_learns_once_from_each_of_the_same_mentions(monkeypatch, names, mini):
    fitted, learned = [], []
    fit, loss = BiEncoderLinker.fit, ContrastiveObjective.__call__
    monkeypatch.setattr(BiEncoderLinker, "fit", lambda self, of: fitted.append((self, of)) or fit(self, of))

    def noted(self, model, batch):
        learned.append((len(fitted), len(batch.gold), len(batch.entities) - batch.n_golds))
        return loss(self, model, batch)

    monkeypatch.setattr(ContrastiveObjective, "__call__", noted)
    found = updates.updates(mini, names, runs=2, mentions=20, concepts=30)
    assert [system.base for system, _ in fitted] == 2 * ["collective", "bi-encoder"]
    documents = spread(mini.train.documents, 20)
    concepts = [
        [{c for id in m.gold.ids for c in mini.ontology.resolve(id)} for m in d.mentions] for d in documents
    ]
    golds = [[found for found in of if len(found) == 1] for of in concepts]
    n = sum(map(len, golds))
    inputs = {names[0]: sum(-(-len(of) // 3) for of in golds), names[1]: n}
    for number, (system, seen) in enumerate(fitted, start=1):
        assert seen.train.documents == documents and not seen.dev.documents + seen.test.documents
        name = names[(number - 1) % 2]
        sizes = [size for fit, size, _ in learned if fit == number]
        assert len(sizes) == system.steps == found[f"{name}.updates"] == -(-inputs[name] // system.batch)
        assert sum(sizes) == n == found["n.mentions"]
    assert {negatives for *_, negatives in learned} == {8}
    assert all(len(found[f"{name}.runs"]) == 2 for name in names)
    # Every fourth of 120 concepts, and those of the mentions.
    kept = {*list(mini.ontology.concepts)[::4]}
    kept |= {concept for of in golds for found in of for concept in found}
    assert set(fitted[0][1].ontology.concepts) == kept and found["n.concepts"] == len(kept)


def test_the_time_is_that_of_the_updates(monkeypatch, names, mini):
    seconds = iter([8.0, 3.0, 6.0, 5.0, 7.0, 1.0])

    def fit(self, benchmark):
        self.trace = ({"seconds": 1.0}, {"seconds": next(seconds)})
        return self

    monkeypatch.setattr(BiEncoderLinker, "fit", fit)
    found = updates.updates(mini, names, runs=3, mentions=20)
    assert [found[f"{name}.runs"] for name in names] == [[8.0, 6.0, 7.0], [3.0, 5.0, 1.0]]
    assert [found[name] for name in names] == [7.0, 3.0]


@pytest.mark.parametrize("change", ["negatives=mixed", ""])
def test_what_cannot_be_timed_is_named(names, mini, change):
    name = f"{names[1]},{change}" if change else "tfidf"
    with pytest.raises(ValueError, match=f"^linker '{name.partition(',')[0]}.*expected a dual encoder with"):
        updates.updates(mini, (names[0], name))


def test_the_mentions_of_a_document_share_passes():
    of = BiEncoderLinker(loss="ce", batch=4, steps=1)
    assert updates._for_an_epoch(of, [3, 6]).steps == 3
    three = linker("collective,mentions=3,batch=1")
    assert updates._for_an_epoch(three, [3, 6, 1]).steps == 1 + 2 + 1
