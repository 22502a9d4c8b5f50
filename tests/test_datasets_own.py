"""The contract for own corpora: each option does what it says, and what is doubtful is said in capitals."""

import gzip

import pytest

from benchlib.formats.own import ReadingOptions
from benchlib.sanity import sanity_checks
from benchlib.scoring import Scoring, outcomes, recall
from study.corpora import load
from study.systems import ExactLinker

TEXT = "1|t|Flu and\n1|a|a cold of copper.\n"
FLU, COLD, COPPER = "1\t0\t3\tFlu\tDisease\t", "1\t10\t14\tcold\tDisease\t", "1\t18\t24\tcopper\tChemical\t"
NAMES = "X1\tflu\nX2\tcold\tchill\n"


@pytest.fixture
def write(tmp_path):
    def write(name, text):
        path = tmp_path / name
        path.write_bytes(gzip.compress(text.encode()) if name.endswith(".gz") else text.encode())
        return str(path)

    return write


def corpus(flu="X1", cold="X2", copper="C9") -> str:
    return f"{TEXT}{FLU}{flu}\n{COLD}{cold}\n{COPPER}{copper}\n"


def golds(benchmark, split="test"):
    return [(m.text, m.gold.parts) for _, m in benchmark.split(split).mentions()]


def loud(benchmark) -> list[str]:
    return [note for note in benchmark.notes if note.startswith("WARNING: ")]


def test_only_mentions_of_the_types_asked_for_count_and_the_others_are_counted(write):
    paths = write("own.txt", corpus()), write("names.tsv", NAMES)
    benchmark = load(*paths, reading=ReadingOptions(types=("Disease",)))
    assert [text for text, _ in golds(benchmark)] == ["Flu", "cold"]
    assert benchmark.test.dropped == {"type Chemical": 1} and benchmark.test.n_raw == 3
    assert "Left out of own.txt: type Chemical 1." in benchmark.notes and not loud(benchmark)
    assert load(*paths, reading=ReadingOptions(types="Disease")).test.dropped == {"type Chemical": 1}
    with pytest.raises(
        ValueError, match=r"no mention is of type disease; expected types among Chemical, Disease"
    ):
        load(*paths, reading=ReadingOptions(types=("disease",)))


def test_train_and_dev_are_read_as_the_corpus_is_and_shared_documents_are_said(write):
    files = {
        "train": write("train.txt", corpus("P:X1")),
        "dev": write("dev.txt", corpus("P:X2").replace("Flu", "Bug")),
    }
    asked = ReadingOptions(**files, types=("Disease",), strip_prefix=("P:",))
    benchmark = load(write("own.txt", corpus(flu="P:X1")), write("names.tsv", NAMES), reading=asked)
    assert golds(benchmark, "train") == golds(benchmark)
    assert golds(benchmark, "dev")[0] == ("Bug", (frozenset({"X2"}),))
    assert any("1 documents of test stand in train as well" in note for note in benchmark.notes)
    assert not any("stand in dev as well" in note for note in benchmark.notes)
    with pytest.raises(FileNotFoundError, match=r"nowhere\.txt: no such file"):
        load(
            write("own.txt", corpus()), write("names.tsv", NAMES), reading=ReadingOptions(train="nowhere.txt")
        )


@pytest.mark.parametrize("gold", ["X1", "P:X1"])
@pytest.mark.parametrize("named", ["X1", "P:X1"])
def test_an_id_means_the_same_with_its_prefix_and_without(write, gold, named):
    paths = write("own.txt", f"{TEXT}{FLU}{gold}\n"), write("names.tsv", f"{named}\tflu\nP:X2\tcold\n")
    benchmark = load(*paths, reading=ReadingOptions(strip_prefix=("Q:", "P:")))
    assert golds(benchmark) == [("Flu", (frozenset({"X1"}),))]
    assert list(benchmark.ontology.concepts) == ["X1", "X2"]
    # Answers may have the prefix as well.
    assert benchmark.ontology.resolve("P:X1") == benchmark.ontology.resolve("X1") == ("X1",)
    predictions = ExactLinker().fit(benchmark.visible()).link(benchmark.test.hidden().documents)
    found = outcomes(predictions, benchmark.test, benchmark.ontology)
    assert recall(found, 1, Scoring()).tolist() == [1.0]


def test_two_vocabularies_that_are_one_without_their_prefixes_are_refused(write):
    paths = write("own.txt", corpus()), write("names.tsv", "P:1\tflu\nQ:1\tcold\n")
    with pytest.raises(ValueError, match="concept 1 is defined twice"):
        load(*paths, reading=ReadingOptions(strip_prefix=("P:", "Q:")))


@pytest.mark.parametrize(
    ("reading", "parts"),
    [
        (ReadingOptions(), [{"X1", "X2"}, {"X3"}]),
        (ReadingOptions(any_of=",", all_of="|"), [{"X1"}, {"X2", "X3"}]),
        (ReadingOptions(any_of="|,", all_of=""), [{"X1", "X2", "X3"}]),
        (ReadingOptions(any_of="", all_of=""), [{"X1|X2,X3"}]),
    ],
)
def test_separators_say_what_several_ids_ask_for(write, reading, parts):
    benchmark = load(write("own.txt", f"{TEXT}{FLU}X1|X2,X3\n"), write("names.tsv", NAMES), reading=reading)
    assert golds(benchmark) == [("Flu", tuple(map(frozenset, parts)))]


