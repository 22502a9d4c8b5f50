"""The published records: whole, small, closed, and equal to values computed independently of this code."""

import json
from pkgutil import resolve_name

import pandas as pd
import pytest

from benchlib.scoring import STRATA
from study.chapters.chapter import read_chapter
from study.corpora import load, registry
from study.measurements import MEASUREMENTS, measurement_inputs
from study.places import ROOT
from study.records import linking_record, published, strata_record, verify
from study.systems import linker

OPEN = tuple(read_chapter("datasets").datasets["open"])

STRICT, LENIENT = "strict/names/any-of", "lenient/names/any-of"

# An independent computation on the same files: names case-folded, multi-id gold any-of, NIL excluded, TF-IDF
# fitted on the distinct names, the encoder in bf16 with 32 tokens. Percent, strict and lenient.
REFERENCE = pd.read_csv(ROOT / "tests" / "data" / "reference_values.csv", keep_default_na=False)


@pytest.fixture(scope="module")
def records():
    return list(published())


def test_records_are_small_and_whole(records):
    packed = published().packed
    packed.check()
    files = {packed.folder / "index.jsonl", *map(packed.path_of, packed.files)}
    sizes = [path.stat().st_size for path in files]
    assert len(files) <= 50 and max(sizes) <= 8_000_000
    assert sum(sizes) <= 36_000 * len(packed.entries)
    assert len({record.key for record in records}) == len(records)
    there = {path for path in packed.folder.rglob("*") if path.is_file()}
    assert {path for path in there - files if path.parent.name != "new"} == set()  # of an older edition


def test_metrics_and_counts_follow_from_the_outcomes_of_every_record(records):
    # Those of one split follow on each other: they share their resamples.
    for record in sorted(
        records, key=lambda record: (record.inputs["dataset"], str(record.inputs.get("split")))
    ):
        verify(record)


def test_records_belong_to_the_data_that_the_registry_pins(records):
    for record in records:
        data = record.inputs["dataset"]
        if data == "mini":
            pinned = load("mini").fingerprint()
        elif data in registry.benchmarks():
            pinned = registry.benchmark(data).fingerprint
        else:
            pinned = registry.source(data).fingerprint()
        assert record.inputs["fingerprint"] == pinned, record.stem


@pytest.mark.parametrize(
    "dataset", ["ncbi-disease", "bc5cdr-disease", "bc5cdr-chemical", "bc2gn", "esappmod"]
)
def test_counts_of_the_data_come_out_again(dataset, records, data_folder):
    # A count keeps its key when its rule changes, so a record of the old rule would go on being shown.
    counted = {
        name: resolve_name(MEASUREMENTS[name].function)
        for name in ("card", "strings", "surface", "perturbed")
    }
    benchmark, found = load(dataset), set()
    for record in records:
        name = record.inputs["name"]
        if name in counted and record.inputs["dataset"] == dataset and not record.inputs["transforms"]:
            assert record.inputs == measurement_inputs(name, dataset)
            assert json.loads(json.dumps(counted[name](benchmark))) == record.values, record.stem
            found.add(name)
    assert found >= {"card", *(["strings"] if dataset == "esappmod" else [])}


@pytest.mark.parametrize(("dataset", "changes", "name", "strict", "lenient", "n"), REFERENCE.to_numpy())
def test_reference_values_come_out(dataset, changes, name, strict, lenient, n):
    record = linking_record(linker(name), dataset, published(), changes=changes.split(), compute="never")
    found = record.metric("recall@1", STRICT)
    assert found["n"] == n
    assert 100 * found["value"] == pytest.approx(strict, abs=0.3)
    if lenient:
        assert 100 * record.metric("recall@1", LENIENT)["value"] == pytest.approx(float(lenient), abs=0.3)


def test_the_kinds_of_medmentions_mentions_come_out():
    found = strata_record(
        "medmentions-st21pv", published(), changes=("only-names:train+dev",), compute="never"
    )
    shares = 100 * found.strata[list(STRATA)].mean()
    assert shares["several concepts"] == pytest.approx(27.9, abs=0.1)
    assert 100 - shares["no name"] == pytest.approx(58.5, abs=0.1)
    assert shares["seen concept"] == pytest.approx(77.4, abs=0.1)


def test_every_open_corpus_has_its_card_and_its_linkers(records):
    made = {(r.inputs["dataset"], r.inputs["name"]) for r in records if not r.inputs["transforms"]}
    names = {"card", "strata", "exact", "prior", "tfidf", "encoder"}
    names |= {"tfidf,ngrams=2-4,analyzer=char_wb", "encoder,pooling=cls"}
    assert {(dataset, name) for dataset in OPEN for name in names} <= made
