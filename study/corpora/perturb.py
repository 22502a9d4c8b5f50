"""Test mentions written worse: with a typing error, or as their initials (CoSiNES, section 5.5).

Two of the paper's causes of error can be produced at will, so that the same mentions can be linked intact
and damaged. Documents are rewritten with their mentions: text and offsets stay consistent, and mentions,
gold and clusters stay as they are, one for one. What cannot be changed stays, and stays in: a mention too
short, and one whose span overlaps another.
"""

import re
from collections.abc import Callable
from dataclasses import replace
from itertools import groupby

import numpy as np

from benchlib.benchmark import Benchmark
from benchlib.corpus import Document

_LEAST_LETTERS = 4
_ALPHABET = "abcdefghijklmnopqrstuvwxyz"
_BRACKETS = re.compile(r"\([^()]*\)|\[[^\[\]]*\]")


def add_typo(benchmark: Benchmark) -> Benchmark:
    """One random typing error in every test mention of four letters or more, never in its first character:
    two letters swapped, or one dropped, doubled or replaced, each kind as likely.

    The error depends on the id of the document and the place of the mention alone.
    """
    return _perturbed(benchmark, typo)


def acronyms(benchmark: Benchmark) -> Benchmark:
    """Every test mention is replaced by its initials where it has two or more; see :func:`acronym_of`."""
    return _perturbed(benchmark, lambda text, _: acronym_of(text))


def perturbation_masks(benchmark: Benchmark) -> dict[str, list[int]]:
    """The numbers of the test mentions that each perturbation changes, by its name."""
    numbers = {}
    for name, kind in (("misspelt", add_typo), ("acronyms", acronyms)):
        both = zip(benchmark.test.mentions(), kind(benchmark).test.mentions(), strict=True)
        changed = [intact.text != damaged.text for (_, intact), (_, damaged) in both]
        numbers[name] = np.flatnonzero(changed).tolist()
    return numbers


def typo(text: str, rng: np.random.Generator) -> str:
    """The text with one typing error; as it is with fewer than four letters."""
    if sum(map(str.isalpha, text)) < _LEAST_LETTERS:
        return text
    letters = [i for i in range(1, len(text)) if text[i].isalpha()]
    pairs = [i for i in letters if i + 1 in letters and text[i].casefold() != text[i + 1].casefold()]
    kinds = ["drop", "double", "replace"] + ["swap"] * bool(pairs)
    kind = kinds[rng.integers(len(kinds))]
    places = pairs if kind == "swap" else letters
    i = places[rng.integers(len(places))]
    if kind == "swap":
        return text[:i] + text[i + 1] + text[i] + text[i + 2 :]
    if kind == "drop":
        return text[:i] + text[i + 1 :]
    if kind == "double":
        return text[:i] + text[i] + text[i:]
    others = _ALPHABET.replace(text[i].lower(), "")
    other = others[rng.integers(len(others))]
    return text[:i] + (other.upper() if text[i].isupper() else other) + text[i + 1 :]


def acronym_of(text: str) -> str:
    """Initials of words and of their CamelCase parts in place of them: ``WLS 10`` for WebLogic Server 10.

    Only words that give two initials or more together are replaced. A word with a digit stays where it is
    and parts those around it; what stands in brackets goes. The text as it is where nothing is replaced.
    """
    parts, replaced = [], False
    for numbered, group in groupby(
        _BRACKETS.sub(" ", text).split(), lambda word: any(map(str.isdigit, word))
    ):
        words = list(group)
        letters = "" if numbered else _first_letters(" ".join(words))
        parts += [letters] if len(letters) > 1 else words
        replaced |= len(letters) > 1
    return " ".join(parts) if replaced else text


def _first_letters(text: str) -> str:
    return "".join(
        letter.upper()
        for before, letter in zip(" " + text, text, strict=False)
        if letter.isalpha()
        and (not (before.isalpha() or before in "'’") or (before.islower() and letter.isupper()))
    )


def _perturbed(benchmark: Benchmark, change: Callable[[str, np.random.Generator], str]) -> Benchmark:
    documents = tuple(_rewritten(document, change) for document in benchmark.test.documents)
    return replace(benchmark, test=replace(benchmark.test, documents=documents))


def _rewritten(document: Document, change: Callable[[str, np.random.Generator], str]) -> Document:
    """The document with the change made at every span that overlaps no other."""
    spans = sorted({(mention.start, mention.end) for mention in document.mentions})
    new = {
        (start, end): change(document.text[start:end], np.random.default_rng([start, *document.id.encode()]))
        for start, end in spans
        if sum(s < end and start < e for s, e in spans) == 1
    }

    def moved(place: int) -> int:
        return place + sum(len(text) - (end - start) for (start, end), text in new.items() if end <= place)

    text = document.text
    for (start, end), string in reversed(new.items()):
        text = text[:start] + string + text[end:]
    mentions = []
    for mention in document.mentions:
        start, end = moved(mention.start), moved(mention.end)
        mentions.append(replace(mention, start=start, end=end, text=text[start:end]))
    return Document(document.id, text, tuple(mentions))
