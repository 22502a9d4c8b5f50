"""OBO graphs in JSON."""

import gzip
import json

import pytest

from benchlib.readers.obo import read_obo
from benchlib.readers.obograph import read_obograph

OBO = "http://purl.obolibrary.org/obo/"


def node(id, label, **meta):
    return {"id": OBO + id, "lbl": label, "type": "CLASS", "meta": meta}


GRAPH = {
    "graphs": [
        {
            "nodes": [
                node(
                    "X_1",
                    "growth",
                    definition={"val": "A thing."},
                    synonyms=[
                        {"pred": "hasExactSynonym", "val": "tumour"},
                        {"pred": "hasBroadSynonym", "val": "lump"},
                    ],
                    xrefs=[{"val": "UMLS:C1"}],
                    basicPropertyValues=[{"pred": "http://x#hasAlternativeId", "val": "X:7"}],
                ),
                node("X_2", "thing"),
                node("X_3", "gone", deprecated=True),
                {"id": OBO + "X_4", "type": "CLASS"},
                {"id": OBO + "RO_1", "lbl": "part of", "type": "PROPERTY"},
            ],
            "edges": [
                {"sub": OBO + "X_1", "pred": "is_a", "obj": OBO + "X_2"},
                {"sub": OBO + "X_1", "pred": OBO + "RO_1", "obj": OBO + "X_3"},
            ],
        },
        {"nodes": [node("Y_1", "imported")]},
    ]
}


def test_first_graph_only(tmp_path):
    path = tmp_path / "x.json.gz"
    path.write_bytes(gzip.compress(json.dumps(GRAPH).encode()))
    read = read_obograph(path)
    growth = read.ontology.concepts["X:1"]
    assert list(read.ontology.concepts) == ["X:1", "X:2"]
    assert growth.names == ("growth", "tumour") and growth.definition == "A thing."
    assert growth.parents == ("X:2",) and growth.alternatives == ("X:7",)
    assert read.xrefs["X:1"] == ("UMLS:C1",)
    assert read.dropped == {
        "obsolete concept": 1,
        "concept without a label": 1,
        "property": 1,
        "synonym of another scope": 1,
        "imported concept": 1,
    }
    assert read_obograph(path, ("BROAD",)).ontology.concepts["X:1"].names == ("growth", "lump")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"graphs":\n [}', r"x\.json:2: expected JSON"),
        ("[1]", r"x\.json: expected an OBO graph"),
        ('{"graphs": [{"edges": []}]}', r"x\.json: expected an OBO graph"),
        ('{"graphs": [{"nodes": []}]}', r"x\.json: expected at least one labelled class"),
        ('{"graphs": [{"nodes": [{"lbl": "a"}]}]}', r"x\.json: node 0 of the first graph .*'id'"),
    ],
)
def test_broken_files(tmp_path, text, message):
    path = tmp_path / "x.json"
    path.write_text(text)
    with pytest.raises(ValueError, match=message):
        read_obograph(path)


def test_disease_ontology_2018(data_folder):
    """11,305 classes and 23 properties in the first graph, 2,399 deprecated: counted with json alone."""
    folder = data_folder / "disease_ontology"
    read = read_obograph(folder / "doid-2018-07-05.json.gz")
    assert len(read.ontology) == 11_305 - 2_399
    assert read.dropped["property"] == 23 and read.dropped["obsolete concept"] == 2_399
    assert (
        read.dropped["imported concept"] == 5 + 370 + 850 + 1035 + 26 + 143 + 730 + 25 + 2277 + 47 + 495 + 122
    )
    earlier = read_obo(folder / "HumanDO_2015-05-14.obo.gz").ontology.concepts
    shared = [id for id in earlier if id in read.ontology.concepts]
    assert len(shared) > 6_000  # both readers give ids of the same form


def test_orphanet_and_ncit(data_folder):
    folder = data_folder / "other_ontologies"
    orphanet = read_obograph(folder / "ordo-2_6-2018-07-12.json.gz")
    assert len(orphanet.ontology) == 13_871 and orphanet.dropped == {"property": 23}
    assert "UMLS:C2931850" in orphanet.xrefs["Orphanet:124"]
    ncit = read_obograph(folder / "ncit-disease-2018-06-08.json.gz")
    assert len(ncit.ontology) == 20_324 and ncit.dropped == {"property": 61}
    assert ncit.names_by_xref("UMLS:") == {}
