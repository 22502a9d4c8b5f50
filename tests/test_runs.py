"""Records: computed once, whole or not at all, and refused when they do not add up."""

import json
from dataclasses import replace

import numpy as np
import pytest
from toy import BENCHMARK, DEV_TELLS, ONTOLOGY, document

from benchlib.corpus import Corpus, Document, Mention
from benchlib.datasets.card import card
from benchlib.linkers import ExactLinker, PriorLinker, TfidfLinker
from benchlib.runs import MissingRecord, Store, kinds, measure, run
from benchlib.runs.store import BrokenRecord
from benchlib.scoring import Scoring, recall


@pytest.fixture
def store(tmp_path) -> Store:
    return Store(tmp_path)


class Counting(ExactLinker):
    """Exact match that counts how often it is fitted."""

    fits = 0

    def fit(self, benchmark, seed=0):
        type(self).fits += 1
        return super().fit(benchmark, seed)


class Spy(ExactLinker):
    """Exact match that keeps what it is given."""

    def fit(self, benchmark, seed=0):
        self.fitted = benchmark, seed
        return super().fit(benchmark, seed)

    def link(self, documents, k=64):
        self.linked = documents, k
        return super().link(documents, k)


def only(store: Store, ending: str):
    [path] = store.folder.glob(f"*{ending}")
    return path


def test_a_record_is_computed_once_and_then_loaded(store):
    Counting.fits = 0
    first = run(Counting(), BENCHMARK, store)
    again = run(Counting(), BENCHMARK, store)
    assert Counting.fits == 1
    assert again.key == first.key and again.metrics == first.metrics
    run(Counting(), BENCHMARK, store, compute="always")
    assert Counting.fits == 2


def test_what_is_read_is_what_was_written(store):
    made = run(TfidfLinker(), BENCHMARK, store)
    [read] = store
    for name in ("mention", "part", "wants", "needed", "above", "ties", "golds", "cluster"):
        assert (getattr(read.outcomes, name) == getattr(made.outcomes, name)).all(), name
    assert read.outcomes.top.tolist() == made.outcomes.top.tolist()
    assert read.outcomes.counts == made.outcomes.counts
    assert read.inputs == made.inputs and read.made == made.made


def test_metrics_are_those_of_the_outcomes(store):
    record = run(ExactLinker(), BENCHMARK, store)
    # By hand: of six scored mentions Cold is half right under strict, FEVER right.
    assert record.metric("recall@1", Scoring("strict", "names"))["value"] == pytest.approx(1.5 / 6, abs=1e-6)
    assert record.metric("recall@1", "lenient/names/any-of")["value"] == pytest.approx(2 / 6, abs=1e-6)
    assert recall(record.outcomes).mean() == pytest.approx(0.25)
    with pytest.raises(KeyError, match="recall@1"):
        record.metric("accuracy", "strict/names/any-of")


def test_fit_is_given_train_and_dev_and_nothing_of_test(store):
    secret = Corpus("toy test", (document("doc-77", ("plague", "OMIM:77")),))
    spy = Spy()
    run(spy, replace(BENCHMARK, test=secret), store, seed=5)
    given, seed = spy.fitted
    assert (given.train, given.dev, given.ontology) == (BENCHMARK.train, BENCHMARK.dev, ONTOLOGY)
    assert seed == 5 and given.test.n_raw == 0
    # All that can be reached from it is printed: strings of train are, those of test are not.
    assert "shivers" in repr(given)
    assert not [part for part in ("doc-77", "plague", "OMIM:77") if part in repr(given)]


@pytest.mark.parametrize("split", ["dev", "test"])
def test_link_is_given_spans_without_gold_or_type(store, split):
    spy = Spy()
    run(spy, BENCHMARK, store, split=split, k=3)
    documents, k = spy.linked
    assert k == 3
    assert list(documents) == [
        Document(d.id, d.text, tuple(Mention(m.start, m.end, m.text, type="", gold=None) for m in d.mentions))
        for d in BENCHMARK.split(split).documents
    ]


def test_dev_counts_as_seen_for_test_and_train_alone_for_dev(store):
    def told(split: str) -> list[list[int]]:
        found = kinds(DEV_TELLS, store, split=split).strata
        return found[["seen name", "seen concept", "refined"]].astype(int).to_numpy().tolist()

    # Ague and D3 (OMIM:3) stand in dev, chill and D2 in train and dev; grippe and D1 in neither.
    assert told("test") == [[1, 0, 0], [0, 1, 1], [1, 1, 0], [0, 0, 1]]
    # In train stand only chill and D2.
    assert told("dev") == [[0, 0, 1], [1, 1, 0], [0, 1, 1]]
    assert card(DEV_TELLS)["test.refined"] == 2


def test_never_does_not_compute_and_says_what_would(store):
    with pytest.raises(MissingRecord, match="python -m benchlib.runs toy --name exact"):
        run(ExactLinker(), BENCHMARK, store, compute="never")
    assert not list(store.folder.iterdir())
    with pytest.raises(ValueError, match="missing, never, always"):
        run(ExactLinker(), BENCHMARK, store, compute="perhaps")


