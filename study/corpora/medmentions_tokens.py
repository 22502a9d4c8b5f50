"""MedMentions as per-document token files, read as a stream from their archive.

An archive has a file ``<pmid>.context`` per document: sentences of one ``token<TAB>tag`` per line, with a
blank line after each. A sentence stands once per mention, and only the mention of that copy is to be trusted:
its first token is tagged ``B:<CUI>``, the rest ``I:<CUI>``. (Others show in a copy without their first
token.) The text of a document is its tokens joined by one space, and its sentences joined by one space too.

Nothing is checked here: the registry has the checksum of both archives, and the fingerprint of what is read.
"""

import tarfile
from pathlib import Path, PurePosixPath

from benchlib.corpus import Document, Gold, Mention

Span = tuple[int, int, int, str]  # sentence, first token, token after the last, CUI


def read_context_archive(path: Path | str) -> dict[str, Document]:
    """PMID -> document, for every PMID that has a context file, in archive order; nothing is unpacked to
    disk."""
    documents: dict[str, Document] = {}
    with tarfile.open(path, "r|*") as archive:
        for member in archive:
            if member.isreg() and member.name.endswith(".context"):
                pmid = PurePosixPath(member.name).stem
                documents[pmid] = _document(pmid, *merge_copies(archive.extractfile(member).read().decode()))
    return documents


def merge_copies(text: str) -> tuple[list[list[str]], list[Span]]:
    """Sentences and their mentions, where neighbouring copies of the same tokens are one sentence."""
    sentences: list[list[str]] = []
    spans: list[Span] = []
    for block in filter(None, text.replace("\r", "").split("\n\n")):
        rows = [row.split("\t") for row in block.strip("\n").split("\n")]
        [start] = (i for i, (_, tag) in enumerate(rows) if tag.startswith("B:"))
        cui, end = rows[start][1][2:], start + 1
        while end < len(rows) and rows[end][1] == f"I:{cui}":
            end += 1
        tokens = [token for token, _ in rows]
        if not sentences or sentences[-1] != tokens:
            sentences.append(tokens)
        spans.append((len(sentences) - 1, start, end, cui))
    return sentences, spans


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
