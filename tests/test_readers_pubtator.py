"""The PubTator reader keeps every mention or counts it, and says where a file is wrong."""

import pytest

from benchlib.corpus import Gold
from benchlib.formats.pubtator import PubTator, generic_gold

GOOD = """\
1|t|Breast and ovarian cancer.
1|a|A fever, née pyrexia.
1\t0\t25\tBreast and ovarian cancer\tDisease\tD1|D2\tBreast cancer|ovarian cancer
1\t29\t34\tfever\tDisease\tD3
1\t29\t34\tfever\tSymptom\tD4
1\t40\t47\tpyrexia\tDisease\t-1
1\tCID\tD9\tD3

2|t|Cold
2|a|
2\t0\t4\tCold\tDisease\t007
"""


def write(tmp_path, text: str):
    path = tmp_path / "corpus.txt"
    path.write_text(text, encoding="utf-8", newline="")
    return path


def test_every_mention_is_kept_in_file_order(tmp_path):
    corpus = PubTator().read(write(tmp_path, GOOD), "toy")
    first, second = corpus.documents
    assert first.text == "Breast and ovarian cancer. A fever, née pyrexia."
    assert [(m.text, m.type) for m in first.mentions] == [
        ("Breast and ovarian cancer", "Disease"), ("fever", "Disease"), ("fever", "Symptom"),
        ("pyrexia", "Disease"),
    ]  # fmt: skip
    assert first.mentions[0].gold.texts == ("Breast cancer", "ovarian cancer")
    assert first.mentions[3].gold.nil
    assert second.mentions[0].gold == Gold((frozenset({"007"}),), printed="007")
    assert corpus.n_raw == corpus.n_mentions == 5


@pytest.mark.parametrize(
    "change",
    [lambda t: t.replace("\n", "\r\n"), lambda t: t.replace("\n", "\r"), lambda t: "\ufeff" + t,
     lambda t: t + "\n\n", lambda t: t.replace("\n\n", "\n"),
     lambda t: t.replace("\t29\t34", "\t29.0\t34.")],
    ids=["CRLF", "CR alone", "byte-order mark", "blank lines at the end", "no blank line between documents",
         "offsets as floats"],
)  # fmt: skip
def test_harmless_differences_read_the_same(tmp_path, change):
    same = PubTator().read(write(tmp_path, change(GOOD)), "toy")
    assert same.fingerprint() == PubTator().read(write(tmp_path, GOOD), "toy").fingerprint()


def test_what_is_left_out_is_counted(tmp_path):
    twice = GOOD + "\n" + GOOD.split("\n\n")[1].replace("007", "007\n2\t0\t4\tCold\tDisease\t008")
    reader = PubTator(types={"Disease"}, drop_types={"Symptom"}, repeated_documents=True)
    corpus = reader.read(write(tmp_path, twice), "toy")
    # the second copy of document 2 repeats one annotation and adds another
    assert corpus.dropped == {"Symptom": 1, "duplicate document": 1}
    assert corpus.n_raw == corpus.n_mentions + 2 == 7
    assert [m.gold.printed for m in corpus.documents[1].mentions] == ["007", "008"]
    assert corpus.documents[1].text == "Cold "


def test_an_identical_row_is_dropped_only_where_that_is_asked_for(tmp_path):
    row = "1\t29\t34\tfever\tDisease\tD3\n"
    path = write(tmp_path, GOOD.replace(row, row * 3))
    assert PubTator().read(path, "toy").n_mentions == 7
    corpus = PubTator(repeated_rows=True).read(path, "toy")
    assert corpus.n_mentions == 5 and corpus.dropped == {"duplicate row": 2}


def test_a_tolerant_reader_moves_or_drops_and_lists(tmp_path):
    text = GOOD.replace("1\t29\t34\tfever", "1\t31\t36\tfever").replace(
        "1\t40\t47\tpyrexia", "1\t40\t46\tmalaria"
    )
    reader = PubTator(tolerant=True)
    corpus = reader.read(write(tmp_path, text), "toy")
    assert [m.text for m in corpus.documents[0].mentions] == ["Breast and ovarian cancer", "fever", "fever"]
    assert corpus.dropped == {"offset mismatch": 1}
    assert len(reader.issues) == 3 and reader.issues[0].startswith("corpus.txt:4: 'fever' is not at 31-36")


