"""Packed records: the same as the loose ones, whenever they are packed and whatever happens meanwhile."""

import itertools
import json
import random
from dataclasses import fields, replace
from functools import partial
from pathlib import Path

import pytest
from killed import killed
from toy import BENCHMARK

from study.command import main as study
from study.lock import locked
from study.records import BrokenRecord, Record, Store, linking_record, packed, show, strata_record, verify
from study.records import pack as module
from study.records.pack import pack
from study.systems import ExactLinker, TfidfLinker

TRACE = [{"step": 1, "loss": 0.5, "dev_score": None}, {"step": 2, "loss": 0.1, "dev_score": 0.25}]


class Trained(ExactLinker):
    name, weights, trace = "trained", "abc", TRACE


@pytest.fixture
def store(tmp_path) -> Store:
    """Loose records of every kind: runs on two splits, one of them trained, kinds of mentions, and values."""
    store = Store(tmp_path / "records")
    for linker, split in itertools.product((ExactLinker(), TfidfLinker()), ("test", "dev")):
        linking_record(linker, BENCHMARK, store, split=split)
    trained = linking_record(Trained(), BENCHMARK, store)
    # Two of an older form, whose trace is that of the first where the weights agree, and one of its training.
    for seed, more, trace in (
        (1, {"fitted_for": trained.stem}, None),
        (2, {"fitted_for": trained.stem, "weights": "others"}, None),
        (3, {"training": "0123456789abcdef"}, TRACE),
    ):
        inputs = {**trained.inputs, "seed": seed}
        store.write(replace(trained, inputs=inputs, made=trained.made | more, trace=trace))
    strata_record(BENCHMARK, store)
    inputs = {"name": "size", "version": "1", "dataset": "toy", "transforms": []}
    store.write(Record(inputs, {}, values={"long": ["é", 1.5, None], "n": 2**40}))
    return store


def content(store: Store) -> dict[str, list]:
    """Everything that the records of a store say, numbers with their types and arrays byte by byte."""
    found = {}
    for record in store:
        verify(record)
        said = [repr(getattr(record, of)) for of in ("inputs", "made", "counts", "values", "trace")]
        said.append(sorted(repr(sorted(metric.items())) for metric in record.metrics))
        if (of := record.outcomes) is not None:
            arrays = [getattr(of, name.name) for name in fields(of) if name.name != "counts"]
            said += [(a.dtype, a.shape, a.tolist() if a.dtype == object else a.tobytes()) for a in arrays]
        if record.strata is not None:
            said += [record.strata.dtypes.to_dict(), record.strata.to_dict("list")]
        found[record.stem] = said
    return found


def files(store: Store) -> dict[str, int]:
    return {str(path.relative_to(store.folder)): path.stat().st_ino for path in store.folder.rglob("*.*")}


def test_a_packed_record_is_the_loose_one(store):
    before, inputs = content(store), [record.inputs for record in store]
    checksums = [record.checksum for record in store]
    assert [len(record.trace) for record in store if record.inputs["name"] == "trained"] == [2, 2, 0, 2]
    assert pack(store) == 10
    entries = store.packed.entries.values()
    assert [entry["parts"]["traces"]["rows"] for entry in entries if "traces" in entry["parts"]] == [2, 2]
    assert len(packed._table(store.packed, "traces.parquet")) == 2  # of one training
    assert content(Store(store.folder)) == before and list(before) == [record.stem for record in store]
    assert [record.checksum for record in store] == checksums
    assert not list(store.folder.glob("new/*")) and len(files(store)) == 1 + 2 + 5
    for of in inputs:
        assert store.has(of) and store.find(of).inputs == of
    again = files(store)
    assert pack(store) == 0
    assert files(store).keys() == again.keys()
    assert {name for name, inode in files(store).items() if again[name] != inode} == {"index.jsonl"}


def test_the_index_says_what_a_listing_needs(store):
    pack(store)
    head, *lines = map(json.loads, (store.folder / "index.jsonl").read_text().splitlines())
    assert head["format"] == 6 and len(lines) == 10
    for line, record in zip(lines, store, strict=True):
        assert (line["key"], line["inputs"], line["made"]) == (record.key, record.inputs, record.made)
        assert line.get("counts", {}) == record.counts
        for scoring, value in line.get("recall@1", {}).items():
            assert record.metric("recall@1", scoring)["value"] == value
    assert sum("recall@1" in line for line in lines) == 8


def test_a_new_record_stands_before_the_packed_one_and_takes_its_place(store):
    pack(store)
    before, files_before = content(store), files(store)
    exact, tfidf = (linking_record(linker, BENCHMARK, store) for linker in (ExactLinker(), TfidfLinker()))
    tfidf = replace(tfidf, made=exact.made)  # of one date: of two editions the later one stays
    store.write(replace(tfidf, inputs=exact.inputs))
    assert store.find(exact.inputs).metrics == tfidf.metrics != exact.metrics
    assert len(list(store)) == len(before)
    expected = content(store)
    assert pack(store) == 1 and content(store) == expected != before
    # The files of other splits and parts stay as they are.
    kept = [name for name, inode in files(store).items() if files_before.get(name) == inode]
    assert {name.rsplit(".", 2)[0] for name in kept} == {
        "layouts", "outcomes/toy.dev", "strata", "traces", "values",
    }  # fmt: skip
    assert len(files(store)) == len(files_before)


