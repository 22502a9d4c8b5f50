"""Headless Chromium on the built book on localhost, with nothing else reachable."""

import functools
import http.server
import shutil
import threading

import pytest
from rendered import HTML, WIDE

FLAGS = [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
]  # fmt: skip


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


@pytest.fixture(scope="session")
def address():
    if not (HTML / "index.html").exists():
        pytest.fail("there is no book: run `make book` first")
    handler = functools.partial(Quiet, directory=str(HTML))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


@pytest.fixture(scope="session")
def browser():
    sync_api = pytest.importorskip("playwright.sync_api")
    names = ("chromium", "chromium-browser", "google-chrome")
    chromium = next(filter(None, map(shutil.which, names)), None)
    if chromium is None:
        pytest.fail(f"no browser: none of {', '.join(names)} is on the PATH")
    with sync_api.sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=chromium, args=FLAGS)
        yield started
        started.close()


@pytest.fixture(scope="session")
def troubles():
    """What went wrong since it was last emptied: console errors, failed and foreign requests."""
    return []


@pytest.fixture(scope="session")
def tab(browser, address, troubles):
    context = browser.new_context(viewport=WIDE, color_scheme="light", accept_downloads=True)

    def judge(route):
        if route.request.url.startswith((address, "data:", "blob:")):
            return route.continue_()
        troubles.append(f"leaves localhost: {route.request.url}")
        return route.abort()

    context.route("**/*", judge)
    page = context.new_page()
    page.on("console", lambda m: m.type == "error" and troubles.append(f"console: {m.text}"))
    page.on("pageerror", lambda error: troubles.append(f"script: {error}"))
    page.on("requestfailed", lambda request: troubles.append(f"failed: {request.url}"))
    page.on("response", lambda r: r.status >= 400 and troubles.append(f"{r.status}: {r.url}"))
    yield page
    context.close()


@pytest.fixture
def visit(tab, address, troubles):
    """Open a page of the book afresh, wide, on screen and in light colours."""

    def open_page(name: str):
        tab.goto("about:blank")  # what the page before still loads is broken off here, and is no trouble
        troubles.clear()
        tab.emulate_media(media="screen", color_scheme="light")
        tab.set_viewport_size(WIDE)
        tab.goto(f"{address}{name}.html", wait_until="load")
        return tab

    return open_page
