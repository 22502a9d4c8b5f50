"""Plain dictionaries in every form, and an ontology by the ending of its path."""

import pytest

from benchlib.formats.dictionary import read_dictionary
from benchlib.formats.ontologies import read_ontology


def names(read) -> dict[str, tuple[str, ...]]:
    return {id: concept.names for id, concept in read.ontology.concepts.items()}


def test_ids_are_text_and_lines_of_one_id_add_up(write):
    text = "\ufeff007\tJames  Bond\tBond\n7\tseven\r\n\n007\tBond\tcommander\n1e5\t||\u2028x\n"
    concepts = read_dictionary(write("names.tsv", text)).ontology.concepts
    assert list(concepts) == ["007", "7", "1e5"]
    assert concepts["007"].names == ("James  Bond", "Bond", "commander")
    assert concepts["1e5"].names == ("||\u2028x",)


def test_biosyn_form_shares_names_and_keeps_alternatives(write):
    text = "D1|613097||deafness\nD1||hearing | loss\nD2|D1||shared\n"
    ontology = read_dictionary(write("names.tsv", text)).ontology
    assert list(ontology.concepts) == ["D1", "D2"]
    assert ontology.concepts["D1"].names == ("deafness", "hearing | loss", "shared")
    assert ontology.concepts["D1"].alternatives == ("613097",)
    assert ontology.resolve("613097") == ("D1",)
    assert ontology.owners()["shared"] == ("D1", "D2")


NAMES = {"007": ("flu", "influenza"), "X:2": ("cold, common",)}
RF2 = "id\teffectiveTime\tactive\tconceptId\ttypeId\tterm\n1\t2017\t1\t70\t9\tlump\n2\t2017\t0\t71\t9\told\n"
GILDA = "norm_text\ttext\tdb\tid\tentry_name\tsource\nflu\tFLU\tMESH\tD1\tInfluenza\tmesh\n"
CHEBI = "ID\tCOMPOUND_ID\tTYPE\tNAME\n1\t27732\tSYNONYM\tCaffeine\n2\t27732\tSYNONYM\tguaranine\n"
SSSOM = "#curie_map:\n#  M: http://x/\nsubject_id\tsubject_label\tpredicate_id\tobject_id\tobject_label\n" \
    "M:1\tflu\tskos:exactMatch\tN:2\tgrippe\n"  # fmt: skip


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("n.tsv", "007\tflu\tinfluenza\nX:2\tcold, common\n", NAMES),
        ("n.tsv", "# made by hand\n007\tflu\tinfluenza\n#X:3\tno\nX:2\tcold, common\n", NAMES),
        ("n.tsv", "007\tflu\rX:2\tcold, common\r007\tinfluenza\r", NAMES),
        ("n.tsv", '"007"\t"flu"\tinfluenza\n"X:2"\t"cold, common"\n', NAMES),
        ("n.tsv", "ID\tName\tSynonym\n007\tflu\tinfluenza\nX:2\tcold, common\n", NAMES),
        ("n.tsv", "#id\tname\n007\tflu\nX:2\tcold, common\n007\tinfluenza\n", NAMES),
        ("n.tsv", "alias\tprefLabel\tx\tconcept_id\ninfluenza\tflu\ta\t007\n\tcold, common\tb\tX:2\n", NAMES),
        ("n.csv", '007,flu,influenza\nX:2,"cold, common"\n', NAMES),
        ("n.CSV", 'cui,string\n007,flu\n"X:2", "cold, common"\n\n007,influenza\n', NAMES),
        ("n.txt", "id||name\n007||flu\nX:2||cold, common\n007||influenza\n", NAMES),
        # Only the first line is a head.
        ("n.tsv", "1\tflu\nid\tname\n", {"1": ("flu",), "id": ("name",)}),
        ("n.tsv", "1\tlong term\tfatty acid\nx_id\ta\n", {"1": ("long term", "fatty acid"), "x_id": ("a",)}),
        # Names stand before synonyms.
        ("n.tsv", "alternative name\tid\tname\ngrippe\t1\tflu\n", {"1": ("flu", "grippe")}),
        ("n.tsv", "id\tsynonyms\n1\tgrippe\n", {"1": ("grippe",)}),
        # A column without a label, as of the row numbers of pandas, is none of ids.
        ("n.csv", ",id,name\n0,1,flu\n1,2,cold\n", {"1": ("flu",), "2": ("cold",)}),
        ("n.tsv", "id\tname\t\n1\tflu\t\n", {"1": ("flu",)}),
        ("n.tsv", "mesh_id\tmesh_name\n1\tflu\n", {"1": ("flu",)}),
        ("n.tsv", "DiseaseName\tDiseaseID\tSynonyms\nflu\t1\tgrippe\n", {"1": ("flu", "grippe")}),
        ("n.tsv", "Concept Id\tPreferred Label\n1\tflu\n", {"1": ("flu",)}),
        # A CSV name may hold quotes and line ends; those that are none belong to a TSV name.
        ("n.csv", '1,"a ""b""\nc"\n2,d"e\n', {"1": ('a "b"\nc',), "2": ('d"e',)}),
        ("n.tsv", '1\t"5\'-" end\t5"\n2\t"open\n', {"1": ('"5\'-" end', '5"'), "2": ('"open',)}),
        # Tables of others.
        ("sct2_Description.txt", RF2, {"70": ("lump",)}),
        ("grounding_terms.tsv.gz", GILDA + "go\tgo\tGO\tGO:1\tgoing\tgo\n",
         {"MESH:D1": ("Influenza", "FLU"), "GO:1": ("going", "go")}),
        ("pairs.txt", "C1||seizure||fit\nC1||seizure||spell\n", {"C1": ("seizure", "fit", "spell")}),
    ],
)  # fmt: skip
def test_one_dictionary_in_many_forms(write, name, text, expected):
    assert names(read_dictionary(write(name, text))) == expected


