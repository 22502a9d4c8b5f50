"""Abbreviations that a text defines, by the algorithm of Schwartz and Hearst (2003)."""

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

_OPEN, _BRACKET = re.compile(r"[(\[]"), re.compile(r"[()\[\]]")
_SENTENCE = re.compile(r"[.;:!?]\s")  # a long form does not reach across its end
_UNTIL_COMMA = re.compile(r"(?:(?![,;]\s).)*", re.DOTALL)
_LAST_WORD = re.compile(r"[^\s([{]+$")


class Abbreviation(NamedTuple):
    """A short form and the long form that a text gives for it, with the code points where they begin."""

    short: str
    long: str
    short_start: int
    long_start: int


def abbreviations(text: str) -> list[Abbreviation]:
    """The abbreviations that a text defines, in order: ``heart attack (HA)`` and ``HA (heart attack)``.

    A short form has 2 to 10 characters and at most two words, begins with a letter or digit and has a letter;
    one that stands before its long form has a capital or a digit. Its letters and digits occur in the long
    form in this order, the first at the beginning of a word. The long form has at most min(n + 5, 2 n) words
    for n characters of the short form, is longer, and does not contain it.
    """
    found = []
    for start, inside in _bracketed(text):
        before = text[:start].rstrip()[:-1].rstrip()
        sentence = max((end.end() for end in _SENTENCE.finditer(before)), default=0)
        short = _UNTIL_COMMA.match(inside)[0].strip()
        if _is_short(short):
            words = [*re.finditer(r"\S+", before[sentence:])][-_most_words(short) :]
            near = sentence + words[0].start() if words else len(before)
            if (place := _long_form(short, before[near:])) is not None:
                found.append(Abbreviation(short, before[near + place :], start, near + place))
        elif last := _LAST_WORD.search(before, sentence):
            short, long = last[0], inside.rstrip()
            fits = _is_short(short) and not short.islower() and len(long.split()) <= _most_words(short)
            if fits and _long_form(short, long) == 0:
                found.append(Abbreviation(short, long, last.start(), start))
    return found


def expand(text: str, defined: Iterable[Abbreviation]) -> str:
    """The text with each short form that stands in it as a word, in its own spelling, replaced by its long
    form; one in brackets behind its long form is left out. Of several definitions the first counts."""
    long_forms = {one.short: one.long for one in reversed([*defined])}
    if not long_forms:
        return text
    for short, long in long_forms.items():
        text = text.replace(f"{long} ({short})", long)
    shorts = "|".join(re.escape(short) for short in sorted(long_forms, key=len, reverse=True))
    return re.sub(rf"(?<!\w)(?:{shorts})(?!\w)", lambda match: long_forms[match[0]], text)


def _bracketed(text: str) -> Iterator[tuple[int, str]]:
    """Where the content of each bracket begins, blanks aside, and the content; nested ones too."""
    for opening in _OPEN.finditer(text):
        depth = 0
        for bracket in _BRACKET.finditer(text, opening.start()):
            depth += 1 if bracket[0] in "([" else -1
            if depth == 0:
                inside = text[opening.end() : bracket.start()].lstrip()
                yield bracket.start() - len(inside), inside
                break


def _is_short(text: str) -> bool:
    fits = 2 <= len(text) <= 10 and len(text.split()) <= 2
    return fits and text[0].isalnum() and any(map(str.isalpha, text)) and _is_balanced(text)


def _is_balanced(text: str) -> bool:
    return text.count("(") == text.count(")") and text.count("[") == text.count("]")


def _most_words(short: str) -> int:
    return min(len(short) + 5, 2 * len(short))


def _long_form(short: str, text: str) -> int | None:
    """Where in ``text`` the shortest ending begins that ``short`` abbreviates, or None."""
    place = len(text)
    letters = [character for character in short.lower() if character.isalnum()]
    for number, letter in reversed([*enumerate(letters)]):
        place -= 1
        while place >= 0 and (
            text[place].lower() != letter or number == 0 and place > 0 and text[place - 1].isalnum()
        ):
            place -= 1
        if place < 0:
            return None
    place = text.rfind(" ", 0, place) + 1  # the whole word
    if not _is_balanced(text[place:]):
        place += len(text[place:]) - len(text[place:].lstrip("([{'\""))
    long = text[place:]
    # A long form that repeats the short one explains nothing: ``TdP (TDP)``.
    repeated = re.search(rf"(?<![\w-]){re.escape(short)}(?![\w-])", long, re.IGNORECASE)
    whole = _is_balanced(long) and _is_balanced(long.split()[0])
    return place if whole and not repeated and len(long) > len(short) else None
