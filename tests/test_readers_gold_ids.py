"""Id strings of strangers' corpora: separators, prefixes, NIL."""

import pytest

from benchlib.corpus import Corpus, Document, Gold, Mention
from benchlib.formats.gold_ids import (
    Separators,
    describe_multiple_ids,
    generic_gold,
    gold_from_ids,
    spells_nil,
)


def parts(gold: Gold) -> list[set[str]]:
    return [set(part) for part in gold.parts]


USUAL = [
    ("D1", [{"D1"}]), (" D1 ", [{"D1"}]), ("D1|D2", [{"D1", "D2"}]), ("D1+D2", [{"D1"}, {"D2"}]),
    ("D1|D2+D3", [{"D1", "D2"}, {"D3"}]), ("MESH:D1,MESH:D2", [{"MESH:D1"}, {"MESH:D2"}]),
    ("1; 2", [{"1"}, {"2"}]), ("D1;", [{"D1"}]), ("D1||D2", [{"D1", "D2"}]), ("D1,D1", [{"D1"}]),
    ("D1|D2,D2|D1,D3,D1", [{"D1", "D2"}, {"D3"}, {"D1"}]), ("c|SUB|C|23|T", [{"c|SUB|C|23|T"}]),
    ("p|SUB;RS#:1", [{"p|SUB;RS#:1"}]), ("A|B", [{"A", "B"}]), ("D1,-", [{"D1"}]), ("-|-1", []),
]  # fmt: skip
MUTATION = "c|SUB|G|1+860|C;Gene:3577"


@pytest.mark.parametrize(
    ("separators", "printed", "expected"),
    [
        *((Separators(), printed, expected) for printed, expected in USUAL),
        (Separators(any_of=","), "D1,D2+D3|D4", [{"D1", "D2"}, {"D3|D4"}]),
        (Separators(all_of="|"), "D1|D2,D3", [{"D1"}, {"D2,D3"}]),
        (Separators(any_of=",", all_of="|"), "D1,D2|D3+D4", [{"D1", "D2"}, {"D3+D4"}]),
        (Separators(any_of=";", all_of=""), MUTATION, [{"c|SUB|G|1+860|C", "Gene:3577"}]),
        (Separators(any_of="", all_of=""), MUTATION, [{MUTATION}]),
        (Separators(any_of=" "), "D1 D2", [{"D1", "D2"}]),
        (Separators(any_of="|;", all_of=""), "c|SUB|C;Gene:1", [{"SUB", "Gene:1"}]),  # no id of one letter
        (Separators(any_of="^]"), "D1^D2]D3", [{"D1", "D2", "D3"}]),
    ],
)
def test_separators_are_set_and_the_others_belong_to_the_id(separators, printed, expected):
    gold = gold_from_ids(separators)(printed, "", ())
    assert parts(gold) == expected and gold.printed == printed.strip()


@pytest.mark.parametrize("given", [{"any_of": "D"}, {"all_of": "\t"}, {"any_of": "|", "all_of": "+|"}])
def test_separators_that_cannot_be_and_what_one_kind_takes_from_the_other(given):
    assert (Separators(any_of=",;").all_of, Separators(all_of="|").any_of) == ("+", "")
    with pytest.raises(ValueError, match="gold separators: expected punctuation, each character once"):
        Separators(**given)


def test_the_first_prefix_that_an_id_begins_with_is_taken_off():
    gold = gold_from_ids(strip_prefix=("MESH:", "OMIM:"))
    assert parts(gold("MESH:D1|OMIM:7,D2", "", ())) == [{"D1", "7"}, {"D2"}]
    assert gold("MESH:-1", "", ()).nil and gold("MESH:-1", "", ()).printed == "MESH:-1"


@pytest.mark.parametrize(
    "id", ["", "-", "-1", "NIL", "nil", "NIL0001", "CUI-less", "cui-LESS", "None", "NaN", "NA", "n/a", "null"]
)
def test_spellings_of_nil(id):
    assert spells_nil(id) and generic_gold(id, "", ()).nil
    assert parts(generic_gold(f"D1|{id}", "", ())) == [{"D1"}]
    # A concept of the ontology is no NIL, however it is called.
    kept = gold_from_ids(ontology={id})(id, "", ())
    assert kept.ids == ({id} if id else set())


@pytest.mark.parametrize(
    "id", ["--", "-2", "1", "NIL-1", "NILE", "CUIless", "Nanism", "D1", "Nal", "N//A", " "]
)
def test_what_does_not_spell_nil(id):
    assert not spells_nil(id)


TWO = ("a", "b")


@pytest.mark.parametrize(
    ("printed", "submentions", "separators", "expected", "texts"),
    [
        ("D1|D2", TWO, None, [{"D1"}, {"D2"}], TWO),
        ("D1 | D2", TWO, None, [{"D1"}, {"D2"}], TWO),
        ("D1/D9|D2", TWO, Separators("|/"), [{"D1", "D9"}, {"D2"}], TWO),
        ("D1|-1", TWO, None, [{"D1"}], ("a",)),
        ("D1|D2", ("a", "b", "c"), None, [{"D1", "D2"}], ()),
        ("D1,D2|D3", TWO, None, [{"D1"}, {"D2", "D3"}], TWO),
        ("D1|D2", TWO, Separators(all_of=";"), [{"D1"}, {"D2"}], TWO),
    ],
)
def test_as_many_submentions_as_ids_make_a_composite(printed, submentions, separators, expected, texts):
    gold = gold_from_ids(separators)(printed, "", submentions)
    assert parts(gold) == expected and gold.texts == texts


def test_a_note_says_how_several_ids_were_read():
    printed = ["D1,D1", "D1,D2", "D3|D4", "D1|D5", "", "c|C|23"]
    mentions = tuple(Mention(0, 1, "x", gold=generic_gold(p, "", ())) for p in printed)
    corpus = Corpus("toy", (Document("1", "x", mentions),))
    assert describe_multiple_ids(corpus) == (
        "3 mentions have several gold ids: all of them asked for in 1 (D1,D2); "
        "any of them asked for in 2 (D3|D4)",
        "1 mentions have one id with separators inside (c|C|23); --any-of CHARACTERS (in Python `any_of`) "
        "splits them",
    )
    assert describe_multiple_ids(Corpus("toy", (Document("1", "x", mentions[:1]),))) == ()
