"""How fast the names of a dictionary are found in abstracts: MEDIC of 2017 in 2 MB of the unlabelled pool.

Ours beside pyahocorasick, flashtext2 and spaCy's PhraseMatcher, those of them that are installed, each on one
core (seconds of the processor), from texts to spans, without regard to case; all take turns in one run. Each
is asked for the longest matches between words as its makers let one ask: pyahocorasick knows no words, so
what it finds is filtered; flashtext2 and spaCy have words of their own. Run with ``make bench``.
"""

import sys
import time
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from statistics import median

from benchlib.matching import Matcher
from study.corpora import MissingFile, load, unlabelled

CHARACTERS, TOGETHER, ROUNDS = 2_000_000, 300, 3
Span = tuple[int, int, int]  # number of the text, start, end
System = Callable[[list[str]], list[Span]]


def ours(names: list[str], matcher: Matcher) -> System:
    def find(texts: list[str]) -> list[Span]:
        spans = []
        for first in range(0, len(texts), TOGETHER):
            matched = matcher(texts[first : first + TOGETHER])
            for number, matches in enumerate(matched, start=first):
                spans.extend((number, start, end) for start, end, _ in matches)
        return spans

    return find


def _automaton(names: list[str]):
    import ahocorasick

    automaton = ahocorasick.Automaton()
    for name in names:
        automaton.add_word(name, len(name))
    automaton.make_automaton()
    return automaton


def pyahocorasick(names: list[str], matcher: Matcher) -> System:
    automaton = _automaton(names)

    def find(texts: list[str]) -> list[Span]:
        spans = []
        for number, text in enumerate(map(str.lower, texts)):
            for last, length in automaton.iter_long(text):
                start, end = last + 1 - length, last + 1
                inside = start and text[start - 1].isalnum() and text[start].isalnum()
                if not inside and not (end < len(text) and text[last].isalnum() and text[end].isalnum()):
                    spans.append((number, start, end))
        return spans

    return find


def pyahocorasick_anywhere(names: list[str], matcher: Matcher) -> System:
    """Its bare search, inside words, too."""
    automaton = _automaton(names)

    def find(texts: list[str]) -> list[Span]:
        return [
            (number, last + 1 - length, last + 1)
            for number, text in enumerate(map(str.lower, texts))
            for last, length in automaton.iter_long(text)
        ]

    return find


def flashtext2(names: list[str], matcher: Matcher) -> System:
    from flashtext2 import KeywordProcessor

    processor = KeywordProcessor(case_sensitive=False)
    processor.add_keywords_from_iter(names)

    def find(texts: list[str]) -> list[Span]:
        return [
            (number, start, end)
            for number, text in enumerate(texts)
            for _, start, end in processor.extract_keywords_with_span(text)
        ]

    return find


def spacy(names: list[str], matcher: Matcher) -> System:
    import spacy
    from spacy.matcher import PhraseMatcher
    from spacy.util import filter_spans

    nlp = spacy.blank("en")
    phrases = PhraseMatcher(nlp.vocab, attr="LOWER")
    phrases.add("name", list(nlp.tokenizer.pipe(names)))

    def find(texts: list[str]) -> list[Span]:
        spans = []
        for number, document in enumerate(nlp.tokenizer.pipe(texts)):
            longest = filter_spans(phrases(document, as_spans=True))
            spans.extend((number, span.start_char, span.end_char) for span in longest)
        return spans

    return find


SYSTEMS = {
    "benchlib.matching": (ours, None),
    "pyahocorasick, filtered": (pyahocorasick, "ahocorasick"),
    "pyahocorasick, inside words too": (pyahocorasick_anywhere, "ahocorasick"),
    "flashtext2": (flashtext2, "flashtext2"),
    "spaCy PhraseMatcher": (spacy, "spacy"),
}


def abstracts() -> Iterator[str]:
    left = CHARACTERS
    for path in reversed(unlabelled.files("unlabelled-pubmed")):
        for one in unlabelled.read(path):
            if left <= 0:
                return
            left -= len(one.text)
            yield one.text


def main() -> None:
    try:
        texts, medic = list(abstracts()), load("bc5cdr-disease").ontology
    except MissingFile as error:
        sys.exit(f"nothing to match: {error}")
    megabytes = sum(len(text.encode()) for text in texts) / 1e6
    matcher = Matcher(medic, shared="keep", ignore_case=True)
    names = sorted({name.lower() for name in matcher.names})
    systems = {
        name: make(names, matcher) for name, (make, needs) in SYSTEMS.items() if not needs or find_spec(needs)
    }
    seconds: dict[str, list[float]] = {name: [] for name in systems}
    found: dict[str, set[Span]] = {}
    for turn in range(ROUNDS + 1):
        for name, find in systems.items():
            started = time.process_time()
            spans = find(texts)
            if turn:  # the first turn warms up
                seconds[name].append(time.process_time() - started)
            found[name] = set(spans)
    first = next(iter(systems))
    print(f"{len(names):,} names in {len(texts):,} texts, {megabytes:.1f} MB; {len(found[first]):,} matches")
    for name, times in seconds.items():
        rates = [megabytes / one for one in (median(times), max(times), min(times))]
        missing, others = len(found[first] - found[name]), len(found[name] - found[first])
        print(
            f"  {name:<32} {rates[0]:6.1f} MB/s ({rates[1]:.1f}–{rates[2]:.1f}); "
            f"{missing:,} of our matches missing, {others:,} others"
        )
        if name != first:
            ratios = [other / own for other, own in zip(times, seconds[first], strict=True)]
            print(f"    ours is {median(ratios):.1f} × as fast ({min(ratios):.1f}–{max(ratios):.1f})")


if __name__ == "__main__":
    main()
