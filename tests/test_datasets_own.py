"""The contract for own corpora: each option does what it says, and what is doubtful is said in capitals."""

import pickle

import pandas as pd
import pytest

from benchlib import evaluate
from benchlib.datasets import read_dictionary
from benchlib.formats.own import ReadingOptions, load_paths
from benchlib.sanity import sanity_checks
from benchlib.scoring import Scoring, outcomes, recall
from study.corpora import load
from study.corpora import loaded as loaded_once
from study.systems import ExactLinker

TEXT = "1|t|Flu and\n1|a|a cold of copper.\n"
FLU, COLD, COPPER = "1\t0\t3\tFlu\tDisease\t", "1\t10\t14\tcold\tDisease\t", "1\t18\t24\tcopper\tChemical\t"
NAMES = "X1\tflu\nX2\tcold\tchill\n"


def corpus(flu="X1", cold="X2", copper="C9") -> str:
    return f"{TEXT}{FLU}{flu}\n{COLD}{cold}\n{COPPER}{copper}\n"


def loaded(corpus, ontology, **reading):
    return load(str(corpus), str(ontology), reading=ReadingOptions(**reading))


def golds(benchmark, split="test"):
    return [(m.text, m.gold.parts) for _, m in benchmark.split(split).mentions()]


def loud(benchmark) -> list[str]:
    return [note for note in benchmark.notes if note.startswith("WARNING: ")]


def test_a_benchmark_is_the_same_in_another_process_and_another_reading_is_another(write):
    paths = write("c.txt", "1|t|Flu\n1|a|x\n1\t0\t3\tFlu\tD\tA|B\n"), write("names.tsv", "A\tflu\n")
    benchmark = load_paths(*paths)
    assert pickle.loads(pickle.dumps(benchmark)).fingerprint() == benchmark.fingerprint()
    whole = load_paths(*paths, ReadingOptions(any_of=";", all_of=""))  # one id, A|B
    assert whole.test.fingerprint() != benchmark.test.fingerprint()


def test_a_folder_is_read_again_when_a_file_in_it_was_mended(write):
    def text_of(span: str) -> str:
        notes = write("brat/1.ann", f"T1\tD {span}\n#1\tAnnotatorNotes T1\tX1\n")
        (_, mention), *_ = loaded_once(str(notes.parent), ontology).test.mentions()
        return mention.text

    write("brat/1.txt", "flu cold")
    ontology = str(write("names.tsv", NAMES))
    assert text_of("0 3\tflu") == "flu"
    assert text_of("4 8\tcold") == "cold"


def test_only_mentions_of_the_types_asked_for_count_and_the_others_are_counted(write):
    paths = write("own.txt", corpus()), write("names.tsv", NAMES)
    benchmark = loaded(*paths, types=("Disease",))
    assert [text for text, _ in golds(benchmark)] == ["Flu", "cold"]
    assert benchmark.test.dropped == {"type Chemical": 1} and benchmark.test.n_raw == 3
    assert "Left out of own.txt: type Chemical 1." in benchmark.notes and not loud(benchmark)
    assert loaded(*paths, types="Disease").test.dropped == {"type Chemical": 1}
    assert len(golds(loaded(*paths, types="Chemical, Disease"))) == 3
    with pytest.raises(ValueError, match=r"of type disease; expected types among Chemical, Disease"):
        loaded(*paths, types=("disease",))


def test_train_and_dev_are_read_as_the_corpus_is_and_shared_documents_are_said(write):
    train = str(write("train.txt", corpus("P:X1")))
    dev = str(write("dev.txt", corpus("P:X2").replace("Flu", "Bug")))
    own, names = write("own.txt", corpus(flu="P:X1")), write("names.tsv", NAMES)
    benchmark = loaded(own, names, train=train, dev=dev, types=("Disease",), strip_prefix=("P:",))
    assert golds(benchmark, "train") == golds(benchmark)
    assert golds(benchmark, "dev")[0] == ("Bug", (frozenset({"X2"}),))
    assert any("1 documents of test are also in train:" in note for note in benchmark.notes)
    assert not any("also in dev:" in note for note in benchmark.notes)
    with pytest.raises(FileNotFoundError, match=r"nowhere\.txt: no such file"):
        loaded(own, names, train="nowhere.txt")


@pytest.mark.parametrize("gold", ["X1", "P:X1"])
@pytest.mark.parametrize("named", ["X1", "P:X1"])
def test_an_id_means_the_same_with_its_prefix_and_without(write, gold, named):
    paths = write("own.txt", f"{TEXT}{FLU}{gold}\n"), write("names.tsv", f"{named}\tflu\nP:X2\tcold\n")
    benchmark = loaded(*paths, strip_prefix=("Q:", "P:"))
    assert golds(benchmark) == [("Flu", (frozenset({"X1"}),))]
    assert list(benchmark.ontology.concepts) == ["X1", "X2"]
    # Answers may have the prefix as well.
    assert benchmark.ontology.resolve("P:X1") == benchmark.ontology.resolve("X1") == ("X1",)
    predictions = ExactLinker().fit(benchmark.visible()).link(benchmark.test.hidden().documents)
    found = outcomes(predictions, benchmark.test, benchmark.ontology)
    assert recall(found, 1, Scoring()).tolist() == [1.0]


