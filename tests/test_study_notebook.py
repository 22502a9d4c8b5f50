"""In a real kernel: errors that a reader can mend are a sentence, others keep frames, progress passes."""

import nbformat
import pytest
from nbclient import NotebookClient

from study.pages.notebook import ProgressFilter

CELLS = [
    "from study.chapters.parameters import checked\n"
    "checked({'scale': 'huge'}, {'scale': 'open', 'compute': 'never'})",
    "from study.corpora import load; load('nowh\\x1b[31mere', 'names.tsv')",
    "import pathlib; pathlib.Path('none.tsv').read_text()",
    "int('x')",
    "from study.pages.show import table; table(None, 'a', 'b')",
    "import sys; from tqdm import tqdm\nfor i in tqdm(range(3)): print(i)\nprint('kept', file=sys.stderr)",
    "from tqdm.auto import tqdm\nwith tqdm(total=2) as bar:\n    bar.write('said')\n    bar.update()",
]


@pytest.fixture(scope="module")
def outputs():
    cells = ["from study.pages.notebook import prepare; prepare(); prepare()", *CELLS]
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
    NotebookClient(notebook, kernel_name="python3", allow_errors=True, timeout=120).execute()
    return [cell.outputs for cell in notebook.cells[1:]]


def test_a_parameter_error_and_a_missing_file_end_in_their_sentence(outputs):
    for (error,), told in zip(
        outputs[:3],
        [
            "'scale' is 'huge'; expected one of mini, open, paper",
            "FileNotFoundError: nowh\\x1b[31mere: no such file or folder",
            "FileNotFoundError: none.tsv: No such file or directory",
        ],
        strict=True,
    ):
        assert error.output_type == "error"
        [lines] = error.traceback
        assert lines.endswith(told) and "Traceback" not in lines and "\x1b" not in lines
        assert lines.startswith(f"{error.ename}: ")


def test_a_mistake_of_the_program_keeps_its_frames(outputs):
    for error in (outputs[3][0], outputs[4][0]):
        assert error.output_type == "error" and len(error.traceback) > 1
    assert "invalid literal" in outputs[3][0].evalue


def test_progress_passes_and_what_else_was_written_stays(outputs):
    for found in outputs[5:]:
        assert not any(mark in str(found) for mark in ("%|", "it/s", "\r", "IProgress"))
    texts = "".join(one.get("text", "") for found in outputs[5:] for one in found)
    assert texts.count("kept") == 1 and texts.startswith("0\n1\n2\n") and "said" in texts


class Shown:
    """What a notebook would show."""

    def __init__(self):
        self.texts, self.lines = [], []

    def __call__(self, data, **_):
        self.texts.append(data["text/plain"])
        return self

    update = __call__

    def write(self, text):
        self.lines.append(text)


def test_a_bar_writes_its_output_anew_and_empties_it(monkeypatch):
    shown = Shown()
    monkeypatch.setattr("study.pages.notebook.display", shown)
    stream = ProgressFilter(shown)
    for text in ("\r 0%| |", "\r50%| |", "\n", "a line\n", "\r 0%| |", "\r       \r"):
        stream.write(text)
    assert shown.texts == ["0%| |", "50%| |", "", "0%| |", ""] and shown.lines == ["a line\n"]
