"""Each reader on damaged files: what it reads is what a plain count of the text finds, or an error names the
line. The counts split lines and cells, and use nothing of the readers."""

import random
import re
from collections.abc import Iterator
from functools import partial

import pytest
from test_readers_predictions_fuzz import TOKENS, mutated

from benchlib.formats.bioc import read_bioc
from benchlib.formats.dictionary import read_dictionary
from benchlib.formats.obo import read_obo
from benchlib.formats.offsets import Oddities
from benchlib.formats.pubtator import read_pubtator
from benchlib.formats.rrf import read_rrf

PUBTATOR = """\
1|t|Lead and tin.
1|a|A fever, n\u00e9e pyrexia.
1\t0\t4\tLead\tChemical\tD1|D2\tLead|tin
1\t16\t21\tfever\tDisease\tD3
1\t27\t34\tpyrexia\tDisease\t-1
1\tCID\tD9\tD3\tNovel

1|t|Results
1|a|

1|t|No tin.
1|a|
1\t3\t6\ttin\tChemical\tD2,D4

2|t|Cold
2|a|and flu
2\t0\t4\tCold\tDisease\t007
2\t0,9\t4,12\tCold flu\tDisease\t007
"""
TSV = "007\tflu\tinfluenza\n# said twice\nX:2\tcold, common\n7\tague\n007\tgrippe\tthe flu\n"
CSV = '007,flu,influenza\n# said twice\nX:2,"cold, ""common"""\n7,ague\n007,grippe\n'
BARS = "D1|613097||deafness\nD1||hearing loss\nD2|D1||shared\n"
OBO = """format-version: 1.2

[Term]
id: X:1
name: cancer \\{of the lung\\}
synonym: "lung cancer" EXACT [] {source="y"}
exact_synonym: "tumour" []
is_a: X:2 ! growth

[Typedef]
id: part_of

[Term]
id: X:2
name: growth

[Term]
id: X:3
name: gone
is_obsolete: true ! long since
"""
RRF = """\
C01|ENG|P|L|PF|S|Y|A||||MSH|MH|D|flu|0|N||
C01|ENG|S|L|PF|S|Y|A||||MSH|MH|D|influenza|0|N||
C02|GER|P|L|PF|S|Y|A||||MSH|MH|D|Grippe|0|N||
C03|ENG|P|L|PF|S|Y|A||||MSH|MH|D|ague|0|O||
C04|ENG|P|L|PF|S|Y|A||||MSH|MH|D|cold|0|N||
"""

PIECES = [
    *("\u2028", "\x1c", "'", "#", "!", "=", "+", "-", ";", "\\", "[Term]", "|t|", "|a|", "0", ".0", "12.5"),
    *("1-2,3-4", "\u0663", "\u0130", "e\u0301", "id", "name", "NIL", "MESH:", "OMIM:"),
]


def damaged(text: str) -> Iterator[bytes]:
    """A file as it is, then after accidents; every fifth lacks a line as well."""
    draw, tokens = random.Random(text), [*TOKENS, *map(str.encode, PIECES)]
    yield text.encode()
    for _ in range(500):
        lines = text.encode().splitlines(keepends=True)
        if draw.random() < 0.2:
            del lines[draw.randrange(len(lines))]
        yield mutated(b"".join(lines), draw, tokens)


def lines_of(content: bytes) -> list[str] | None:
    """The lines of a file, None for what is no text."""
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return None
    if "\0" in text:
        return None
    ends = "\n" if "\n" in text else "\r"
    return [line.rstrip("\r") for line in text.split(ends)]


def content_of(lines: list[str]) -> list[str]:
    return [line for line in lines if line.strip() and not line.startswith("#")]


def outcome(tmp_path, name: str, content: bytes, read):
    """What is read and the lines of the file; or None after an error that names file and line."""
    path = tmp_path / name
    path.write_bytes(content)
    try:
        found = read(path)
    except ValueError as error:
        assert re.match(rf"{re.escape(str(path))}:\d+: ", str(error)), str(error)
        return None
    lines = lines_of(content)
    assert lines is not None, "what is no text was read"
    return found, lines


