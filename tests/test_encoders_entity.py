"""Entity texts by hand, and cached vectors that were tampered with."""

import json

import numpy as np
import pytest

from benchlib.encoders import cached, entity_text
from benchlib.encoders.entity import path
from benchlib.ontology import Concept, Ontology

ONTOLOGY = Ontology(
    "toy",
    [
        Concept("D1", ("Disease",), alternatives=("OMIM:1",)),
        Concept("D2", ("Brain disease",), parents=("gone", "OMIM:1")),
        Concept(
            "D3", ("Ataxia", "dyssynergia", "lack of coordination"), ("Sign", "Symptom"), ("D2", "D1"), "x y"
        ),
        Concept("D4", ("Nameless parent",), parents=("D5",)),
        Concept("D5", parents=("D2",)),
        Concept("C1", ("one",), parents=("C2",)),
        Concept("C2", ("two",), parents=("C3",)),
        Concept("C3", ("three",), parents=("C2", "C3", "D1")),
        Concept("S", ("self",), parents=("S",)),
        Concept("E"),
    ],
)


def test_the_fields_of_an_entity_in_their_order():
    ataxia = ONTOLOGY.concepts["D3"]
    assert entity_text(ataxia, ONTOLOGY) == (
        "Ataxia [SEP] Sign, Symptom [SEP] Disease > Brain disease [SEP] "
        "dyssynergia; lack of coordination [SEP] x y"
    )
    assert entity_text(ataxia, ONTOLOGY, ("definition", "title"), "</s>") == "x y </s> Ataxia"


def test_what_is_not_said_leaves_no_separator():
    assert entity_text(ONTOLOGY.concepts["D1"], ONTOLOGY) == "Disease"
    assert entity_text(ONTOLOGY.concepts["E"], ONTOLOGY) == ""
    with pytest.raises(ValueError, match="unknown field 'stn'; expected some of title, types"):
        entity_text(ONTOLOGY.concepts["D1"], ONTOLOGY, ("title", "stn"))


def test_paths_follow_the_first_known_parent_and_end_in_a_cycle():
    paths = {id: path(concept, ONTOLOGY) for id, concept in ONTOLOGY.concepts.items()}
    assert paths["D1"] == paths["S"] == paths["E"] == []
    assert paths["D2"] == ["Disease"]  # by its alternative id, the unknown one passed over
    assert paths["D4"] == ["Disease", "Brain disease"]  # the parent between has no name
    assert paths["C1"] == ["Disease", "three", "two"]  # out of the cycle by the parent left
    assert paths["C2"] == ["Disease", "three"]


class Encoder:
    """Counts how often it is asked."""

    def __init__(self):
        self.calls = 0

    def __call__(self) -> np.ndarray:
        self.calls += 1
        return np.arange(6, dtype=np.float32).reshape(2, 3) + self.calls


def test_vectors_are_computed_once_per_encoder_and_texts(tmp_path):
    encoder = Encoder()
    first = cached(tmp_path / "new", "a", ["x", "y"], encoder)
    again = cached(tmp_path / "new", "a", ["x", "y"], encoder)
    assert encoder.calls == 1 and (first == again).all() and again.dtype == np.float32
    asked = [("b", ["x", "y"]), ("a", ["y", "x"]), ("a", ["xy"]), ("a", ["x,y"]), ("a", ["x", "y", ""])]
    asked += [("a", [("x", 0, 1), ("y", 0, 1)]), ("a", [("x", 0, 1), ("y", 0, 2)]), ("ax", ["y"])]
    for calls, question in enumerate(asked, start=2):
        cached(tmp_path / "new", *question, encoder)
        assert encoder.calls == calls
    assert (cached(tmp_path / "new", "a", ("x", "y"), encoder) == first).all()
    assert encoder.calls == len(asked) + 1
    assert {file.suffix for file in (tmp_path / "new").iterdir()} == {".npy", ".json"}


@pytest.mark.parametrize("damage", ["flip", "cut", "empty", "json", "list", "pickle", "foreign"])
def test_damaged_or_foreign_files_are_warned_of_and_made_anew(tmp_path, damage):
    encoder = Encoder()
    cached(tmp_path, "a", ["x"], encoder)
    array, note = next(tmp_path.glob("*.npy")), next(tmp_path.glob("*.json"))
    content = bytearray(array.read_bytes())
    if damage == "flip":
        content[-1] ^= 1
    if damage == "cut":
        content = content[:-4]
    if damage == "empty":
        content = b""
    array.write_bytes(content)
    if damage == "json":
        note.write_text("{")
    if damage == "list":
        note.write_text("[1]")
    if damage == "pickle":
        np.save(array, np.array([{}], dtype=object), allow_pickle=True)
    if damage == "foreign":
        note.write_text(json.dumps({**json.loads(note.read_text()), "encoder": "b"}))
    with pytest.warns(UserWarning, match="not usable, computed anew"):
        fresh = cached(tmp_path, "a", ["x"], encoder)
    assert encoder.calls == 2 and fresh[0, 0] == 2
    assert (cached(tmp_path, "a", ["x"], encoder) == fresh).all() and encoder.calls == 2


def test_files_renamed_to_another_question_are_not_believed(tmp_path):
    encoder = Encoder()
    cached(tmp_path / "one", "a", ["x"], encoder)
    cached(tmp_path / "two", "a", ["y"], encoder)
    for suffix in ("npy", "json"):
        right = next((tmp_path / "two").glob(f"*.{suffix}"))
        right.write_bytes(next((tmp_path / "one").glob(f"*.{suffix}")).read_bytes())
    with pytest.warns(UserWarning, match="encoder or texts differ"):
        assert cached(tmp_path / "two", "a", ["y"], encoder)[0, 0] == 3


def test_a_failed_computation_leaves_nothing_behind(tmp_path):
    def fails():
        raise RuntimeError("out of memory")

    with pytest.raises(RuntimeError, match="out of memory"):
        cached(tmp_path, "a", ["x"], fails)
    cached(tmp_path, "a", ["x"], Encoder())
    next(tmp_path.glob("*.json")).unlink()  # killed between the two files
    encoder = Encoder()
    cached(tmp_path, "a", ["x"], encoder)
    assert encoder.calls == 1
