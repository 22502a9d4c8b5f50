"""How the book is cited: ``CITATION.cff`` has title, authors and repository, the library its version, the
build its commit and date; the foot of every page (``book/_templates/cite.html``) shows them."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from benchlib import __version__

_BUTTONS = ("use_repository_button", "use_issues_button", "use_edit_page_button")
_KNOWN = re.compile(r"https://[^/]*(?:github|gitlab|bitbucket)[^/]*(?:/[^/]+){2,}")


def configure(site: Path, made: Mapping[str, Any]) -> None:
    """Complete the configuration of a staged site by its ``CITATION.cff`` and the provenance of the build.

    The theme's buttons to the repository come with its address, where the theme knows the host.
    """
    path = site / "_config.yml"
    settings = yaml.safe_load(path.read_text(encoding="utf-8"))
    citation = yaml.safe_load((site / "CITATION.cff").read_text(encoding="utf-8"))
    sphinx, repository = settings["sphinx"]["config"], citation.get("repository-code", "").removesuffix("/")
    said = cited(citation, made["commit"], made["date"]) | {"repository": repository}
    sphinx["html_context"] = {**sphinx.get("html_context", {}), "cite": said}
    if _KNOWN.fullmatch(repository):
        address = {"repository_url": repository, "repository_branch": "main"}
        sphinx.setdefault("html_theme_options", {}).update(dict.fromkeys(_BUTTONS, True) | address)
    path.write_text(yaml.safe_dump(settings, allow_unicode=True, sort_keys=False), encoding="utf-8")


def cited(citation: Mapping[str, Any], commit: str, date: str) -> dict[str, str]:
    """What the pages say of the book. ``commit`` is "" outside a git checkout and ends in ``+`` where
    something was not committed; ``date`` is ISO 8601. BibTeX has groups of authors in braces."""
    parts = ("given-names", "name-particle", "family-names")
    people = [" ".join(of[part] for part in parts if part in of) for of in citation["authors"]]
    groups = [of.get("name", "") for of in citation["authors"]]
    authors = list(zip(people, groups, strict=True))
    place = f"{'after ' * commit.endswith('+')}commit {commit[:12]}" if commit else ""
    return {
        "book": citation["title"],
        "authors": ", ".join(person or group for person, group in authors),
        "bibtex_authors": " and ".join(person or f"{{{group}}}" for person, group in authors),
        "version": ", ".join(filter(None, [__version__, place])),
        "date": date[:10],
    }
