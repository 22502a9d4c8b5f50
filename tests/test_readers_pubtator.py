"""The PubTator reader keeps every mention or counts it, and says where a file is wrong."""

import gzip

import pytest

from benchlib.corpus import Gold
from benchlib.readers.pubtator import PubTator, generic_gold

GOOD = """\
1|t|Breast and ovarian cancer.
1|a|A fever, née pyrexia.
1\t0\t25\tBreast and ovarian cancer\tDisease\tD1|D2\tBreast cancer|ovarian cancer
1\t29\t34\tfever\tDisease\tD3
1\t29\t34\tfever\tSymptom\tD4
1\t40\t47\tpyrexia\tDisease\t-1
1\tCID\tD9\tD3

2|t|Cold
2|a|
2\t0\t4\tCold\tDisease\t007
"""


def write(tmp_path, text: str):
    path = tmp_path / "corpus.txt"
    path.write_text(text, encoding="utf-8", newline="")
    return path


def test_every_mention_is_kept_in_file_order(tmp_path):
    corpus = PubTator().read(write(tmp_path, GOOD), "toy")
    first, second = corpus.documents
    assert first.text == "Breast and ovarian cancer. A fever, née pyrexia."
    assert [(m.text, m.type) for m in first.mentions] == [
        ("Breast and ovarian cancer", "Disease"), ("fever", "Disease"), ("fever", "Symptom"),
        ("pyrexia", "Disease"),
    ]  # fmt: skip
    assert first.mentions[0].gold.texts == ("Breast cancer", "ovarian cancer")
    assert first.mentions[3].gold.nil
    assert second.mentions[0].gold == Gold((frozenset({"007"}),), printed="007")
    assert corpus.n_raw == corpus.n_mentions == 5


@pytest.mark.parametrize(
    "change",
    [lambda t: t.replace("\n", "\r\n"), lambda t: "\ufeff" + t, lambda t: t + "\n\n",
     lambda t: t.replace("\n\n", "\n")],
    ids=["CRLF", "byte-order mark", "blank lines at the end", "no blank line between documents"],
)  # fmt: skip
def test_harmless_differences_read_the_same(tmp_path, change):
    same = PubTator().read(write(tmp_path, change(GOOD)), "toy")
    assert same.fingerprint() == PubTator().read(write(tmp_path, GOOD), "toy").fingerprint()


def test_a_gzipped_file_reads_the_same(tmp_path):
    path = tmp_path / "corpus.txt.gz"
    path.write_bytes(gzip.compress(GOOD.encode()))
    expected = PubTator().read(write(tmp_path, GOOD), "toy").fingerprint()
    assert PubTator().read(path, "toy").fingerprint() == expected


@pytest.mark.parametrize(
    ("old", "new", "line", "expected"),
    [
        ("1|a|A fever, née pyrexia.\n", "", 2, "title and abstract before annotations"),
        ("2|t|Cold\n", "", 9, "the title line of this document"),
        ("2|a|\n2\t0\t4\tCold\tDisease\t007\n", "", 9, "an abstract line after the title"),
        ("1\t29\t34\tfever\tDisease\tD3", "1\t29\t34\tfever", 4, "start and end as numbers|document, start"),
        ("1\t29\t34\tfever\tDisease\tD3", "1 29 34 fever Disease D3", 4, "a line of document 1"),
        ("1\t29\t34\tfever\tDisease\tD3", "1\tx\t34\tfever\tDisease\tD3", 4, "as numbers"),
        ("1\t29\t34\tfever\tDisease\tD3", "1\t34\t29\tfever\tDisease\tD3", 4, "start before end"),
        ("1\t29\t34\tfever\tDisease\tD3", "1\t-5\t34\tfever\tDisease\tD3", 4, "as numbers"),
        ("1\t29\t34\tfever\tDisease\tD3", "1\t30\t35\tfever\tDisease\tD3", 4, "'fever' at 30-35 of doc"),
        ("1\t29\t34\tfever\tDisease\tD3", "7\t29\t34\tfever\tDisease\tD3", 4, "a line of document 1"),
        ("1\t29\t34\tfever\tDisease\tD3", "1\t29\t34\tfever\tDisease\tD3\ta\tb", 4, "sub-mentions"),
        ("2|t|Cold\n2|a|\n2\t0\t4\tCold", "1|t|Cold\n1|a|\n1\t0\t4\tCold", 9, "each document once"),
        ("1|t|Breast", "Breast", 1, "title and abstract before annotations"),
        (GOOD, "", 1, "at least one document"),
    ],
    ids=["no abstract", "no title", "cut after title", "too few columns", "blanks for tabs",
         "offset no number", "end before start", "negative offset", "wrong offset", "other document",
         "too many columns", "document twice", "text before title", "empty"],
)  # fmt: skip
def test_a_broken_file_is_an_error_with_file_and_line(tmp_path, old, new, line, expected):
    assert old in GOOD
    path = write(tmp_path, GOOD.replace(old, new, 1))
    with pytest.raises(ValueError, match=expected) as error:
        PubTator().read(path, "toy")
    assert str(error.value).startswith(f"{path}:{line}:")