@pytest.mark.parametrize(
    "other",
    [
        {"system": PriorLinker(("train", "dev"))},
        {"seed": 1},
        {"split": "dev"},
        {"k": 3},
        {"dataset": replace(BENCHMARK, train=BENCHMARK.dev, dev=BENCHMARK.train)},
        {"dataset": replace(BENCHMARK, cluster="gold")},
    ],
    ids=str,
)
def test_every_input_is_part_of_the_key(store, other):
    inputs = {"system": PriorLinker(), "dataset": BENCHMARK, **other}
    system, dataset = inputs.pop("system"), inputs.pop("dataset")
    assert run(system, dataset, store, **inputs).key != run(PriorLinker(), BENCHMARK, store).key


def test_a_new_version_supersedes_the_old_record(store):
    run(ExactLinker(), BENCHMARK, store)
    changed = ExactLinker()
    changed.version = "2"
    run(changed, BENCHMARK, store)
    assert len(store.paths()) == 1 and len(list(store.folder.glob("*.parquet"))) == 1
    assert json.loads(store.paths()[0].read_text())["inputs"]["version"] == "2"


def test_a_measurement_is_a_record_too(store):
    record = measure("size", lambda benchmark, least: {"names": 6, "least": least}, BENCHMARK, store,
                     arguments={"least": 2})  # fmt: skip
    assert record.values == {"names": 6, "least": 2}
    [read] = store
    assert read.values == record.values and read.metrics == ()


def edit(path, change) -> None:
    content = json.loads(path.read_text())
    change(content)
    path.write_text(json.dumps(content))


@pytest.mark.parametrize(
    ("break_it", "message"),
    [
        (lambda s: only(s, ".json").write_text(only(s, ".json").read_text()[:-50]), "not a whole record"),
        (lambda s: only(s, ".json").write_bytes(b"\xff\xfe"), "not a whole record"),
        (lambda s: only(s, ".parquet").unlink(), "missing"),
        (lambda s: only(s, ".parquet").write_bytes(only(s, ".parquet").read_bytes()[:-9]), "not what"),
        (lambda s: edit(only(s, ".json"), lambda c: c["inputs"].update(seed=7)), "does not follow"),
        (lambda s: edit(only(s, ".json"), lambda c: c["metrics"][0].update(value=0.99)), "does not follow"),
        (lambda s: edit(only(s, ".json"), lambda c: c["metrics"].pop()), "66 derived"),
        (lambda s: edit(only(s, ".json"), lambda c: c.update(format=99)), "format 99"),
        (lambda s: edit(only(s, ".json"), lambda c: c.pop("made")), "not a whole record"),
    ],
    ids=["truncated", "not text", "no outcomes", "cut outcomes", "edited input", "edited metric",
         "metric removed", "other format", "no provenance"],
)  # fmt: skip
def test_a_broken_record_is_refused_by_name(store, break_it, message):
    run(ExactLinker(), BENCHMARK, store)
    break_it(store)
    with pytest.raises(BrokenRecord, match=message) as error:
        list(store)
    assert str(error.value).startswith("exact--toy--test--seed0--")


def test_a_failed_write_leaves_nothing_that_looks_whole(store, monkeypatch):
    record = run(ExactLinker(), BENCHMARK, store)
    with pytest.raises(ValueError, match="over 300,000"):
        store.write(replace(record, made={**record.made, "note": "x" * 400_000}))
    assert [r.key for r in store] == [record.key]


def test_a_record_holds_no_text_of_the_corpus(store):
    run(ExactLinker(), BENCHMARK, store)
    content = b"".join(path.read_bytes() for path in store.folder.iterdir())
    assert b"shivers" not in content and b"ague" not in content


def test_the_trace_of_a_training_is_kept(store):
    class Trained(ExactLinker):
        trace = ({"step": 1, "seconds": 0.5, "loss": 2.0, "gradient_norm": 1.0, "dev": np.nan},)

    run(Trained(), BENCHMARK, store)
    [read] = store
    assert read.trace[0]["loss"] == 2.0


def test_the_command_line_makes_runs_measurements_and_errors_by_name(tmp_path, monkeypatch, capsys):
    from benchlib.runs import __main__ as command

    monkeypatch.setattr(command, "published", lambda: Store(tmp_path))
    assert command.main(["mini", "--name", "exact", "--name", "strings", "--name", "errors:exact"]) == 0
    names = [record.inputs["name"] for record in Store(tmp_path)]
    assert sorted(names) == ["errors:exact", "exact", "strings"]
    examples = {record.inputs["name"]: record.values for record in Store(tmp_path)}["errors:exact"]
    assert all(len(row) == 3 for rows in examples.values() for row in rows) and any(examples.values())
    for wrong in ("errors:nothing", "cosines,layer=1", "string"):
        with pytest.raises(SystemExit):
            command.main(["mini", "--name", wrong])
        assert "argument --name" in capsys.readouterr().err
