"""Every loss teaches a tiny encoder on the embedded corpus, and context what names cannot tell."""

from dataclasses import replace
from itertools import product

import pytest
from linking import VISIBLE, recalled

from benchlib.benchmark import Benchmark
from benchlib.corpus import Corpus, Document, Gold, Mention
from benchlib.losses.by_name import LOSSES
from benchlib.ontology import Concept, Ontology
from study.systems import CosinesLinker, ExactLinker, KrissbertLinker, TunedLinker


@pytest.fixture(scope="module")
def untrained(encoder):
    return TunedLinker(encoder, steps=0, precision="fp32", progress=False).fit(VISIBLE)


@pytest.mark.parametrize("loss", LOSSES)
def test_each_loss_teaches_unseen_strings_and_none_tells_shared_names_apart(loss, encoder, untrained):
    linker = TunedLinker(encoder, loss=loss, steps=120, learning_rate=3e-3, precision="fp32", progress=False)
    linker.fit(VISIBLE)
    (before, after), shared = (
        [recalled(one, kind=kind) for one in (untrained, linker)] for kind in ("no name", "several concepts")
    )
    # The proxy loss as PEL prints it, with its alpha of 32 and no margin, learns slowest.
    assert after > before + (0.1 if loss == "proxy" else 0.35)
    # Two concepts with one name have one vector: whatever the training, a name alone cannot decide.
    assert shared[0] == pytest.approx(shared[1], abs=1e-9)
    assert linker.trace[-1]["step"] == 120 and len(linker.weights) == 64


SIGNS = {
    "heart": ("palpitations", "chest tightness", "fainting", "a murmur"),
    "liver": ("jaundice", "dark urine", "itching", "bilirubin"),
}
NAMES = ("abscess", "atrophy", "cyst", "dysplasia", "fibrosis", "infarction",
         "necrosis", "oedema", "rupture", "sarcoma", "tumour", "ulcer")  # fmt: skip
FRAMES = ("We saw {} in adults who had {}.", "Patients with {} often complain of {}.", "Is {} a cause of {}?")


def shared_names() -> Benchmark:
    """Each name is that of a disease of the heart and of one of the liver, which a sign tells apart: one that
    stands in train with other names, and in test with this one."""
    splits = {"train": [], "test": []}
    for (i, name), (j, frame), organ, k in product(enumerate(NAMES), enumerate(FRAMES), SIGNS, range(4)):
        id, start = f"{name} of the {organ}", frame.index("{")
        mention = Mention(start, start + len(name), name, gold=Gold((frozenset([id]),), printed=id))
        text = frame.format(name, SIGNS[organ][k])
        splits["train" if (i + j + k) % 4 else "test"].append(Document(f"{id} {j} {k}", text, (mention,)))
    concepts = [Concept(f"{name} of the {organ}", (name,)) for name, organ in product(NAMES, SIGNS)]
    train, test = (Corpus(split, tuple(documents)) for split, documents in splits.items())
    return Benchmark("shared names", train, Corpus("dev", ()), test, Ontology("organs", concepts))


def test_context_tells_shared_names_apart(encoder):
    benchmark = shared_names()
    seen = {"learns": "train", "prototypes": "train", "masked": 0.0, "replaced": 0.0, "concepts": 24}
    settings = seen | {"precision": "fp32", "pooling": "cls", "window": 32, "progress": False}

    def tuned_for(steps: int, rate: float) -> float:
        linker = KrissbertLinker(encoder, steps=steps, learning_rate=rate, **settings)
        return recalled(linker.fit(benchmark.visible()), benchmark=benchmark)

    assert recalled(ExactLinker().fit(benchmark.visible()), benchmark=benchmark) == 0.5
    assert tuned_for(1, 1e-12) < 0.6 and tuned_for(120, 5e-3) > 0.9


@pytest.mark.parametrize("kind", [TunedLinker, CosinesLinker])
def test_a_training_goes_on_from_its_checkpoints_and_leaves_them(kind, encoder, tmp_path):
    made = kind(encoder, steps=3, precision="fp32", progress=False)
    without = made.fit(VISIBLE, 1).weights
    steps = replace(made, checkpoints=tmp_path / "one").fit(VISIBLE, 1)
    assert [path.name for path in (tmp_path / "one").rglob("checkpoint-*")] == ["checkpoint-000000003"]
    again = replace(made, checkpoints=tmp_path / "one").fit(VISIBLE, 1)
    # What is done is not done again: the seconds, too, are those of the first time.
    assert again.trace == steps.trace and again.weights == steps.weights == without
    other = replace(made, checkpoints=tmp_path / "one")
    if kind is TunedLinker:  # has a folder for each choice of settings
        assert other.fit(VISIBLE, 2).weights != without
    else:
        with pytest.raises(ValueError, match="another config: seed is 1, expected 2"):
            other.fit(VISIBLE, 2)
