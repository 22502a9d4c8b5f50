"""Offsets that count something other than characters, and mentions written otherwise than in the text."""

import html
import random

import pytest

from benchlib import evaluate
from benchlib.formats.offsets import Oddities, place_mentions
from benchlib.formats.pubtator import read_pubtator
from study.corpora import load

UNITS = {
    "UTF-8 bytes": lambda text: len(text.encode()),
    "UTF-16 units": lambda text: len(text.encode("utf-16-le")) // 2,
    "characters": len,
}
LETTERS = {"e": "é", "a": "α", "s": "😀", "o": "ö"}


def written(documents, unit: str, blanks: int = 1) -> tuple[str, list[tuple[str, int, int]]]:
    """Documents as PubTator, some letters replaced, with offsets in a unit; and the spans of mentions."""
    draw, blocks, spans = random.Random(7), [], []
    for document in documents:
        text = "".join(LETTERS.get(c, c) if draw.random() < 0.2 else c for c in document.text)
        blank = text.index(". ") + 1
        lines = [f"{document.id}|t|{text[:blank]}", f"{document.id}|a|{text[blank + 1 :]}"]
        for m in document.mentions:
            start, end = (UNITS[unit](text[:i]) + (blanks - 1) * (i > blank) for i in (m.start, m.end))
            lines.append(f"{document.id}\t{start}\t{end}\t{text[m.start : m.end]}\tD\tD1")
            spans.append((document.id, m.start, m.end))
        blocks.append("\n".join(lines))
    return "\n\n".join(blocks) + "\n", spans


@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize("blanks", [0, 1, 2])
def test_no_mention_is_lost_or_misplaced_whatever_offsets_count(write, unit, blanks):
    text, spans = written(load("mini").train.documents, unit, blanks)
    corpus = read_pubtator(write("x.txt", text), "x", oddities=(oddities := Oddities()))
    assert [(d.id, m.start, m.end) for d, m in corpus.mentions()] == spans and len(spans) > 100
    assert not corpus.dropped and not oddities.issues
    told = sum(n for what, n in oddities.counted.items() if what.startswith("passages whose offsets count"))
    assert (told > 0) == ((unit, blanks) != ("characters", 1))


def placed(text: str, *printed) -> tuple[str, list[tuple[str, str]]]:
    """What offsets count, and of each mention the text at its place and how it was found."""
    mentions = [((start, end), string) for start, end, string in printed]
    found = place_mentions(text, text.find(". ") + 1 or len(text), mentions)
    return found.what, [(text[slice(*p.span)] if p.span else "", p.how) for p in found.places]


@pytest.mark.parametrize(("start", "found"), [(530, "fever"), (531, ""), (99_999, "")])
def test_a_mention_far_beyond_the_text_is_nowhere(start, found):
    text = "word " * 100 + "fever"  # at 500
    assert placed(text, (start, start + 5, "fever")) == ("", [(found, "nearest")])


@pytest.mark.parametrize(
    ("text", "source", "what"),
    [
        ("a &lt; b: fever", "a < b: fever", "XML entities as one character"),
        ("a < b: fever", "a &lt; b: fever", "& < > as XML entities"),
        ('a "b": fever', "a &quot;b&quot;: fever", "& < > and quotes as XML entities"),
        ("a β: fever", "a &#946;: fever", "all but ASCII as XML entities"),
    ],
)
def test_offsets_may_count_a_text_with_entities_or_without(text, source, what):
    assert html.unescape(text) == html.unescape(source)
    start = source.index("fever")
    assert placed(text, (start, start + 5, "fever")) == (what, [("fever", "exact")])


