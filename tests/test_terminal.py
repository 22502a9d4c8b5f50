"""The edge of a command: one sentence for what a user got wrong, a closed pipe, text that cannot steer."""

import errno
import io
import os
import re
import subprocess
import sys

import pytest

from benchlib.command import main
from benchlib.formats import lines, predictions_columns
from benchlib.terminal import check_writable, print_messages, run_command, shown, visible, write
from study.command import main as study


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("plain, ünïcode 疾病", "plain, ünïcode 疾病"),
        ("\x1b[31mred\x1b[0m", "\\x1b[31mred\\x1b[0m"),
        ("a\nb\tc\rd\x00", "a\\nb\\tc\\rd\\x00"),
        ("right\u202eto left", "right\\u202eto left"),
        ("lone \ud800", "lone \\ud800"),
    ],
)
def test_control_characters_are_written_out(text, expected):
    assert visible(text) == expected
    assert shown("a\x07\nb\n") == "a\\x07\nb\n"  # lines of ours stay lines


def test_messages_are_lines_and_a_warning_says_itself_what_it_is(capsys):
    print_messages("note", ["a\nb", "WARNING: NO"])
    assert capsys.readouterr().err == "note: a\\nb\nWARNING: NO\n"


INTERRUPTED = """
import os, signal, sys
class AtImport:
    def find_spec(self, name, path=None, target=None):
        if name == "pandas":
            os.kill(os.getpid(), signal.SIGINT)
sys.meta_path.insert(0, AtImport())
from benchlib.__main__ import main
sys.exit(main())
"""


def test_ctrl_c_while_the_program_loads_is_one_word():
    done = subprocess.run([sys.executable, "-c", INTERRUPTED, "--help"], capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "\nstopped\n")


@pytest.mark.parametrize("command", ["", "score", "check", "link"])
def test_help_is_plain_text(command, capsys):
    with pytest.raises(SystemExit):
        main([*command.split(), "--help"])
    assert not re.search("`|:[a-z]+:|[*][*]", capsys.readouterr().out)


@pytest.mark.parametrize(("module", "extra"), [("bs4", "book"), ("nbformat", "study")])
def test_a_command_says_which_extra_it_needs(monkeypatch, capsys, module, extra):
    class Missing:
        def find_spec(self, name, path=None, target=None):
            if name == "study.book.build":
                raise ModuleNotFoundError(name, name=module)

    monkeypatch.setattr(sys, "meta_path", [Missing(), *sys.meta_path])
    monkeypatch.delitem(sys.modules, "study.book.build", raising=False)
    assert study(["book"]) == 1
    assert capsys.readouterr().err == f"study book needs {module}, of an extra: pip install '.[{extra}]'\n"


def test_a_file_that_is_long_to_read_has_a_bar_in_a_terminal(write, monkeypatch):
    shown = io.StringIO()
    shown.isatty = lambda: True
    monkeypatch.setattr(sys, "stderr", shown)
    for name in ("delay", "mininterval"):
        monkeypatch.setitem(lines._BAR, name, 0)
    assert len([*lines.numbered_lines(write("a.txt", "x\n" * 25_000))]) == 25_000
    assert "a.txt: " in shown.getvalue() and "40.0k/50.0k" in shown.getvalue()
    monkeypatch.setattr(predictions_columns, "_BYTES", 1000)
    row = '{"document": "1", "start": 0, "end": 3, "ids": ["D1"]}\n'  # 55 bytes, of which 19 are a block
    assert len(predictions_columns.read_rows(write("p.jsonl", row * 40))[0]) == 40
    assert "p.jsonl: " in shown.getvalue() and "1.04k/2.20k" in shown.getvalue()


def raising(error):
    def work():
        raise error

    return work


@pytest.mark.parametrize(
    ("error", "status", "told"),
    [
        (ValueError("bad \x1b[2J"), 1, "not done: bad \\x1b[2J\n"),
        (FileNotFoundError(2, "No such file", "x"), 1, "not done: x: No such file\n"),
        (FileNotFoundError("x.tsv: no such file"), 1, "not done: x.tsv: no such file\n"),
        (KeyboardInterrupt(), 130, "\nstopped\n"),
    ],
)
def test_what_a_user_can_mend_is_one_line(capsys, error, status, told):
    assert run_command(raising(error), "not done") == status
    assert capsys.readouterr().err == told


def test_a_mistake_of_the_program_keeps_its_frames():
    with pytest.raises(ZeroDivisionError):
        run_command(lambda: 1 // 0, "not done")


@pytest.mark.parametrize("redirected", ["", "2>&1"])
def test_nobody_reading_is_no_error(tmp_path, redirected):
    program = "import sys; from benchlib.terminal import run_command; " \
        "sys.exit(run_command(lambda: [print('x' * 999) for _ in range(9999)] and 0, ''))"  # fmt: skip
    (tmp_path / "p.py").write_text(program)
    command = f"{sys.executable} {tmp_path / 'p.py'} {redirected} | head -1; echo ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "141" and done.stderr == ""


def test_what_cannot_be_written_or_is_read_is_found_before_the_work(tmp_path):
    check_writable([None, tmp_path / "new.json"])
    assert not list(tmp_path.iterdir())
    with pytest.raises(ValueError, match="expected a file to write"):
        check_writable([tmp_path])
    with pytest.raises(OSError) as error:
        check_writable([tmp_path / "none" / "new.json"])
    assert error.value.filename == str(tmp_path / "none" / "new.json")
    (tmp_path / "read.tsv").write_text("mine")
    again = tmp_path / "within" / ".." / "read.tsv"
    for outputs in ([again], [tmp_path / "new", None, tmp_path / "new"]):
        with pytest.raises(ValueError, match="expected a file of its own to write"):
            check_writable(outputs, [None, str(tmp_path / "read.tsv"), "ncbi-disease"])
    check_writable([tmp_path / "a", tmp_path / "b"], [tmp_path / "read.tsv"])


def test_a_file_is_written_whole(tmp_path):
    write(tmp_path / "a.txt", "é\n")
    write(tmp_path / "within" / "b", b"\xff\r\n")
    with pytest.raises(UnicodeEncodeError):
        write(tmp_path / "a.txt", "\ud800")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a.txt", "within"]
    assert (tmp_path / "a.txt").read_bytes() == "é\n".encode()
    assert (tmp_path / "within" / "b").read_bytes() == b"\xff\r\n"


def test_a_file_that_the_disk_has_no_room_for_leaves_nothing(tmp_path, monkeypatch):
    write(tmp_path / "a.txt", "before")

    def full(file):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space"):
        write(tmp_path / "a.txt", "after")
    assert [p.name for p in tmp_path.iterdir()] == ["a.txt"]
    assert (tmp_path / "a.txt").read_text() == "before"
