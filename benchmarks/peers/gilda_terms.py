"""gilda: grounding by terms that are equal after its normalisation, scored by how they differ.

``python gilda_terms.py FOLDER`` in an environment that has it; see peers.py.
"""

import json
import sys
import time
from pathlib import Path

from gilda.grounder import Grounder
from gilda.process import normalize
from gilda.term import Term


def terms(concepts):
    """The first name of a concept is its name, as gilda has it, and the others are synonyms."""
    for concept in concepts:
        preferred = concept["names"][0]
        for name in concept["names"]:
            if normalize(name).strip():  # a term without is refused
                status = "name" if name == preferred else "synonym"
                yield Term(normalize(name), name, "MESH", concept["id"], preferred, status, "mesh")


def main(folder: Path) -> None:
    with (folder / "concepts.jsonl").open(encoding="utf-8") as file:
        grounder = Grounder(terms(map(json.loads, file)))
    strings = json.loads((folder / "strings.json").read_text(encoding="utf-8"))
    started = time.process_time()
    ranked = [
        [(match.term.id, match.term.text, match.score) for match in grounder.ground(string)]
        for string in strings
    ]
    print(time.process_time() - started)
    (folder / "ranked.json").write_text(json.dumps(ranked), encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
