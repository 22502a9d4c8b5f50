"""Broken files of every format: one error that names file, line and what was expected."""

import gzip
from functools import partial

import pytest

from benchlib.formats.dictionary import read_dictionary
from benchlib.formats.json_lines import read_json_lines
from benchlib.formats.lines import numbered_lines
from benchlib.formats.obo import read_obo
from benchlib.formats.pubtator import read_pubtator
from study.corpora.bc2gn import read_gene_info
from study.corpora.medic import read_ctd, read_medic_2012
from study.corpora.medmentions import read_pmids
from study.corpora.mesh import read_labels, read_mappings, read_pairs, read_tree


def lines(path):
    return list(numbered_lines(path))


pubtator = partial(read_pubtator, name="x")
genes = partial(read_gene_info, name="genes")


CTD_ROW, GENE = "Ague\tMESH:D1\t\t\t\t\t\t\t\n", "9606\t1" + 14 * "\tx" + "\n"
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
    (read_obo, TERM + "name: b\n", 1, "a [Term] with one `name:`, found '2 of them'"),
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
    (read_medic_2012, "D1||a\nD2|b\n", 2, "ids || names"),
    (read_medic_2012, "D1||\n", 1, "ids || names"),
    (read_medic_2012, "DOID:1||a\n", 1, "MeSH or OMIM ids"),
    (read_medic_2012, "", 1, "at least one concept"),
    (read_medic_2012, "D1||a\nD2||b\nMESH:D1||c\n", 3, "each id once"),
    (read_ctd, "#\n" + 2 * CTD_ROW, 3, "each id once"),
    (read_ctd, "Ague\tMESH:D1\n", 1, "9 tab-separated cells"),
    (read_ctd, CTD_ROW.replace("MESH:D1", "X1"), 1, "a DiseaseID"),
    (read_ctd, "#\n", 1, "at least one row"),
    (genes, "9606\t1\tA\n", 1, "16 tab-separated cells"),
    (genes, "#only a head\n", 1, "at least one row"),
    (genes, 2 * GENE, 2, "each id once"),
    (genes, GENE.replace("\t1", "\tx"), 1, "a gene id"),
    (read_labels, "D1\ta\nD1\tb\n", 2, "each id once"),
    (read_labels, "D1\n", 1, "2 to 3 tab-separated cells, found '1: D1'"),
    (read_tree, "id\tname\tnumber\nD1\tx\tD02.4\nD2\ty\tD02.4\n", 3, "each id once, found 'D02.4 again'"),
    (read_pairs, "a\tb\tc\n", 1, "2 to 2 tab-separated cells"),
    (read_pairs, "", 1, "at least one row"),
    (partial(read_mappings, vocabulary="CHEBI"), "DO\t1\ta\tCHEBI\t2\tb\n", 1, "MESH in the first column"),
    (read_pmids, "1\n2\n1\n", 3, "each id once"),
    (read_pmids, "1\nx2\n", 2, "a PMID"),
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


@pytest.mark.parametrize("read", [lines, read_dictionary, genes])
def test_a_damaged_archive_is_an_error_with_its_line(tmp_path, read):
    path = tmp_path / "x.tsv.gz"
    path.write_bytes(gzip.compress((GENE * 99).encode())[:-20])
    with pytest.raises(ValueError, match=r"x\.tsv\.gz:\d+: expected a whole gzip file"):
        read(path)
