"""Measurements: by name, from the records that they read, and examples of mentions worked out by hand."""

from dataclasses import replace
from hashlib import sha256
from pkgutil import resolve_name

import numpy as np
import pytest
from ranked import record
from toy import BENCHMARK, ONTOLOGY, document

from benchlib.benchmark import Benchmark
from benchlib.corpus import Corpus
from study.corpora import load
from study.measurements import MEASUREMENTS, TIMINGS, Measurement, measure, measurement_inputs
from study.measurements.examples import differing_answers
from study.records import MissingRecord, linking_inputs, linking_record
from study.systems import ExactLinker, TfidfLinker, linker

LONG = "a fever that is described in far too many words"
TEST = Corpus(
    "test",
    (
        document("1", ("ague", "D3"), ("hives", "D4"), ("nothing", ""), ("chill", "D1+OMIM:3")),
        document("2", ("AGUE", "D3"), (LONG, "D3"), ("rigor", "D3"), ("shakes", "OMIM:3"), ("cold", "D2")),
    ),
)
DATA = Benchmark("toy", Corpus("none", ()), Corpus("none", ()), TEST, ONTOLOGY)
# ague, hives, NIL, chill, AGUE, the long one, rigor, shakes, cold
FIRST = [1, 2, None, 1, 1, 1, 1, 1, "half"]
SECOND = [2, 1, None, 0, 0, 0, 1, 3, 0]


def sizes(benchmark, least=0):
    return {"names": np.int64(6), "least": least, "all": (1, 2.5)}


def test_measurements_are_by_name_with_arguments_and_version(store, monkeypatch):
    sized = Measurement(f"{__name__}:sizes", "3")
    monkeypatch.setitem(MEASUREMENTS, "size", sized)
    record = measure("size", BENCHMARK, store, arguments={"least": 2})
    assert record.values == {"names": 6, "least": 2, "all": [1, 2.5]} and record.metrics == ()
    assert record.stem.startswith("size--least=2--toy--") and record.inputs["version"] == "3"
    assert measure("size", BENCHMARK, store).values["least"] == 0
    assert len(list(store)) == 2
    monkeypatch.setitem(MEASUREMENTS, "size", replace(sized, version="4"))
    with pytest.raises(MissingRecord, match=r"no record of size on toy \(least 2\)"):
        measure("size", BENCHMARK, store, arguments={"least": 2}, compute="never")
    with pytest.raises(ValueError, match="no measurement 'sizes'; expected one of card, strings"):
        measure("sizes", BENCHMARK, store)
    for other in set(MEASUREMENTS) - {*TIMINGS, "size"}:
        with pytest.raises(TypeError, match="nonsense"):  # a function that is there
            resolve_name(MEASUREMENTS[other].function)(BENCHMARK, nonsense=1)


def test_errors_are_those_of_the_linkers_record_on_the_same_data(store, monkeypatch):
    asked = {"arguments": {"linker": "exact"}, "changes": ("misspelt:test",)}
    linking_record(ExactLinker(), "mini", store)
    with pytest.raises(MissingRecord, match=r"no record of exact on mini \(misspelt:test, test, seed 0"):
        measure("errors", "mini", store, **asked)
    linking_record(ExactLinker(), "mini", store, changes=("misspelt:test",))
    record = measure("errors", "mini", store, **asked)
    assert record.stem.startswith("errors--linker=exact--mini--misspelt-test--")
    assert all(len(row) == 3 for rows in record.values.values() for row in rows) and any(
        record.values.values()
    )
    assert max(map(len, record.values.values())) == 3  # of each class, where there are as many
    assert measure("errors", "mini", store, arguments={"linker": "exact"}).values != record.values
    # They are no longer right when the linker is another.
    monkeypatch.setattr(ExactLinker, "version", "2")
    assert not store.has(measurement_inputs("errors", "mini", **asked))
    with pytest.raises(ValueError, match="expected a linker"):
        measure("errors", "mini", store)


def outcomes(ranks, top="D1", scores=None):
    found = record(ranks, scores=scores).outcomes
    return replace(found, top=np.array([top] * len(ranks), dtype=object))


