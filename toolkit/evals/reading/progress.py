"""A bar on a terminal while a file is read."""

import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

WIDTH = 30  # characters
INTERVAL = 0.2  # seconds


@contextmanager
def progress(fraction: Callable[[], float], *, wanted: bool) -> Iterator[None]:
    """Show what part of the work is done, until it is, on standard error.

    Nothing is shown where standard error is no terminal.

    Parameters
    ----------
    fraction
        Returns the part that is done, from 0 to 1; called from another thread.
    wanted
        False shows nothing.
    """
    if not (wanted and sys.stderr.isatty()):
        yield
        return
    finished = threading.Event()
    thread = threading.Thread(target=_show, args=(fraction, finished), daemon=True)
    thread.start()
    try:
        yield
    finally:
        finished.set()
        thread.join()
        sys.stderr.write("\r\033[K")
        sys.stderr.flush()


def bar(fraction: float) -> str:
    """Return the bar for a part that is done.

    >>> bar(0.5)
    '[###############               ]  50%'
    """
    part = min(max(fraction, 0.0), 1.0)
    return f"[{'#' * int(part * WIDTH):<{WIDTH}}] {part:4.0%}"


def _show(fraction: Callable[[], float], finished: threading.Event) -> None:
    while not finished.wait(INTERVAL):
        sys.stderr.write(f"\r{bar(fraction())}")
        sys.stderr.flush()
