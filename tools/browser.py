"""Find the machine's Chromium or Chrome and start it without a window."""

import contextlib
import functools
import shutil
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tools.read import serve

BROWSERS = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"]
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]


def find_browser() -> str | None:
    """Return the path of a Chromium or Chrome, or None."""
    return next(filter(None, map(shutil.which, BROWSERS)), None)


def page_names(site: Path) -> list[str]:
    """Return the addresses of a built book's pages, below its front door."""
    pages = (path.relative_to(site).as_posix() for path in site.glob("*/**/*.html"))
    return sorted(page for page in pages if not page.startswith("_static"))


@contextlib.contextmanager
def open_browser() -> Iterator[Any]:
    """Start the machine's Chromium, through Playwright; stop it at the end.

    Raises
    ------
    FileNotFoundError
        If there is none.
    """
    from playwright.sync_api import sync_playwright

    executable = find_browser()
    if executable is None:
        raise FileNotFoundError(
            "no Chromium was found: apt install chromium, or put Chrome on the PATH"
        )
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=executable, args=FLAGS)
        yield browser
        browser.close()


@contextlib.contextmanager
def serving(site: Path) -> Iterator[str]:
    """Serve a folder on this machine for a while; give its address."""
    server = serve(site, 0)
    forever = functools.partial(server.serve_forever, poll_interval=0.05)
    threading.Thread(target=forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/"
    finally:
        server.shutdown()
        server.server_close()