def is_text(line: str) -> bool:
    head, bar, rest = line.partition("|")
    return bool(head and bar) and "\t" not in head and rest[:2] in ("t|", "a|")


def test_pubtator(tmp_path):
    for content in damaged(PUBTATOR):
        oddities = Oddities()
        read = partial(read_pubtator, name="x", oddities=oddities, repeated_rows=True)
        if result := outcome(tmp_path, "x.txt", content, read):
            corpus, lines = result
            others = [line for line in lines if line.strip() and not is_text(line)]
            assert corpus.n_raw + oddities.counted["relation lines"] == len(others)
            texts = [line.partition("|") for line in lines if is_text(line)]
            titles = [id for id, _, rest in texts if rest[0] == "t"]
            assert [document.id for document in corpus.documents] == list(dict.fromkeys(titles))
            reach = sum(map(len, filter(is_text, lines)))
            assert sum(len(document.text) for document in corpus.documents) <= reach


@pytest.mark.parametrize(
    ("name", "text"), [("x.tsv", TSV), ("x.csv", CSV), ("x.txt", BARS)], ids=["tsv", "csv", "bars"]
)
def test_dictionaries(tmp_path, name, text):
    for content in damaged(text):
        if not (result := outcome(tmp_path, name, content, read_dictionary)):
            continue
        read, lines = result
        concepts = read.ontology.concepts.values()
        rows = content_of(lines)
        if read.notes or any('"' in line for line in rows) or name == "x.csv":
            assert len(concepts) <= len(rows)
            continue
        separator = "\t" if "\t" in rows[0] else "||"
        expected = set()
        for row in rows:
            id, _, names = row.partition(separator)
            ids = id.split("|") if separator == "||" else [id]
            expected |= {(i.strip(), n.strip()) for i in ids for n in names.split(separator)}
        found = {(id, name) for c in concepts for id in (c.id, *c.alternatives) for name in c.names}
        assert {pair for pair in expected if pair[1]} <= found
        assert {c.id for c in concepts} <= {id for id, _ in expected}


def test_obo(tmp_path):
    unclosed = OBO.replace("[Term]\nid: X:3", "[Term\t\nid: X:3")  # was once taken for a tag
    for content in (*damaged(OBO), unclosed.encode()):
        if result := outcome(tmp_path, "x.obo", content, read_obo):
            read, lines = result
            terms = sum(line.strip().startswith("[Term]") for line in lines)
            left_out = (
                read.dropped.get(reason, 0) for reason in ("obsolete concept", "concept without a label")
            )
            assert len(read.ontology) + sum(left_out) == terms


def test_rrf(tmp_path):
    for content in damaged(RRF):
        result = outcome(tmp_path, "MRCONSO.RRF", content, lambda path: read_rrf(path.parent))
        if result:
            read, lines = result
            rows = [line.split("|") for line in lines if line]
            kept = [row for row in rows if row[1] == "ENG" and row[16] == "N" and row[14].strip()]
            assert sum(read.dropped.values()) == len(rows) - len(kept)
            found = {(c.id, name) for c in read.ontology.concepts.values() for name in c.names}
            assert found == {(row[0], row[14].strip()) for row in kept}


MENTION = '{"infons": {"identifier": "D1"}, "text": "Flu", "locations": [{"offset": 0, "length": 3}]}'
NESTED = [
    ("x.json", f'{{"id": "1", "passages": [{{"offset": 0, "text": "Flu", "annotations": [{MENTION}]}}]}}'),
    ("x.xml", "<collection><document><id>1</id><passage><offset>0</offset><text>Flu</text>\n<annotation>"
     '<infon key="MESH">D1</infon><location offset="0" length="3"/><text>Flu</text></annotation>\n'
     "</passage></document></collection>"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "text"), NESTED, ids=["json", "xml"])
def test_bioc(tmp_path, name, text):
    path = tmp_path / name
    for content in damaged(text):
        path.write_bytes(content)
        try:
            corpus = read_bioc(path, "x")
            assert corpus.n_mentions == 1 or content != text.encode()
        except ValueError as error:
            assert str(error).startswith(f"{path}:") and content != text.encode()
