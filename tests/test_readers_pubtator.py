"""The PubTator reader keeps every mention or counts it, and says where a file is wrong."""

import pytest

from benchlib.corpus import Gold
from benchlib.formats.offsets import Oddities
from benchlib.formats.pubtator import generic_gold, read_pubtator

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


@pytest.fixture
def read(write):
    """A corpus from its text, and what is odd about it."""

    def of(text: str, **options):
        oddities = Oddities()
        return read_pubtator(write("corpus.txt", text), "toy", oddities=oddities, **options), oddities

    return of


def test_every_mention_is_kept_in_file_order(read):
    corpus, oddities = read(GOOD)
    first, second = corpus.documents
    assert first.text == "Breast and ovarian cancer. A fever, née pyrexia." and second.text == "Cold "
    assert [(m.text, m.type) for m in first.mentions] == [
        ("Breast and ovarian cancer", "Disease"), ("fever", "Disease"), ("fever", "Symptom"),
        ("pyrexia", "Disease"),
    ]  # fmt: skip
    assert first.mentions[0].gold.texts == ("Breast cancer", "ovarian cancer")
    assert first.mentions[3].gold.nil
    assert second.mentions[0].gold == Gold((frozenset({"007"}),), printed="007")
    assert corpus.n_raw == corpus.n_mentions == 5
    assert oddities == Oddities(counted={"relation lines": 1})


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("\n", "\r\n"), ("\n", "\r"), ("1|t", "\ufeff1|t"), ("007\n", "007\n\n\n"), ("\n\n", "\n"),
        ("\t29\t34", "\t29.0\t34."),
        *(("CID\tD9\tD3", relation) for relation in
          ("Association\t3175\t3630\tNovel", "Bind\tD1", "Bind", "a\tb\tc\td\te\tf\tg\th")),
    ],
)  # fmt: skip
def test_harmless_differences_read_the_same(read, old, new):
    (same, oddities), (corpus, _) = read(GOOD.replace(old, new)), read(GOOD)
    assert same.fingerprint() == corpus.fingerprint() and oddities.counted == {"relation lines": 1}


def test_the_meaning_of_an_id_may_leave_a_mention_out_or_say_that_it_is_none(read):
    def gold(id, type, submentions):
        return {"Symptom": None, "Disease": "no D3"}[type] if id[-1] in "34" else generic_gold(id, type, ())

    corpus, _ = read(GOOD, gold=gold)
    assert (corpus.n_mentions, corpus.dropped) == (3, {"no D3": 1})
    assert corpus.moved_spans == {("1", 29, 34): ()}


def test_an_identical_mention_is_dropped_only_where_that_is_asked_for(read):
    row = "1\t29\t34\tfever\tDisease\tD3\n"
    assert read(GOOD.replace(row, row * 3))[0].n_mentions == 7
    again = row + row.replace("\n", " \n") + row  # a blank behind the id makes no other mention
    corpus, _ = read(GOOD.replace(row, again), repeated_rows=True)
    assert corpus.n_mentions == 5 and corpus.dropped == {"duplicate row": 2}


def test_mentions_are_moved_or_dropped_and_listed(read):
    text = GOOD.replace("1\t29\t34\tfever", "1\t31\t36\tfever").replace("\t47\tpyrexia", "\t46\tmalaria")
    corpus, oddities = read(text)
    assert [m.text for m in corpus.documents[0].mentions] == ["Breast and ovarian cancer", "fever", "fever"]
    assert corpus.dropped == {"offset mismatch": 1}
    assert len(oddities.issues) == 3
    assert oddities.issues[0].startswith("corpus.txt:4: 'fever' is not at 31-36")


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
def test_passages_of_a_document_are_one_document_whichever_way_offsets_count(read, third, fourth, whose):
    rows = "".join(f"1\t{start}\t{end}\t{text}\tChemical\tD3\n" for start, end, text in third)
    corpus, oddities = read(PASSAGES.format(rows, "1\t{}\t{}\t{}\tChemical\tD2".format(*fourth)))
    assert [d.id for d in corpus.documents] == ["1", "2"]
    text = "Lead and tin Results No tin. But lead, and lead. Tin again "
    assert corpus.documents[0].text == text
    expected = [0, 9, text.index("tin."), text.index("lead,"), text.index("lead."), text.index("Tin")]
    assert [m.start for m in corpus.documents[0].mentions] == expected
    assert corpus.n_raw == corpus.n_mentions == 6
    assert oddities.counted == {f"further passages with offsets {whose}": 2}


