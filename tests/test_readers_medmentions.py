"""Per-document token files, as archives made by hand."""

import io
import tarfile

import pytest

from study.corpora.medmentions_tokens import merge_copies, read_context_archive

ONE = "Old\tO\nflu\tB:C1\nshot\tI:C1\nhelps\tO\n\n"
OTHER = "Old\tB:C2\nflu\tO\nshot\tI:C1\nhelps\tO\n\n"  # the mention of ONE lacks its first token here
END = "flu\tB:C1\n\n"


def archive(path, files, mode="w:gz", extra=()):
    with tarfile.open(path, mode) as tar:
        for name, text in files.items():
            content = text.encode()
            info = tarfile.TarInfo(name)
            info.size = len(content)
            tar.addfile(info, io.BytesIO(content))
        for info in extra:
            tar.addfile(info)
    return path


@pytest.mark.parametrize(
    ("text", "n", "spans"),
    [
        (OTHER + ONE + END, 2, [(0, 0, 1, "C2"), (0, 1, 3, "C1"), (1, 0, 1, "C1")]),
        # A sentence that returns later stands twice.
        (END + ONE + END, 3, [(0, 0, 1, "C1"), (1, 1, 3, "C1"), (2, 0, 1, "C1")]),
        # A neighbour's first token is O in this copy, so it ends the mention even when the CUI is the same.
        ("a\tB:C1\nb\tO\nc\tI:C1\n\na\tO\nb\tB:C1\nc\tI:C1\n", 1, [(0, 0, 1, "C1"), (0, 1, 3, "C1")]),
        ("a\tB:C1\nb\tI:C2\n", 1, [(0, 0, 1, "C1")]),
        # The last sentence counts without a newline behind it.
        ("a\tB:C1\n\nb\tB:C2", 2, [(0, 0, 1, "C1"), (1, 0, 1, "C2")]),
    ],
)
def test_copies_of_a_sentence_are_merged(text, n, spans):
    sentences, found = merge_copies(text)
    assert len(sentences) == n and found == spans
    assert sentences[0] == [row.split("\t")[0] for row in text.split("\n\n")[0].split("\n") if row]


@pytest.mark.parametrize("mode", ["w:gz", "w:xz"])
def test_offsets_count_into_tokens_joined_by_one_space(tmp_path, mode):
    link = tarfile.TarInfo("d/5.context")
    link.type, link.linkname = tarfile.SYMTYPE, "../../outside"
    files = {
        "d/9.txt": "C2||Old",
        "d/9.context": OTHER + ONE + END,
    }
    documents = read_context_archive(archive(tmp_path / "a.tar", files, mode, extra=[link]))
    assert list(documents) == ["9"]  # the link and the list are passed over
    document = documents["9"]
    assert document.text == "Old flu shot helps flu"
    assert [(m.start, m.end, m.text) for m in document.mentions] == [
        (0, 3, "Old"),
        (4, 12, "flu shot"),
        (19, 22, "flu"),
    ]
    assert [m.gold.ids for m in document.mentions] == [{"C2"}, {"C1"}, {"C1"}]
    assert document.mentions[0].gold.printed == "C2"
