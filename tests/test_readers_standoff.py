"""BioC and BRAT: a PubTator file, written by hand or real, in their forms is the same corpus."""

import json
import re
from xml.etree.ElementTree import Element, SubElement, tostring

import pytest

from benchlib.formats.bioc import read_bioc
from benchlib.formats.brat import read_brat
from benchlib.formats.gold_ids import Separators, gold_from_ids
from benchlib.formats.offsets import Oddities
from benchlib.formats.own import load_paths
from benchlib.formats.pubtator import read_pubtator

SMALL = """\
7|t|Flu in Zürich, née <Turicum>
7|a|A bad cold & copper.
7\t0\t3\tFlu\tDisease\tMESH:D1
7\t7\t13\tZürich\tPlace\t-
7\t35\t39\tcold\tDisease\tMESH:D2|MESH:D3

8|t|𝛼-fever
8|a|x
8\t0\t7\t𝛼-fever\tDisease\tD4
"""


def documents(text: str) -> list[tuple[str, str, str, list[list[str]]]]:
    """(id, title, abstract, rows) by splitting alone."""
    blocks = [block.split("\n") for block in text.strip("\n").split("\n\n")]
    return [
        (b[0].split("|")[0], b[0].split("|", 2)[2], b[1].split("|", 2)[2], [row.split("\t") for row in b[2:]])
        for b in blocks
    ]


def annotation(n: int, row: list[str]) -> dict:
    _, start, end, text, type, id = row[:6]
    location = {"offset": int(start), "length": int(end) - int(start)}
    return {"id": str(n), "infons": {"type": type, "identifier": id}, "text": text, "locations": [location]}


def as_json(text: str) -> list[dict]:
    found = []
    for id, title, abstract, rows in documents(text):
        starts, passages = (0, len(title) + 1), []
        for start, part in zip(starts, (title, abstract), strict=True):
            inside = [row for row in rows if start <= int(row[1]) <= start + len(part)]
            annotations = [annotation(n, row) for n, row in enumerate(inside)]
            passages.append({"offset": start, "text": part, "annotations": annotations})
        found.append({"id": id, "passages": passages})
    return found


def as_xml(documents: list[dict]) -> str:
    root = Element("collection")
    for document in documents:
        SubElement(of := SubElement(root, "document"), "id").text = document["id"]
        for passage in document["passages"]:
            within = SubElement(of, "passage")
            SubElement(within, "offset").text = str(passage["offset"])
            SubElement(within, "text").text = passage["text"]
            for one in passage["annotations"]:
                mention = SubElement(within, "annotation")
                for key, value in one["infons"].items():
                    SubElement(mention, "infon", key=key).text = value
                SubElement(mention, "location", {k: str(v) for k, v in one["locations"][0].items()})
                SubElement(mention, "text").text = one["text"]
    return '<?xml version="1.0"?><!DOCTYPE collection SYSTEM "BioC.dtd">' + tostring(root, encoding="unicode")


def as_brat(text: str, write) -> None:
    for id, title, abstract, rows in documents(text):
        lines = []
        for n, (_, start, end, string, type, *ids) in enumerate(rows):
            lines.append(f"T{n}\t{type} {start} {end}\t{string}\n")
            lines += [f"N{n}-{m}\tReference T{n} {id}\tx\n" for m, id in enumerate(ids[0].split("|"))]
        write(f"brat/{id}.txt", f"{title} {abstract}")
        write(f"brat/{id}.ann", "".join(lines))


def content(corpus):
    return {d.id: (d.text, sorted((m.start, m.end, m.type, m.gold.parts) for m in d.mentions))
            for d in corpus.documents}  # fmt: skip


def in_each_form(text: str, write, tmp_path, gold):
    collection, one = as_json(text), json.dumps
    yield "xml", read_bioc(write("c.xml.gz", as_xml(collection)), "c", gold)
    for name, form in (
        ("collection", one({"documents": collection})),
        ("list of collections", one([{"documents": collection}])),
        ("PubTator 3", one({"PubTator3": collection})),
        ("list", one(collection, indent=1)),
        ("lines", "\n".join(map(one, collection))),
    ):
        yield name, read_bioc(write("c.json", form), "c", gold)
    as_brat(text, write)
    yield "brat", read_brat(tmp_path / "brat", "c", gold)


def test_every_form_is_the_same_corpus(write, tmp_path):
    gold = gold_from_ids()
    expected = content(read_pubtator(write("c.txt", SMALL), "c", gold))
    assert expected["7"][1][2] == (35, 39, "Disease", (frozenset({"MESH:D2", "MESH:D3"}),))
    for form, corpus in in_each_form(SMALL, write, tmp_path, gold):
        assert content(corpus) == expected, form
        assert not corpus.dropped and not corpus.moved_spans


