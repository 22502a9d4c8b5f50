"""A synthetic release in UMLS's own file format. Nothing here is UMLS content."""

import pytest
from test_readers_dictionary import names

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
    columns = COLUMNS[table].split("|")
    assert fields.keys() <= {*columns}
    return "".join(f"{fields.get(column, '')}|" for column in columns) + "\n"


def atom(cui, name, sab="MSH", lat="ENG", preferred=False, suppress="N"):
    flags = {"TS": "P", "STT": "PF", "ISPREF": "Y"} if preferred else {"TS": "S", "STT": "VO", "ISPREF": "N"}
    return row("MRCONSO", CUI=cui, LAT=lat, SAB=sab, STR=name, SUPPRESS=suppress, **flags)


def relation(first, kind, second, suppress="N"):
    return row("MRREL", CUI1=first, REL=kind, CUI2=second, SUPPRESS=suppress)


TABLES = {
    "MRCONSO": [
        atom("C1", "alias of one"), atom("C1", "One", preferred=True), atom("C1", "eins", lat="GER"),
        atom("C1", "one, obsolete", suppress="O"), atom("C2", "Two", sab="NCI", preferred=True),
        atom("C2", "two", sab="XYZ"), atom("C3", "Three", preferred=True),
        atom("C4", "Four", sab="XYZ", preferred=True), atom("C5", "untyped"),
    ],
    # C1 and C4 are of a type under T01; T21 of C3 has a number that only begins as that of T01.
    "MRSTY": [
        row("MRSTY", CUI=cui, TUI=tui, STN=number)
        for cui, tui, number in (("C1", "T11", "A1.2.1"), ("C1", "T30", "B1"), ("C2", "T01", "A1.2"),
                                 ("C3", "T21", "A1.20"), ("C4", "T11", "A1.2.1"), ("C9", "T00", "A"))
    ],
    "MRDEF": [
        row("MRDEF", CUI="C1", DEF="hidden", SUPPRESS="O"),
        row("MRDEF", CUI="C1", DEF="the first", SUPPRESS="N"),
        row("MRDEF", CUI="C1", DEF="the second", SUPPRESS="N"),
        row("MRDEF", CUI="C9", DEF="of a concept without a name", SUPPRESS="N"),
    ],
    "MRREL": [
        *[relation("C1", "PAR", "C2")] * 2, relation("C2", "CHD", "C1"), relation("C1", "PAR", "C1"),
        relation("C1", "PAR", "C3", suppress="O"), relation("C3", "PAR", "C9"),
    ],
}  # fmt: skip


@pytest.fixture
def release(write, tmp_path):
    for table, rows in TABLES.items():
        write(f"{table}.RRF", "".join(rows))
    return tmp_path


WHOLE = {"C1": ("One", "alias of one"), "C2": ("Two", "two"), "C3": ("Three",), "C4": ("Four",),
         "C5": ("untyped",)}  # fmt: skip
RESTRICTED = {"C1": ("One", "alias of one"), "C2": ("Two",)}
LEFT_OUT = {"another language": 1, "suppressed": 1}


@pytest.mark.parametrize(
    ("restriction", "expected", "dropped"),
    [
        ({}, WHOLE, LEFT_OUT),
        ({"types": ("T01",)}, {id: WHOLE[id] for id in ("C1", "C2", "C4")}, {"another semantic type": 2}),
        ({"types": ("T11",)}, {id: WHOLE[id] for id in ("C1", "C4")}, {"another semantic type": 4}),
        ({"types": ("T00",)}, {id: WHOLE[id] for id in WHOLE if id != "C5"}, {"another semantic type": 1}),
        ({"types": ("T01",), "sources": ST21PV_SOURCES}, RESTRICTED,
         {"another source": 2, "another semantic type": 2}),
    ],
)  # fmt: skip
def test_every_name_is_kept_or_counted(release, restriction, expected, dropped):
    read = read_rrf(release, **restriction)
    assert names(read) == expected and read.dropped == LEFT_OUT | dropped
    assert sum(map(len, expected.values())) + sum(read.dropped.values()) == len(TABLES["MRCONSO"])
    assert read.ontology.concepts["C1"].types == ("T11", "T30")


@pytest.mark.parametrize("packed", [False, True])
def test_definitions_parents_and_types_where_their_tables_are_there(release, write, packed):
    if packed:
        for table in TABLES:
            write(f"{table}.RRF.gz", (release / f"{table}.RRF").read_bytes())
            (release / f"{table}.RRF").unlink()
    full = read_ontology(release).ontology.concepts
    assert (full["C1"].definition, full["C1"].parents) == ("the first", ("C2",))
    assert full["C2"].parents == () and full["C3"].parents == ()  # C9 has no name, so it is no concept
    for table, field in (("MRDEF", "definition"), ("MRREL", "parents"), ("MRSTY", "types")):
        (release / f"{table}.RRF{'.gz' * packed}").unlink()
        assert not getattr(read_rrf(release).ontology.concepts["C1"], field)
    with pytest.raises(FileNotFoundError, match=r"expected MRSTY\.RRF"):
        read_rrf(release, types=("T01",))
    (release / f"MRCONSO.RRF{'.gz' * packed}").unlink()
    with pytest.raises(FileNotFoundError, match=r"expected MRCONSO\.RRF"):
        read_rrf(release)


def test_the_published_restriction(release, write):
    assert len(set(ST21PV_TYPES)) == 21 and len(set(ST21PV_SOURCES)) == 18
    # C1 is of T005, C2 of a type below T103, C3 of another one; XYZ is no source of the restriction.
    write("MRSTY.RRF", "".join(row("MRSTY", CUI=f"C{i}", TUI=tui, STN=stn) for i, tui, stn in KINDS))
    kept = read_ontology(f"{release}#st21pv")
    assert names(kept) == RESTRICTED
    assert kept.dropped["another source"] == 2 and kept.dropped["another semantic type"] == 2


def test_an_empty_name_is_counted_and_a_type_that_no_row_has_is_an_error(release, write):
    with pytest.raises(ValueError, match=r"no row of MRSTY has the semantic type T99"):
        read_rrf(release, types=("T99", "T01"))
    read = read_rrf(write("MRCONSO.RRF", atom("C1", "one") + atom("C2", " ")).parent)
    assert list(read.ontology.concepts) == ["C1"] and read.dropped == {"empty name": 1}


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ("C9|ENG|too short|\n", r"MRCONSO\.RRF:1: expected 18 fields, each ended by \|, the first an id"),
        (atom("C1", "one") + atom("", "two"), r"MRCONSO\.RRF:2: expected 18 fields"),
        (atom("C1", "eins", lat="GER"), r"MRCONSO\.RRF:1: expected at least one name .*another language"),
    ],
)
def test_broken_releases(write, rows, message):
    with pytest.raises(ValueError, match=message):
        read_rrf(write("MRCONSO.RRF", rows).parent)