def test_an_answer_outside_the_dictionary_means_the_same_with_its_prefix_as_well(write):
    paths = write("own.txt", corpus(flu="P:X1", cold="P:X9")), write("names.tsv", "P:X1\tflu\n")
    rows = {"document": "1", "start": [0, 10], "end": [3, 14], "ids": [["P:X1"], ["P:X9"]]}
    result = evaluate(pd.DataFrame(rows), *paths, types="Disease", strip_prefix="P:")
    assert result.outcomes.counts["n_scored"] == 2
    assert recall(result.outcomes, 1, Scoring()).tolist() == [1.0, 1.0]


@pytest.mark.parametrize("options", [{"types": None}, {"types": 5}, {"strip_prefix": [5]}, {"any_of": ["|"]}])
def test_an_option_of_another_type_is_named(options):
    with pytest.raises(ValueError, match="types: expected|strip_prefix: expected|separators: expected text"):
        ReadingOptions(**options)


def test_a_registered_ontology_is_taken_by_its_name(write, tmp_path, monkeypatch):
    (tmp_path / "mini").mkdir()  # a folder of its name, as where the corpora lie, is no ontology
    monkeypatch.chdir(tmp_path)
    benchmark = loaded(write("own.txt", corpus(copper="-1")), "mini")
    assert benchmark.ontology.fingerprint() == load("mini").ontology.fingerprint()
    with pytest.raises(ValueError, match="concept 1 is defined twice"):
        loaded(write("own.txt", corpus()), write("n.tsv", "P:1\ta\nQ:1\tb\n"), strip_prefix=("P:", "Q:"))
    with pytest.raises(ValueError, match="option .synonyms. would be ignored"):
        loaded(write("own.txt", corpus()), "mini", synonyms="|")


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
    [told] = loud(loaded(write("own.txt", corpus(*golds)), write("names.tsv", names)))
    assert "OF THE GOLD IDS ARE OUTSIDE THE ONTOLOGY." in told and mend in told


def test_columns_in_another_order_are_loud(write):
    swapped = TEXT + "".join(f"1\t{m}\t{s}\t{e}\tD\tX1\n" for m, s, e in (("Flu", 0, 3), ("cold", 10, 14)))
    benchmark = loaded(write("own.txt", swapped), write("names.tsv", NAMES))
    [note] = loud(benchmark)
    assert note.startswith("WARNING: OWN-TEST HAS NO MENTION. All 2 lines were read as relations.")


def test_types_that_the_ontology_has_are_named_where_others_make_the_most(write):
    chemicals = "".join(f"{COPPER}C{n}\n" for n in range(3))
    own = write("own.txt", f"{TEXT}{FLU}X1\n{COLD}X2\n{chemicals}")
    [told] = loud(loaded(own, write("names.tsv", NAMES)))
    assert "60 % OF THE GOLD IDS" in told
    assert "Those of type Disease are mostly inside: --types Disease " in told


@pytest.mark.parametrize(("inside", "is_loud"), [(2, False), (1, True)])
def test_half_of_the_ids_outside_is_not_yet_loud(write, inside, is_loud):
    rows = "".join(f"{FLU}X{n}\n" for n in range(1, inside + 1)) + f"{COLD}A\n{COPPER}B\n"
    assert bool(loud(loaded(write("own.txt", TEXT + rows), write("names.tsv", NAMES)))) == is_loud


@pytest.mark.parametrize(("dropped", "is_loud"), [(1, False), (2, True)])
def test_a_tenth_of_the_mentions_dropped_is_not_yet_loud(write, dropped, is_loud):
    letters = [f"1\t{n}\t{n + 1}\t{letter}\tDisease\tX1\n" for n, letter in enumerate("Flu and")]
    rows = "".join([f"{FLU}X1\n", f"{COLD}X2\n", *letters])
    lost = "".join(f"1\t{n}\t{n + 4}\tnowhere\tDisease\tX1\n" for n in range(dropped))
    benchmark = loaded(write("own.txt", TEXT + rows + lost), write("names.tsv", NAMES))
    assert (benchmark.test.n_mentions, benchmark.test.dropped["offset mismatch"]) == (9, dropped)
    told = loud(benchmark)
    assert bool(told) == is_loud
    assert not is_loud or (
        told[0].startswith("WARNING: 18 % OF THE MENTIONS WERE DROPPED.") and "another edition" in told[0]
    )