def test_records_of_another_folder_are_packed_where_they_are_newer(store, tmp_path):
    other = Store(tmp_path / "other" / "records")
    first = next(record for record in store if record.counts)
    for seed, date in ((first.inputs["seed"], "2020"), (7, "2030")):
        inputs = {**first.inputs, "seed": seed}
        other.write(replace(first, inputs=inputs, made=first.made | {"date": date}))
    assert pack(store, [other.folder]) == 12 and len(list(store)) == 11
    assert store.find(first.inputs).made == first.made
    assert len(list(other.folder.glob("new/*.json"))) == 2
    with pytest.raises(FileNotFoundError, match="other: expected a folder of records, with new or index"):
        pack(store, [other.folder.parent])


def test_large_layouts_are_cut_by_runs_and_large_splits_into_files(store, monkeypatch):
    before = content(store)
    monkeypatch.setattr(module, "_ROWS", 16)
    monkeypatch.setattr(module, "LIMIT", 7_000)
    pack(store)
    assert content(store) == before
    names = {path.name.rsplit(".", 2)[0] for path in store.folder.glob("outcomes/*")}
    assert {"toy.dev", "toy.test.1", "toy.test.2"} <= names
    monkeypatch.setattr(module, "LIMIT", 700)
    linking_record(ExactLinker(), BENCHMARK, store, seed=5)
    with pytest.raises(ValueError, match=r"toy.test.1.parquet has .* bytes, over 700; nothing was replaced"):
        pack(store)
    assert {stem: said for stem, said in content(store).items() if "seed5" not in stem} == before


def test_nothing_is_packed_while_records_are_made(store):
    before = files(store)
    with locked(store.trainings / "0123456789abcdef.lock"), pytest.raises(OSError, match="are being made"):
        pack(store)
    assert files(store) == before


def test_packing_killed_at_any_point_loses_nothing(store, monkeypatch):
    exact, tfidf = (linking_record(linker, BENCHMARK, store) for linker in (ExactLinker(), TfidfLinker()))
    tfidf = replace(tfidf, made=exact.made)  # of one date: of two editions the later one stays
    trained, size = linking_record(Trained(), BENCHMARK, store), next(r for r in store if "n" in r.values)
    pack(store)
    for names in (vars(module), globals()):  # checked in other tests: here it takes time
        monkeypatch.setitem(names, "verify", lambda record: None)
    for after in itertools.count():  # each time every file is another one
        store.write(replace((exact, tfidf)[after % 2], inputs=exact.inputs))
        store.write(replace(trained, trace=[{"step": after, "loss": 0.5}]))
        store.write(replace(size, values={"n": after}))
        before = content(store)
        ended = not killed(partial(pack, store), after)
        assert content(Store(store.folder)) == before
        if ended:
            break
    assert after > 20 and not list(store.folder.glob("new/*")) and len(files(store)) == 1 + 2 + 5


def test_every_byte_of_every_packed_file_counts(store):
    pack(store)
    rng = random.Random(0)
    for path in sorted(path for path in store.folder.rglob("*") if path.is_file()):
        whole = path.read_bytes()
        for _ in range(5):
            changed = bytearray(whole)
            changed[rng.randrange(len(whole))] ^= rng.randrange(1, 256)
            for data in (bytes(changed), whole[: rng.randrange(len(whole))], whole + b"\n"):
                path.write_bytes(data)
                with pytest.raises(BrokenRecord, match=f"{path.name}.*restore it from version control"):
                    read_all(store)
        path.unlink()
        if path.name != "index.jsonl":
            with pytest.raises(BrokenRecord, match=f"{path.name} is missing"):
                read_all(store)
        path.write_bytes(whole)
    read_all(store)


def read_all(store: Store) -> None:
    """As another process would."""
    for cached in (packed._read, packed._table, packed._file, packed._group):
        cached.cache_clear()
    content(store)


def test_a_record_is_printed_by_its_key(store, monkeypatch, capsys):
    pack(store)
    record = next(record for record in store if record.inputs["name"] == "trained")
    monkeypatch.setattr(show, "published", lambda: store)
    monkeypatch.setattr(show, "local", lambda: Store(Path("nowhere")))
    assert study(["record", record.short_key]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert printed["key"] == record.key and printed["trace"]["loss"] == [0.5, 0.1]
    recall = record.metric("recall@1", "strict/names/any-of")
    assert printed["metrics"]["strict/names/any-of"]["recall@1"][0] == recall["value"]
    assert study(["record", "0000000000"]) == 1 and "no record" in capsys.readouterr().err
