"""Records on disk: whole or not there, whatever happens to the files or to who writes them."""

import hashlib
import itertools
import json
import os
import random
import time
from dataclasses import fields, replace
from functools import partial
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from killed import child, end, killed
from toy import BENCHMARK

from benchlib.scoring.outcomes import ORDERS
from study.records import BrokenRecord, Record, Store, linking_record, strata_record, verify
from study.records.outcomes import outcomes_in_table, table_of_outcomes
from study.systems import ExactLinker, TfidfLinker

HEAD = '{\n "format": 5,\n "sha256": "'
SCORING = "strict/names/any-of"


@pytest.fixture
def record(store) -> Record:
    class Trained(ExactLinker):
        trace = (
            {"step": 1, "seconds": 0.5, "loss": 2.0, "gradient_norm": np.float32(1), "dev_score": np.nan},
        )

    return linking_record(Trained(), BENCHMARK, store)


def signed(content: dict) -> bytes:
    """A record's JSON with a checksum that is right, as somebody would write it who wanted to deceive."""
    rest = {name: value for name, value in content.items() if name not in ("format", "sha256")}
    body = '",\n ' + json.dumps(rest)[1:] + "\n"
    return (HEAD + hashlib.sha256(body.encode()).hexdigest() + body).encode()


def refused(store: Store, path: Path) -> str:
    """Reads and verifies; the message with which it is refused, "" if it is not."""
    try:
        verify(store.read(path))
    except BrokenRecord as error:
        assert path.stem[:8] in str(error) and "run again" in str(error)
        return str(error)
    return ""


def test_what_is_read_is_what_was_written(store):
    made = linking_record(TfidfLinker(), BENCHMARK, store)
    fitted = TfidfLinker().fit(BENCHMARK.visible())
    from benchlib.scoring import outcomes

    corpus = BENCHMARK.test
    expected = outcomes(fitted.link(corpus.hidden().documents, 64), corpus, BENCHMARK.ontology, "document")
    [read] = store
    for name in {field.name for field in fields(expected)} - {"counts", "top_score"}:
        assert getattr(read.outcomes, name).tolist() == getattr(expected, name).tolist(), name
    assert read.outcomes.counts == expected.counts and read.strata is None
    assert read == made and read.path == ""


def test_a_place_that_repeats_that_of_the_order_before_is_stored_once(store, record):
    made = record.outcomes
    n = len(made.mention)
    orders = np.tile(np.arange(n)[:, None], 4)  # names, rows, concepts, votes
    orders[0, 1] = orders[0, 2] = 9  # rows differ from names, concepts are as rows, votes as names again
    table = table_of_outcomes(replace(made, n_better=orders, n_tied=np.ones((n, 4), int)))
    there = table.column_names
    assert [name for name in there if "_" in name and name != "top_score"] == [
        *("above_names", "above_rows", "above_votes", "ties_names"),
        *(f"golds_{order}" for order in ORDERS if f"golds_{order}" in there),
    ]
    read = outcomes_in_table(table, made.counts)
    assert read.n_better.tolist() == orders.tolist() and (read.n_tied == 1).all()
    assert read.n_tied_gold.tolist() == made.n_tied_gold.tolist()
    with pytest.raises(KeyError, match="above_names"):
        outcomes_in_table(table.drop_columns("above_names"), made.counts)


def test_strata_are_kept_too(store):
    from benchlib.scoring import strata

    strata_record(BENCHMARK, store)
    [read] = store
    expected = strata(BENCHMARK.test, BENCHMARK.ontology, (BENCHMARK.train, BENCHMARK.dev))
    assert read.strata.to_dict("list") == expected.to_dict("list") and read.outcomes is None


def test_the_file_says_its_own_checksum_and_that_of_its_table(store, record):
    path = store.path_of(record.inputs)
    text = path.read_text()
    content = json.loads(text)
    assert content["format"] == 5 and content["key"] == record.key
    assert content["sha256"] == hashlib.sha256(text[len(HEAD) + 64 :].encode()).hexdigest()
    table = path.with_name(content["table"]["name"])
    assert content["table"]["sha256"] == hashlib.sha256(table.read_bytes()).hexdigest()
    assert table.name == f"{path.stem}.{content['table']['sha256'][:8]}.parquet"
    assert sorted(path.parent.iterdir()) == sorted([path, table])
    assert content["trace"] == {
        "step": [1], "seconds": [0.5], "loss": [2.0], "gradient_norm": [1.0], "dev_score": [None],
    }  # fmt: skip
    assert store.read(path).trace == ({name: one for name, [one] in content["trace"].items()},)


