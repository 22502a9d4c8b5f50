"""A user's own files, oddities counted and broken structure refused."""

import gzip

import pytest

from benchlib.formats.own import load_paths
from study.corpora import load

CORPUS = """1|t|Flu season
1|a|A bad flu and a cold.
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


@pytest.fixture
def write(tmp_path):
    def write(name, text):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(gzip.compress(text.encode()) if name.endswith(".gz") else text.encode())
        return path

    return write


@pytest.mark.parametrize("corpus", ["own.txt", "own.PubTator.gz"])
def test_counts_close_and_oddities_are_listed(write, corpus):
    benchmark = load_paths(write(corpus, CORPUS), write("names.tsv", DICTIONARY))
    assert benchmark.name == "own" and benchmark.cluster == "document"
    assert (benchmark.train.n_raw, benchmark.dev.n_raw) == (0, 0)
    found = [(m.start, m.text, m.gold.printed) for _, m in benchmark.test.mentions()]
    assert found == [
        (0, "Flu", "007"),
        (17, "flu", "007"),
        (27, "cold", "X:2"),
        (11, "A bad", "-1"),
        (0, "Other", "X:9"),
    ]
    assert benchmark.test.n_raw == 6 and benchmark.test.dropped == {"offset mismatch": 1}
    doubted, left_out, moved, unknown = benchmark.notes
    assert doubted.startswith("WARNING: 17 % OF THE MENTIONS WERE DROPPED.")
    assert left_out == f"Left out of {corpus}: offset mismatch 1."
    assert moved.startswith(f"2 mentions of {corpus} stand elsewhere") and f"{corpus}:5: 'cold'" in moved
    assert unknown == f"1 gold ids of {corpus} are not in names.tsv: X:9 (document 2)"


def test_a_clean_corpus_has_no_notes(write):
    corpus = write("own.txt", "1|t|Flu\n1|a|x\n1\t0\t3\tFlu\tD\t007\n")
    benchmark = load_paths(corpus, write("names.txt", DICTIONARY))
    assert benchmark.notes == () and list(benchmark.ontology.concepts) == ["007", "X:2"]


def test_long_lists_are_cut(write):
    rows = "".join(f"1\t0\t3\tFlu\tD\tX:{i}\n" for i in range(100, 125))
    corpus = write("own.txt", "1|t|Flu\n1|a|x\n" + rows)
    _, note = load_paths(corpus, write("names.tsv", DICTIONARY)).notes
    assert note.startswith("25 gold ids") and note.endswith("X:119 (document 1); and 5 more")


ATOM = "007|ENG|P|L|PF|S|Y|A||||MSH|MH|D|flu|0|N||\n"


@pytest.mark.parametrize(
    ("name", "text", "ontology"),
    [
        ("o.obo", "[Term]\nid: 007\nname: flu\n", "o.obo"),
        ("o.obo.gz", "[Term]\nid: 007\nname: flu\n", "o.obo.gz"),
        ("o.tsv.gz", "007\tflu\n", "o.tsv.gz"),
        ("o.txt", "007||flu\n", "o.txt"),
        ("umls/MRCONSO.RRF", ATOM, "umls"),
        ("umls/MRCONSO.RRF", ATOM, "umls/MRCONSO.RRF"),
        ("umls/MRCONSO.RRF.gz", ATOM, "umls/MRCONSO.RRF.gz"),
    ],
)
def test_ontology_by_extension(write, tmp_path, name, text, ontology):
    write(name, text)
    benchmark = load_paths(write("own.txt", CORPUS), tmp_path / ontology)
    assert benchmark.ontology.concepts["007"].names == ("flu",)


@pytest.mark.parametrize(
    ("corpus", "ontology", "message"),
    [
        ("", DICTIONARY, r"own\.txt:1: expected at least one document"),
        ("1|t|Flu\n1\t0\t3\tFlu\tD\tX\n", DICTIONARY, r"own\.txt:2: expected a title line"),
        (
            "1|t|Flu\n1|a|x\n1\tzero\t3\tFlu\tD\tX\n",
            DICTIONARY,
            r"own\.txt:3: expected start and end as numbers",
        ),
        (CORPUS, "007 flu\n", r"o\.tsv:1: expected `id\|\|name` or `id<TAB>name`"),
    ],
)
def test_broken_structure(write, corpus, ontology, message):
    with pytest.raises(ValueError, match=message):
        load_paths(write("own.txt", corpus), write("o.tsv", ontology))


def test_missing_and_unknown_files(write, tmp_path):
    corpus = write("own.txt", CORPUS)
    with pytest.raises(FileNotFoundError, match=r"nowhere\.tsv: no such file"):
        load_paths(corpus, tmp_path / "nowhere.tsv")
    with pytest.raises(FileNotFoundError, match=r"absent\.txt: no such file"):
        load_paths(tmp_path / "absent.txt", write("o.tsv", DICTIONARY))
    with pytest.raises(ValueError, match=r"o\.owl: expected an ontology as \.tsv, .*\.csv.*\.obo"):
        load_paths(corpus, write("o.owl", ""))
    with pytest.raises(FileNotFoundError, match=r"expected MRCONSO\.RRF"):
        load_paths(corpus, tmp_path)
    with pytest.raises(ValueError, match=r"own\.txt: a corpus given by its path needs `ontology`"):
        load_paths(corpus, None)


def test_a_folder_that_is_none_of_those_known_says_which_are(tmp_path, write):
    (tmp_path / "own").mkdir()
    with pytest.raises(
        ValueError, match="own: expected a PubTator file, or a folder of ShARe, n2c2 or ZESHEL"
    ):
        load(str(tmp_path / "own"), str(write("names.tsv", DICTIONARY)))


def test_data_is_shown_in_a_line(write):
    benchmark = load_paths(write("own.txt", CORPUS), write("names.tsv", DICTIONARY))
    assert "test=Corpus('own-test', 2 documents, 5 mentions)" in repr(benchmark)
    assert "Ontology('names.tsv', 2 concepts)" in repr(benchmark) and "influenza" not in repr(benchmark)