def test_a_folder_with_the_name_of_a_registered_data_set_does_not_hide_it(tmp_path, monkeypatch):
    (tmp_path / "mini").mkdir()
    monkeypatch.chdir(tmp_path)
    assert read_dictionary("mini")[0].fingerprint() == load("mini").ontology.fingerprint()
    with pytest.raises(FileNotFoundError, match="MRCONSO"):
        read_dictionary(tmp_path / "mini")


def test_a_span_with_golds_that_no_answer_meets_is_told_with_the_ceiling(write):
    twice = corpus(copper="X2") + FLU.replace("Disease", "Symptom") + "X2\n"  # of four mentions one is wrong
    [note] = loaded(write("own.txt", twice), write("names.tsv", NAMES)).notes
    assert note == (
        "own.txt: 1 spans have golds that no one concept meets (document 1 0-3: Disease, Symptom), so "
        "strict Recall@1 is at most 75.0 %."
    )
    same = corpus(copper="X2") + FLU + "X1|X2\n"
    assert not any("meets" in note for note in loaded(write("b.txt", same), write("names.tsv", NAMES)).notes)


def test_a_corpus_in_order_is_not_doubted(write):
    benchmark = loaded(write("own.txt", corpus(copper="X2")), write("names.tsv", NAMES))
    assert sanity_checks(benchmark) == () == benchmark.notes


CORPUS = """1|t|Flu season
1|a|A bad flu and a cold.
1\t0\t3\tFlu\tDisease\t007
1\t0\t3\tFlu\tDisease\t007
1\t17\t20\tflu\tDisease\t007
1\t30\t34\tcold\tDisease\tX:2
1\t11\t16\tmissing\tDisease\t007
1\t11\t16\tA bad\tDisease\t-1

2|t|Other
2|a|Text.
2\t0\t5\tOther\tDisease\tX:9
"""
DICTIONARY = "007\tflu\tinfluenza\nX:2\tcold\n"


@pytest.mark.parametrize("corpus", ["own.txt", "own.PubTator.gz"])
def test_counts_close_and_oddities_are_listed(write, corpus):
    benchmark = load_paths(write(corpus, CORPUS), write("names.tsv", DICTIONARY))
    assert benchmark.name == "own" and benchmark.cluster == "document"
    assert (benchmark.train.n_raw, benchmark.dev.n_raw) == (0, 0)
    found = [(m.start, m.text, m.gold.printed) for _, m in benchmark.test.mentions()]
    assert found == [
        (0, "Flu", "007"), (17, "flu", "007"), (27, "cold", "X:2"), (11, "A bad", "-1"), (0, "Other", "X:9")
    ]  # fmt: skip
    dropped = {"duplicate row": 1, "offset mismatch": 1}
    assert benchmark.test.n_raw == 7 and benchmark.test.dropped == dropped
    doubted, left_out, moved, unknown = benchmark.notes
    assert doubted.startswith("WARNING: 29 % OF THE MENTIONS WERE DROPPED.")
    assert left_out == f"Left out of {corpus}: duplicate row 1, offset mismatch 1."
    assert moved.startswith(f"2 mentions of {corpus} are not at their offsets: {corpus}:6: 'cold'")
    assert unknown == f"1 gold ids of {corpus} are not in names.tsv: X:9 (document 2)"
    assert "test=Corpus('own-test', 2 documents, 5 mentions)" in repr(benchmark)
    assert "Ontology('names.tsv', 2 concepts)" in repr(benchmark) and "influenza" not in repr(benchmark)


def test_long_lists_are_cut(write):
    rows = "".join(f"1\t0\t3\tFlu\tD\tX:{i}\n" for i in range(100, 125))
    corpus = write("own.txt", "1|t|Flu\n1|a|x\n" + rows)
    note = load_paths(corpus, write("names.tsv", DICTIONARY)).notes[-1]
    assert note.startswith("25 gold ids") and note.endswith("X:119 (document 1); and 5 more")


def test_missing_and_unknown_files(write, tmp_path):
    corpus, names = write("own.txt", CORPUS), write("o.tsv", DICTIONARY)
    for own, ontology, error, message in (
        (corpus, tmp_path / "nowhere.tsv", FileNotFoundError, r"nowhere\.tsv: no such file"),
        (tmp_path / "absent.txt", names, FileNotFoundError, r"absent\.txt: no such file"),
        (corpus, tmp_path, FileNotFoundError, r"expected MRCONSO\.RRF"),
        (corpus, None, ValueError, r"own\.txt: a corpus .* needs a dictionary \(on a page `ontology`\)"),
        (tmp_path, names, ValueError, "expected a PubTator or BioC file, found a folder without BRAT"),
        (write("broken.txt", "1|t|Flu\n"), names, ValueError, r"broken\.txt:1: expected an abstract line"),
    ):
        with pytest.raises(error, match=message):
            load_paths(own, ontology)
    with pytest.raises(ValueError, match="a PubTator file, or a folder of BRAT, ShARe, n2c2 or ZESHEL"):
        load(str(tmp_path), str(names))
