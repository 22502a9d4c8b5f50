"""JSON read strictly: what the standard leaves to the reader is an error here."""

import json
from collections import Counter
from typing import Any


def read_json(text: str | bytes) -> Any:
    """The value of a JSON text.

    Raises ValueError (json.JSONDecodeError with its line where it is no JSON) for a key twice in one object,
    of which Python would keep the last, for nesting too deep to read, and for a lone surrogate, which cannot
    be written again.
    """
    try:
        value = json.loads(text, object_pairs_hook=_once)
        # Only an escape makes a surrogate; looked for where one may be.
        if (b"\\u" if isinstance(text, bytes) else "\\u") in text:
            json.dumps(value, ensure_ascii=False).encode()
    except RecursionError:
        raise ValueError("nested too deep") from None
    except UnicodeEncodeError:
        raise ValueError("a lone surrogate (\\ud800 to \\udfff), which is no character") from None
    return value


def json_or_none(text: str) -> Any:
    """The value of a JSON text, None for one that :func:`read_json` refuses."""
    try:
        return read_json(text)
    except ValueError:
        return None


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        [(key, _)] = Counter(key for key, _ in pairs).most_common(1)
        raise ValueError(f"the key {key!r} twice in one object")
    return found