@pytest.mark.parametrize(
    ("text", "id_column", "expected"),
    [
        (CHEBI, "COMPOUND_ID", {"27732": ("Caffeine", "guaranine")}),
        ("cui\tGeneID\tGeneName\nC1\t7\tTP53\n", "cui", {"C1": ("TP53",)}),
        (SSSOM, "subject_id", {"M:1": ("flu",)}),
        (SSSOM, "object_id", {"N:2": ("grippe",)}),
        (CHEBI, "", r"n\.tsv:1: expected one column of ids, found ID and COMPOUND_ID: --id-column LABEL"),
        (SSSOM, "", r"n\.tsv:3: .*, found subject_id and predicate_id and object_id: --id-column LABEL"),
        (CHEBI, "compound", r"found ID and COMPOUND_ID"),
        ("UMLS_CUI\tname\tkind\nC1\tflu\tD\n", "UMLS_CUI", {"C1": ("flu",)}),
        ("UMLS_CUI\tname\tkind\nC1\tflu\tD\n", "", r"n\.tsv:1: .* a column of ids \(id; --id-column LABEL"),
        ("MESH ID\tMeSH Heading\nD1\tflu\n", "", r"n\.tsv:1: .* a column of names"),
        ("1\tname 1\n", "", {"1": ("name 1",)}),
        ("CUI001\tterm\tfever\nMESH:1\tflu\n", "", {"CUI001": ("term", "fever"), "MESH:1": ("flu",)}),
        (
            "id\tname\tsynonym 1\tsynonym 2\n1\tflu\tgrippe\tinfluenza\n",
            "",
            {"1": ("flu", "grippe", "influenza")},
        ),
        ("a\tb\n", "x", r"n\.tsv:1: expected a head line with the column 'x', found 'none'"),
        ("id\tname\n1\ta\n", "x", r"n\.tsv:1: expected a head line with the column 'x', found 'id, name'"),
    ],
)
def test_of_several_columns_that_could_be_ids_one_is_chosen(write, text, id_column, expected):
    path = write("n.tsv", text)
    if isinstance(expected, dict):
        assert names(read_dictionary(path, id_column=id_column)) == expected
    else:
        with pytest.raises(ValueError, match=expected):
            read_dictionary(path, id_column=id_column)


def test_columns_that_are_not_read_are_noted(write):
    read = read_dictionary(write("names.tsv", "type\tid\tname\tsource\nT1\t1\ta\tX\n"))
    assert read.ontology.concepts["1"].names == ("a",)
    assert read.notes == ("Columns of names.tsv that are not read: type, source.",)


def test_bars_between_names_are_an_option_and_noted_without_it(write):
    path = write("names.tsv", "1\ta\tb|c| d\n2\te\n3\tf\tg\n")
    plain = read_dictionary(path)
    assert plain.ontology.concepts["1"].names == ("a", "b|c| d")
    [note] = plain.notes
    assert note.startswith("1 of 2 cells in column 3 of names.tsv hold `|`")
    parted = read_dictionary(path, synonyms="|")
    assert parted.ontology.concepts["1"].names == ("a", "b", "c", "d") and parted.notes == ()
    few = "".join(f"{i}\tname {i}\n" for i in range(9)) + "9\ta|b\n"
    assert read_dictionary(write("names.tsv", few)).notes == ()  # one in ten is not more than a tenth


