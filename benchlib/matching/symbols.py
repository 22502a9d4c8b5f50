"""Text as symbols that know where words begin and end, so that a search for strings finds whole words only.

A symbol is a character (letters, digits and marks make words) with two bits: whether a word opens with it and
whether one closes. A string stands in a text between words exactly where its symbols stand among those of the
text: nothing is to be filtered afterwards, and every symbol has the place of its character.
"""

import unicodedata
from functools import lru_cache

import numpy as np

_SPACE, _SURROGATES, _UNICODE = ord(" "), range(0xD800, 0xE000), 0x110000


class Symbols:
    """The symbols of some names, as UTF-8 for a search in bytes.

    A capital is its small letter at the start of a word before two small letters only, so that *Cirrhosis* is
    *cirrhosis*, but *ALL* is not *all* and *As* not *as*; with ``ignore_case`` it is everywhere. White space
    of every kind is the same.

    Raises ValueError for a name with a NUL, which stands between texts.
    """

    def __init__(self, names: list[str], ignore_case: bool = False):
        if any("\0" in name for name in names):
            raise ValueError("expected names without NUL characters")
        self._ignore_case = ignore_case
        in_word, space, small = _characters()
        read_as = np.where(space, _SPACE, np.arange(_UNICODE))
        known = np.zeros(_UNICODE, dtype=bool)
        known[small[read_as[_code_points(["".join(names)])]]] = True
        used = np.flatnonzero(known[small])  # in either case
        # Numbers of characters: those of words behind the others, and first of both what is in no name.
        own = [used[~in_word[used]], used[in_word[used]]]
        self._first_of_words = len(own[0]) + 1
        number = np.where(in_word, self._first_of_words, 0)
        number[own[0]], number[own[1]] = (
            np.arange(len(of)) + first + 1 for of, first in zip(own, (0, self._first_of_words), strict=True)
        )
        self._size = len(used) + 2
        self._number = number[read_as].astype(np.uint16 if 4 * self._size < 2**16 else np.uint32)
        self._small = np.arange(self._size, dtype=self._number.dtype)
        self._small[number[used]] = number[small[used]]
        self._is_capital = self._small != np.arange(self._size)
        self._is_small = np.zeros(self._size, dtype=bool)
        self._is_small[number[used]] = [chr(c).islower() for c in used.tolist()]
        # The more frequent a symbol, the fewer bytes; 0 stands for all that are in no name.
        symbols, counts = np.unique(self._symbols(names), return_counts=True)
        symbols = symbols[np.argsort(-counts, kind="stable")]
        symbols = symbols[symbols != 0]
        codes = np.arange(1, len(symbols) + 1)
        self._code = np.zeros(4 * self._size, dtype=np.uint32)
        self._code[symbols] = codes + len(_SURROGATES) * (codes >= _SURROGATES.start)

    def encode(self, texts: list[str]) -> bytes:
        """The symbols of texts, a NUL between two of them."""
        return self._code.take(self._symbols(texts)).tobytes().decode("utf-32-le").encode()

    def _symbols(self, texts: list[str]) -> np.ndarray:
        number = self._number.take(_code_points(texts))
        in_word = np.zeros(len(number) + 2, dtype=bool)
        in_word[1:-1] = number >= self._first_of_words
        opens, closes = in_word[1:-1] > in_word[:-2], in_word[1:-1] > in_word[2:]
        if self._ignore_case:
            number = self._small[number]
        else:
            places = np.flatnonzero(opens[:-2] & ~closes[:-2])
            places = places[self._is_capital[number[places]]]
            places = places[self._is_small[number[places + 1]] & self._is_small[number[places + 2]]]
            number[places] = self._small[number[places]]
        step = number.dtype.type(self._size)
        return number + opens * step + closes * (step + step)


def _code_points(texts: list[str]) -> np.ndarray:
    return np.frombuffer("\0".join(texts).encode("utf-32-le", "surrogatepass"), dtype=np.uint32)


@lru_cache(maxsize=1)
def _characters() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Of every code point: whether it is part of words, whether it is white space, and its small letter,
    itself where that is not one character."""
    every = [chr(code_point) for code_point in range(_UNICODE)]
    in_word = np.array([unicodedata.category(character)[0] in "LMN" for character in every])
    space = np.array([character.isspace() for character in every])
    lowered = [character.lower() for character in every]
    small = [ord(low if len(low) == 1 else character) for low, character in zip(lowered, every, strict=True)]
    return in_word, space, np.array(small)
