"""Abbreviations that a text defines, by the algorithm of Schwartz and Hearst (2003)."""

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

_BRACKET = re.compile(r"[()\[\]]")
_SENTENCE = re.compile(r"[.;:!?]\s")  # a long form does not reach across its end
_UNTIL_COMMA = re.compile(r"(?:(?![,;]\s).)*", re.DOTALL)
_REACH = 2_000  # characters before a bracket that are read: a long form has at most 15 words
_LAST_WORD = re.compile(r"[^\s([{]+$")


class Abbreviation(NamedTuple):
    """A short form and the long form that a text gives for it."""

    short: str
    long: str


def abbreviations(text: str) -> list[Abbreviation]:
    """The abbreviations that a text defines, in order: ``heart attack (HA)`` and ``HA (heart attack)``.

    A short form has 2 to 10 characters and at most two words, begins with a letter or digit and has a letter;
    before its long form, also a capital or digit. Its letters and digits occur in the long form in this
    order, the first at the beginning of a word. The long form is longer, does not contain the short form of n
    characters, and has at most min(n + 5, 2 n) words.
    """
    found = []
    for start, inside in sorted(_bracketed(text)):
        before = text[max(0, start - _REACH) : start].rstrip()[:-1].rstrip()
        sentence = _SENTENCE.split(before)[-1]
        short = _UNTIL_COMMA.match(inside)[0].strip()
        if _is_short(short):
            if long := _long_form(short, sentence):
                found.append(Abbreviation(short, long))
        elif last := _LAST_WORD.search(sentence):
            short, long = last[0], inside.rstrip()
            if _is_short(short) and not short.islower() and _long_form(short, long) == long:
                found.append(Abbreviation(short, long))
    return found


def expand(text: str, defined: Iterable[Abbreviation]) -> str:
    """The text with each short form that stands in it as a word, in its own spelling, replaced by its long
    form; one in brackets behind its long form is left out. Of several definitions the first counts."""
    long_forms = {one.short: one.long for one in reversed([*defined]) if one.short in text}
    for short, long in long_forms.items():
        text = text.replace(f"{long} ({short})", long)
    shorts = "|".join(map(re.escape, sorted(long_forms, key=len, reverse=True))) or "(?!)"  # matches nowhere
    return re.sub(rf"(?<!\w)(?:{shorts})(?!\w)", lambda match: long_forms[match[0]], text)


def _bracketed(text: str) -> Iterator[tuple[int, str]]:
    """Where the content of each bracket begins, blanks aside, and the content; nested ones too."""
    opened = []
    for bracket in _BRACKET.finditer(text):
        if bracket[0] in "([":
            opened.append(bracket.end())
        elif opened:
            inside = text[opened.pop() : bracket.start()].lstrip()
            yield bracket.start() - len(inside), inside


def _is_short(text: str) -> bool:
    fits = 2 <= len(text) <= 10 and len(text.split()) <= 2 and _is_balanced(text)
    return fits and text[0].isalnum() and any(map(str.isalpha, text))


def _is_balanced(text: str) -> bool:
    return text.count("(") == text.count(")") and text.count("[") == text.count("]")


def _long_form(short: str, text: str) -> str | None:
    """The shortest ending of ``text`` that ``short`` abbreviates, or None."""
    lower, place = "".join(" " if c.isspace() else c.lower()[:1] for c in text), len(text)
    first, *letters = filter(str.isalnum, short.lower())
    for letter in reversed(letters):
        place = lower.rfind(letter, 0, max(place, 0))
    while (place := lower.rfind(first, 0, max(place, 0))) > 0 and text[place - 1].isalnum():
        pass  # the first letter begins a word
    long = text[lower.rfind(" ", 0, place) + 1 :] if place >= 0 else ""  # with the whole word
    long = long if _is_balanced(long) else long.lstrip("([{'\"")
    # A long form that repeats the short one explains nothing: ``TdP (TDP)``.
    repeats = rf"(?<![\w-]){re.escape(short)}(?![\w-])"
    if short.lower() in long.lower() and re.search(repeats, long, re.IGNORECASE):
        return None
    fits = len(short) < len(long) and len(long.split()) <= min(len(short) + 5, 2 * len(short))
    return long if fits and all(map(_is_balanced, (long, long.split()[0]))) else None