def test_a_displaced_mention_with_two_equally_near_places_is_dropped(tmp_path):
    reader = PubTator(tolerant=True)
    text = "1|t|ab x ab\n1|a|y\n1\t2\t5\tab \tD\tD1\n1\t3\t5\tab\tD\tD1\n"
    corpus = reader.read(write(tmp_path, text), "toy")
    # "ab" stands at 0 and 5: from 2 the first is nearer, from 3 the second
    assert [m.start for m in corpus.documents[0].mentions] == [0, 5]
    corpus = reader.read(write(tmp_path, "1|t|ab xx ab\n1|a|y\n1\t3\t5\tab\tD\tD1\n"), "toy")
    assert corpus.n_mentions == 0 and corpus.dropped == {"offset mismatch": 1}


@pytest.mark.parametrize("side", [-1, 1])
@pytest.mark.parametrize(("away", "kept"), [(1, 1), (30, 1), (31, 0)])
def test_a_displaced_mention_is_looked_for_30_characters_on_either_side(tmp_path, side, away, kept):
    at = 40 + side * away
    text = f"1|t|{'.' * at}fever{'.' * 60}\n1|a|\n1\t40\t45\tfever\tD\tD1\n"
    corpus = PubTator(tolerant=True).read(write(tmp_path, text), "toy")
    assert [m.start for m in corpus.documents[0].mentions] == [at] * kept
    assert corpus.dropped == ({} if kept else {"offset mismatch": 1})


PASSAGES = """\
1|t|Lead and tin
1|a|
1\t0\t4\tLead\tChemical\tD1
1\t9\t12\ttin\tChemical\tD2

1|t|Results
1|a|

1|t|No tin.
1|a|But lead, and lead.
{}
2|t|Tin
2|a|x

1|t|Tin again
1|a|
{}
"""


@pytest.mark.parametrize(
    ("third", "fourth", "whose"),
    [
        ([(3, 6, "tin"), (12, 16, "lead"), (22, 26, "lead")], (0, 3, "Tin"), "of their own"),
        # "Lead and tin " 13, "Results " 8, "No tin. But lead, and lead." 27 and a blank
        ([(24, 27, "tin"), (33, 37, "lead"), (43, 47, "lead")], (49, 52, "Tin"), "of the document"),
    ],
)
def test_passages_of_a_document_are_one_document_whichever_way_offsets_count(tmp_path, third, fourth, whose):
    rows = "".join(f"1\t{start}\t{end}\t{text}\tChemical\tD3\n" for start, end, text in third)
    last = "1\t{}\t{}\t{}\tChemical\tD2".format(*fourth)
    reader = PubTator(repeated_documents=True)
    corpus = reader.read(write(tmp_path, PASSAGES.format(rows, last)), "toy")
    assert [d.id for d in corpus.documents] == ["1", "2"]
    text = "Lead and tin Results No tin. But lead, and lead. Tin again "
    assert corpus.documents[0].text == text
    expected = [0, 9, text.index("tin."), text.index("lead,"), text.index("lead."), text.index("Tin")]
    assert [m.start for m in corpus.documents[0].mentions] == expected
    assert corpus.n_raw == corpus.n_mentions == 6
    assert reader.counted == {f"further passages with offsets {whose}": 2}