GENES = (
    "#tax_id\tGeneID\tSymbol\tLocusTag\tSynonyms\tdbXrefs\tdescription\n"
    "9606\t1\tA1BG\t-\tA1B|ABG\t-\tglycoprotein\n9606\t2\tA2M\t-\t-\t-\tmacroglobulin\n"
)
DISEASES = (
    "# Report created: today\n#\n# Fields:\n"
    "# DiseaseName\tDiseaseID\tAltDiseaseIDs\tDefinition\tParentIDs\tTreeNumbers\tSynonyms\tSlimMappings\n#\n"
    "Ague\tMESH:D1\tDO:DOID:5|OMIM:600007\tA fever.\tMESH:D000002\tC03.1\tShivers|Chill\tx\n"
    "Fever\tOMIM:1\t\t\t\t\t\t\n"
)
MEDIC = "D1|600007||Ague|Shivers\nC565588||Fever\n"
ATOM = "C01|ENG|P|L|PF|S|Y|A||||MSH|MH|D|flu|0|N||\n"


@pytest.mark.parametrize(
    ("name", "text", "expected", "unread"),
    [
        ("g.gene_info", GENES, {"1": ("A1BG", "A1B", "ABG"), "2": ("A2M",)},
         "tax_id, LocusTag, dbXrefs, description"),
        ("CTD_diseases.tsv.gz", DISEASES, {"MESH:D1": ("Ague", "Shivers", "Chill"), "OMIM:1": ("Fever",)},
         "AltDiseaseIDs, Definition, ParentIDs, TreeNumbers, SlimMappings"),
        ("m.txt", MEDIC, {"D1": ("Ague", "Shivers"), "C565588": ("Fever",)}, ""),
    ],
)  # fmt: skip
def test_tables_of_others_are_dictionaries_whose_synonyms_are_separated(write, name, text, expected, unread):
    path = write(name, text)
    read = read_ontology(path, synonyms="|")
    assert names(read) == expected
    assert read.notes == ((f"Columns of {name} that are not read: {unread}.",) if unread else ())
    # Without the separator each cell is one name, which is noted.
    assert read_ontology(path).notes[-1].endswith("where it separates names, say so (synonyms).")


@pytest.mark.parametrize(
    ("name", "text", "path"),
    [
        ("o.OBO", "[Term]\nid: C01\nname: flu\n", "o.OBO"),
        ("o.obo.GZ", "[Term]\nid: C01\nname: flu\n", "o.obo.GZ"),
        ("o.JSONL", '{"id": "C01", "names": ["flu"]}\n', "o.JSONL"),
        ("o.TSV", "C01\tflu\n", "o.TSV"),
        ("o.Csv.gz", "id,name\nC01,flu\n", "o.Csv.gz"),
        ("umls/MRCONSO.RRF", ATOM, "umls"),
        ("umls/mrconso.rrf.gz", ATOM, "umls"),
        ("umls/MRCONSO.RRF", ATOM, "umls/MRCONSO.RRF"),
    ],
)
def test_the_ending_says_which_reader_whatever_its_case(write, tmp_path, name, text, path):
    write(name, text)
    assert read_ontology(tmp_path / path).ontology.concepts["C01"].names == ("flu",)


@pytest.mark.parametrize(
    ("name", "synonyms", "error", "message"),
    [
        ("x.obo", "|", ValueError, r"x\.obo: \.obo files are read without synonyms"),
        *((name, "", ValueError, r"expected an ontology as \.tsv, \.txt, .*\.obo, \.json, \.jsonl, \.rrf \(")
          for name in ("x.owl", "x.ttl.gz", "dictionary")),
        ("x.json.gz", "", ValueError, r"x\.json\.gz: Expecting value: line 1 column 2"),
        ("sct2_Description_Full-en.txt", "", ValueError, r"Full-en\.txt: expected the Snapshot"),
        ("d2024.bin", "", ValueError, r"d2024\.bin: MeSH in ASCII is not read\. Write it as TSV"),
        ("x.tsv#st21pv", "", ValueError, "#st21pv is for a release of UMLS"),
        ("concept_names.tsv", "", ValueError, r"names\.tsv:1: expected a head line with a column of ids"),
        ("nowhere.tsv", "", FileNotFoundError, r"nowhere\.tsv: no such file"),
    ],
)  # fmt: skip
def test_what_is_no_ontology_is_refused_by_name(write, tmp_path, name, synonyms, error, message):
    if name != "nowhere.tsv":
        texts = {"sct2": RF2, "concept": "concept_code\tconcept_name\n11\tfever\n"}
        text = next((texts[key] for key in texts if key in name), "[Term]\nid: X\nname: y\n")
        write(name.removesuffix("#st21pv"), text)
    with pytest.raises(error, match=message):
        read_ontology(tmp_path / name, synonyms)
