"""OBO flat files: a hand-made file with every trap, then two real ontologies."""

import pytest

from benchlib.formats.obo import read_obo

HEAD = "format-version: 1.2\nontology: x\n\n"
TERMS = r"""[Term]
id: X:1
name: cancer \{of the lung\}
alt_id: X:9
def: "A \"bad\" growth\, here." [url:http\://x.org]
synonym: "lung cancer " EXACT []
synonym: "cancer" BROAD layperson [X:0]
synonym: "Lung cancer" EXACT [] {source="y"}
synonym: "old style" []
synonym: "" EXACT []
xref: UMLS:C0000001 "label with UMLS:C9"
xref: MSH:D1
is_a: X:2 ! growth

! a comment line
[Typedef]
id: part_of
name: part of

[Term]
id: X:2
name: growth
xref: UMLS:C0000001

[Term]
id: X:3
name: gone
is_obsolete: true
synonym: "gone too" EXACT []
"""


@pytest.mark.parametrize("name", ["x.obo", "x.obo.gz"])
def test_terms_names_and_drops(write, name):
    read = read_obo(write(name, HEAD + TERMS + "\n\n[Term]\nid: X:99\n"))
    assert list(read.ontology.concepts) == ["X:1", "X:2"]
    cancer = read.ontology.concepts["X:1"]
    assert cancer.names == ("cancer {of the lung}", "lung cancer", "Lung cancer")
    assert cancer.definition == 'A "bad" growth, here.'
    assert cancer.alternatives == ("X:9",) and cancer.parents == ("X:2",)
    assert read.xrefs["X:1"] == ("UMLS:C0000001", "MSH:D1")
    dropped = {"obsolete concept": 1, "synonym of another scope": 2, "empty synonym": 1}
    assert read.dropped == dropped | {"concept without a label": 1}


OLD = r"""[Term]
id: X:1 ! a comment
name: fever {source="y", z="!"} ! another
exact_synonym: "pyrexia" [X:0]
broad_synonym: "sign" []
synonym: "ague" EXACT [] {source="y"} ! more
alt_id: X:7 {source="y"}
is_a: X:4 {source="y"} ! sign
is_obsolete: false ! not yet

[Term]
id: X:2
name: wow! {so} much
related_synonym: "r" []

[Term]
id: X:3
name: gone
is_obsolete: true ! since long

[Term]
id: X\:4
name: gone as well
is_obsolete: true {source="y"}
"""


def test_modifiers_comments_and_the_tags_of_old(write):
    read = read_obo(write("x.obo", HEAD + OLD))
    assert {id: c.names for id, c in read.ontology.concepts.items()} == {
        "X:1": ("fever", "ague", "pyrexia"),
        "X:2": ("wow! {so} much",),
    }
    assert read.ontology.concepts["X:1"].alternatives == ("X:7",)
    assert read.ontology.concepts["X:1"].parents == ("X:4",)
    assert read.dropped == {"obsolete concept": 2, "synonym of another scope": 2}


def test_human_phenotype_ontology(data_folder):
    """11,785 terms of which 112 obsolete, counted with grep; 14,248 synonyms of which 12,162 exact."""
    read = read_obo(data_folder / "hpo" / "hp_2016-04-01.obo.gz")
    assert len(read.ontology) == 11_785 - 112
    assert read.dropped == {"obsolete concept": 112, "synonym of another scope": 14_248 - 12_162}
    kidney = read.ontology.concepts["HP:0000003"]
    assert kidney.names[:2] == ("Multicystic kidney dysplasia", "Multicystic dysplastic kidney")
    assert kidney.alternatives == ("HP:0004715",) and kidney.parents == ("HP:0000107",)
    assert read.xrefs["HP:0000003"] == ("MeSH:D021782", "UMLS:C0345335")
    # 3,837 CUIs stand in the file, 19 of them only at obsolete terms
    assert len({xref for xrefs in read.xrefs.values() for xref in xrefs if xref[:5] == "UMLS:"}) == 3_818


def test_disease_ontology(data_folder):
    read = read_obo(data_folder / "disease_ontology" / "HumanDO_2015-05-14.obo.gz")
    assert len(read.ontology) == 8_948 - 2_374
    assert read.dropped["obsolete concept"] == 2_374
    assert read.ontology.concepts["DOID:0001816"].names == ("angiosarcoma", "hemangiosarcoma")
    assert "metabolic disease" in read.ontology.concepts["DOID:0014667"].names
