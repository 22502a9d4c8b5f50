"""In a real kernel: what a reader sees of an error and of progress."""

import nbformat
import pytest
from nbclient import NotebookClient

from study.pages.notebook import ProgressFilter

CELLS = [
    "# Parameters\nsedes = 1",
    "from study.pages.notebook import parameters; parameters('cosines', globals())",
    "import sys; from tqdm import tqdm\nfor i in tqdm(range(3)): print(i)\nprint('kept', file=sys.stderr)",
    "from tqdm.auto import tqdm\nwith tqdm(total=2) as bar:\n    bar.write('said')\n    bar.update()",
]


@pytest.fixture(scope="module")
def outputs():
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in CELLS])
    NotebookClient(notebook, kernel_name="python3", allow_errors=True, timeout=120).execute()
    return [cell.outputs for cell in notebook.cells[1:]]


def test_a_mistake_in_a_parameter_ends_in_its_sentence(outputs):
    [error] = outputs[0]
    assert error.ename == "ValueError" and error.evalue.startswith("parameters: sedes: unknown key; ")
    assert error.evalue.endswith("did you mean 'seeds'?") and "pydantic" not in error.evalue


def test_progress_passes_and_what_else_was_written_stays(outputs):
    for found in outputs[1:]:
        assert not any(mark in str(found) for mark in ("%|", "it/s", "\r", "IProgress"))
    texts = "".join(one.get("text", "") for found in outputs[1:] for one in found)
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


def test_bars_write_one_output_anew_until_the_cell_ends(monkeypatch):
    shown, now = Shown(), iter(range(100))
    monkeypatch.setattr("study.pages.notebook.display", shown)
    monkeypatch.setattr("study.pages.notebook.time.perf_counter", lambda: next(now) / 4)
    stream = ProgressFilter(shown)
    stream.write("\r 0%| |")
    stream.write("\r100%| |")
    stream.end()
    assert shown.texts == [] and shown.lines == []  # too short to be seen
    # A nested bar goes a line down and up again.
    for text in (
        "\r 0%| |", "\r 9%| |", "\r50%| |", "\n", "\r 0%|in|", "\x1b[A", "a", "\n", "\r       \r", "\n",
    ):  # fmt: skip
        stream.write(text)
    stream.end()
    assert shown.texts == ["50%| |", "0%|in|", ""] and shown.lines == ["a", "\n"]
