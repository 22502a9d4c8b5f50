"""The claims that changed after their number was first stored, in ``data/changed_rules.yaml``.

``python -m study.claims.history`` adds to them, in a clone with the whole history. It looks at every commit
since the last of them that changed the rule, the corpora or the test of a claim or a test that may oppose it,
or gave or took away a reason why it decides nothing. It answers the claims before and after it with the code
of the day, and keeps a change where the claim had a number before; a test that is only spelt anew has the
same answer, and is none. The answers of commits are kept in ``_build/history``.
"""

import argparse
import subprocess
import sys
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import pandas as pd
import yaml

from benchlib.terminal import write

from ..places import ROOT
from ..yaml_file import YamlModel, read_yaml, validated
from .verdicts import Rule

CLAIMS = "data/claims"
FILE = ROOT / "data" / "changed_rules.yaml"
_OF_RULE = ("direction", "threshold", "upper", "combine")


class Change(YamlModel):
    """What a commit ``changed`` of a claim (see :func:`changed_of`) whose number was there: ``rule`` and
    ``test`` are those before it, ``then`` the answer of that day, in the words of today."""

    id: str
    date: str
    commit: str
    changed: tuple[str, ...]
    then: str
    rule: Rule
    test: dict[str, Any]


@cache
def read_changes() -> tuple[Change, ...]:
    """Raises ValueError, naming file and change, for what is not as described."""
    entries = enumerate(read_yaml(FILE), 1)
    return tuple(validated(Change, entry, f"{FILE.name}: change {number}") for number, entry in entries)


def changes(commits: str, folder: Path, root: Path = ROOT) -> Iterator[dict[str, Any]]:
    """Each change of a claim that had a number, of a range of ``commits`` as git writes it, oldest first;
    ``folder`` keeps the answers of commits."""
    listed = "--reverse", "--topo-order", "--min-parents=1", "--format=%H %P"
    log = _git(root, "log", *listed, commits, "--", CLAIMS)
    for commit, parent, *_ in map(str.split, log.splitlines()):
        before, after = _claims(root, parent), _claims(root, commit)
        changed = {id: what for id in after if id in before and (what := changed_of(before[id], after[id]))}
        if not changed:
            continue
        was, now = (answers_at(of, folder, root) for of in (parent, commit))
        for id, what in changed.items():
            columns = ["effect", "low", "high", "verdict"]
            same = id in now.index and was.loc[id, columns].equals(now.loc[id, columns])
            if pd.notna(was.loc[id, "effect"]) and not (what == ["test"] and same):
                yield {
                    "id": id,
                    "date": _git(root, "log", "-1", "--format=%ad", "--date=short", commit).strip(),
                    "commit": commit[:12],
                    "changed": what,
                    "then": "{verdict}, {effect:.1f} [{low:.1f}, {high:.1f}] {unit}".format(**was.loc[id]),
                    "rule": before[id]["rule"],
                    "test": before[id]["test"],
                }


def changed_of(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[str]:
    """What differs between two editions of a claim that both have a test: rule, corpora, test, the tests that
    may oppose it, or whether a reason says that the test decides nothing."""
    if not (before.get("test") and after.get("test")):
        return []
    rules = before["rule"], after["rule"]
    differs = {
        "rule": any(rules[0].get(key) != rules[1].get(key) for key in _OF_RULE),
        "corpora": rules[0]["corpora"] != rules[1]["corpora"],
        "test": before["test"] != after["test"],
        "opposing test": _opposing(before) != _opposing(after),
        "reason": bool(before.get("reason")) != bool(after.get("reason")),
    }
    return [what for what, yes in differs.items() if yes]


def _opposing(claim: Mapping[str, Any]) -> list[tuple[Any, Any]]:
    """The tests that may oppose the claim's own, each with its corpora."""
    beside = claim.get("beside") or ()
    return [(one.get("test"), one.get("corpora")) for one in beside if one.get("opposes")]


def answers_at(commit: str, folder: Path, root: Path = ROOT) -> pd.DataFrame:
    """A commit's claims table by its own code, by id. Raises CalledProcessError where that does not run."""
    file = folder / f"{commit}.csv"
    if not file.exists():
        tree = folder / "tree"
        if not tree.exists():
            _git(root, "worktree", "add", "--detach", str(tree), commit)
        _git(tree, "checkout", "-q", "-f", "--detach", commit)
        made = [sys.executable, "-m", "study.claims.answers", "--csv", str(file.resolve())]
        subprocess.run(made, cwd=tree, check=True, capture_output=True)
    return pd.read_csv(file).fillna({"unit": ""}).set_index("id")


def _claims(root: Path, commit: str) -> dict[str, dict[str, Any]]:
    files = _git(root, "ls-tree", "-r", "--name-only", commit, "--", CLAIMS).split()
    texts = (_git(root, "show", f"{commit}:{file}") for file in files if file.endswith(".yaml"))
    try:
        return {claim["id"]: claim for text in texts for claim in yaml.safe_load(text)}
    except yaml.YAMLError:  # a commit that broke a file has the claims of the one before
        return _claims(root, f"{commit}^")


def _git(folder: Path, *arguments: str) -> str:
    return subprocess.run(["git", *arguments], cwd=folder, check=True, capture_output=True, text=True).stdout


class _Plain(yaml.SafeDumper):
    """Without anchors, whose names a file must not have twice."""

    def ignore_aliases(self, data: object) -> bool:
        return True


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m study.claims.history", description=__doc__)
    parser.add_argument("--folder", type=Path, default="_build/history", help="where answers are kept")
    folder = parser.parse_args().folder.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    found = [*changes(f"{read_changes()[-1].commit}..HEAD", folder)]
    if (folder / "tree").exists():
        _git(ROOT, "worktree", "remove", "--force", str(folder / "tree"))
    if found:
        more = yaml.dump(found, Dumper=_Plain, sort_keys=False, allow_unicode=True, width=110)
        write(FILE, FILE.read_text(encoding="utf-8") + more)
    print(f"{len(found)} changes of {len({one['id'] for one in found})} claims added")


if __name__ == "__main__":
    main()