LEAD, ZINC = (f"1|t|{name}\n1|a|\n1\t0\t4\t{name}\tC\tD1\n\n" for name in ("Lead", "Zinc"))


@pytest.mark.parametrize(
    ("text", "as_one", "golds", "dropped"),
    [
        (LEAD * 3, "Lead ", ["D1"], 2),
        (LEAD + 2 * LEAD.replace("D1", "D2"), "Lead ", ["D1", "D2"], 1),  # others are added, once
        (LEAD + ZINC + LEAD, "Lead Zinc Lead ", ["D1"] * 3, 0),  # within others the same passage is one more
        (2 * (LEAD + ZINC), "Lead Zinc ", ["D1"] * 2, 2),
    ],
)
def test_a_document_that_is_there_again_is_a_duplicate_counted(read, text, as_one, golds, dropped):
    corpus, oddities = read(text)
    assert [m.gold.printed for _, m in corpus.mentions()] == golds
    assert corpus.dropped == ({"duplicate document": dropped} if dropped else {})
    assert [document.text for document in corpus.documents] == [as_one]
    assert (oddities.counted["passages that repeat a document"] > 0) == (dropped > 0)


def test_offsets_that_fit_neither_way_are_taken_as_the_passages_own_and_not_looked_for_in_another(read):
    corpus, oddities = read(
        "1|t|A long first passage\n1|a|x\n\n1|t|tin and more of it, much more\n1|a|\n1\t2\t5\ttin\tC\tD1\n"
        "1\t2\t6\tlong\tC\tD1\n"
    )
    [mention] = corpus.documents[0].mentions
    assert (mention.start, mention.text) == (23, "tin") and corpus.dropped == {"offset mismatch": 1}
    assert oddities.issues[0] == "corpus.txt:6: 'tin' is not at 2-5, taken at 0-3"


def test_where_a_moved_mention_is_counts_as_its_offsets_do(read):
    text = "1|t|A title\n1|a|x\n\n1|t|tin and lead\n1|a|\n1\t10\t13\ttin\tC\tD1\n1\t20\t24\tlead\tC\tD1\n"
    corpus, oddities = read(text)
    assert [(m.start, m.text) for _, m in corpus.mentions()] == [(10, "tin"), (18, "lead")]
    assert oddities.issues == ["corpus.txt:7: 'lead' is not at 20-24, taken at 18-22"]


@pytest.mark.parametrize(
    "cells",
    ["29,40\t34,47\tfever pyrexia", "29;40\t34;47\tfever pyrexia", "29-34,40-47\tfever pyrexia",
     "29 34;40 47\tfever pyrexia", "29\t47\tfever pyrexia"],
    ids=["commas", "semicolons", "one column", "one column as brat", "pieces in a span that covers them"],
)  # fmt: skip
def test_a_discontinuous_span_is_counted_as_what_it_is(read, cells):
    corpus, _ = read(GOOD.replace("1\t40\t47\tpyrexia", "1\t" + cells))
    assert corpus.dropped == {"discontinuous span": 1} and corpus.n_raw == 5


def test_rows_that_end_before_the_id_are_nil_and_counted(read):
    corpus, oddities = read(GOOD.replace("fever\tDisease\tD3", "fever\tDisease"))
    assert corpus.documents[0].mentions[1].gold.nil
    assert oddities.counted["mentions without an id column, read as NIL"] == 1