def test_a_separator_that_is_both_is_refused():
    with pytest.raises(ValueError, match="gold separators: .* once, found ','"):
        ReadingOptions(any_of=",", all_of=",;")


def test_synonyms_in_one_cell_are_parted_when_asked(write):
    own, names = write("own.txt", corpus()), write("names.csv", "id,name\nX1,flu|influenza\n")
    assert load(own, names).ontology.concepts["X1"].names == ("flu|influenza",)
    found = load(own, names, reading=ReadingOptions(synonyms="|"))
    assert found.ontology.concepts["X1"].names == ("flu", "influenza")
    with pytest.raises(ValueError, match="synonym"):
        load(own, write("names.obo", "[Term]\nid: X1\nname: flu\n"), reading=ReadingOptions(synonyms="|"))


def test_a_registered_ontology_is_taken_by_its_name(write):
    benchmark = load(write("own.txt", corpus(copper="-1")), "mini")
    assert benchmark.ontology.fingerprint() == load("mini").ontology.fingerprint()
    with pytest.raises(ValueError, match="no dictionary file"):
        load(write("own.txt", corpus()), "mini", reading=ReadingOptions(synonyms="|"))


@pytest.mark.parametrize("dataset", ["mini", "ncbi-disease"])
@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"ontology": "names.tsv"}, "ontology"),
        ({"reading": ReadingOptions(types=("Disease",), train="t.txt")}, "train, types"),
    ],
)
def test_what_a_registered_data_set_would_ignore_is_refused(dataset, given, told):
    with pytest.raises(ValueError, match=f"'{dataset}', which is registered .*: {told} would be ignored"):
        load(dataset, **given)


def test_a_line_that_stands_twice_is_counted_once(write):
    benchmark = load(write("own.txt", f"{TEXT}{FLU}X1\n{FLU}X1\n{COLD}X2\n"), write("names.tsv", NAMES))
    assert benchmark.test.n_mentions == 2 and benchmark.test.dropped == {"duplicate row": 1}


@pytest.mark.parametrize(
    ("golds", "names", "mend"),
    [
        (("MESH:X1", "MESH:X2", "MESH:C9"), NAMES, "--strip-prefix MESH: "),
        (("X1", "X2", "C9"), "P:X1\tflu\nP:X2\tcold\n", "--strip-prefix P: "),
        (("X1/X2", "X2/X1", "X1"), NAMES, "--any-of '/' "),
        (("x1", "x2", "C9"), NAMES, "upper and lower case"),
        (("A", "B", "C"), NAMES, "like A, B, C; those of names.tsv like X1, X2"),
    ],
)
def test_gold_ids_outside_the_ontology_are_loud_with_the_likely_reason(write, golds, names, mend):
    [told] = loud(load(write("own.txt", corpus(*golds)), write("names.tsv", names)))
    assert "OF THE GOLD IDS ARE OUTSIDE THE ONTOLOGY." in told and mend in told


def test_types_that_the_ontology_has_are_named_where_others_make_the_most(write):
    chemicals = "".join(f"{COPPER}C{n}\n" for n in range(3))
    [told] = loud(load(write("own.txt", f"{TEXT}{FLU}X1\n{COLD}X2\n{chemicals}"), write("names.tsv", NAMES)))
    assert (
        "60 % OF THE GOLD IDS" in told and "Those of type Disease are mostly inside: --types Disease " in told
    )


@pytest.mark.parametrize(("inside", "is_loud"), [(2, False), (1, True)])
def test_half_of_the_ids_outside_is_not_yet_loud(write, inside, is_loud):
    rows = "".join(f"{FLU}X{n}\n" for n in range(1, inside + 1)) + f"{COLD}A\n{COPPER}B\n"
    assert bool(loud(load(write("own.txt", TEXT + rows), write("names.tsv", NAMES)))) == is_loud


@pytest.mark.parametrize(("dropped", "is_loud"), [(1, False), (2, True)])
def test_a_tenth_of_the_mentions_dropped_is_not_yet_loud(write, dropped, is_loud):
    letters = [f"1\t{n}\t{n + 1}\t{letter}\tDisease\tX1\n" for n, letter in enumerate("Flu and")]
    rows = "".join([f"{FLU}X1\n", f"{COLD}X2\n", *letters])
    lost = "".join(f"1\t{n}\t{n + 4}\tnowhere\tDisease\tX1\n" for n in range(dropped))
    benchmark = load(write("own.txt", TEXT + rows + lost), write("names.tsv", NAMES))
    assert (benchmark.test.n_mentions, benchmark.test.dropped["offset mismatch"]) == (9, dropped)
    told = loud(benchmark)
    assert bool(told) == is_loud
    assert not is_loud or (
        told[0].startswith("WARNING: 18 % OF THE MENTIONS WERE DROPPED.") and "bytes" in told[0]
    )


def test_a_corpus_in_order_is_not_doubted(write):
    benchmark = load(write("own.txt", corpus(copper="X2")), write("names.tsv", NAMES))
    assert sanity_checks(benchmark) == () == benchmark.notes