def test_a_document_that_is_there_again_is_a_duplicate_counted(tmp_path):
    text = "1|t|Lead\n1|a|\n1\t0\t4\tLead\tC\tD1\n\n"
    reader = PubTator(repeated_documents=True)
    corpus = reader.read(write(tmp_path, text * 3), "toy")
    assert corpus.documents[0].text == "Lead " and corpus.n_mentions == 1
    assert corpus.dropped == {"duplicate document": 2}
    assert reader.counted == {"passages that repeat a document": 2}
    more = (text + 2 * text.replace("D1", "D2")).replace("\tC\t", "\tX\t", 1)
    corpus = PubTator(repeated_documents=True).read(write(tmp_path, more), "toy")
    assert [m.gold.printed for m in corpus.documents[0].mentions] == ["D1", "D2"]
    assert corpus.dropped == {"duplicate document": 1}
    # The same passage within others is one more passage; all of them a second time are the document again.
    other = text.replace("Lead", "Zinc")
    for passages, mentions, dropped in (
        (text + other + text, 3, {}),
        (2 * (text + other), 2, {"duplicate document": 2}),
    ):
        corpus = PubTator(repeated_documents=True).read(write(tmp_path, passages), "toy")
        assert (corpus.n_mentions, corpus.dropped) == (mentions, dropped)


def test_offsets_that_fit_neither_way_are_taken_as_the_passages_own(tmp_path):
    text = "1|t|A long first passage\n1|a|x\n\n1|t|tin and more of it, much more\n1|a|\n1\t2\t5\ttin\tC\tD1\n"
    reader = PubTator(repeated_documents=True, tolerant=True)
    [mention] = reader.read(write(tmp_path, text), "toy").documents[0].mentions
    assert (mention.start, mention.text) == (23, "tin")
    assert reader.issues == ["corpus.txt:6: 'tin' is not at 2-5, taken at 0-3"]


def test_a_mention_is_not_looked_for_in_another_passage(tmp_path):
    text = "1|t|Lead\n1|a|\n\n1|t|x tin\n1|a|y\n1\t0\t4\tLead\tC\tD1\n1\t1\t4\ttin\tC\tD2\n"
    corpus = PubTator(repeated_documents=True, tolerant=True).read(write(tmp_path, text), "toy")
    assert [(m.start, m.text) for m in corpus.documents[0].mentions] == [(7, "tin")]
    assert corpus.dropped == {"offset mismatch": 1}


@pytest.mark.parametrize(
    "relation",
    ["CID\tD9\tD3", "Association\t3175\t3630\tNovel", "Bind\tD1", "Bind", "a\tb\tc\td\te\tf\tg\th"],
)
def test_relations_of_any_number_of_columns_are_passed_over_and_counted(tmp_path, relation):
    reader = PubTator()
    corpus = reader.read(write(tmp_path, GOOD.replace("CID\tD9\tD3", relation)), "toy")
    assert corpus.fingerprint() == PubTator().read(write(tmp_path, GOOD), "toy").fingerprint()
    assert reader.counted == {"relation lines": 1}


@pytest.mark.parametrize(
    "cells",
    ["29,40\t34,47\tfever pyrexia", "29;40\t34;47\tfever pyrexia", "29-34,40-47\tfever pyrexia",
     "29 34;40 47\tfever pyrexia", "29\t47\tfever pyrexia"],
    ids=["commas", "semicolons", "one column", "one column as brat", "pieces in a span that covers them"],
)  # fmt: skip
def test_a_discontinuous_span_is_counted_as_what_it_is(tmp_path, cells):
    path = write(tmp_path, GOOD.replace("1\t40\t47\tpyrexia", "1\t" + cells))
    corpus = PubTator(tolerant=True).read(path, "toy")
    assert corpus.dropped == {"discontinuous span": 1} and corpus.n_raw == 5


def test_rows_that_end_before_the_id_are_nil_and_counted(tmp_path):
    reader = PubTator()
    path = write(tmp_path, GOOD.replace("fever\tDisease\tD3", "fever\tDisease"))
    assert reader.read(path, "toy").documents[0].mentions[1].gold.nil
    assert reader.counted["mentions without an id column, read as NIL"] == 1


def test_the_meaning_of_an_id_may_leave_a_mention_out(tmp_path):
    corpus = PubTator(lambda id, type, subs: "no D3" if id == "D3" else generic_gold(id, type, subs)).read(
        write(tmp_path, GOOD), "toy"
    )
    assert corpus.dropped == {"no D3": 1}
