"""How long the explorer takes to draw its dots anew, on a processor slowed down four times (``make bench``).

Drives the page of the built book in headless Chromium: ten changes of k on each corpus, until the next frame
is drawn. Bar: 0.3 s.
"""

import shutil
import statistics
from pathlib import Path

from playwright.sync_api import sync_playwright

PAGE = Path(__file__).resolve().parents[1] / "_build" / "html" / "book" / "explorer.html"
CORPORA = ("ncbi-disease", "bc5cdr-disease", "bc5cdr-chemical", "bc2gn", "medmentions-st21pv")
SLOWED = 4
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--disable-background-networking"]
REDRAWN = """async (k) => {
  const begin = performance.now(), field = document.querySelector('[name=k]');
  field.value = k;
  field.dispatchEvent(new Event('change', {bubbles: true}));
  await new Promise(done => requestAnimationFrame(() => setTimeout(done)));
  return performance.now() - begin;
}"""


def main() -> None:
    chromium = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if chromium is None or not PAGE.exists():
        print("no browser: not run" if chromium is None else "no book: make book")
        return
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=FLAGS)
        page = browser.new_page()
        devtools = page.context.new_cdp_session(page)
        for corpus in CORPORA:
            page.goto("about:blank")
            page.goto(f"{PAGE.as_uri()}#corpus={corpus}")
            page.wait_for_selector("form[data-state=done]", timeout=120_000)
            devtools.send("Emulation.setCPUThrottlingRate", {"rate": SLOWED})
            times = [page.evaluate(REDRAWN, k) for k in ["5", "1", "10", "2", "3"] * 2]
            devtools.send("Emulation.setCPUThrottlingRate", {"rate": 1})
            best, median = min(times), statistics.median(times)
            print(
                f"{corpus:20} best {best:4.0f} ms, median {median:4.0f} ms, a processor slowed {SLOWED} times"
            )
        browser.close()


if __name__ == "__main__":
    main()
