"""How long a page takes to score 2.5 million rows, and how much memory: 40,000 mentions × 64 candidates.

Drives "Score your file in the browser" in headless Chromium, from a file:// page without the book around it.
Memory is that of the page's process above what it has before the files are chosen. Bars: 60 s, 1 GB. Run with
``make bench``.
"""

import json
import os
import random
import re
import shutil
import tempfile
import time
from pathlib import Path

from playwright.sync_api import sync_playwright

MENTIONS, CANDIDATES, CONCEPTS, NAMES, PER_DOCUMENT = 40_000, 64, 25_000, 60_000, 46
ROOT = Path(__file__).resolve().parents[1]
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--disable-background-networking"]


def write_files(folder: Path) -> dict[str, Path]:
    """Random predictions, a corpus and a dictionary, by the names of the fields."""
    draw = random.Random(0)
    paths = {"predictions": "p.jsonl", "corpus": "gold.txt", "dictionary": "names.tsv"}
    paths = {what: folder / name for what, name in paths.items()}
    ids = [f"C{i:07d}" for i in range(CONCEPTS)]
    named = [(f"name {i}", [draw.choice(ids)]) for i in range(NAMES)]
    with paths["dictionary"].open("w") as file:
        file.writelines(f"{id}\t{name}\n" for name, [id] in named)
    with paths["corpus"].open("w") as gold, paths["predictions"].open("w") as file:
        for first in range(0, MENTIONS, PER_DOCUMENT):
            n = min(PER_DOCUMENT, MENTIONS - first)
            gold.write(f"{first}|t|{'word ' * n}\n{first}|a|\n")
            for start in range(0, 5 * n, 5):
                gold.write(f"{first}\t{start}\t{start + 4}\tword\tDisease\t{draw.choice(ids)}\n")
                for name, own in draw.sample(named, CANDIDATES):
                    row = {"document": str(first), "start": start, "end": start + 4, "name": name, "ids": own}
                    file.write(json.dumps(row | {"score": round(draw.random(), 3)}) + "\n")
            gold.write("\n")
    return paths


def write_page(folder: Path) -> Path:
    """The form and the scripts of the page, alone."""
    text = (ROOT / "book" / "score_in_browser.md").read_text(encoding="utf-8")
    [form] = re.findall(r"```\{raw\} html\n(.*?)```", text, re.DOTALL)
    shutil.copytree(ROOT / "book" / "_static", folder / "_static")
    page = folder / "page.html"
    page.write_text(f'<meta charset="utf-8">{form.replace("../_static", "_static")}', encoding="utf-8")
    return page


def renderers() -> tuple[int, float]:
    """MB and processor seconds of the browser's renderers, found among what this process has started."""
    parents, taken = {}, {}
    for process in Path("/proc").glob("[0-9]*"):
        try:
            cells = (process / "stat").read_text().rsplit(")", 1)[1].split()
            parents[process.name] = cells[1]
            if b"--type=renderer" in (process / "cmdline").read_bytes():
                size = int(re.search(r"VmRSS:\s+(\d+)", (process / "status").read_text())[1])
                taken[process.name] = size / 1000, sum(map(int, cells[11:13])) / os.sysconf("SC_CLK_TCK")
        except OSError:
            continue

    def ours(process: str) -> bool:
        return process == str(os.getpid()) or (process in parents and ours(parents[process]))

    sizes, times = zip(*(taken[process] for process in taken if ours(process)), strict=True)
    return round(sum(sizes)), sum(times)


def main() -> None:
    chromium = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if chromium is None:
        print("no browser: not run")
        return
    with tempfile.TemporaryDirectory() as name, sync_playwright() as playwright:
        folder = Path(name)
        paths, page_path = write_files(folder), write_page(folder)
        file_size = paths["predictions"].stat().st_size / 1e6
        browser = playwright.chromium.launch(executable_path=chromium, args=FLAGS)
        page = browser.new_page()
        page.goto(page_path.as_uri())
        idle, before = renderers()
        for what, path in paths.items():
            page.set_input_files(f"[name={what}]", path)
        started, most, stages = time.perf_counter(), 0, {}
        page.click("[type=submit]")
        while not (said := page.inner_text("output")).startswith(("Scored", "Not scored")):
            stages.setdefault(said, time.perf_counter() - started)
            size, spent = renderers()
            most = max(most, size)
            page.wait_for_timeout(100)
        browser.close()
    for stage, at in stages.items():
        print(f"  {at:6.1f} s  {stage}")
    print(f"{MENTIONS * CANDIDATES:,} rows, {file_size:.0f} MB: {said} (bar: 60 s)")
    print(f"  of a processor {spent - before:.0f} s")
    print(f"  {most - idle} MB above the {idle} MB of the idle page (bar: 1,000 MB)")


if __name__ == "__main__":
    main()
