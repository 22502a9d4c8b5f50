"""OBO 1.2 flat files: the terms of an ontology with their synonyms and cross references.

Format: https://owlcollab.github.io/oboformat/doc/GO.format.obo-1_2.html
"""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path

from ..mends import option
from ..ontology import Concept
from .lines import add_once, numbered_lines, read_error
from .ontology_file import OntologyFile, concepts_of_file, unique_nonempty

SCOPES = ("EXACT", "NARROW", "BROAD", "RELATED")
# Tags of OBO 1.0, each with the scope its name says; later `synonym` with the scope behind the text.
OLD_SYNONYMS = {f"{scope.lower()}_synonym": scope for scope in SCOPES}
HEADER = re.compile(r"\[\w+\]")
QUOTED = re.compile(r'"((?:[^"\\]|\\.)*)"\s*(\w*)')
TRAILING = re.compile(r"(\s+\{[^{}]*=[^{}]*\})?(\s+!(\s.*)?)?$")  # `{modifiers}` and a `! comment`
ESCAPE = re.compile(r"\\(.)")
LAYOUT = {"n": "\n", "t": "\t", "W": " "}
Tags = dict[str, list[tuple[int, str]]]


def read_obo(path: Path | str, scopes: Collection[str] = ("exact",)) -> OntologyFile:
    """The live terms of an OBO file; a name is the term's label or a synonym of one of the ``scopes``, by its
    own tag or that of OBO 1.0 (``exact_synonym``). Trailing ``{modifiers}`` and ``! comments`` are no part of
    it.

    ``dropped`` counts obsolete terms, terms without a name, synonyms of live terms of another scope, and
    empty synonyms; ``replaced`` has the obsolete terms with their ``replaced_by``.
    Stanzas other than ``[Term]`` are no concepts and are passed over. Raises ValueError for a line that is
    no ``tag: value`` pair, a term without id or of two names, an id defined twice, and an unknown scope.
    """
    return terms_as_concepts(path, _terms(path), scopes)


def terms_as_concepts(
    path: Path | str, terms: Iterable[tuple[int, Tags]], scopes: Collection[str]
) -> OntologyFile:
    """What :func:`read_obo` gives, of terms that are (line, tag -> (line, value)s)."""
    wanted = {scope.upper() for scope in scopes}
    if unknown := wanted - {*SCOPES}:
        raise ValueError(f"scopes: expected some of {', '.join(SCOPES).lower()}, found {min(unknown)!r}")
    concepts: dict[str, Concept] = {}
    xrefs: dict[str, tuple[str, ...]] = {}
    replaced: dict[str, tuple[str, ...]] = {}
    dropped: Counter[str] = Counter()
    others: Counter[str] = Counter()  # scopes that are not wanted
    for line, tags in terms:
        id = _only(tags, "id", path, line)
        if _obsolete(tags, path):
            dropped["obsolete concept"] += 1
            replaced[id] = _ids(tags, "replaced_by")
            continue
        if "name" not in tags:  # which OBO 1.4 allows
            dropped["concept without a label"] += 1
            continue
        names = [_only(tags, "name", path, line)]
        synonyms = [(line, value, "RELATED") for line, value in tags.get("synonym", ())]
        synonyms += [(*one, scope) for tag, scope in OLD_SYNONYMS.items() for one in tags.get(tag, ())]
        for number, value, usual in synonyms:
            name, scope = _quoted(value, path, number)
            if (scope or usual) not in wanted:
                others[(scope or usual).lower()] += 1
            elif name.strip():
                names.append(name)
            else:
                dropped["empty synonym"] += 1
        definitions = [_quoted(value, path, number)[0] for number, value in tags.get("def", ())]
        concept = Concept(
            id,
            unique_nonempty(names),
            parents=_ids(tags, "is_a"),
            definition=definitions[0] if definitions else "",
            alternatives=_ids(tags, "alt_id"),
        )
        add_once(path, line, concepts, id, concept)
        xrefs[id] = _ids(tags, "xref")
    note = ()
    if others:
        dropped["synonym of another scope"] = others.total()
        counts = ", ".join(f"{n:,} {scope}" for scope, n in others.most_common())
        more = option("scopes", ",".join(scope.lower() for scope in (*scopes, *others)))
        note = (f"Synonyms of {Path(path).name} that are no names: {counts}. {more} takes them.",)
    return concepts_of_file(path, concepts, xrefs=xrefs, dropped=dropped, notes=note, replaced=replaced)


def _terms(path: Path | str) -> Iterator[tuple[int, Tags]]:
    """(line of the header, tag -> (line, value)s) of every [Term] stanza."""
    start, stanza, tags = 0, "", {}
    for number, line in numbered_lines(path):
        line = line.strip()
        if line.startswith("["):
            if stanza == "[Term]":
                yield start, tags
            if not (header := HEADER.match(line)):
                raise read_error(path, number, "a stanza header such as [Term]", line)
            start, stanza, tags = number, header[0], {}
        elif line and not line.startswith("!"):
            tag, colon, value = line.partition(":")
            if not colon:
                raise read_error(path, number, "`tag: value`", line)
            tags.setdefault(tag, []).append((number, value.strip()))
    if stanza == "[Term]":
        yield start, tags


def _only(tags: Tags, tag: str, path: Path | str, line: int) -> str:
    values = [TRAILING.sub("", value) for _, value in tags.get(tag, ())]
    if len(values) != 1 or not values[0]:
        raise read_error(path, line, f"a [Term] with one `{tag}:` and its value", f"{len(values)} of them")
    return _unescape(values[0])


def _quoted(value: str, path: Path | str, line: int) -> tuple[str, str]:
    match = QUOTED.match(value)
    if not match or (match[2] and match[2] not in SCOPES):
        raise read_error(path, line, f'`"text"` and, of a synonym, one of {", ".join(SCOPES)}', value)
    return _unescape(match[1]), match[2]


def _obsolete(tags: Tags, path: Path | str) -> bool:
    values = {TRAILING.sub("", value): line for line, value in tags.get("is_obsolete", ())}
    for value, line in values.items():
        if value not in ("true", "false"):
            raise read_error(path, line, "is_obsolete: true or false", value)
    return "true" in values


def _ids(tags: Tags, tag: str) -> tuple[str, ...]:
    """The ids of a tag, without the ` ! label`, ` "text"` or ` {modifier}` that may follow each."""
    return unique_nonempty(_unescape(value.split(" ")[0]) for _, value in tags.get(tag, ()))


def _unescape(value: str) -> str:
    return ESCAPE.sub(lambda match: LAYOUT.get(match[1], match[1]), value)
