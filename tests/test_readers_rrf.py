"""A synthetic release in UMLS's own file format. Nothing here is UMLS content."""

import gzip

import pytest

from benchlib.formats.ontologies import read_ontology
from benchlib.formats.rrf import COLUMNS, ST21PV_SOURCES, ST21PV_TYPES, read_rrf

# Every type of the restriction has to be there; what is below T103 counts as it.
KINDS = [
    *((100 + n, tui, f"X{n}") for n, tui in enumerate(ST21PV_TYPES)),
    *((1, "T005", f"X{ST21PV_TYPES.index('T005')}"), (2, "T104", f"X{ST21PV_TYPES.index('T103')}.1")),
    *((3, "T071", "X900"), (4, "T005", f"X{ST21PV_TYPES.index('T005')}")),
]


def row(table, **fields):
    """A row with every column of the table, the given ones filled."""
    unknown = set(fields) - set(COLUMNS[table])
    assert not unknown, unknown
    return "".join(f"{fields.get(column, '')}|" for column in COLUMNS[table]) + "\n"


def atom(cui, name, sab="MSH", lat="ENG", preferred=False, suppress="N"):
    flags = {"TS": "P", "STT": "PF", "ISPREF": "Y"} if preferred else {"TS": "S", "STT": "VO", "ISPREF": "N"}
    return row("MRCONSO", CUI=cui, LAT=lat, SAB=sab, STR=name, SUPPRESS=suppress, **flags)


def relation(first, kind, second, suppress="N"):
    return row("MRREL", CUI1=first, REL=kind, CUI2=second, SUPPRESS=suppress)


@pytest.fixture
def release(tmp_path):
    """Concepts 1 (a type under T1), 2 (T1 itself), 3 (a sister whose number only begins alike), 4."""
    tables = {
        "MRCONSO": [
            atom("C1", "alias of one"),
            atom("C1", "One", preferred=True),
            atom("C1", "eins", lat="GER"),
            atom("C1", "one, obsolete", suppress="O"),
            atom("C2", "Two", sab="NCI", preferred=True),
            atom("C2", "two", sab="XYZ"),
            atom("C3", "Three", preferred=True),
            atom("C4", "Four", sab="XYZ", preferred=True),
            atom("C5", "untyped"),
        ],
        "MRSTY": [
            row("MRSTY", CUI="C1", TUI="T11", STN="A1.2.1", STY="Below"),
            row("MRSTY", CUI="C1", TUI="T30", STN="B1", STY="Elsewhere"),
            row("MRSTY", CUI="C2", TUI="T01", STN="A1.2", STY="Above"),
            row("MRSTY", CUI="C3", TUI="T21", STN="A1.20", STY="Sister"),
            row("MRSTY", CUI="C4", TUI="T11", STN="A1.2.1", STY="Below"),
            row("MRSTY", CUI="C9", TUI="T00", STN="A", STY="Root"),
        ],
        "MRDEF": [
            row("MRDEF", CUI="C1", DEF="hidden", SUPPRESS="O"),
            row("MRDEF", CUI="C1", DEF="the first", SUPPRESS="N"),
            row("MRDEF", CUI="C1", DEF="the second", SUPPRESS="N"),
            row("MRDEF", CUI="C9", DEF="of a concept without a name", SUPPRESS="N"),
        ],
        "MRREL": [
            relation("C1", "PAR", "C2"),
            relation("C1", "PAR", "C2"),
            relation("C2", "CHD", "C1"),
            relation("C1", "PAR", "C1"),
            relation("C1", "PAR", "C3", suppress="O"),
            relation("C3", "PAR", "C9"),
        ],
    }
    for table, rows in tables.items():
        (tmp_path / f"{table}.RRF").write_text("".join(rows), encoding="utf-8")
    return tmp_path


def test_language_suppression_and_preferred_name(release):
    read = read_rrf(release)
    assert {c.id: c.names for c in read.ontology.concepts.values()} == {
        "C1": ("One", "alias of one"),
        "C2": ("Two", "two"),
        "C3": ("Three",),
        "C4": ("Four",),
        "C5": ("untyped",),
    }
    assert read.dropped == {"another language": 1, "suppressed": 1}


def test_types_include_those_below(release):
    assert list(read_rrf(release, types=("T01",)).ontology.concepts) == ["C1", "C2", "C4"]
    assert list(read_rrf(release, types=("T11",)).ontology.concepts) == ["C1", "C4"]
    root = read_rrf(release, types=("T00",))
    assert list(root.ontology.concepts) == ["C1", "C2", "C3", "C4"]
    assert root.dropped["another semantic type"] == 1
    assert root.ontology.concepts["C1"].types == ("T11", "T30")


