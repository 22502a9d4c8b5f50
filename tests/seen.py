"""How well a colour can be seen on another, as WCAG 2.1 measures it, and on the pages of the book."""

import numpy as np

PAGES = ("#ffffff", "#121212")


def luminance(colour: str) -> float:
    """The relative luminance, from 0 to 1."""
    if len(colour) == 4:
        colour = "#" + "".join(2 * digit for digit in colour[1:])
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return float(np.dot(linear, [0.2126, 0.7152, 0.0722]))


def contrast(one: str, other: str) -> float:
    """The contrast ratio, from 1 to 21."""
    low, high = sorted(luminance(colour) + 0.05 for colour in (one, other))
    return high / low


def on_both(colour: str) -> float:
    """The contrast on the page where it is the lower."""
    return min(contrast(colour, page) for page in PAGES)
