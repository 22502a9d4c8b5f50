"""The examples of README.md run as they stand, on its three-line dictionary and the embedded corpus."""

import re
from pathlib import Path

README = (Path(__file__).resolve().parent.parent / "README.md").read_text(encoding="utf-8")
[DICTIONARY] = re.findall(r"^```text\n(.*?)^```", README, re.M | re.S)
EXAMPLES = re.findall(r"^```python\n(.*?)^```", README, re.M | re.S)


def test_the_three_examples_run_and_say_what_they_should(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    Path("dictionary.tsv").write_text(DICTIONARY, encoding="utf-8")
    assert [len(example.split("\n\n")[1].splitlines()) <= 2 for example in EXAMPLES] == [True] * 3
    names: dict = {}
    for example in EXAMPLES:
        exec(example, names)
    assert names["linked"]["ids"].tolist() == [("D2",), ("D1",)]
    assert names["gain"]["value"].notna().any() and "krissbert" in capsys.readouterr().out
    assert names["answers"]["document"].eq("0").all() and len(names["answers"]) == 6
    assert names["answers"]["ids"].iloc[0] == ("D3",)
