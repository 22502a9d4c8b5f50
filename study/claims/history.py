"""Which claims changed after their number was first stored, by the history of ``data/claims``.

``python -m study.claims.history`` looks at every commit that changed the rule, the corpora or the test of a
claim. It checks out the commit and the one before it, answers the claims with their own code, and keeps a
change where the claim had a number before it; a test that is only spelt anew has the same answer, and is
none. The answers are kept in ``_build/history``, so that a second run asks for new commits alone. Where the
code of the day finds no number, as in the first days of the study, a change counts that the rule itself tells
by the word *Before*. It writes ``data/changed_rules.yaml``.
"""

import argparse
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pandas as pd
import yaml

from benchlib.terminal import write

from ..places import ROOT
from .changed_rules import FILE
from .verdicts import FAILS, HOLDS, TOO_SMALL

CLAIMS = "data/claims"
_OF_RULE = ("direction", "threshold", "upper", "combine")
_WORDS = {"supported": HOLDS, "contradicted": FAILS, "inconclusive": TOO_SMALL}  # until 2026-11-25
_LOST = "a number that the code of its day does not find again"
_HEAD = "# Written by `python -m study.claims.history`: rules that changed after their number was stored.\n"


def changes(folder: Path, root: Path = ROOT) -> Iterator[dict[str, Any]]:
    """Each change of a claim that had a number, in the order of the history, oldest first; ``folder`` keeps
    the answers of commits."""
    log = _git(root, "log", "--reverse", "--topo-order", "--min-parents=1", "--format=%H %P", "--", CLAIMS)
    for commit, parent, *_ in map(str.split, log.splitlines()):
        before, after = _claims(root, parent), _claims(root, commit)
        changed = {id: what for id in after if id in before and (what := changed_of(before[id], after[id]))}
        if not changed:
            continue
        was, now = (answers_at(of, folder, root) for of in (parent, commit))
        for id, what in changed.items():
            there = id in was.index and pd.notna(was.loc[id, "effect"])
            if there and what == ["test"] and _same(was, now, id):
                continue
            if there or (_tells(after[id]) and not _tells(before[id])):
                yield {
                    "id": id,
                    "date": _git(root, "log", "-1", "--format=%ad", "--date=short", commit).strip(),
                    "commit": commit[:12],
                    "changed": what,
                    "then": _told(was.loc[id]) if there else _LOST,
                    "rule": before[id]["rule"],
                    "test": before[id]["test"],
                }


def changed_of(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[str]:
    """What differs between two editions of a claim that both have a test: rule, corpora, test."""
    if not (before.get("test") and after.get("test")):
        return []
    rules = before["rule"], after["rule"]
    differs = {
        "rule": any(rules[0].get(key) != rules[1].get(key) for key in _OF_RULE),
        "corpora": rules[0]["corpora"] != rules[1]["corpora"],
        "test": before["test"] != after["test"],
    }
    return [what for what, yes in differs.items() if yes]


def answers_at(commit: str, folder: Path, root: Path = ROOT) -> pd.DataFrame:
    """The claims table of a commit, by id, made by its own code; without a row where that does not run."""
    file = folder / f"{commit}.csv"
    if not file.exists():
        tree = folder / "tree"
        if not tree.exists():
            _git(root, "worktree", "add", "--detach", str(tree), commit)
        _git(tree, "checkout", "-q", "-f", "--detach", commit)
        made = [sys.executable, "-m", "study.answers", "--csv", str(file.resolve())]
        subprocess.run(made, cwd=tree, check=False, capture_output=True)
        if not file.exists():
            file.write_text("id,effect,low,high,verdict,unit\n", encoding="utf-8")
    return pd.read_csv(file).set_index("id")


def _tells(claim: Mapping[str, Any]) -> bool:
    return "Before," in claim["rule"]["why"]


def _same(was: pd.DataFrame, now: pd.DataFrame, id: str) -> bool:
    numbers = ["effect", "low", "high"]
    if id not in now.index or not was.loc[id, numbers].equals(now.loc[id, numbers]):
        return False
    before, after = (_WORDS.get(of.loc[id, "verdict"], of.loc[id, "verdict"]) for of in (was, now))
    return before == after


def _told(row: pd.Series) -> str:
    unit = row.get("unit")
    unit = unit if isinstance(unit, str) else ""
    numbers = f"{row['effect']:.1f} [{row['low']:.1f}, {row['high']:.1f}] {unit}".rstrip()
    return f"{_WORDS.get(row['verdict'], row['verdict'])}, {numbers}"


def _claims(root: Path, commit: str) -> dict[str, dict[str, Any]]:
    files = _git(root, "ls-tree", "-r", "--name-only", commit, "--", CLAIMS).split()
    texts = (_git(root, "show", f"{commit}:{file}") for file in files if file.endswith(".yaml"))
    return {claim["id"]: claim for text in texts for claim in yaml.safe_load(text)}


def _git(folder: Path, *arguments: str) -> str:
    done = subprocess.run(["git", *arguments], cwd=folder, check=True, capture_output=True, text=True)
    return done.stdout


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m study.claims.history", description=__doc__)
    parser.add_argument("--folder", type=Path, default=Path("_build/history"), help="where answers are kept")
    folder = parser.parse_args().folder
    folder.mkdir(parents=True, exist_ok=True)
    found = [*changes(folder.resolve())]
    if (folder / "tree").exists():
        _git(ROOT, "worktree", "remove", "--force", str((folder / "tree").resolve()))
    write(FILE, _HEAD + yaml.safe_dump(found, sort_keys=False, allow_unicode=True, width=110))
    print(f"{len(found)} changes of {len({one['id'] for one in found})} claims")


if __name__ == "__main__":
    main()