def test_an_older_record_has_its_trace_in_the_one_that_trained(store, record):
    inputs, made = {**record.inputs, "seed": 1}, {**record.made, "fitted_for": record.stem}
    path = store.write(replace(record, inputs=inputs, made=made))
    assert "trace" not in json.loads(path.read_text())
    assert store.find(inputs).trace == record.trace and len(record.trace) == 1
    # Another training in the place of the first, or none: its trace is not that of the older record.
    store.write(replace(record, made={**record.made, "weights": "others"}))
    assert store.find(inputs).trace == ()
    store.path_of(record.inputs).unlink()
    assert store.find(inputs).trace == () and store.find(inputs).outcomes is not None


def test_a_record_holds_no_text_of_the_corpus(store, record):
    path = store.path_of(record.inputs)
    content = path.read_text()
    table = pq.read_table(path.with_name(json.loads(content)["table"]["name"])).to_pydict()
    assert table and not any(text in f"{content}{table}" for text in ("shivers", "ague"))


def test_every_byte_and_every_length_counts(store, record):
    path = store.path_of(record.inputs)
    [table] = path.parent.glob("*.parquet")
    rng = random.Random(0)
    for file, tries in ((path, 1500), (table, 300)):
        whole = file.read_bytes()
        for _ in range(tries):
            changed = bytearray(whole)
            changed[rng.randrange(len(whole))] ^= rng.randrange(1, 256)
            file.write_bytes(changed)
            assert refused(store, path)
        for n in {0, 1, len(whole) - 1, *(rng.randrange(len(whole)) for _ in range(100))}:
            file.write_bytes(whole[:n])
            assert refused(store, path)
        for other in (whole + b"\n", b"\xff\xfe" + whole, b"[]", b"null", b"\xff", b"[" * 100_000):
            file.write_bytes(other)
            assert refused(store, path)
        file.write_bytes(whole)
    assert not refused(store, path)


def changed_at(content: dict, at: tuple, value) -> dict:
    copy = json.loads(json.dumps(content))
    inner = copy
    for name in at[:-1]:
        inner = inner[name]
    if value is None:
        inner.pop(at[-1]) if isinstance(inner, list) else inner.pop(at[-1], None)
    else:
        inner[at[-1]] = value
    return copy


PLACES = [
    *("key", "made", "trace", "trace.step", "unknown", "table", "table.name", "table.sha256"),
    *("inputs", "inputs.name", "inputs.dataset", "inputs.config", "inputs.transforms", "inputs.k"),
    *("counts", "counts.n_raw", "counts.n_scored", "counts.dropped", "metrics"),
    *(f"metrics.{SCORING}{inside}" for inside in ("", ".recall@1", ".recall@1.0", ".recall@1.3")),
]
WRONG = [None, [], {}, 7, 0.5, "x", [[]], [1], {"a": "b"}, True, -1]
# A record may lack a trace or a column of it, and nothing says what a provenance is made of.
RIGHT = {"trace": [None, {}], "trace.step": [None], "made": [{}, {"a": "b"}], "unknown": [None]}


@pytest.mark.parametrize("place", PLACES)
def test_wrong_types_are_refused_under_a_checksum_that_is_right(store, record, place):
    path = store.path_of(record.inputs)
    content = json.loads(path.read_text())
    at = tuple(int(name) if name.isdigit() else name for name in place.split("."))
    path.write_bytes(signed(content))
    assert not refused(store, path)
    for value in WRONG:
        edited = changed_at(content, at, value)
        if value not in RIGHT.get(place, []) and edited != content:
            path.write_bytes(signed(edited))
            assert refused(store, path), value


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity", "01", "1e", "0x1"])
def test_what_is_no_number_is_refused(store, record, number):
    path = store.path_of(record.inputs)
    body = path.read_text()[len(HEAD) + 64 :].replace('"seconds": [0.5]', f'"seconds": [{number}]')
    path.write_text(HEAD + hashlib.sha256(body.encode()).hexdigest() + body)
    assert "not a whole record" in refused(store, path)


def test_counts_that_do_not_close_are_refused_on_reading_and_on_writing(store, record):
    path = store.path_of(record.inputs)
    content = json.loads(path.read_text())
    content["counts"]["n_raw"] += 1
    path.write_bytes(signed(content))
    with pytest.raises(BrokenRecord, match="counts"):
        store.read(path)
    with pytest.raises(BrokenRecord, match="counts.*6 mentions scored"):
        store.write(replace(record, counts=content["counts"]))
    # They close, but they are not those of the outcomes.
    content["counts"]["n_scored"] += 1
    path.write_bytes(signed(content))
    assert "6 mentions scored" in refused(store, path)


def test_metrics_are_a_cache_that_is_verified(store, record):
    path = store.path_of(record.inputs)
    content = json.loads(path.read_text())
    content["metrics"][SCORING]["recall@1"][0] += 1e-6  # less than one mention in any corpus
    path.write_bytes(signed(content))
    read = store.read(path)
    with pytest.raises(BrokenRecord, match="recall@1.*does not follow from the outcomes"):
        verify(read)
    with pytest.raises(BrokenRecord, match="does not follow"):
        store.write(read)
    with pytest.raises(BrokenRecord, match="65 metrics, 66 derived"):
        verify(replace(record, metrics=record.metrics[1:]))


