"""Lines of text files: what ends one, and what is no text."""

import gzip

import pytest

from benchlib.formats.lines import numbered_lines


@pytest.mark.parametrize(
    ("content", "lines"),
    [
        (b"", []),
        (b"a", ["a"]),
        (b"a\nb\n", ["a", "b"]),
        (b"a\r\n\r\nb", ["a", "", "b"]),
        (b"a\r\rb\r", ["a", "", "b"]),
        (b"\xef\xbb\xbfa\rb", ["a", "b"]),
        ("a\u2028\x85b\nc\x0bd".encode(), ["a\u2028\x85b", "c\x0bd"]),
        (b"a\rb\nc\n", ["a\rb", "c"]),
    ],
)
@pytest.mark.parametrize("suffix", ["", ".gz", ".GZ"])
def test_lines(tmp_path, content, lines, suffix):
    path = tmp_path / f"x.txt{suffix}"
    path.write_bytes(gzip.compress(content) if suffix else content)
    assert list(numbered_lines(path)) == list(enumerate(lines, start=1))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"a\nb\0c\n", r":2: expected text without NUL characters, found .b.x00c"),
        (b"a\n\xed\xa0\x80\n", r":2: expected UTF-8"),  # a surrogate alone
        ("id\tname\n".encode("utf-16"), r":1: expected"),
        (b"a\rb\xffc\r", r":2: expected UTF-8"),
    ],
)
def test_what_is_no_text_is_an_error_with_file_and_line(tmp_path, content, message):
    path = tmp_path / "x.txt"
    path.write_bytes(content)
    with pytest.raises(ValueError, match=message) as error:
        list(numbered_lines(path))
    assert str(error.value).startswith(str(path))
