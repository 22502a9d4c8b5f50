"""``benchlib check`` prints a corpus as it was understood, and the shared options are read."""

import re
import shlex

import pytest

from benchlib.command import main
from benchlib.counts import describe
from study.chapters.run import plan_with
from study.corpora import load
from study.places import ROOT

CORPUS = (
    "1|t|Flu and\n1|a|a cold \x1b[31m.\n1\t0\t3\tFlu\tDisease\tP:X1|P:X3\n1\t10\t14\tcold\tDisease\tX1+X2\n"
    "1\t8\t9\ta\tOther\t-1\n1\t0\t3\tgone\tOther\tX1\n"
)


@pytest.fixture
def named(write):
    names = write("names.tsv", "X1\tflu\tgrippe\nX2\tcold\nX4\tcold\n")
    return ["--dataset", str(write("own.txt", CORPUS)), "--ontology", str(names)]


def cells(text: str, head: str) -> list[str]:
    """What stands after the label of a line."""
    [line] = [line for line in text.splitlines() if line.strip().startswith(head)]
    return line.strip().removeprefix(head).replace(":", "").split()


def test_a_corpus_is_printed_as_it_was_read(named, capsys):
    assert main(["check", *named, "--strip-prefix", "P:,Q:", "--train", named[1]]) == 0
    printed = capsys.readouterr()
    assert "WARNING: 25 % OF THE MENTIONS WERE DROPPED." in printed.err
    counts = {"mentions in the file": "4", "mentions read": "3", "of them NIL": "1"}
    counts |= {"of several parts, all asked for": "1", "of several ids, any of them right": "1"}
    for head, count in (counts | {"in percent of those that are not NIL": "100.0"}).items():
        assert cells(printed.out, head) == [count] * 2  # train and test
    assert "test, left out\n  offset mismatch: 1\n" in printed.out
    assert cells(printed.out, "names of several concepts") == ["1"]
    test = printed.out[printed.out.index("test, the first mentions") :].splitlines()
    assert test[1:] == [
        "  1 0-3 Disease: [Flu] and a cold \\x1b[31m.",
        "    X1: flu or X3: NOT IN THE ONTOLOGY",
        "  1 10-14 Disease: Flu and a [cold] \\x1b[31m.",
        "    X1: flu",
        "    X2: cold",
        "  1 8-9 Other: Flu and [a] cold \\x1b[31m.",
        "    -1: NIL",
    ]
    assert "\x1b" not in printed.out + printed.err
    lines = describe(load(named[1], named[3]), 1).splitlines()
    at = lines.index("test, by type")
    assert [line.split() for line in lines[at + 2 : at + 4]] == [["Disease", "2", "1"], ["Other", "1", "0"]]
    assert sum(line.startswith("  1 ") for line in lines) == 1


def test_options_are_read_as_they_are_meant(named, capsys):
    assert main(["check", *named, "--types", "Disease", "--any-of", "+", "--all-of", "|"]) == 0
    printed = capsys.readouterr().out
    assert cells(printed, "mentions read") == ["2"] and "  type Other: 2" in printed  # one is at no offset
    assert "    P:X1: NOT IN THE ONTOLOGY\n    P:X3: NOT" in printed and "    X1: flu or X2: cold" in printed


@pytest.mark.parametrize(
    ("more", "told"),
    [
        (["--types", "Gene"], "no mention is of type Gene; expected types among Disease, Other"),
        (["--any-of", "a"], "expected punctuation"),
        (["--ontology", "names.docx"], "names.docx: no such file"),
        (["--dataset", "mini"], "ontology would be ignored"),
        (["--dataset", "nowhere"], "nowhere: no such file"),
    ],
)
def test_what_cannot_be_meant_is_one_sentence(named, capsys, more, told):
    assert main(["check", *named, *more]) == 1
    error = capsys.readouterr().err
    assert error.startswith("not checked: ") and told in error and error.count("\n") == 1


def commands() -> list[list[str]]:
    """The commands of the book's section on own corpora, as a shell would part them."""
    text = (ROOT / "book" / "how-to.md").read_text(encoding="utf-8")
    section = text[text.index("## Use your own corpus") : text.index("## Use your own encoder")]
    blocks = re.findall(r"^```console\n(.*?)^```", section, re.M | re.S)
    lines = "".join(blocks).replace("\\\n", " ").splitlines()
    return [shlex.split(line.removeprefix("$ ")) for line in lines]


def test_the_commands_of_the_book_run_as_they_are_shown(monkeypatch, capsys):
    into, *rest, on_page = commands()
    assert into[0] == "cd"
    monkeypatch.chdir(ROOT / into[1])
    said = []
    for command in rest:
        assert command[0] == "benchlib" and main(command[1:]) == 0
        said.append(capsys.readouterr())
    assert "OUTSIDE THE ONTOLOGY" in said[0].err and "--strip-prefix EX:" in said[0].err
    assert "synonyms" in said[0].err
    for mended in said[1:]:
        assert "OUTSIDE" not in mended.err and "DROPPED" not in mended.err and "synonyms" not in mended.err
    assert cells(said[1].out, "mentions whose gold has a name there") == ["2", "5"]
    monkeypatch.chdir(ROOT)
    given = dict(zip(on_page[6::3], on_page[7::3], strict=True))
    plan = plan_with("protocols", given)
    [data] = plan.data
    assert data.benchmark.train.n_mentions == 2 and data.benchmark.test.n_mentions == 5
    assert {job.linker for job in plan.jobs(["baselines"])} >= {"prior", "exact"}
    # Without train, the prior has nothing to learn from.
    assert (
        system_without_train(given, "protocols", "baselines", "prior").reason
        == "NOT RUN: needs a train corpus"
    )
    # Nor has a dictionary with the strings of training mentions a row; what learns from raw text has its own.
    assert system_without_train(given, "cosines", "table3", "released") is None
    assert system_without_train(given, "biocom", "table1", "biocom").linker.startswith("biocom")


def system_without_train(given, chapter, runs, key):
    rows = plan_with(chapter, {**given, "train": ""}).rows(runs)
    return next((row.system for row in rows if key in row.system.keys), None)