def test_sources_keep_their_own_names(release):
    read = read_rrf(release, types=("T01",), sources=ST21PV_SOURCES)
    assert {c.id: c.names for c in read.ontology.concepts.values()} == {
        "C1": ("One", "alias of one"),
        "C2": ("Two",),
    }
    assert read.dropped == {
        "another language": 1,
        "suppressed": 1,
        "another source": 2,
        "another semantic type": 2,
    }


def test_a_path_is_enough_for_all_tables_and_for_the_published_restriction(release, tmp_path):
    whole = read_ontology(release).ontology.concepts
    assert list(whole) == ["C1", "C2", "C3", "C4", "C5"]
    assert (whole["C1"].definition, whole["C1"].parents) == ("the first", ("C2",))
    for table in ("MRDEF", "MRREL"):
        (release / f"{table}.RRF").unlink()
    bare = read_ontology(release / "MRCONSO.RRF").ontology.concepts
    assert (bare["C1"].definition, bare["C1"].parents) == ("", ())
    # C1 is of T005, C2 of a type below T103, C3 of another one; XYZ is no source of the restriction.
    types = [row("MRSTY", CUI=f"C{i}", TUI=tui, STN=stn) for i, tui, stn in KINDS]
    (release / "MRSTY.RRF").write_text("".join(types))
    kept = read_ontology(f"{release}#st21pv")
    assert {c.id: c.names for c in kept.ontology.concepts.values()} == {
        "C1": ("One", "alias of one"),
        "C2": ("Two",),
    }
    assert kept.dropped["another source"] == 2 and kept.dropped["another semantic type"] == 2
    (tmp_path / "names.tsv").write_text("C1\tone\n")
    with pytest.raises(ValueError, match="#st21pv is for a release of UMLS"):
        read_ontology(f"{tmp_path / 'names.tsv'}#st21pv")


def test_every_atom_is_kept_or_counted(release):
    read = read_rrf(release, types=("T01",), sources=("MSH",))
    names = sum(len(concept.names) for concept in read.ontology.concepts.values())
    assert names + sum(read.dropped.values()) == 9


def test_definitions_and_parents_where_their_tables_are_there(release):
    full = read_rrf(release).ontology.concepts
    assert full["C1"].definition == "the first"
    assert full["C1"].parents == ("C2",)
    assert full["C2"].parents == () and full["C3"].parents == ()  # C9 has no name, so it is no concept
    (release / "MRDEF.RRF").unlink()
    one = read_rrf(release).ontology.concepts["C1"]
    assert (one.definition, one.parents) == ("", ("C2",))
    (release / "MRREL.RRF").unlink()
    assert read_rrf(release).ontology.concepts["C1"].parents == ()


def test_types_are_shown_without_a_restriction(release):
    assert read_rrf(release).ontology.concepts["C1"].types == ("T11", "T30")
    (release / "MRSTY.RRF").unlink()
    assert read_rrf(release).ontology.concepts["C1"].types == ()


def test_gzipped_tables(release):
    for table in COLUMNS:
        plain = release / f"{table}.RRF"
        (release / f"{table}.RRF.gz").write_bytes(gzip.compress(plain.read_bytes()))
        plain.unlink()
    assert list(read_rrf(release, types=("T01",)).ontology.concepts) == ["C1", "C2", "C4"]


def test_the_published_restriction():
    assert len(set(ST21PV_TYPES)) == 21 and len(set(ST21PV_SOURCES)) == 18


def test_broken_releases(release):
    with pytest.raises(ValueError, match=r"no row of MRSTY has the semantic type T99"):
        read_rrf(release, types=("T99", "T01"))
    (release / "MRSTY.RRF").unlink()
    with pytest.raises(FileNotFoundError, match=r"expected MRSTY\.RRF"):
        read_rrf(release, types=("T01",))
    conso = release / "MRCONSO.RRF"
    conso.write_text(conso.read_text() + "C9|ENG|too short|\n")
    with pytest.raises(ValueError, match=r"MRCONSO\.RRF:10: expected 18 fields, each ended by \|"):
        read_rrf(release)
    conso.unlink()
    with pytest.raises(FileNotFoundError, match=r"expected MRCONSO\.RRF"):
        read_rrf(release)


def test_a_row_needs_an_id_and_a_name_and_a_release_a_name_to_keep(tmp_path):
    path = tmp_path / "MRCONSO.RRF"
    path.write_text(atom("C1", "one") + atom("C2", " "), encoding="utf-8")
    read = read_rrf(tmp_path)
    assert list(read.ontology.concepts) == ["C1"] and read.dropped == {"empty name": 1}
    path.write_text(atom("C1", "one") + atom("", "two"), encoding="utf-8")
    with pytest.raises(ValueError, match=r"MRCONSO\.RRF:2: expected 18 fields, .* the first an id"):
        read_rrf(tmp_path)
    path.write_text(atom("C1", "eins", lat="GER"), encoding="utf-8")
    with pytest.raises(ValueError, match=r"MRCONSO\.RRF:1: expected at least one name .*another language"):
        read_rrf(tmp_path)
