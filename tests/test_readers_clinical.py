"""Clinical corpora in their own formats, with notes made up here: nothing of ShARe or n2c2 is in them."""

import pytest

from benchlib.corpus import Gold
from benchlib.formats.own import ReadingOptions
from study.corpora import load
from study.corpora.clinical import read_notes

NOTE = "Admitted:\r\nwith chest pain, left arm numb.\r\nGiven aspirin — twice.\r\n"


def place(string: str) -> tuple[int, int]:
    return NOTE.index(string), NOTE.index(string) + len(string)


def line(*head: str, of: tuple[str, ...]) -> str:
    return "||".join([*head, *(str(offset) for string in of for offset in place(string))]) + "\n"


@pytest.fixture
def share(write, tmp_path):
    """Reports and annotations in folders of their own, as distributed."""
    report, other = "00007-000001-DISCHARGE_SUMMARY", "00003-000002-ECHO_REPORT"
    rows = [
        line(f"{report}.txt", "Disease_Disorder", "C0000001", of=("chest pain",)),
        line(f"{report}.txt", "Disease_Disorder", "CUI-less", of=("numb",)),
        line(f"{report}.txt", "Disease_Disorder", "C0000002", of=("arm", "numb")),
    ]
    for name, kind, text in ((report, "pipe.txt", "".join(rows)), (other, "pipe", "")):
        write(f"share/ALLREPORTS/{name}.txt", NOTE)
        write(f"share/ALLANNOTATIONS/{name}.{kind}", text)
    return tmp_path / "share"


@pytest.fixture
def n2c2(write, tmp_path):
    rows = [line("N000", "C0000003", of=("aspirin",)), line("N001", "CUI-less", of=("twice",))]
    write("train/train_note/0034.txt", NOTE)
    write("train/train_norm/0034.norm", "".join(rows) + "\n")
    return tmp_path / "train"


def test_share_is_read_with_every_mention_kept_or_counted(share):
    corpus = read_notes(share, "share")
    assert [d.id for d in corpus.documents] == ["00003-000002-ECHO_REPORT", "00007-000001-DISCHARGE_SUMMARY"]
    found = [(m.text, m.type, m.start, m.end, m.gold) for _, m in corpus.mentions()]
    one = Gold((frozenset({"C0000001"}),), printed="C0000001")
    assert found == [
        ("chest pain", "Disease_Disorder", *place("chest pain"), one),
        ("numb", "Disease_Disorder", *place("numb"), Gold(printed="CUI-less")),
    ]
    assert corpus.dropped == {"discontinuous span": 1} and corpus.n_raw == 3


def test_n2c2_is_read_with_its_carriage_returns(n2c2):
    corpus = read_notes(n2c2, "n2c2")
    [document] = corpus.documents
    assert (document.id, document.text) == ("0034", NOTE)
    assert [(m.text, m.gold.ids) for m in document.mentions] == [("aspirin", {"C0000003"}), ("twice", set())]


ROW = r"0034\.norm:1: expected ID\|\|CUI\|\|start\|\|end.*, found"
OFFSETS = r"0034\.norm:1: expected offsets in order, within the \d+ char"


@pytest.mark.parametrize(
    ("row", "message"),
    [
        *((row, ROW) for row in (
            "N000||C0000003||3", "N000||C0000003||3||5||7", "N000||C0000003||x||5", "N000||C0000003||-1||5",
            "N000||aspirin||3||5", "||C0000003||3||5", "N000|C0000003|3|5",
            "0034.txt||Disease_Disorder||C0000003||3||5")),
        ("N000||C0000003||5||5", OFFSETS),
        (f"N000||C0000003||0||{len(NOTE) + 1}", OFFSETS),
    ],
)  # fmt: skip
def test_a_line_of_another_form_is_told_with_its_place(n2c2, row, message):
    (n2c2 / "train_norm" / "0034.norm").write_text(row)
    with pytest.raises(ValueError, match=message):
        read_notes(n2c2, "n2c2")


def test_files_that_lack_or_are_there_twice(n2c2):
    note, other = n2c2 / "train_note" / "0034.txt", n2c2 / "train_note" / "0034.text"
    for change, error, message in (
        (lambda: other.write_text(NOTE), ValueError, "expected one note 0034, found .*text and .*txt"),
        (lambda: (other.unlink(), note.write_bytes(b"na\xefve")), ValueError, "expected UTF-8.* byte 2"),
        (note.unlink, FileNotFoundError, r"0034\.norm: expected its note 0034\.txt"),
        ((n2c2 / "train_norm" / "0034.norm").unlink, ValueError, r"with \.pipe\.txt, \.pipe, \.norm files"),
    ):
        change()
        with pytest.raises(error, match=message):
            read_notes(n2c2, "n2c2")


def test_a_licence_holder_names_the_folder_as_the_data_set(share, n2c2, write):
    names = write("names.tsv", "C0000001\tchest pain\nC0000003\taspirin\n")
    benchmark = load(str(share), str(names), reading=ReadingOptions(train=str(n2c2)))
    assert benchmark.test.n_raw == 3 and benchmark.train.n_raw == 2
    assert any("Left out of" in note and "discontinuous span 1" in note for note in benchmark.notes)
    with pytest.raises(ValueError, match="no mention is of type Drug"):
        load(str(share), str(names), reading=ReadingOptions(types=("Drug",)))
