"""Where and with what a number was made."""

import os
import platform
import resource
import subprocess
import sys
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from benchlib import __version__

from ..places import ROOT

PACKAGES = ("numpy", "pandas", "scikit-learn", "scipy", "torch", "transformers")


def commit(*paths: str) -> str:
    """The checkout's commit, with ``+`` behind it when files below ``paths`` (those of both packages, if none
    is named) differ from it; "" outside a checkout."""

    def git(*arguments: str) -> str:
        done = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=False)
        return done.stdout.strip() if done.returncode == 0 else ""

    if not (ROOT / ".git").exists():  # as of a library installed below somebody else's checkout
        return ""
    head = git("rev-parse", "--short=12", "HEAD")
    return (
        head + "+" if head and git("status", "--porcelain", "--", *(paths or ["benchlib", "study"])) else head
    )


def hardware() -> dict[str, str | int]:
    """The processor, its cores, the threads used, memory in GB (10^9 bytes), and where PyTorch is loaded the
    accelerator, if any."""
    torch = sys.modules.get("torch")
    cores = os.cpu_count() or 1
    asked = os.environ.get("OMP_NUM_THREADS", "").partition(",")[0]  # of nested levels, the first
    found: dict[str, str | int] = {
        "machine": platform.machine(),
        "cpu": _cpu(),
        "cores": cores,
        "threads": torch.get_num_threads() if torch else int(asked or cores),
        "memory_gb": round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 1e9),
    }
    if torch and torch.cuda.is_available():
        found["gpu"] = torch.cuda.get_device_name()
    return found


def peak_memory_mb() -> int:
    """The most memory that this process had at any time until now, in MB (10^6 bytes)."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return round(peak * (1 if sys.platform == "darwin" else 1024) / 1e6)  # macOS counts bytes, Linux KiB


def versions() -> dict[str, str]:
    """Versions of Python, of this library and of what the numbers depend on."""
    found = {"python": platform.python_version(), "benchlib": __version__}
    for package in PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found


def provenance() -> dict[str, object]:
    """What a record says about its making that is known before: to be taken first, since files may change
    while a long training runs. The date is that of the start."""
    now = datetime.now(UTC).isoformat(timespec="seconds")
    return {"commit": commit(), "date": now, "hardware": hardware(), "versions": versions()}


def _cpu() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor()
