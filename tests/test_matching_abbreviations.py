"""Abbreviations that a text defines, by hand and beside another implementation of the algorithm."""

import re

import pytest

from benchlib.matching.abbreviations import abbreviations, expand
from study.corpora import load


def pairs(text: str) -> list[tuple[str, str]]:
    found = abbreviations(text)
    assert all(one.short in text and one.long in text for one in found)
    return [(one.short, one.long) for one in found]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("after a heart attack (HA) was", [("HA", "heart attack")]),
        ("HA (heart attack) was", [("HA", "heart attack")]),
        ("ADP (adenosine diphosphate) is", [("ADP", "adenosine diphosphate")]),
        ("chronic obstructive disease(COD) and", [("COD", "chronic obstructive disease")]),
        ("muscular dystrophy [MD] in", [("MD", "muscular dystrophy")]),
        ("with von Hippel-Lindau (VHL) disease", [("VHL", "von Hippel-Lindau")]),
        ("dystrophy (DMD; MIM 310200) of", []),
        ("Duchenne muscular dystrophy (DMD; MIM 310200)", [("DMD", "Duchenne muscular dystrophy")]),
        ("[serum urea, blood urea nitrogen (BUN)]", [("BUN", "blood urea nitrogen")]),
        ("Proteolipid protein (PLP; M (r) 30) is", [("PLP", "Proteolipid protein")]),
        ("neurotoxin 5,7-dihydroxytryptamine (5,7-DHT) in", [("5,7-DHT", "5,7-dihydroxytryptamine")]),
        # The first letter begins a word, and the whole word is taken, as in the original algorithm.
        ("of 3-methylcholanthrene (MC) in", [("MC", "3-methylcholanthrene")]),
        # No abbreviation: another sentence, no letter in order, a repetition, too long, a plain word before.
        ("the heart. Attack (HA) was", []),
        ("torsades de pointes (XYZ)", []),
        ("torsades de pointes (TdP) [TDP]", [("TdP", "torsades de pointes")]),
        ("no attack (as has been said before)", []),
        ("a mutation (manuscript under preparation) was", []),
        ("was (", []),
        ("was ) (x", []),
        ("", []),
    ],
)
def test_definitions(text, expected):
    assert pairs(text) == expected


def test_lines_may_be_wrapped_and_the_text_before_a_bracket_may_be_long():
    for before in ("Ⅱ 𝛼 ", "a " * 5_000 + "patient with\n"):
        assert pairs(before + "heart attack (HA)") == [("HA", "heart attack")]


def test_short_forms_are_written_out_as_words_and_in_their_spelling():
    defined = abbreviations("muscular dystrophy (MD). Later: myotonic disease (MD). Apnoea in sleep (AiS).")
    assert expand("MD, MDs and md", defined) == "muscular dystrophy, MDs and md"
    assert expand("muscular dystrophy (MD) type", defined) == "muscular dystrophy type"
    assert expand("MD-AiS", defined) == "muscular dystrophy-Apnoea in sleep"
    assert expand("MD", []) == "MD"


def test_beside_the_package_abbreviations(data_folder):
    """On the training text of NCBI Disease: what the package finds is found here, but for a word that the
    package cuts at a hyphen or slash, against the original algorithm, and for a long form of the same letters
    as its short one, Atp7b for ATP7B."""
    package = pytest.importorskip("abbreviations.schwartz_hearst")
    same = cut = 0
    unlike = []
    for document in load("ncbi-disease").train.documents:
        ours = {(one.short, one.long) for one in abbreviations(document.text)}
        theirs = package.extract_abbreviation_definition_pairs(doc_text=document.text)
        for short, long in theirs.items():
            if (short, long) in ours:
                same += 1
            elif any(own == short and re.search(rf"[-/]{re.escape(long)}$", whole) for own, whole in ours):
                cut += 1
            else:
                unlike.append(short)
    assert same > 600 and cut < 15 and unlike == ["Atp7b"]
