"""The papers of the study, as ``data/papers.yaml`` lists them."""

from functools import cache

from .places import ROOT
from .yaml_file import YamlModel, read_yaml, validated

FILE = ROOT / "data" / "papers.yaml"
RESULTS = "_results"  # ends the name of a notebook with full results


class Paper(YamlModel):
    """``name`` is the paper's name in the book, ``cite`` its key in ``book/references.bib``; the entry for
    claims about several papers has no key."""

    name: str
    cite: str = ""


@cache
def papers() -> dict[str, Paper]:
    """The papers by the name of their chapter, in the order of their claims; ``shared`` is the last."""
    return {key: validated(Paper, entry, f"{FILE.name}: {key}") for key, entry in read_yaml(FILE).items()}


def results_page(chapter: str) -> str:
    """The notebook with the tables and figures of a chapter: of a paper that of its full results, whose
    summary has the chapter's own name."""
    return f"{chapter}{RESULTS}" if chapter in papers() else chapter
