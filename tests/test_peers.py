"""What goes to the systems of others and what comes back, without them: answers are made here."""

import hashlib
import importlib.util
import json
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from toy import BENCHMARK

from benchlib.corpus import Corpus, Document, Mention
from benchlib.formats.rrf import read_rrf
from benchlib.ontology import Concept, Ontology
from study.chapters.jobs import DataRef
from study.chapters.plan import Plan
from study.chapters.run import plan_with
from study.systems import linker
from study.systems.baselines import others

SCRIPTS = Path(__file__).resolve().parents[1] / "benchmarks" / "peers"
MADE = Ontology(
    "made",
    [
        Concept("D1", ('Ache, "dull"', "dull ache", "Schmerz — stumpf"), types=("T184", "C23")),
        Concept("D2", ("Fever", "pyrexia"), types=("T033", "T184")),
        Concept("D3"),
        Concept("D4", ("dull ache",), types=("C23",)),
    ],
)


def script(name: str):
    """A script by its name; it imports the system of others only where it runs it."""
    spec = importlib.util.spec_from_file_location(name, SCRIPTS / f"{name}.py")
    sys.modules[name] = module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


peers, quickumls = script("peers"), script("quickumls_matches")


def exported(folder: Path) -> list[dict]:
    peers.export(MADE, ["ache", "naïve"], folder)
    lines = (folder / "concepts.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


def test_a_script_is_given_every_concept_that_has_a_name_and_the_strings(tmp_path):
    rows = exported(tmp_path)
    assert [row["id"] for row in rows] == ["D1", "D2", "D4"]
    for row in rows:
        concept = MADE.concepts[row["id"]]
        assert tuple(row["names"]) == concept.names and tuple(row["types"]) == concept.types
    assert json.loads((tmp_path / "strings.json").read_text(encoding="utf-8")) == ["ache", "naïve"]


def test_the_release_for_quickumls_is_read_back_as_the_dictionary(tmp_path):
    quickumls.write_release(exported(tmp_path), tmp_path)
    found = read_rrf(tmp_path)
    # Types of UMLS stay, and who has none gets one: C23 is a branch of MeSH.
    types = {"D1": ("T184",), "D2": ("T033", "T184"), "D4": ("T047",)}
    expected = [(id, MADE.concepts[id].names, held) for id, held in types.items()]
    assert [(c.id, c.names, c.types) for c in found.ontology.concepts.values()] == expected
    assert not found.dropped
    for name in ("a|b", "a\nb"):
        with pytest.raises(ValueError, match="D1: expected a name without bar and line break"):
            quickumls.write_release([{"id": "D1", "names": [name], "types": []}], tmp_path)


def test_matches_of_quickumls_stay_in_its_order_each_concept_once():
    def match(cui, similarity, preferred, term="x"):
        return {"cui": cui, "similarity": similarity, "preferred": preferred, "term": term}

    groups = [
        [match("D1", 0.8, 1, "first"), match("D2", 1.0, 0), match("D3", 1.0, 0), match("D1", 0.7, 0)],
        [match("D4", 1.0, 1), match("D2", 1.0, 1)],
    ]
    found = quickumls.ranked(groups)
    assert [(id, name) for id, name, _ in found] == [("D1", "first"), ("D2", "x"), ("D3", "x"), ("D4", "x")]
    scores = [score for *_, score in found]
    assert scores[0] > scores[1] == scores[2] > scores[3]


ANSWERS = {
    "Cold": [("D1", "Cold", 1.0), ("D2", "cold", 0.5)],
    "FEVER": [("D3", "Fever", 0.75)],
    "ague": [],
}


@pytest.fixture
def answered(tmp_path, monkeypatch):
    """The answers of a system to the first test document of the toy benchmark, in their file."""
    monkeypatch.setattr(others, "ANSWERS", tmp_path)
    corpus = Corpus("toy test", BENCHMARK.test.documents[:1])
    path = others.answers_of("other-1.0", BENCHMARK.name)
    path.parent.mkdir()
    peers.write_predictions(peers.predictions(corpus, ANSWERS), path)
    return path


def test_answers_to_a_string_stand_at_every_span_that_has_it():
    text = "ache or fever or ache"
    spans = ((17, 21), (8, 13), (0, 4), (0, 4))
    mentions = tuple(Mention(start, end, text[start:end]) for start, end in spans)
    corpus = Corpus("c", (Document("1", text, mentions), Document("2", "ache", (Mention(0, 4, "ache"),))))
    ache = [("D4", "dull ache", 0.5), ("D1", "dull ache", 0.5), ("D2", "Fever", 0.25)]
    rows = peers.predictions(corpus, {"ache": ache, "fever": []}).frame()
    found = rows[["document", "start", "end", "part", "name", "ids", "score"]].to_numpy().tolist()
    asked = (("1", 17, 21), ("1", 0, 4), ("2", 0, 4))
    assert found == [[*span, 0, name, (id,), score] for span in asked for id, name, score in ache]


def test_the_linker_answers_as_the_file_has_it(answered):
    fitted = linker("peer,system=other-1.0").fit(BENCHMARK.visible())
    assert fitted.predictions == hashlib.sha256(answered.read_bytes()).hexdigest()
    [document] = BENCHMARK.test.documents[:1]
    for k in (1, 64):
        rows = fitted.link([document], k).frame()
        for mention in document.mentions:
            of = rows[(rows["start"] == mention.start) & (rows["end"] == mention.end)]
            found = list(zip(of["ids"], of["name"], of["score"], strict=True))
            assert found == [((id,), name, score) for id, name, score in ANSWERS[mention.text][:k]]
    with pytest.raises(ValueError, match=f"{answered.name}:1: expected documents of toy"):
        fitted.link(BENCHMARK.dev.documents)


def test_answers_that_are_not_there_and_how_to_make_them(answered):
    with pytest.raises(FileNotFoundError, match=r"other-2\.0 to toy; `python \S+ other toy` makes them"):
        linker("peer,system=other-2.0").fit(BENCHMARK.visible())
    changed = replace(BENCHMARK.visible(), transforms=("few:1",))
    with pytest.raises(ValueError, match="answered toy as it is, not after few:1"):
        linker("peer,system=other-1.0").fit(changed)
    for name in ("peer", "peer,system=../other"):
        with pytest.raises(ValueError, match="expected a name and a version"):
            linker(name).fit(BENCHMARK.visible())


def test_a_chapter_names_systems_that_have_a_script():
    for chapter in ("krissbert", "dual_encoder"):
        named = {job.linker for job in plan_with(chapter).jobs() if job.linker.startswith("peer,")}
        assert named <= {f"peer,system={name}-{one.version}" for name, one in peers.PEERS.items()} and named
    assert all((SCRIPTS / one.script).exists() for one in peers.PEERS.values())


def test_a_corpus_of_ones_own_has_no_answers_of_others():
    plan = plan_with("krissbert")
    own = Plan(plan.chapter, {**plan.values, "scale": "open"}, [DataRef("mini")])
    [row] = [row for row in own.rows("table2") if row.system.label == "gilda"]
    assert row.system.reason == "NOT RUN: needs answers of that system" and not row.jobs


def python(folder: Path, version: str, otherwise: str) -> str:
    """A program that tells a version of Python, and does something else with any other argument."""
    path = folder / "python"
    path.write_text(f'#!/bin/sh\nif [ "$1" = -c ]; then echo {version}; else {otherwise}; fi\n')
    path.chmod(0o755)
    return str(path)


def test_an_environment_that_cannot_be_made_says_why(tmp_path):
    newer = python(tmp_path, "3 12", "exit 0")
    with pytest.raises(RuntimeError, match=r"scispacy 0\.6\.2: expected Python 3\.11 or older, found 3\.12"):
        peers.environment("scispacy", newer, tmp_path)
    failing = python(tmp_path, "3 11", "echo no room on disk >&2; exit 3")
    expected = r"expected that scispacy 0\.6\.2 can be installed into .*; it ended with 3:\nno room on disk"
    with pytest.raises(RuntimeError, match=expected):
        peers.environment("scispacy", failing, tmp_path)
    with pytest.raises(RuntimeError, match="there is no /nowhere/python"):
        peers.environment("gilda", "/nowhere/python", tmp_path)
    # One that is there is taken.
    folder = tmp_path / "gilda-1.6.1"
    folder.mkdir()
    (folder / "installed").touch()
    assert peers.environment("gilda", "/nowhere/python", tmp_path) == folder / "bin" / "python"
