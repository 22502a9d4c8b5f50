"""Broken files of every format: one error that names file, line and what was expected."""

import gzip
from functools import partial

import pytest

from benchlib.formats.dictionary import read_dictionary
from benchlib.formats.json_lines import read_json_lines
from benchlib.formats.lines import numbered_lines
from benchlib.formats.obo import read_obo
from benchlib.formats.pubtator import read_pubtator


def lines(path):
    return list(numbered_lines(path))


pubtator = partial(read_pubtator, name="x")


TERM = "[Term]\nid: X:1\nname: a\n"
FEVER = '{"names": ["fièvre"], "id": "D2"}\n'
TITLE, MENTION = "1|t|Breast pain\n1|a|A fever, née pyrexia.\n", "1\t14\t19\tfever\tDisease\tD3\n"
AS_NUMBERS = "start and end as numbers, start before end"
BLOCK = "a title line, its abstract line, then annotations"

BROKEN = [
    (lines, "a\nb\0c\n", 2, r"text without NUL characters, found 'b\x00c'"),
    (lines, b"a\n\xed\xa0\x80\n", 2, "UTF-8"),  # a surrogate alone
    (lines, "id\tname\n".encode("utf-16"), 1, ""),
    (lines, b"a\rb\xffc\r", 2, "UTF-8"),
    (read_dictionary, "", 1, "found 'an empty file'"),
    (read_dictionary, "1\ta\n2 b\n", 2, "`id<TAB>name`, found '2 b'"),
    (read_dictionary, "1||a\n2\tb\n", 2, "`id||name`"),
    (read_dictionary, "neither\n", 1, "`id||name` or `id<TAB>name`, found 'neither'"),
    (read_dictionary, "1\ta\n\tb\n", 2, "a non-empty id and a name"),
    (read_dictionary, "1\t \n", 1, "a non-empty id and a name"),
    (partial(read_dictionary, synonyms="|"), "1\ta\n2\t|\n", 2, "a non-empty id and a name"),
    (read_dictionary, "|1||a\n", 1, "a non-empty id and a name"),
    (read_dictionary, "name\tsynonym\nflu\tinfluenza\n", 1, "a head line with a column of ids"),
    (read_dictionary, "# x\nid\tbroader\n1\t2\n", 2, "a head line with a column of names"),
    (read_dictionary, "id\tname\n1\ta\tb\n", 2, "no more than 2 cells"),
    (read_dictionary, "name\tid\nflu\n", 2, "`id<TAB>name`"),
    (read_dictionary, "id\tname\tsynonyms\n1\t\t\n", 2, "a non-empty id and a name"),
    (read_obo, TERM + "is_obsolete: yes\n", 4, "is_obsolete: true or false"),
    (read_obo, TERM + "exact_synonym: b\n", 4, '`"text"`'),
    (read_obo, "[Term]\nid: X:1\nname no colon\n", 3, "`tag: value`, found 'name no colon'"),
    (read_obo, TERM + "name: b\n", 1, "a [Term] with one `name:` and its value, found '2 of them'"),
    (read_obo, "[Term]\nname: a\n", 1, "a [Term] with one `id:`"),
    (read_obo, f"{TERM}\n{TERM}", 5, "each id once"),
    (read_obo, TERM + 'synonym: "b EXACT []\n', 4, '`"text"`'),
    (read_obo, TERM + 'synonym: "b" SAME []\n', 4, "one of EXACT"),
    (read_obo, TERM + "[Term\nid: X:2\nname: b\n", 4, "a stanza header"),
    (read_obo, "", 1, "at least one concept"),
    (read_json_lines, FEVER + "D3\tague", 2, "a JSON object with `id` and `names`, each key once, found 'D3"),
    (read_json_lines, FEVER + '["D3", "ague"]', 2, "a JSON object with"),
    (read_json_lines, FEVER + '{"id": "D3", "label": "ague"}', 2, "a JSON object with"),
    (read_json_lines, FEVER + '{"id": "D3", "name": ["ague"]}', 2, "name as text"),
    (read_json_lines, FEVER + '{"id": "D3", "id": "D4", "names": []}', 2, "a JSON object with"),
    (read_json_lines, FEVER + '{"id": "D3", "names": [], "synonyms": []}', 2, "no key but id, names, types"),
    (read_json_lines, FEVER + '{"id": 3, "names": []}', 2, "id as text, found '3'"),
    (read_json_lines, FEVER + '{"id": "D3", "names": "ague"}', 2, "names as a list of texts, found"),
    (read_json_lines, FEVER + '{"id": "D3", "names": ["ague", null]}', 2, "names as a list of texts"),
    (read_json_lines, FEVER + '{"id": "D3", "names": [], "definition": ["x"]}', 2, "definition as text"),
    (read_json_lines, FEVER + '{"id": " ", "names": ["ague"]}', 2, "an id that is not empty"),
    (read_json_lines, FEVER + FEVER, 2, "each id once, found 'D2 again'"),
    (read_json_lines, "\n", 1, "at least one concept"),
    (pubtator, "", 1, "at least one document"),
    (pubtator, "1|t|Flu\n" + MENTION, 2, BLOCK),
    (pubtator, "1|t|Flu\n\n" + TITLE, 1, "an abstract line after the title"),
    (pubtator, f"{TITLE}\n2|a|x\n", 4, BLOCK),
    (pubtator, TITLE[4:], 1, BLOCK),
    (pubtator, TITLE + "1\t14\t19\tfever\n", 3, "document, start, end, mention, type"),
    (pubtator, TITLE + "1\n", 3, "document, start, end, mention, type"),
    (pubtator, TITLE + MENTION.strip() + "\ta\tb\n", 3, "sub-mentions"),
    (pubtator, TITLE + MENTION.replace("\t", " "), 3, "a line of document 1"),
    (pubtator, TITLE + MENTION.replace("1", "7", 1), 3, "a line of document 1"),
    *((pubtator, TITLE + MENTION.replace("14", start), 3, AS_NUMBERS)
      for start in ("x", "20", "19", "-5", "14.5", "9" * 5000)),
    (pubtator, TITLE + MENTION.replace("fever", "fe\0ver"), 3, "text without NUL"),
    (pubtator, (TITLE + MENTION).encode("latin-1"), 2, "UTF-8"),
    *((pubtator, TITLE + MENTION.replace("D3", id), 3, "an id next to the separators")
      for id in ("|", "+", "||;")),
]  # fmt: skip


@pytest.mark.parametrize(("read", "content", "line", "words"), BROKEN)
def test_a_broken_file_is_an_error_with_its_line(write, read, content, line, words):
    path = write("x.tsv", content)
    with pytest.raises(ValueError) as error:
        read(path)
    place, expected, rest = str(error.value).partition("expected ")
    assert place == f"{path}:{line}: " and words in rest and len(rest) < 300


@pytest.mark.parametrize("read", [lines, read_dictionary])
def test_a_damaged_archive_is_an_error_with_its_line(tmp_path, read):
    path = tmp_path / "x.tsv.gz"
    path.write_bytes(gzip.compress(("D1\tague\n" * 99).encode())[:-20])
    with pytest.raises(ValueError, match=r"x\.tsv\.gz:\d+: expected a whole gzip file"):
        read(path)
