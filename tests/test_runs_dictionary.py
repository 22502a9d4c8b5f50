"""A linker that learns from dictionary and unlabelled text trains once for all data sets that have both."""

import numpy as np
import pytest

from benchlib.corpus import Corpus, Document
from study.corpora import exclusion, load, registry, transforms
from study.records import linking_inputs, trainings_of
from study.systems import linker
from study.systems.training_names import name_concept_pairs

HALF = ("ncbi-disease-biocom", "bc5cdr-disease-biocom", "medmentions-disease-biocom")
POOL = f"unlabelled:unlabelled-pubmed:{'+'.join(HALF)}"


def key(name, dataset, *changes, **more):
    [found] = trainings_of(linker(name), linking_inputs(linker(name), dataset, changes=changes, **more))
    return found


def test_what_has_one_dictionary_and_one_text_has_one_training():
    assert (
        len({key("biocom", dataset, POOL, split=split) for dataset in HALF for split in ("dev", "test")}) == 1
    )
    assert len({key("sapbert", dataset) for dataset in HALF}) == 1
    shared = {
        key("sapbert", dataset, "sample-names:0.5:0") for dataset in ("bc5cdr-disease", "medmentions-disease")
    }
    assert len(shared) == 1


@pytest.mark.parametrize(
    ("name", "changes"),
    [
        ("tuned", ()),  # learns from training mentions, too
        ("sapbert", ("add-names:train",)),
        ("biocom", ("unlabelled:train",)),
        ("biocom", (f"unlabelled:train:{'+'.join(HALF)}",)),
        ("biocom", ("unlabelled:unlabelled-pubmed",)),  # each without its own test documents
        ("biocom", ("unlabelled:unlabelled-pubmed:mini",)),
    ],
)
def test_what_differs_between_data_sets_has_a_training_for_each(name, changes):
    assert len({key(name, dataset, *changes) for dataset in HALF}) == len(HALF)


FOUR = ("ncbi-disease", "bc5cdr-disease", "bc5cdr-chemical", "medmentions-st21pv")


def test_a_universal_training_is_that_of_data_sets_with_other_dictionaries():
    text = f"unlabelled:unlabelled-pubmed:{'+'.join(FOUR)}"
    indexes = ("", ",prototypes=both", ",prototypes=none,bare_names=True,per_name=3")
    shared = {
        key(f"krissbert,learns=universal{index}", dataset, text, split=split)
        for index in indexes
        for dataset in FOUR
        for split in ("dev", "test")
    }
    assert len(shared) == 1
    # Each without its own test documents alone, or with other names, it is another one.
    alone = {key("krissbert,learns=universal", dataset, "unlabelled:unlabelled-pubmed") for dataset in FOUR}
    others = {key("krissbert", dataset, text) for dataset in FOUR}
    preferred = key("krissbert,learns=universal,names=preferred", "ncbi-disease", text)
    assert len(alone) == len(others) == 4 and len({*shared, *alone, *others, preferred}) == 10


@pytest.mark.parametrize(
    ("name", "text", "n"),
    [
        ("krissbert", f"unlabelled:unlabelled-pubmed:{'+'.join(FOUR)}", 1),
        ("krissbert", "unlabelled:unlabelled-pubmed", 4),  # each without its own test documents
        ("krissbert,prototypes=both", f"unlabelled:unlabelled-pubmed:{'+'.join(FOUR)}", 4),
        ("krissbert,learns=train,prototypes=train", f"unlabelled:unlabelled-pubmed:{'+'.join(FOUR)}", 4),
    ],
)
def test_with_one_dictionary_for_all_a_training_is_shared_unless_it_has_training_mentions(name, text, n):
    assert len({key(name, dataset, "universal", text) for dataset in FOUR}) == n


def test_another_dictionary_draw_or_seed_is_another_training():
    keys = [key("sapbert", "bc5cdr-disease-biocom"), key("sapbert", "bc5cdr-disease")]
    keys += [
        key("sapbert", "bc5cdr-disease", f"sample-names:{what}") for what in ("0.5:0", "0.5:1", "0.25:0")
    ]
    keys += [key("sapbert", "bc5cdr-disease", seed=1), key("sapbert", "ncbi-disease")]
    assert len(set(keys)) == len(keys)


def test_the_dictionaries_of_the_registry_are_those_that_are_parsed(data_folder):
    found = {id: entry.dictionary for id, entry in registry.benchmarks().items() if entry.dictionary}
    assert set(HALF) < set(found)
    for id, pinned in found.items():
        assert load(id, folder=data_folder).ontology.fingerprint() == pinned


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