@pytest.mark.parametrize(
    ("text", "string"),
    [
        ("TNF‑α", "TNF-a"), ("TNF‑α", "TNF-alpha"), ("SARS‐CoV‐2", "SARS CoV 2"), ("Fever", "fever"),
        ("Sjögren’s syndrome", "Sjogren's syndrome"), ("Ørsted", "Orsted"), ("a < b", "a &lt; b"),
    ],
)  # fmt: skip
def test_a_mention_that_is_written_otherwise_at_its_offsets_is_kept_there(text, string):
    there = f"x {text} y {string} z"  # the other way of writing it comes later, and is another mention
    assert placed(there, (2, 2 + len(text), string)) == ("", [(text, "otherwise")])


def test_another_mention_at_the_offsets_or_a_blank_at_their_end_is_no_way_of_writing():
    assert placed("flu and fever", (0, 3, "fever"), (4, 8, "and")) == (
        "",
        [("fever", "nearest"), ("and", "nearest")],
    )
    assert placed("Sjogren's x", (0, 9, "Sjogren''s")) == ("", [("", "nearest")])


@pytest.mark.parametrize(
    ("text", "printed", "expected"),
    [
        ("We found the TH", [(2, 4, "TH")], ["TH"]),  # not in "the"
        ("We have the AD", [(1, 3, "AD")], ["AD"]),
        ("EOAD and the", [(3, 5, "AD"), (8, 10, "TH")], ["", ""]),
        ("ill ill", [(0, 3, "ill"), (1, 4, "ill")], ["ill", "ill"]),  # the first is taken
        ("an ill man", [(2, 5, "ill"), (4, 7, "ill")], ["", ""]),  # which of the two is it?
        ("an ill man", [(2, 5, "ill"), (2, 5, "ill")], ["ill", "ill"]),  # one mention with two golds
        ("an ill man", [(3, 6, "ill"), (4, 7, "ill")], ["ill", ""]),
        ("ab xx ab", [(3, 5, "ab")], [""]),  # one is as near as the other
        *((f"{'.' * at}ill{'.' * 60}", [(40, 43, "ill")], ["ill"]) for at in (10, 39, 41, 70)),
        *((f"{'.' * at}ill{'.' * 60}", [(40, 43, "ill")], [""]) for at in (9, 71)),  # 31 characters away
    ],
)
def test_a_single_mention_is_moved_to_whole_words_of_its_case_and_to_no_other_mention(
    text, printed, expected
):
    _, found = placed(text, *printed)
    assert [piece for piece, _ in found] == expected


def test_of_two_places_the_nearer_is_taken():
    found = place_mentions("ab x ab", 7, [((2, 5), "ab "), ((3, 5), "ab")])
    assert [place.span[0] for place in found.places] == [0, 5]


def test_a_reading_by_which_texts_are_exact_comes_before_one_by_which_they_are_alike():
    assert placed("é aAa", (3, 4, "a")) == ("UTF-8 bytes", [("a", "exact")])


@pytest.mark.parametrize("spans", [((7, 9), (10, 12)), ((4, 6), (7, 9))], ids=["bytes", "characters"])
def test_answers_count_as_the_file_does_or_as_the_corpus_does(write, spans):
    # In bytes the first mention is where in characters the second is.
    write("c.txt", "1|t|ééé ab ab\n1|a|\n1\t7\t9\tab\tD\tD1\n1\t10\t12\tab\tD\tD2\n")
    rows = "".join(f"1\t{s}\t{e}\t{id}\n" for (s, e), id in zip(spans, ("D1", "D2"), strict=True))
    predictions = write("p.tsv", f"document\tstart\tend\tids\n{rows}")
    folder, names = predictions.parent, write("d.tsv", "D1\ta\nD2\tb\n")
    rows = evaluate(predictions, folder / "c.txt", names).published
    assert rows[rows["protocol"] == "krissbert"]["value"].iloc[0] == 1


def test_bytes_may_count_from_the_beginning_of_the_document():
    found = place_mentions("β fever", 7, [((7, 12), "fever")], before="α: ")  # 4 bytes before, 3 within
    assert (found.what, found.absolute, found.places[0].span) == ("UTF-8 bytes", True, (2, 7))