def test_differences_are_what_one_alone_gets_right_in_the_order_of_their_digests():
    scores = [round(15 - i / 3, 5) for i in range(len(FIRST))]
    found = differing_answers(DATA, outcomes(FIRST, "OMIM:3", scores), outcomes(SECOND, "D4"), each=3)
    # Not rigor, which both have, nor cold, of which the first has half.
    assert found["linker"]["mentions"] == 5 and found["other"]["mentions"] == 1
    alone = {"ague", "AGUE", "chill", "shakes"}
    rows = [
        (i, of.id, m.start, m.end, m.text) for i, (of, m) in enumerate(TEST.mentions()) if m.text in alone
    ]
    rows.sort(key=lambda row: sha256(":".join(map(str, row[1:4])).encode()).hexdigest())
    expected = {row[-1].lower(): row for row in reversed(rows)}  # of a string the first
    shown = found["linker"]["examples"]
    assert [e["mention"].lower() for e in shown] == list(dict.fromkeys(row[-1].lower() for row in rows))
    for example in shown:
        number, *place = expected[example["mention"].lower()]
        assert [example[name] for name in ("document", "start", "end", "mention")] == place
        assert example["linker"] == ("D3", "Fever", pytest.approx(scores[number], rel=1e-3))
        assert example["other"] == ("D4", "D4", 1.0)  # a concept without a name
    # A gold goes by the id of its concept, and one of several parts has them all.
    golds = {example["mention"].lower(): example["gold"] for example in shown}
    assert golds == {
        "ague": [("D3", "Fever")],
        "shakes": [("D3", "Fever")],
        "chill": [("D1", "Cold"), ("D3", "Fever")],
    }
    few = differing_answers(DATA, outcomes(FIRST, "OMIM:3", scores), outcomes(SECOND), each=2)
    assert few["linker"] == found["linker"] | {"examples": few["linker"]["examples"]}
    assert [e["mention"] for e in few["linker"]["examples"]] == [e["mention"] for e in shown[:2]]


def test_the_other_side_is_the_same_with_the_linkers_exchanged():
    first, second = outcomes(FIRST, "D1"), outcomes(SECOND, "")
    found, exchanged = differing_answers(DATA, first, second), differing_answers(DATA, second, first)
    for side, other in (("linker", "other"), ("other", "linker")):
        assert found[side]["mentions"] == exchanged[other]["mentions"]
        for one, two in zip(found[side]["examples"], exchanged[other]["examples"], strict=True):
            assert one | {"linker": one["other"], "other": one["linker"]} == two
    assert found["other"]["examples"][0]["other"] == ("", "", 1.0)  # no answer, or NIL


def test_outcomes_of_other_mentions_are_refused():
    with pytest.raises(ValueError, match="expected outcomes of the 9 test mentions of toy"):
        differing_answers(DATA, outcomes(FIRST), outcomes(SECOND[:-1]))


def test_differences_are_read_from_the_records_of_both_each_with_its_own_transforms(store):
    own = ("add-names:train",)
    asked = {"arguments": {"linker": "exact", "other": "tfidf", "other_changes": own}}
    linking_record(linker("exact"), "mini", store)
    linking_record(TfidfLinker(), "mini", store)
    with pytest.raises(MissingRecord, match=r"no record of tfidf on mini \(add-names:train, test, seed 0"):
        measure("differences", "mini", store, **asked)
    changed = linking_record(TfidfLinker(), "mini", store, changes=own)
    found = measure("differences", "mini", store, **asked)
    assert found.stem.startswith("differences--linker=exact,other=tfidf,other_changes=")
    data = load("mini")
    exact = linking_record(linker("exact"), "mini", store, compute="never").outcomes
    by_hand = differing_answers(data, exact, changed.outcomes)
    assert [found.values[side]["mentions"] for side in by_hand] == [
        one["mentions"] for one in by_hand.values()
    ]
    assert found.values["other"]["examples"] and by_hand["other"]["mentions"] > 0
    without = measure("differences", "mini", store, arguments={"linker": "exact", "other": "tfidf"})
    assert without.values != found.values and without.key != found.key
    # Transforms of all the data come after those of one linker.
    both = asked | {"changes": ("misspelt:test",)}
    with pytest.raises(MissingRecord) as told:
        linking_record(linker("exact"), "mini", store, changes=("misspelt:test",))
        measure("differences", "mini", store, **both)
    expected = linking_inputs(TfidfLinker(), "mini", changes=(*own, "misspelt:test"))
    assert told.value.inputs == expected


def test_differences_are_no_longer_right_when_either_linker_is_another(monkeypatch):
    asked = {"arguments": {"linker": "exact", "other": "tfidf"}}
    before = measurement_inputs("differences", "mini", **asked)
    monkeypatch.setattr(TfidfLinker, "version", "99")
    after = measurement_inputs("differences", "mini", **asked)
    assert after["version"].endswith("linker 99") and after["version"] != before["version"]
    with pytest.raises(ValueError, match="expected a linker as other"):
        measurement_inputs("differences", "mini", arguments={"linker": "exact"})
