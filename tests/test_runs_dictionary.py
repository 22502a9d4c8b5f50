"""A linker that learns from dictionary and unlabelled text trains once for all data sets that have both."""

import numpy as np
import pytest

from benchlib.corpus import Corpus, Document
from study.corpora import exclusion, load, transforms
from study.records import linking_inputs, trainings_of
from study.systems import linker
from study.systems.training_names import name_concept_pairs

HALF = ("ncbi-disease-biocom", "bc5cdr-disease-biocom", "medmentions-disease-biocom")
POOL = f"unlabelled:unlabelled-pubmed:{'+'.join(HALF)}"
FOUR = ("ncbi-disease", "bc5cdr-disease", "bc5cdr-chemical", "medmentions-st21pv")
FOUR_POOL = f"unlabelled:unlabelled-pubmed:{'+'.join(FOUR)}"


def key(name, dataset, *changes, **more):
    [found] = trainings_of(linker(name), linking_inputs(linker(name), dataset, changes=changes, **more))
    return found


@pytest.mark.parametrize(
    ("name", "datasets", "changes", "n"),
    [
        ("biocom", HALF, (POOL,), 1),
        ("sapbert", HALF, (), 1),
        ("sapbert", ("bc5cdr-disease", "medmentions-disease"), ("sample-names:0.5:0",), 1),
        ("tuned", HALF, (), 3),  # learns from training mentions, too
        ("sapbert", HALF, ("add-names:train",), 3),
        ("biocom", HALF, ("unlabelled:train",), 3),
        ("biocom", HALF, (f"unlabelled:train:{'+'.join(HALF)}",), 3),
        ("biocom", HALF, ("unlabelled:unlabelled-pubmed",), 3),  # each without its own test documents
        ("biocom", HALF, ("unlabelled:unlabelled-pubmed:mini",), 3),
        ("krissbert", FOUR, ("universal", FOUR_POOL), 1),
        ("krissbert", FOUR, ("universal", "unlabelled:unlabelled-pubmed"), 4),
        ("krissbert,prototypes=both", FOUR, ("universal", FOUR_POOL), 4),  # of training mentions
        ("krissbert,learns=train,prototypes=train", FOUR, ("universal", FOUR_POOL), 4),
    ],
)
def test_what_learns_from_one_dictionary_and_one_text_has_one_training(name, datasets, changes, n):
    keys = {key(name, of, *changes, split=split) for of in datasets for split in ("dev", "test")}
    assert len(keys) == n


def test_a_universal_training_is_that_of_data_sets_with_other_dictionaries():
    indexes = ("", ",prototypes=both", ",prototypes=none,bare_names=True,per_name=3")
    shared = {
        key(f"krissbert,learns=universal{index}", dataset, FOUR_POOL, split=split)
        for index in indexes
        for dataset in FOUR
        for split in ("dev", "test")
    }
    assert len(shared) == 1
    # Each without its own test documents alone, or with other names, it is another one.
    alone = {key("krissbert,learns=universal", dataset, "unlabelled:unlabelled-pubmed") for dataset in FOUR}
    others = {key("krissbert", dataset, FOUR_POOL) for dataset in FOUR}
    preferred = key("krissbert,learns=universal,names=preferred", "ncbi-disease", FOUR_POOL)
    assert len(alone) == len(others) == 4 and len({*shared, *alone, *others, preferred}) == 10


def test_another_dictionary_draw_or_seed_is_another_training():
    keys = [key("sapbert", "bc5cdr-disease-biocom"), key("sapbert", "bc5cdr-disease")]
    keys += [
        key("sapbert", "bc5cdr-disease", f"sample-names:{what}") for what in ("0.5:0", "0.5:1", "0.25:0")
    ]
    keys += [key("sapbert", "bc5cdr-disease", seed=1), key("sapbert", "ncbi-disease")]
    assert len(set(keys)) == len(keys)


def test_text_is_left_out_that_any_of_the_data_sets_tests(tmp_path, monkeypatch):
    rng = np.random.default_rng(0)
    texts = {name: "".join(rng.choice(list("abcdefgh"), 80)) for name in ("own", "other", "free")}
    lines = (f'{{"id": "{name}", "text": "{text}"}}\n' for name, text in texts.items())
    (tmp_path / "pool.jsonl").write_text("".join(lines))
    mini = load("mini")

    def tested(name):
        document = Document("0", texts[name])
        return transforms.replace(mini, name=name, test=Corpus("test", (document,)))

    monkeypatch.setattr("study.corpora.load", tested)
    alone = transforms.apply(tested("own"), [f"unlabelled:{tmp_path}"])
    both = transforms.apply(tested("own"), [f"unlabelled:{tmp_path}:own+other"])
    assert alone.unlabelled.excluded == {"pool:1"}
    assert both.unlabelled.excluded == {"pool:1", "pool:2"} and both.unlabelled.source == str(tmp_path)
    assert exclusion.source_and_others("train") == ("train", ())


def test_a_folder_called_train_is_no_text_of_ones_own(tmp_path, monkeypatch):
    (tmp_path / "train").mkdir()
    monkeypatch.chdir(tmp_path)
    assert transforms.texts_of(["unlabelled:train", "titles"]) == {}


def test_sapbert_learns_no_mention():
    mini = load("mini")
    names = set(name_concept_pairs(mini, mentions=False))
    dictionary = {(name, id) for name, ids in mini.ontology.owners().items() for id in ids}
    assert names == dictionary < set(name_concept_pairs(mini))
