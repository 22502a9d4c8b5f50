"""How the book is cited: one place for each fact, and nothing broken where there is no repository."""

import re
from pathlib import Path

import jinja2
import pytest
import yaml

from benchlib import __version__
from study.book.cite import cited, configure
from study.places import ROOT

SETTINGS = {"title": "A book", "sphinx": {"recursive": False, "config": {"html_theme_options": {"depth": 1}}}}
BOOK = {"title": "Ä book", "authors": [{"name": "The contributors"}]}
COMMIT = "0123456789abcdef"


def staged(folder: Path, repository: str) -> dict:
    """What Sphinx is told in a site with these files."""
    (folder / "_config.yml").write_text(yaml.safe_dump(SETTINGS), encoding="utf-8")
    citation = BOOK | ({"repository-code": repository} if repository else {})
    (folder / "CITATION.cff").write_text(yaml.safe_dump(citation, allow_unicode=True), encoding="utf-8")
    configure(folder, {"commit": COMMIT, "date": "2031-04-05T06:07:08+00:00"})
    settings = yaml.safe_load((folder / "_config.yml").read_text(encoding="utf-8"))
    assert settings["title"] == "A book" and settings["sphinx"]["recursive"] is False
    return settings["sphinx"]["config"]


def test_without_a_repository_the_theme_is_told_of_none(tmp_path):
    config = staged(tmp_path, "")
    assert config["html_theme_options"] == {"depth": 1}
    assert config["html_context"]["cite"] == {
        "book": "Ä book", "authors": "The contributors", "bibtex_authors": "{The contributors}",
        "version": f"{__version__}, commit 0123456789ab", "date": "2031-04-05", "repository": "",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("host", "buttons"),
    [
        ("github.com", 3), ("gitlab.com", 3), ("gitlab.example.org", 3), ("bitbucket.org", 3),
        ("code.example.org", 0),
    ],
)  # fmt: skip
def test_the_address_of_the_repository_is_cited_and_turns_on_the_buttons_of_hosts_the_theme_knows(
    tmp_path, host, buttons
):
    config, address = staged(tmp_path, f"https://{host}/group/rerun/"), f"https://{host}/group/rerun"
    assert config["html_context"]["cite"]["repository"] == address
    options = config["html_theme_options"]
    assert options.pop("repository_url", address) == address and options.pop("depth") == 1
    assert sum(value is True for value in options.values()) == buttons


@pytest.mark.parametrize(
    ("commit", "said"),
    [("", ""), (COMMIT, ", commit 0123456789ab"), (f"{COMMIT}+", ", after commit 0123456789ab")],
)
def test_the_version_is_said_with_the_commit(commit, said):
    assert cited(BOOK, commit, "2031-04-05")["version"] == f"{__version__}{said}"


def test_people_and_groups_are_cited_by_their_full_names():
    ada = {"given-names": "Ada", "name-particle": "van", "family-names": "Byron"}
    said = cited({"title": "A", "authors": [ada, *BOOK["authors"]]}, "", "2031")
    assert said["authors"] == "Ada van Byron, The contributors"
    assert said["bibtex_authors"] == "Ada van Byron and {The contributors}"


def foot(cite: dict, page: str = "notebooks/a", title: str = "A <i>page</i> &amp; more", suffix=".md") -> str:
    templates = jinja2.Environment(loader=jinja2.FileSystemLoader(ROOT / "book" / "_templates"))
    of_page = {"pagename": page, "pagetitle": title, "page_source_suffix": suffix, "root_doc": "book/index"}
    return templates.get_template("cite.html").render(cite=cite, **of_page)


def test_a_page_says_how_to_cite_it():
    said = foot({**cited(BOOK, COMMIT, "2031-04-05"), "repository": ""})
    assert "The contributors (2031). A page &amp; more. In:" in re.sub(r"\s+", " ", said)
    bibtex = said.partition("<pre>")[2].partition("</pre>")[0]
    fields = ["author = {{The contributors}}", "title = {{A page \\&amp; more}}", "booktitle = {{Ä book}}"]
    fields += ["year = {2031}", f"note = {{Version {__version__}, commit 0123456789ab, built 2031-04-05}}"]
    assert bibtex == "@incollection{rerun-a,\n  " + ",\n  ".join(fields) + "\n}"
    assert "http" not in said and "url" not in said


def test_the_front_page_cites_the_book_a_repository_is_named_twice_and_the_search_is_not_cited():
    cite = {**cited(BOOK, COMMIT, "2031-04-05"), "repository": "https://x.org/a?b&c"}
    said = foot(cite, "book/index", "A book")
    assert "@software{rerun,\n" in said and "booktitle" not in said
    assert said.count("https://x.org/a?b&amp;c") == 3 and "  url = {https://x.org/a?b&amp;c}\n" in said
    assert foot(cite, suffix="").strip() == ""


def test_title_and_authors_are_those_of_the_book_and_version_and_repository_stand_in_one_place():
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    config = yaml.safe_load((ROOT / "_config.yml").read_text(encoding="utf-8"))
    assert (citation["title"], citation["authors"]) == (config["title"], [{"name": config["author"]}])
    assert "version" not in citation and "repository" not in config
    assert "repository_url" not in config["sphinx"]["config"]["html_theme_options"]


def test_the_changelog_begins_with_this_version_and_goes_back_in_time():
    text = (ROOT / "book" / "changelog.md").read_text(encoding="utf-8")
    versions = re.findall(r"^## (\d+)\.(\d+)\.(\d+), (\d{4}-\d\d-\d\d)$", text, re.M)
    assert len(versions) == text.count("\n## ")
    assert ".".join(versions[0][:3]) == __version__
    numbers, dates = [tuple(map(int, v[:3])) for v in versions], [v[3] for v in versions]
    assert numbers == sorted(set(numbers), reverse=True) and dates == sorted(dates, reverse=True)
