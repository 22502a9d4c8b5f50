"""MedMentions as per-document token files, read as a stream from their archive.

An archive holds two files per document:

- ``<pmid>.context``: sentences of one ``token<TAB>tag`` per line, with a blank line after each. A sentence
  stands once per mention, and only the mention of that copy is to be trusted: its first token is tagged
  ``B:<CUI>``, the rest ``I:<CUI>``. (Other mentions show in a copy without their first token.)
- ``<pmid>.txt``: the mentions in text order, one ``CUI||mention`` per line; here it checks the first file.

The text of a document is its tokens joined by one space, and its sentences joined by one space too.
"""

import lzma
import re
import tarfile
import zlib
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path, PurePosixPath

from benchlib.corpus import Document, Gold, Mention
from benchlib.formats.lines import read_error

_TAG = re.compile("O|[BI]:.+", re.DOTALL)
Span = tuple[int, int, int, str]  # sentence, first token, token after the last, CUI


def read_context_archive(path: Path | str) -> dict[str, Document]:
    """PMID -> document, for every PMID that has a context file, in archive order.

    Nothing is unpacked to disk; links and folders of the archive are passed over. Raises ValueError for
    an archive that cannot be read, a line that is no ``token<TAB>tag``, a copy of a sentence without its
    one mention, and a document whose concepts are not those of its list.
    """
    contexts: dict[str, tuple[list[list[str]], list[Span]]] = {}
    lists: dict[str, list[str]] = {}
    for name, content in _members(path):
        where, pmid = f"{path}:{name}", PurePosixPath(name).stem
        try:
            text = content.decode()
        except UnicodeDecodeError as error:
            line = content[: error.start].count(b"\n") + 1
            raise ValueError(f"{where}:{line}: expected UTF-8, {error.reason}") from None
        if name.endswith(".context"):
            contexts[pmid] = merge_copies(text, where)
        elif name.endswith(".txt"):
            rows = [(n, line.partition("||")) for n, line in enumerate(text.split("\n"), 1) if line.strip()]
            for number, (cui, separator, _) in rows:
                if not separator or not cui:
                    raise read_error(where, number, "`CUI||mention`", cui)
            lists[pmid] = [cui for _, (cui, _, _) in rows]
    for pmid, (_, spans) in contexts.items():
        if pmid not in lists:
            raise ValueError(f"{path}: expected a list {pmid}.txt for {pmid}.context, found none")
        if [cui for *_, cui in spans] != lists[pmid]:
            raise ValueError(
                f"{path}: document {pmid}: the {len(spans)} concepts of its sentences are not "
                f"the {len(lists[pmid])} of its list, or are in another order"
            )
    return {pmid: _document(pmid, sentences, spans) for pmid, (sentences, spans) in contexts.items()}


def merge_copies(text: str, where: str) -> tuple[list[list[str]], list[Span]]:
    """Sentences and their mentions, where neighbouring copies of the same tokens are one sentence.

    ``where`` names the file in errors.
    """
    sentences: list[list[str]] = []
    spans: list[Span] = []
    for line, block in _blocks(text):
        rows = [row.split("\t") for row in block]
        for i, row in enumerate(rows):
            if len(row) != 2 or not row[0] or not _TAG.fullmatch(row[1]):
                raise read_error(
                    where, line + i, "`token<TAB>tag` with a tag O, B:<CUI> or I:<CUI>", block[i]
                )
        starts = [i for i, (_, tag) in enumerate(rows) if tag.startswith("B:")]
        if len(starts) != 1:
            raise read_error(where, line, "a sentence with one mention tagged B:", f"{len(starts)} of them")
        start, cui = starts[0], rows[starts[0]][1][2:]
        end = start + 1
        while end < len(rows) and rows[end][1] == f"I:{cui}":
            end += 1
        tokens = [token for token, _ in rows]
        if not sentences or sentences[-1] != tokens:
            sentences.append(tokens)
        spans.append((len(sentences) - 1, start, end, cui))
    return sentences, spans


def _blocks(text: str) -> Iterator[tuple[int, list[str]]]:
    """(line number of the first line, lines) of every run of non-blank lines."""
    lines = enumerate((line.removesuffix("\r") for line in text.split("\n")), start=1)
    for filled, block in groupby(lines, lambda numbered: bool(numbered[1])):
        if filled:
            numbers, rows = zip(*block, strict=True)
            yield numbers[0], list(rows)


def _document(pmid: str, sentences: list[list[str]], spans: list[Span]) -> Document:
    starts: list[list[int]] = []  # character offset of each token of each sentence
    offset = 0
    for tokens in sentences:
        starts.append([])
        for token in tokens:
            starts[-1].append(offset)
            offset += len(token) + 1
    text = " ".join(token for tokens in sentences for token in tokens)
    mentions = []
    for sentence, first, last, cui in spans:
        start = starts[sentence][first]
        end = starts[sentence][last - 1] + len(sentences[sentence][last - 1])
        gold = Gold((frozenset([cui]),), printed=cui)
        mentions.append(Mention(start, end, text[start:end], gold=gold))
    return Document(pmid, text, tuple(mentions))


def _members(path: Path | str) -> Iterator[tuple[str, bytes]]:
    """(name, content) of the regular files of a .tar, .tar.gz or .tar.xz, in one pass."""
    try:
        with tarfile.open(path, "r|*") as archive:
            for member in archive:
                if member.isreg():
                    yield member.name, archive.extractfile(member).read()
    except (tarfile.TarError, EOFError, lzma.LZMAError, zlib.error) as error:
        raise ValueError(f"{path}: expected a whole tar archive, {error}") from None
