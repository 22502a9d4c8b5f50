"""QuickUMLS: names that share three-character pieces with stretches of up to five words of the text.

``python quickumls_matches.py FOLDER`` in an environment that has it; see peers.py. It reads a release of
UMLS, so the dictionary is written as one, and is indexed in lower case (``-L``). Its spaCy model and the stop
words of NLTK are downloads: a blank English pipeline, which knows no parts of speech, and spaCy's own stop
words stand in for them. All else is as it is by default (Jaccard of at least 0.7).
"""

import json
import re
import sys
import time
from pathlib import Path

TYPE = "T047"  # disease or syndrome: of concepts whose type is none of UMLS
_TYPE = re.compile(r"T\d{3}")


def types(concept) -> list[str]:
    return [one for one in concept["types"] if _TYPE.fullmatch(one)] or [TYPE]


def write_release(concepts, folder: Path) -> None:
    """MRCONSO and MRSTY of ``concepts``; ids stand for CUIs. Raises ValueError for a bar or a line break."""
    names, semantic = (folder / f"{table}.RRF" for table in ("MRCONSO", "MRSTY"))
    with names.open("w", encoding="utf-8") as atoms, semantic.open("w", encoding="utf-8") as held:
        for concept in concepts:
            id = concept["id"]
            for number, name in enumerate(concept["names"]):
                if re.search(r"[|\r\n]", id + name):
                    raise ValueError(f"{id}: expected a name without bar and line break, found {name!r}")
                # ISPREF says Y of one atom of each string of a concept; QuickUMLS puts such atoms first.
                term, at = "P" if number == 0 else "S", f"{id}-{number}"
                row = (id, "ENG", term, at, "PF", at, "Y", at, "", "", id, "MSH", "MH", id, name)
                atoms.write("|".join((*row, "0", "N", "")) + "|\n")
            for one in types(concept):
                held.write("|".join((id, one, "A", "", f"{id}-{one}", "")) + "|\n")


def matcher(folder: Path, accepted):
    """QuickUMLS over the release in ``folder``."""
    import nltk
    import spacy
    from quickumls import QuickUMLS, install

    spacy.load = lambda model: spacy.blank("en")
    nltk.corpus.stopwords = StopWords
    installed = folder / "quickumls"
    installed.mkdir()
    sys.argv = ["install", "-L", "-d", "unqlite", str(folder), str(installed)]
    install.main()
    return QuickUMLS(str(installed), accepted_semtypes=accepted)


class StopWords:
    @staticmethod
    def words(language: str = "english"):
        from spacy.lang.en.stop_words import STOP_WORDS

        return sorted(STOP_WORDS)


def ranked(groups) -> list[tuple[str, str, float]]:
    """Its matches in its order: stretches of the mention from the best on, in each the preferred names before
    the others, by similarity; of a concept the first. A stretch scores 2 below that before it, or less."""
    found = {}
    for place, group in enumerate(groups):
        for one in group:
            score = one["similarity"] + one["preferred"] - 2 * place
            found.setdefault(one["cui"], (one["cui"], one["term"], score))
    return list(found.values())


def main(folder: Path) -> None:
    with (folder / "concepts.jsonl").open(encoding="utf-8") as file:
        concepts = [json.loads(line) for line in file]
    write_release(concepts, folder)
    quickumls = matcher(folder, {one for concept in concepts for one in types(concept)})
    strings = json.loads((folder / "strings.json").read_text(encoding="utf-8"))
    started = time.process_time()
    answers = [ranked(quickumls.match(string)) for string in strings]
    print(time.process_time() - started)
    (folder / "ranked.json").write_text(json.dumps(answers), encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