def test_bytes_that_are_not_text_are_an_error(tmp_path):
    path = tmp_path / "latin.txt"
    path.write_bytes(GOOD.encode("latin-1"))
    with pytest.raises(ValueError, match="latin.txt:2: expected UTF-8"):
        PubTator().read(path, "toy")


def test_what_is_left_out_is_counted(tmp_path):
    twice = GOOD + "\n" + GOOD.split("\n\n")[1].replace("007", "007\n2\t0\t4\tCold\tDisease\t008")
    reader = PubTator(types={"Disease"}, drop_types={"Symptom"}, repeated_documents=True)
    corpus = reader.read(write(tmp_path, twice), "toy")
    assert corpus.dropped == {"Symptom": 1, "duplicate document": 2}
    assert corpus.n_raw == corpus.n_mentions + 3 == 7


def test_an_identical_row_is_dropped_only_where_that_is_asked_for(tmp_path):
    row = "1\t29\t34\tfever\tDisease\tD3\n"
    path = write(tmp_path, GOOD.replace(row, row * 3))
    assert PubTator().read(path, "toy").n_mentions == 7
    corpus = PubTator(repeated_rows=True).read(path, "toy")
    assert corpus.n_mentions == 5 and corpus.dropped == {"duplicate row": 2}


def test_a_tolerant_reader_moves_or_drops_and_lists(tmp_path):
    text = GOOD.replace("1\t29\t34\tfever\tDisease", "1\t31\t36\tFever\tDisease").replace(
        "1\t40\t47\tpyrexia", "1\t40\t46\tmalaria"
    )
    reader = PubTator(tolerant=True)
    corpus = reader.read(write(tmp_path, text), "toy")
    assert [m.text for m in corpus.documents[0].mentions] == ["Breast and ovarian cancer", "fever", "fever"]
    assert corpus.dropped == {"offset mismatch": 1}
    assert len(reader.issues) == 2 and reader.issues[0].startswith("corpus.txt:4: 'Fever' is not at 31-36")


def test_a_displaced_mention_with_two_equally_near_places_is_dropped(tmp_path):
    reader = PubTator(tolerant=True)
    text = "1|t|ab x ab\n1|a|y\n1\t2\t5\tab \tD\tD1\n1\t3\t5\tab\tD\tD1\n"
    corpus = reader.read(write(tmp_path, text), "toy")
    # "ab" stands at 0 and 5: from 2 the first is nearer, from 3 the second
    assert [m.start for m in corpus.documents[0].mentions] == [0, 5]
    corpus = reader.read(write(tmp_path, "1|t|ab xx ab\n1|a|y\n1\t3\t5\tab\tD\tD1\n"), "toy")
    assert corpus.n_mentions == 0 and corpus.dropped == {"offset mismatch": 1}


def test_letters_that_grow_in_lower_case_do_not_shift_a_mention(tmp_path):
    text = "1|t|İİİİ fever\n1|a|y\n1\t6\t11\tFever\tD\tD1\n"
    [mention] = PubTator(tolerant=True).read(write(tmp_path, text), "toy").documents[0].mentions
    assert (mention.start, mention.text) == (5, "fever")


@pytest.mark.parametrize("id", ["|", "D1+", "D1||+"])
def test_an_id_that_cannot_be_read_is_an_error_with_file_and_line(tmp_path, id):
    path = write(tmp_path, GOOD.replace("fever\tDisease\tD3", f"fever\tDisease\t{id}"))
    with pytest.raises(ValueError, match="empty part") as error:
        PubTator().read(path, "toy")
    assert str(error.value).startswith(f"{path}:4:")


def test_as_many_submentions_as_ids_make_a_composite():
    assert len(generic_gold("D1|D2", "", ("a", "b")).parts) == 2
    alone = generic_gold("D1|D2", "", ("a", "b", "c"))
    assert len(alone.parts) == 1 and alone.texts == ()


def test_the_meaning_of_an_id_may_leave_a_mention_out(tmp_path):
    corpus = PubTator(lambda id, type, subs: "no D3" if id == "D3" else generic_gold(id, type, subs)).read(
        write(tmp_path, GOOD), "toy"
    )
    assert corpus.dropped == {"no D3": 1}


@pytest.mark.parametrize(
    ("printed", "parts"),
    [
        ("D1", [{"D1"}]),
        (" D1 ", [{"D1"}]),
        ("D1|D2", [{"D1", "D2"}]),
        ("D1+D2", [{"D1"}, {"D2"}]),
        ("D1|D2+D3", [{"D1", "D2"}, {"D3"}]),
        ("D1,D2;D3", [{"D1", "D2", "D3"}]),
        ("-1", []),
        ("CUI-less", []),
        ("", []),
    ],
)
def test_the_generic_reading_of_ids(printed, parts):
    assert list(generic_gold(printed, "", ()).parts) == [frozenset(part) for part in parts]
