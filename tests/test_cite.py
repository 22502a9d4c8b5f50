"""How the book is cited: one place for each fact, and nothing broken where there is no repository."""

import re
from pathlib import Path

import jinja2
import pytest
import yaml

import benchlib
from study.book.cite import Citation, configure, configured

ROOT = Path(__file__).resolve().parent.parent
SETTINGS = {"title": "A book", "sphinx": {"recursive": False, "config": {"html_theme_options": {"depth": 1}}}}
BOOK = Citation("A book", ("{The contributors}",), version="1.2")
COMMIT = "0123456789abcdef"


def with_repository(address: str) -> dict:
    cite = Citation(BOOK.title, BOOK.authors, address, BOOK.version)
    return configured(SETTINGS, cite, COMMIT, "2031-04-05T06:07:08+00:00")["sphinx"]["config"]


def test_without_a_repository_the_theme_is_told_of_none():
    config = with_repository("")
    assert config["html_theme_options"] == {"depth": 1}
    assert config["html_context"]["cite"] == {
        "book": "A book", "authors": "The contributors", "bibtex_authors": "{The contributors}",
        "version": "1.2, commit 0123456789ab", "date": "2031-04-05", "repository": "",
    }  # fmt: skip


@pytest.mark.parametrize("host", ["github.com", "gitlab.com", "gitlab.example.org", "bitbucket.org"])
def test_the_address_of_the_repository_turns_the_buttons_on(host):
    options = with_repository(f"https://{host}/group/rerun")["html_theme_options"]
    assert options["repository_url"] == f"https://{host}/group/rerun"
    assert [options[f"use_{what}_button"] for what in ("repository", "issues", "edit_page")] == [True] * 3
    assert options["depth"] == 1


def test_a_host_that_the_theme_does_not_know_is_cited_without_buttons():
    config = with_repository("https://code.example.org/group/rerun")
    assert config["html_theme_options"] == {"depth": 1}
    assert config["html_context"]["cite"]["repository"] == "https://code.example.org/group/rerun"


@pytest.mark.parametrize(
    ("commit", "version"),
    [("", "1.2"), (COMMIT, "1.2, commit 0123456789ab"), (f"{COMMIT}+", "1.2, after commit 0123456789ab")],
)
def test_the_version_is_said_with_the_commit(commit, version):
    said = configured(SETTINGS, BOOK, commit, "2031-04-05")["sphinx"]["config"]["html_context"]["cite"]
    assert said["version"] == version


def test_people_and_groups_are_cited_by_their_full_names(tmp_path):
    path = tmp_path / "CITATION.cff"
    path.write_text(
        "title: A book\nrepository-code: https://github.com/group/rerun/\nauthors:\n"
        "  - {given-names: Ada, name-particle: van, family-names: Byron}\n  - name: The contributors\n"
    )
    cite = Citation.read(path)
    assert cite.authors == ("Ada van Byron", "{The contributors}")
    assert cite.repository == "https://github.com/group/rerun"
    said = configured(SETTINGS, cite, "", "2031")["sphinx"]["config"]["html_context"]["cite"]
    assert said["authors"] == "Ada van Byron, The contributors"
    assert said["bibtex_authors"] == "Ada van Byron and {The contributors}"


@pytest.mark.parametrize(
    "text", ["title: A", "authors: [{name: x}]", "[]", "title: A\nauthors: x", "title: A\nauthors: []"]
)
def test_a_file_without_title_or_authors_is_an_error_that_names_it(tmp_path, text):
    path = tmp_path / "CITATION.cff"
    path.write_text(text)
    with pytest.raises(ValueError, match="CITATION.cff: expected a title"):
        Citation.read(path)


def test_a_staged_site_is_configured_by_its_own_files(tmp_path):
    (tmp_path / "_config.yml").write_text(yaml.safe_dump(SETTINGS))
    (tmp_path / "CITATION.cff").write_text("title: Ä book\nauthors: [{name: x}]\n", encoding="utf-8")
    configure(tmp_path, {"commit": "", "date": "2031-04-05"})
    staged = yaml.safe_load((tmp_path / "_config.yml").read_text(encoding="utf-8"))
    assert staged["title"] == "A book"
    assert staged["sphinx"]["config"]["html_context"]["cite"]["book"] == "Ä book"


def foot(cite: dict, page: str = "notebooks/a", title: str = "A <i>page</i> &amp; more", suffix=".md") -> str:
    templates = jinja2.Environment(loader=jinja2.FileSystemLoader(ROOT / "book" / "_templates"))
    of_page = {"pagename": page, "pagetitle": title, "page_source_suffix": suffix, "root_doc": "book/index"}
    return templates.get_template("cite.html").render(cite=cite, **of_page)


def test_a_page_says_how_to_cite_it():
    said = foot(with_repository("")["html_context"]["cite"])
    assert "The contributors (2031). A page &amp; more. In:" in re.sub(r"\s+", " ", said)
    bibtex = said.partition("<pre>")[2].partition("</pre>")[0]
    assert bibtex.splitlines() == [
        "@incollection{rerun-a,",
        "  author = {{The contributors}},",
        "  title = {{A page \\&amp; more}},",
        "  booktitle = {{A book}},",
        "  year = {2031},",
        "  note = {Version 1.2, commit 0123456789ab, built 2031-04-05}",
        "}",
    ]
    assert "http" not in said and "url" not in said


def test_the_front_page_cites_the_book_and_a_repository_is_named_twice():
    said = foot(with_repository("https://x.org/a?b&c")["html_context"]["cite"], "book/index", "A book")
    assert "@software{rerun,\n" in said and "booktitle" not in said
    assert said.count("https://x.org/a?b&amp;c") == 3 and "  url = {https://x.org/a?b&amp;c}\n" in said


def test_a_page_without_a_source_such_as_the_search_is_not_cited():
    assert foot({"book": "A book"}, suffix="").strip() == ""


def test_title_and_authors_are_those_of_the_book_and_the_version_stands_in_one_place():
    text = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    config = yaml.safe_load((ROOT / "_config.yml").read_text(encoding="utf-8"))
    cite = Citation.read(ROOT / "CITATION.cff")
    assert (cite.title, cite.authors) == (config["title"], (f"{{{config['author']}}}",))
    assert cite.version == benchlib.__version__ and "version" not in yaml.safe_load(text)
    # The build sets it from the one field of CITATION.cff.
    assert "repository" not in config
    assert "repository_url" not in config["sphinx"]["config"]["html_theme_options"]


def test_the_changelog_begins_with_this_version_and_goes_back_in_time():
    text = (ROOT / "book" / "changelog.md").read_text(encoding="utf-8")
    versions = re.findall(r"^## (\d+)\.(\d+)\.(\d+), (\d{4}-\d\d-\d\d)$", text, re.M)
    assert len(versions) == text.count("\n## ")
    assert ".".join(versions[0][:3]) == benchlib.__version__
    numbers, dates = [tuple(map(int, v[:3])) for v in versions], [v[3] for v in versions]
    assert numbers == sorted(set(numbers), reverse=True) and dates == sorted(dates, reverse=True)