def test_bc5cdr_in_every_form(data_folder, write, tmp_path):
    text = (data_folder / "bc5cdr" / "CDR_TestSet.PubTator.txt").read_text("utf-8")
    text = "\n".join(line for line in text.split("\n") if "\tCID\t" not in line)
    # With sub-mentions | means all of them, which the other forms do not say.
    text = re.sub(r"(?m)^((?:[^\t\n]*\t){5}[^\t\n]*)\t.*$", r"\1", text)
    gold = gold_from_ids(Separators("|", ""))
    plain = read_pubtator(write("c.txt", text), "c", gold, repeated_rows=True)
    assert len(plain.documents) == 500 and plain.n_mentions > 9_700
    for form, corpus in in_each_form(text, write, tmp_path, gold):
        assert content(corpus) == content(plain), form


PASSAGES = """<collection><document><id>1</id>
<passage><offset>0</offset><text>Flu.</text>
 <annotation><infon key="type">D</infon><infon key="MESH">D1</infon>
  <location offset="0" length="3"/><text>Flu</text></annotation>
 <annotation><infon key="MESH">D1</infon><location offset="1" length="3"/><text>Flu</text></annotation>
 <annotation><infon key="MESH">D4</infon><location offset="102" length="3"/><text>bad</text></annotation>
</passage>
<passage><offset>100</offset><sentence><offset>100</offset><text>A bad cold.</text>
 <annotation><infon key="MESH">D2</infon><location offset="106" length="4"/><text>cold</text></annotation>
 <annotation><infon key="MESH">D2</infon><location offset="106" length="4"/><text>cold</text></annotation>
 <annotation><infon key="MESH">D3</infon>
  <location offset="102" length="3"/><location offset="106" length="4"/><text>bad cold</text></annotation>
</sentence></passage>
<passage><offset>4</offset><text>Ague</text>
 <annotation><location offset="4" length="4"/><text>Ague</text></annotation></passage>
</document></collection>"""


def test_passages_apart_and_what_is_dropped(write):
    corpus = read_bioc(write("c.xml", PASSAGES), "c")
    [document] = corpus.documents
    assert document.text == "Flu." + " " * 96 + "A bad cold. Ague"
    found = [(m.start, m.text, m.type, m.gold.printed) for m in document.mentions]
    assert found == [
        (0, "Flu", "D", "D1"), (102, "bad", "", "D4"), (106, "cold", "", "D2"), (112, "Ague", "", "")
    ]  # fmt: skip
    assert corpus.dropped == {"offset mismatch": 1, "duplicate row": 1, "discontinuous span": 1}
    # Answers by the offsets of the file find their mention, or that it was left out.
    assert corpus.moved_spans["1", 4, 8] == ((112, 116),) and corpus.moved_spans["1", 1, 4] == ()


COUNT = "passages whose offsets count"
TEXTS = "Née 😀 flu.", "Öl, α-ill."  # in UTF-8 é, Ö and α take two bytes, 😀 four, and in UTF-16 two units


@pytest.mark.parametrize(
    ("offset", "flu", "ill", "what"),  # of the second passage, and of the mentions in the first and second
    [
        (11, 6, 17, {}),
        (11, 6, 6, {}),
        (15, 10, 23, {f"{COUNT} UTF-8 bytes": 2}),
        (15, 10, 8, {f"{COUNT} UTF-8 bytes": 2}),
        (11, 10, 23, {f"{COUNT} UTF-8 bytes": 2}),
        (12, 7, 18, {f"{COUNT} UTF-16 units": 1}),
        (11, 7, 18, {f"{COUNT} UTF-16 units": 2}),
        (2, 6, 8, {}),
    ],
)
def test_offsets_of_bioc_count_what_explains_them(write, offset, flu, ill, what):
    rows = ["1", flu, flu + 3, "flu", "D", "D1"], ["1", ill, ill + 3, "ill", "D", "D2"]
    passages = [{"offset": at, "text": text, "annotations": [annotation(1, row)]}
                for at, text, row in zip((0, offset), TEXTS, rows, strict=True)]  # fmt: skip
    collection = [{"id": "1", "passages": passages}]
    for path in (write("c.xml", as_xml(collection)), write("c.json", json.dumps(collection))):
        corpus = read_bioc(path, "c", oddities=(found := Oddities()))
        [document] = corpus.documents
        assert document.text == TEXTS[0] + " " * max(1, offset - 10) + TEXTS[1]
        assert [m.start for m in document.mentions] == [document.text.index(name) for name in ("flu", "ill")]
        assert not corpus.dropped and found == Oddities(counted=what)


