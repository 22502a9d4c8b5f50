"""Where and with what a number was made."""

from __future__ import annotations

import os
import platform
import subprocess
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

PACKAGES = ("numpy", "pandas", "scikit-learn", "scipy", "torch", "transformers")
ROOT = Path(__file__).resolve().parents[2]


def commit() -> str:
    """The checkout's commit, with ``+`` behind it when files differ from it; "" outside a checkout."""

    def git(*arguments: str) -> str:
        done = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=False)
        return done.stdout.strip() if done.returncode == 0 else ""

    head = git("rev-parse", "--short=12", "HEAD")
    return head + "+" if head and git("status", "--porcelain", "--", "benchlib") else head


def hardware() -> dict[str, str | int]:
    """Processor count and kind, and the accelerator if there is one."""
    import torch

    found: dict[str, str | int] = {"machine": platform.machine(), "cores": os.cpu_count() or 1}
    if torch.cuda.is_available():
        found["gpu"] = torch.cuda.get_device_name()
    return found


def versions() -> dict[str, str]:
    """Versions of Python, of this library and of what the numbers depend on."""
    from .. import __version__

    found = {"python": platform.python_version(), "benchlib": __version__}
    for package in PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found


def provenance() -> dict[str, object]:
    """Everything a record says about its making, apart from its inputs."""
    now = datetime.now(UTC).isoformat(timespec="seconds")
    return {"commit": commit(), "date": now, "hardware": hardware(), "versions": versions()}
