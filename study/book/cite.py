"""How the book is cited: ``CITATION.cff`` has title, authors and repository, the library its version, the
build its commit and date; the foot of every page (``book/_templates/cite.html``) shows them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from benchlib import __version__

_BUTTONS = ("use_repository_button", "use_issues_button", "use_edit_page_button")
_KNOWN = re.compile(r"https://[^/]*(?:github|gitlab|bitbucket)[^/]*(?:/[^/]+){2,}")


@dataclass(frozen=True)
class Citation:
    """What is cited; ``authors`` are full names as BibTeX has them, those of no person in braces, and
    ``repository`` is "" while there is none."""

    title: str
    authors: tuple[str, ...]
    repository: str = ""
    version: str = __version__

    @classmethod
    def read(cls, path: Path) -> Citation:
        """From a file in the Citation File Format; raises ValueError, naming it, without title or authors."""
        found = yaml.safe_load(path.read_text(encoding="utf-8"))
        try:
            title, authors = found["title"], tuple(map(_name, found["authors"]))
        except (KeyError, TypeError):
            title, authors = "", ()
        if not (title and authors and all(authors)):
            raise ValueError(f"{path.name}: expected a title, and authors with names")
        return cls(title, authors, (found.get("repository-code") or "").removesuffix("/"))


def configure(site: Path, made: Mapping[str, Any]) -> None:
    """Complete the configuration of a staged site by its ``CITATION.cff`` and the provenance of the build."""
    path = site / "_config.yml"
    settings = yaml.safe_load(path.read_text(encoding="utf-8"))
    cite = Citation.read(site / "CITATION.cff")
    settings = configured(settings, cite, made["commit"], made["date"])
    path.write_text(yaml.safe_dump(settings, allow_unicode=True, sort_keys=False), encoding="utf-8")


def configured(settings: Mapping[str, Any], cite: Citation, commit: str, date: str) -> dict[str, Any]:
    """The settings of Jupyter Book with what the pages say of the book.

    ``commit`` is "" outside a git checkout and ends in ``+`` where something was not committed; ``date`` is
    ISO 8601. The theme's buttons to the repository come with its address, where the theme knows the host.
    """
    sphinx = dict(settings["sphinx"]["config"])
    place = f"{'after ' * commit.endswith('+')}commit {commit[:12]}" if commit else ""
    said = {
        "book": cite.title,
        "authors": ", ".join(name.strip("{}") for name in cite.authors),
        "bibtex_authors": " and ".join(cite.authors),
        "version": ", ".join(filter(None, [cite.version, place])),
        "date": date[:10],
        "repository": cite.repository,
    }
    sphinx["html_context"] = {**sphinx.get("html_context", {}), "cite": said}
    if _KNOWN.fullmatch(cite.repository):
        options = {**sphinx.get("html_theme_options", {}), **dict.fromkeys(_BUTTONS, True)}
        address = {"repository_url": cite.repository, "repository_branch": "main"}
        sphinx["html_theme_options"] = options | address
    return {**settings, "sphinx": {**settings["sphinx"], "config": sphinx}}


def _name(author: Mapping[str, str]) -> str:
    if "name" in author:
        return f"{{{author['name']}}}"
    parts = ("given-names", "name-particle", "family-names")
    return " ".join(author[part] for part in parts if part in author)
