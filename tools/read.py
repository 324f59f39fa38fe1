"""Serve ``_build/html`` on this machine only, and print its address.

Call ``python -m tools.read``, with ``--port 8000`` for a port of your own.
"""

import argparse
import contextlib
import functools
import http.server
import sys
from pathlib import Path

SITE = Path(__file__).resolve().parent.parent / "_build" / "html"


class QuietHandler(http.server.SimpleHTTPRequestHandler):
    """Serve files without a line for each request."""

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


def serve(site: Path, port: int) -> http.server.ThreadingHTTPServer:
    """Return a server for ``site`` on 127.0.0.1; port 0 takes any free one."""
    handler = functools.partial(QuietHandler, directory=str(site))
    return http.server.ThreadingHTTPServer(("127.0.0.1", port), handler)


def main() -> int:
    """Serve until interrupted."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--port", type=int, default=0, help="default: any free port")
    if not (SITE / "index.html").exists():
        print("There is no built book; run make book first.", file=sys.stderr)
        return 1
    server = serve(SITE, parser.parse_args().port)
    address = f"http://127.0.0.1:{server.server_port}/"
    print(f"The book is at {address} (Ctrl-C to stop)", flush=True)
    with contextlib.suppress(KeyboardInterrupt):
        server.serve_forever()
    return 0


if __name__ == "__main__":
    sys.exit(main())
