"""The matcher against a plain loop over all names and places."""

import unicodedata

import numpy as np
import pytest

from benchlib.corpus import Document
from benchlib.matching import Matcher, find_mentions
from benchlib.ontology import Concept, Ontology

# Letters of several scripts and widths, two whose other case is two characters, a mark, digits, signs, blanks
ALPHABET = list("aabbBAé\u0301ßİσΣΩω1µ中𝐁𝟙🧬-'(), \u00a0\t_")


def ontology(*names: str) -> Ontology:
    return Ontology("toy", [Concept(f"C{i}", (name,)) for i, name in enumerate(names)])


def in_word(character: str) -> bool:
    return unicodedata.category(character)[0] in "LMN"


def small(character: str) -> str:
    return character.lower() if len(character.lower()) == 1 else character


def read(text: str) -> str:
    """How a string is compared, character by character."""
    found = []
    for i, one in enumerate(text):
        opens = in_word(one) and not (i and in_word(text[i - 1]))
        if one.isspace():
            one = " "
        elif opens and sum(map(str.islower, text[i + 1 : i + 3])) == 2:
            one = small(one)
        found.append(one)
    return "".join(found)


def between_words(text: str, place: int) -> bool:
    return not (0 < place < len(text) and in_word(text[place - 1]) and in_word(text[place]))


def by_loop(names: list[str], text: str) -> list[tuple[int, int, str]]:
    """Of all names at all places, between words: the leftmost, of these the longest, then on behind it."""
    wanted, found, place = {read(" ".join(name.split())) for name in names}, [], 0
    while place < len(text):
        ends = [
            place + len(name)
            for name in wanted
            if between_words(text, place)
            and between_words(text, place + len(name))
            and read(text[place : place + len(name)]) == name
        ]
        if ends:
            found.append((place, max(ends), read(text[place : max(ends)])))
        place = max(ends, default=place + 1)
    return found


def longest_by_loop(names: list[str], text: str) -> list[list[int]]:
    """Of all names at all places, between words and without case, the longest of all, then what is free."""

    def plain(string: str) -> str:
        return "".join(" " if one.isspace() else small(one) for one in string)

    wanted = {plain(" ".join(name.split())) for name in names}
    places = [
        (i, i + len(name))
        for name in wanted
        for i in range(len(text) - len(name) + 1)
        if plain(text[i : i + len(name)]) == name
        and between_words(text, i)
        and between_words(text, i + len(name))
    ]
    found, free = [], set(range(len(text)))
    for start, end in sorted(places, key=lambda of: (of[0] - of[1], of[0])):
        if {*range(start, end)} <= free:
            free -= {*range(start, end)}
            found.append([start, end])
    return sorted(found)


def spans(matcher: Matcher, texts: list[str]) -> list[list[tuple[int, int, str]]]:
    return [
        [(start, end, read(matcher.names[name])) for start, end, name in of_text]
        for of_text in matcher(texts)
    ]


def test_random_matches_are_those_of_a_plain_loop():
    rng, compared, n_found = np.random.default_rng(0), 0, 0

    def drawn(letters: list[str], longest: int) -> str:
        return "".join(rng.choice(letters, size=rng.integers(1, longest)))

    for _ in range(60):
        letters = list(rng.choice(ALPHABET, size=rng.integers(2, 9))) + [" "]
        names = [name for name in (drawn(letters, 6) for _ in range(12)) if name.strip()] + ["a"]
        letters.append("\ud800")  # half a character, which JSON can hold
        # Longer ones made of others overlap and stand side by side.
        names += ["".join(rng.choice(names, size=2)) for _ in range(4)]
        texts = [drawn(letters, 30) for _ in range(40)] + ["".join(rng.choice(names, size=4)), ""]
        found = spans(Matcher(ontology(*names), shared="keep"), texts)
        longest = Matcher(ontology(*names), shared="keep", overlaps="longest", ignore_case=True)(texts)
        for text, of_text, of_longest in zip(texts, found, longest, strict=True):
            assert of_text == by_loop(names, text), (names, text)
            assert [span for *span, _ in of_longest] == longest_by_loop(names, text), (names, text)
            compared, n_found = compared + 1, n_found + len(of_text)
    assert compared == 2_520 and n_found > 1_000


@pytest.mark.parametrize(
    ("name", "text", "matched"),
    [
        ("Cirrhosis", "cirrhosis", True),
        ("cirrhosis of liver", "Cirrhosis of Liver", True),
        ("ALL", "all", False),
        ("all", "ALL", False),
        ("mRNA", "MRNA", False),
        ("K", "k", False),
        ("As", "as", False),
        ("Ass", "ass", True),
        ("Type II", "type ii", False),
        ("acute pain", "acute\u00a0pain", True),
        (" acute  pain ", "acute pain", True),
        ("pain", "(pain)-free", True),
        ("pain", "painful", False),
        ("pain", "subpain", False),
        ("cafe", "cafe\u0301", False),
        ("(+)-x", "a(+)-x", True),
        ("(+)-x", "(+)-x1", False),
    ],
)
def test_case_and_words(name, text, matched):
    [found] = Matcher(ontology(name))([text])
    assert len(found) == matched


def test_offsets_count_code_points_and_no_match_goes_from_one_text_into_the_next():
    matcher = Matcher(ontology("β-𝐁 cell", "a\u0301"))
    found = matcher(["🧬 β-𝐁 cell, β-𝐁", " cell \0 a\u0301", "", "a\u0301\ud800a\u0301"])
    assert found == [[(2, 10, 0)], [(8, 10, 1)], [], [(0, 2, 1), (3, 5, 1)]]
    assert matcher([]) == [] and matcher([""]) == [[]]


def test_names_of_several_concepts_are_skipped_with_what_stands_inside_them_or_kept():
    data = Ontology(
        "toy",
        [
            Concept("A", ("Breast cancer", "cancer of breast")),
            Concept("B", ("breast Cancer", "mammary cancer", "Breast cancer")),
            Concept("C", ("cancer",)),
            Concept("D"),
        ],
    )
    text = ["breast cancer, cancer, mammary cancer"]

    def found(**settings):
        matcher = Matcher(data, **settings)
        [matches] = matcher(text)
        return [(matcher.names[name], matcher.ids[name]) for *_, name in matches]

    shared, one, other = ("Breast cancer", ("A", "B")), ("cancer", ("C",)), ("mammary cancer", ("B",))
    assert found() == [one, other]
    assert found(shared="keep") == [shared, one, other]
    assert found(names="preferred", shared="keep") == [shared, one, one]


def test_of_mentions_that_begin_together_the_longest_is_kept():
    names = Ontology("o", [Concept("D1", ("heart attack",)), Concept("D2", ("HA antigen",))])
    text = Document("1", "A heart attack (HA) was seen; HA antigen was measured.")
    [found] = find_mentions([text], Matcher(names), {"heart attack"}.__contains__)
    assert [mention.text for mention in found.mentions] == ["heart attack", "HA", "HA antigen"]


def test_bad_input_is_refused():
    with pytest.raises(ValueError, match="ontology toy: expected concepts with names, found none"):
        Matcher(Ontology("toy", [Concept("A")]))
    with pytest.raises(ValueError, match="ontology toy: concept A has an empty name"):
        Matcher(Ontology("toy", [Concept("A", ("pain", " \t"))]))
    with pytest.raises(ValueError, match="expected names without NUL characters"):
        Matcher(ontology("pain\0"))
    for setting in ("names", "shared", "overlaps"):
        with pytest.raises(ValueError, match=f"{setting} is 'every'; expected one of "):
            Matcher(ontology("pain"), **{setting: "every"})
