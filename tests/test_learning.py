"""Every loss teaches a tiny encoder on the embedded corpus, and context what names cannot tell."""

from pathlib import Path

import pytest
from tiny import tiny_encoder

from benchlib.datasets import load
from benchlib.linkers import ExactLinker, InContextLinker, TunedLinker, resumable
from benchlib.linkers.tuning import LOSSES, tune
from benchlib.scoring import Scoring, outcomes, recall, strata
from benchlib.synthetic import Dials, generate
from benchlib.training import Training


@pytest.fixture(scope="module")
def encoder(tmp_path_factory):
    return tiny_encoder(tmp_path_factory.mktemp("tiny"))


def accuracy(fitted, benchmark) -> dict[str, float]:
    """Strict accuracy on mentions that no name equals, and on those whose name several concepts carry."""
    predictions = fitted.link(benchmark.test.hidden().documents)
    found = outcomes(predictions, benchmark.test, benchmark.ontology, benchmark.cluster)
    kinds = strata(benchmark.test, benchmark.ontology, (benchmark.train, benchmark.dev)).iloc[found.scored]
    right = recall(found, 1, Scoring())
    return {kind: right[kinds[kind].to_numpy()].mean() for kind in ("no name", "several concepts")
            if kinds[kind].any()}  # fmt: skip


@pytest.fixture(scope="module")
def untrained(encoder):
    mini = load("mini")
    linker = TunedLinker(encoder, steps=1, learning_rate=1e-12, precision="fp32", progress=False)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(resumable, "TRAININGS", Path(encoder) / "trainings")
        return accuracy(linker.fit(mini.visible()), mini)


@pytest.mark.parametrize("loss", LOSSES)
def test_each_loss_teaches_unseen_strings_and_none_tells_shared_names_apart(
    loss, encoder, untrained, tmp_path, monkeypatch
):
    monkeypatch.setattr(resumable, "TRAININGS", tmp_path)
    mini = load("mini")
    linker = TunedLinker(encoder, loss=loss, steps=120, learning_rate=3e-3, precision="fp32", progress=False)
    found = accuracy(linker.fit(mini.visible()), mini)
    # The proxy loss as PEL prints it, with its alpha of 32 and no margin, learns slowest.
    assert found["no name"] > untrained["no name"] + (0.1 if loss == "proxy" else 0.35)
    # Two concepts with one name have one vector: whatever the training, a name alone cannot decide.
    assert found["several concepts"] == pytest.approx(untrained["several concepts"], abs=1e-9)
    assert linker.trace[-1]["step"] == 120 and len(linker.weights) == 64


def test_context_tells_shared_names_apart(encoder):
    dials = {"ambiguity": 0.8, "context": 1.0}
    none = dict.fromkeys(("synonymy", "nil", "composite", "typos", "unseen"), 0.0)
    benchmark = generate(Dials(n_concepts=40, n_documents=330, **dials, **none))
    settings = {"precision": "fp32", "pooling": "mean", "window": 32, "progress": False}

    def tuned_for(steps: int, rate: float) -> float:
        linker = InContextLinker(encoder, steps=steps, learning_rate=rate, **settings)
        return accuracy(linker.fit(benchmark.visible()), benchmark)["several concepts"]

    before, after = tuned_for(1, 1e-12), tuned_for(120, 5e-3)
    by_name = accuracy(ExactLinker().fit(benchmark.visible()), benchmark)
    assert by_name["several concepts"] < 0.5
    assert after > before + 0.2 and after > by_name["several concepts"] + 0.25


def test_an_unknown_loss_and_concepts_without_pairs_are_errors():
    with pytest.raises(ValueError, match="expected one of info-nce"):
        tune(None, [], [], Training(1e-3, steps=1), loss="hinge")
    with pytest.raises(ValueError, match="concept of two items"):
        tune(None, [None, None], ["a", "b"], Training(1e-3, steps=1))