@pytest.mark.parametrize(
    ("end", "flu", "ill", "what"),
    [
        ("\n", 10, 23, {f"{COUNT} UTF-8 bytes": 1}),
        ("\n", 7, 18, {f"{COUNT} UTF-16 units": 1}),
        ("\r\n", 6, 18, {}),
        ("\r\n", 6, 17, {f"{COUNT} line ends as one character": 1}),
    ],
)
def test_offsets_of_brat_count_what_explains_them(write, tmp_path, end, flu, ill, what):
    write("b/1.txt", "\ufeff" + (text := end.join(TEXTS)))
    ids = "#1\tAnnotatorNotes T1\tD1\n#2\tAnnotatorNotes T2\tD2\n"
    write("b/1.ann", f"T1\tD {flu} {flu + 3}\tflu\nT2\tD {ill} {ill + 3}\till\n{ids}")
    corpus = read_brat(tmp_path / "b", "b", oddities=(found := Oddities()))
    assert [m.start for _, m in corpus.mentions()] == [text.index("flu"), text.index("ill")]
    assert not corpus.dropped and found == Oddities(counted=what)


@pytest.mark.parametrize("base", [0, 9])
def test_a_moved_mention_of_bioc_is_told_by_the_count_of_its_offsets(write, base):
    annotations = [
        {"infons": {"MESH": "D1"}, "text": word, "locations": [{"offset": base + at, "length": len(word)}]}
        for at, word in ((0, "cold"), (6, "fever"), (14, "pain"))
    ]
    passages = [
        {"offset": 0, "text": "A title.", "annotations": []},
        {"offset": 9, "text": "cold, fever, pain", "annotations": annotations},
    ]
    path = write("c.json", json.dumps({"documents": [{"id": "1", "passages": passages}]}))
    corpus = read_bioc(path, "c", oddities=(found := Oddities()))
    assert [m.start for _, m in corpus.mentions()] == [9, 15, 22]
    printed, taken = (f"{at + base}-{at + base + 4}" for at in (14, 13))
    assert found.issues == [f"document 1: 'pain' is not at {printed}, taken at {taken}"]


def test_a_single_wrong_offset_is_mended_and_pieces_at_a_line_end_are_one(write, tmp_path):
    write("b/1.txt", "A bad\ncold or flu, ill and ill")
    rows = "2 5;6 10\tbad cold", "15 18\tflu", "23 26\till", "2 5;14 17\tbad flu"
    write("b/1.ann", "".join(f"T{n}\tD {row}\n" for n, row in enumerate(rows)))
    notes = load_paths(tmp_path / "b", write("names.tsv", "D1\tflu\n")).notes
    assert "Left out of b: offset mismatch 1, discontinuous span 1." in notes
    told = "document 1: 'flu' is not at 15-18, taken at 14-17; document 1: 'ill' is not at 23-26, dropped"
    assert f"2 mentions of b are not at their offsets: {told}" in notes


def test_a_folder_of_brat_with_notes_pieces_and_folders(write, tmp_path):
    write("b/README.txt", "No document.")
    write("b/x/1.txt", "Flu and\r\na bad cold")
    mentions = "T1\tD 0 3\tFlu\nT2\tD 11 19\tbad cold\nT3\tD 0 3;15 19\tFlu cold\nT4\tD 0 2\tflu\n"
    others = "#1\tAnnotatorNotes T1\tC001 \n#2\tAnnotatorNotes T2\tnot sure\nR1\tCauses Arg1:T1 Arg2:T2\n"
    write("b/x/1.ann", mentions + others)
    oddities = Oddities()
    [document] = (corpus := read_brat(tmp_path / "b", "b", oddities=oddities)).documents
    assert oddities.counted["mentions without an id, read as NIL"] == 1  # its note has two words
    assert oddities.counted["notes of several words or of no mention, not read as ids"] == 1
    assert oddities.counted["texts without an .ann file, left out"] == 1
    found = [(m.text, m.gold.printed) for m in document.mentions]
    assert document.id == "x/1" and found == [("Flu", "C001"), ("bad cold", "")]
    assert corpus.dropped == {"discontinuous span": 1, "offset mismatch": 1}


