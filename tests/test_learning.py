"""Every loss teaches a tiny encoder on the embedded corpus, and context what names cannot tell."""

from dataclasses import replace

import pytest
from toy import BENCHMARK

from benchlib.losses.by_name import LOSSES
from benchlib.ontology import Concept, Ontology
from benchlib.scoring import Scoring, outcomes, recall, strata
from benchlib.synthetic import Dials, generate
from study.corpora import load
from study.systems import CosinesLinker, ExactLinker, KrissbertLinker, SapBertLinker, TunedLinker, linker


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
    return accuracy(linker.fit(mini.visible()), mini)


@pytest.mark.parametrize("loss", LOSSES)
def test_each_loss_teaches_unseen_strings_and_none_tells_shared_names_apart(loss, encoder, untrained):
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
    seen = {"learns": "train", "prototypes": "train", "masked": 0.0, "replaced": 0.0, "concepts": 32}
    settings = seen | {"precision": "fp32", "pooling": "cls", "window": 32, "progress": False}

    def tuned_for(steps: int, rate: float) -> float:
        linker = KrissbertLinker(encoder, steps=steps, learning_rate=rate, **settings)
        return accuracy(linker.fit(benchmark.visible()), benchmark)["several concepts"]

    before, after = tuned_for(1, 1e-12), tuned_for(120, 5e-3)
    by_name = accuracy(ExactLinker().fit(benchmark.visible()), benchmark)
    assert by_name["several concepts"] < 0.5
    assert after > before + 0.2 and after > by_name["several concepts"] + 0.15


def test_an_unknown_loss_and_concepts_without_pairs_are_errors(encoder):
    with pytest.raises(ValueError, match="expected one of info-nce"):
        linker("tuned,loss=hinge")
    alone = Ontology("alone", [Concept("D1", ("Cold",)), Concept("D2", ("Fever",))])
    with pytest.raises(ValueError, match="expected a concept of two items or more, found 2 concepts of 2"):
        SapBertLinker(encoder, steps=1).fit(replace(BENCHMARK.visible(), ontology=alone))


@pytest.mark.parametrize("kind", [TunedLinker, CosinesLinker])
def test_a_training_goes_on_from_its_checkpoints_and_leaves_them(kind, encoder, tmp_path):
    mini = load("mini").visible()
    made = kind(encoder, steps=3, precision="fp32", progress=False)
    without = made.fit(mini, 1).weights
    steps = replace(made, checkpoints=tmp_path / "one").fit(mini, 1)
    assert [path.name for path in (tmp_path / "one").glob("checkpoint-*")] == ["checkpoint-000000003"]
    again = replace(made, checkpoints=tmp_path / "one").fit(mini, 1)
    # What is done is not done again: the seconds, too, are those of the first time.
    assert again.trace == steps.trace and again.weights == steps.weights == without
    with pytest.raises(ValueError, match="another config: seed is 1, expected 2"):
        replace(made, checkpoints=tmp_path / "one").fit(mini, 2)