def test_a_table_that_is_gone_or_another_ones_is_refused(store, record):
    path = store.path_of(record.inputs)
    content = json.loads(path.read_text())
    table = path.with_name(content["table"]["name"])
    whole = table.read_bytes()
    table.unlink()
    assert "is missing" in refused(store, path)
    # Under names and checksums that are right, and no table at all, or one of something else.
    other = Store(store.folder.parent / "other")
    strata_record(BENCHMARK, other)
    [strata] = other.folder.glob("new/*.parquet")
    for data in (b"no table", whole[:-9], whole[: len(whole) // 2] + whole[-200:], strata.read_bytes()):
        sha256 = hashlib.sha256(data).hexdigest()
        named = {"name": f"{path.stem}.{sha256[:8]}.parquet", "sha256": sha256}
        path.with_name(named["name"]).write_bytes(data)
        path.write_bytes(signed(content | {"table": named}))
        assert "table cannot be read" in refused(store, path)
        path.write_bytes(signed(content | {"table": named | {"name": "../" + named["name"]}}))
        assert "not a whole record" in refused(store, path)


def test_a_record_is_found_by_the_first_digits_of_its_key_and_no_pattern(store, record):
    for name in (record.stem, record.key, record.key[:8]):
        assert store.named(name).key == record.key
    assert [store.named(name) for name in (record.key[:7], "????????", "0" * 64)] == [None] * 3
    (store.folder / "new" / f"{record.key[:12]}{'0' * 52}.json").touch()
    with pytest.raises(ValueError, match=f"{record.key[:8]}: expected the first digits of one key"):
        store.named(record.key[:8])


def test_a_file_under_the_name_of_another_record_is_refused(store, record):
    other = store.path_of(linking_record(ExactLinker(), BENCHMARK, store, seed=1).inputs)
    other.write_bytes(store.path_of(record.inputs).read_bytes())
    assert f"its inputs are those of {record.key}" in refused(store, other)
    with pytest.raises(FileNotFoundError):
        store.read(store.folder / "none.json")


def test_a_record_over_the_limit_replaces_nothing(store, record):
    before = {path: path.read_bytes() for path in store.folder.glob("new/*")}
    with pytest.raises(ValueError, match=r"exact--toy.* bytes, over 300,000; nothing was replaced"):
        store.write(replace(record, made={**record.made, "note": "x" * 300_000}))
    with pytest.raises(ValueError, match="over 300,000"):
        store.write(replace(record, table=pa.table({"x": [os.urandom(300_000)]})))
    assert {path: path.read_bytes() for path in store.folder.glob("new/*")} == before


@pytest.fixture
def both(record, monkeypatch) -> list[Record]:
    """Two results of one computation: their tables differ, and each says in ``made`` which it is."""
    scores, note = record.outcomes.top_score, "x" * 20_000
    found = [
        Record.of_outcomes(
            record.inputs, {"edition": i, "note": note}, replace(record.outcomes, top_score=scores + i)
        )
        for i in (0, 1)
    ]
    for one in found:
        verify(one)
    monkeypatch.setattr("study.records.store.verify", lambda record: None)  # more time for writing
    return found


def edition(store: Store, both: list[Record]) -> int:
    """Which of both the only record of a store is, whole."""
    [record] = store
    expected = both[record.made["edition"]]
    assert record.made == expected.made and record.metrics == expected.metrics
    assert (record.outcomes.top_score == expected.outcomes.top_score).all()
    return record.made["edition"]


def go_on_writing(store: Store, both: list[Record]) -> None:
    rng = random.Random(os.getpid())
    while True:
        store.write(rng.choice(both))


def test_a_writer_killed_at_any_point_leaves_the_old_record_or_the_new_one(store, both):
    states = []
    for first in (0, 1):
        for after in itertools.count():
            store.write(both[first])
            if not killed(partial(store.write, both[1 - first]), after):
                break
            states.append(edition(store, both) == first)
    # And at any moment at all.
    for _ in range(40):
        writer = child(partial(go_on_writing, store, both))
        time.sleep(random.random() / 10)
        end(writer)
        edition(store, both)
    store.write(both[0])
    # Some were killed before the new record was in place and some after, and nothing of them is left.
    assert len(states) >= 20 and 6 <= sum(states) <= len(states) - 6
    assert len(list(store.folder.glob("new/*"))) == 2 and not list(store.trainings.iterdir())


def test_two_writers_and_a_reader_never_see_a_broken_record(store, both):
    store.write(both[0])
    writers, seen = [child(partial(go_on_writing, store, both)) for _ in range(2)], []
    try:
        while len(seen) < 300 or len(set(seen)) < 2:  # however the processes take turns
            seen.append(edition(store, both))
    finally:
        for writer in writers:
            end(writer)
    store.write(both[1])
    assert len(list(store.folder.glob("new/*"))) == 2