@pytest.mark.parametrize(
    ("infons", "id"),
    [
        ({"MESH": "D1"}, "D1"),
        ({"Identifier": "D1"}, "D1"),
        ({"mesh_id": "D1"}, "D1"),
        ({"UMLS_CUI": "C1"}, "C1"),
        ({"MESH": "", "OMIM": "1"}, "1"),
        ({"identifier": 0}, "0"),
        ({"gene_name": "flu", "gene_id": "672"}, "672"),
        ({"gene symbol": "flu", "type": None}, ""),
        ({}, ""),
    ],
)
def test_the_id_of_an_annotation_stands_under_one_of_many_keys(write, infons, id):
    location = [{"offset": 0, "length": 3}]
    flu = {"text": "Flu", "infons": {"type": "D", **infons}, "locations": location}
    # The index terms of NLM-Chem are of the whole document; some tools add sentences to a passage.
    indexed = {"text": "", "infons": {"identifier": "D9"}, "locations": []}
    passage = {
        "offset": 0,
        "text": "Flu",
        "annotations": [flu, indexed],
        "sentences": [{"offset": 0, "text": "Flu"}],
    }
    oddities = Oddities()
    content = json.dumps({"id": "1", "passages": [passage]})
    corpus = read_bioc(write("x.json", content), "x", oddities=oddities)
    [(_, mention)] = corpus.mentions()
    assert mention.type == (infons.get("type", "D") or "")
    found = mention.text, mention.gold.printed, corpus.dropped
    assert found == ("Flu", id, {"no place in the text": 1})
    assert oddities.counted["mentions without an id, read as NIL"] == (not id)


def test_annotations_that_stand_at_the_document_are_read(write):
    place = {"infons": {"type": "D", "identifier": "D1"}, "locations": [{"offset": 9, "length": 3}]}
    parts = [{"offset": 0, "text": "Fever."}, {"offset": 7, "text": "A flu."}]
    content = {"id": "1", "passages": parts, "annotations": [{"text": "flu", **place}]}
    element = (
        "<annotation><infon key='identifier'>D1</infon><location offset='9' length='3'/><text>flu</text>"
    )
    xml = "".join(
        f"<passage><offset>{of['offset']}</offset><text>{of['text']}</text></passage>" for of in parts
    )
    forms = {
        "x.json": json.dumps(content),
        "x.xml": f"<collection><document><id>1</id>{xml}{element}</annotation></document></collection>",
    }
    for name, text in forms.items():
        [(document, mention)] = read_bioc(write(name, text), "x").mentions()
        assert document.text == "Fever. A flu." and (mention.start, mention.gold.printed) == (9, "D1")


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("x.xml", "<collection>\n<document></collection>", "x.xml:2: expected XML"),
        ("x.xml", "<collection/>", "x.xml:1: expected at least one document"),
        ("x.xml", "<collection><document><id/></document></collection>", "an id for each document"),
        ("x.json", '\n{"id": 1}', "x.json:1: expected BioC"),
        ("x.json", '[{"id": 1, "passages": [{"offset": 1e400}]}]', "document 1: expected passages"),
        ("x.json", '{"id": 1, "passages": []}\n\n{"id', "line 3: expected a document as JSON, found '{"),
        ("x.json", '[{"id": 1, "passages": [{"offset": 9999999}]}]', "document 1: expected passages in"),
        ("x.json", '[{"id": 1, "passages": [{"offset": "x"}]}]', "document 1: invalid literal for int"),
        ("x.json", '[{"id": null, "passages": []}]', "an id for each document"),
        ("x.json", "{\n1", "double quotes: line 2 column 1"),
        ("b/1.ann", "T1\tD 0 3\tFlu\nN1\tReference T1 |\n", "document 1: expected an id next to"),
        ("b/1.ann", "T1\tD 0\tFlu\n", r"1.ann:1: expected `T1<TAB>type start end<TAB>text`"),
        ("b/1.ann", "T1\tD 0 3\tFlu\nN1\tReference T1 D1 Flu\n", "1.ann:2: expected `N1<TAB>Reference"),
        ("b/2.ann", "", "2.txt: No such file"),
        ("b/1.concept", "1||0|3||D||Flu||D1\n", ".concept files of BioSyn are not read"),
    ],
)  # fmt: skip
def test_what_is_no_corpus_is_one_sentence(write, tmp_path, name, text, words):
    write("b/1.txt", "Flu")
    path, names = write(name, text), write("names.tsv", "D1\tflu\n")
    with pytest.raises((ValueError, OSError)) as error:
        load_paths(tmp_path / "b" if name.startswith("b/") else path, names)
    told = (
        f"{error.value.filename}: {error.value.strerror}" if isinstance(error.value, OSError) else error.value
    )
    assert words in str(told) and (str(tmp_path) in str(told) or words.startswith("document"))
