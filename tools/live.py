"""Serve the built book with Python behind it, on this machine only, and open it.

Pages and kernels come from one address on 127.0.0.1, with a random port and a random
token: no other site, user or machine can run anything. ``python -m tools.live`` opens
a browser; with ``--no-browser`` it only prints the address. Ctrl-C stops it and every
Python that it started.
"""

import argparse
import os
import secrets
import signal
import sys
import tempfile
from pathlib import Path
from typing import Any

from jupyter_client.kernelspec import KernelSpecManager
from jupyter_server.base.handlers import JupyterHandler
from jupyter_server.serverapp import ServerApp
from jupyter_server.services.contents.largefilemanager import AsyncLargeFileManager
from jupyter_server.services.kernels.kernelmanager import AsyncMappingKernelManager
from tornado import web
from traitlets.config import Config

from tools.book import ROOT
from tools.read import SITE

BOOK = "/book/"
IDLE = 600  # seconds after which a Python that no page is connected to is stopped
ONE_THREAD = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
MARK = '<meta name="live-kernels" content="{base}" data-folder="{folder}" />'


def marked(page: bytes, base: str, folder: str) -> bytes:
    """Return a page that says where its kernels are, and in which folder they start.

    >>> marked(b"<head><title/>", "/", "chapter11").decode()
    '<head><meta name="live-kernels" content="/" data-folder="chapter11" /><title/>'
    """
    mark = MARK.format(base=base, folder=folder)
    return page.replace(b"<head>", b"<head>" + mark.encode(), 1)


class Page(JupyterHandler, web.StaticFileHandler):
    """A file of the book; to a page is added that kernels are at hand."""

    def get_login_url(self) -> str:
        """Refuse who has no token, with words in place of a form."""
        raise web.HTTPError(403, "Open the address that `make live` printed.")

    @web.authenticated
    def head(self, path: str) -> Any:
        """Send what ``get`` would send, without its body."""
        return self.get(path, include_body=False)

    @web.authenticated
    async def get(self, path: str, include_body: bool = True) -> None:
        """Send a file, or a page with its mark."""
        if self.get_query_argument("token", ""):  # it is in a cookie by now
            self.redirect(self.request.path)
            return
        _ = self.xsrf_token  # sets the cookie that the kernels' handlers ask for
        if not path.endswith(".html"):
            await super().get(path, include_body)
            return
        self.path = self.parse_url_path(path)
        wanted = self.get_absolute_path(self.root, self.path)
        self.absolute_path = self.validate_absolute_path(self.root, wanted)
        if self.absolute_path is not None:
            self.set_header("Content-Type", "text/html; charset=utf-8")
            page = Path(self.absolute_path).read_bytes()
            folder = Path(path).parent.as_posix()
            self.finish(marked(page, self.base_url, folder))

    def set_extra_headers(self, path: str) -> None:  # noqa: ARG002
        """Let the browser ask again: the book may have been built again."""
        self.set_header("Cache-Control", "no-cache")

    def compute_etag(self) -> str | None:
        """Return the file's own mark, where Jupyter would give none."""
        return web.StaticFileHandler.compute_etag(self)

    @property
    def content_security_policy(self) -> str:
        """Let no other site show a page in a frame."""
        return "frame-ancestors 'none'"


class OwnPython(KernelSpecManager):
    """The Python that serves, whatever kernels the reader has installed elsewhere."""

    def _kernel_dirs_default(self) -> list[str]:
        return []


class NoFiles(AsyncLargeFileManager):
    """No file but the book's."""

    def get_extra_handlers(self) -> list[Any]:
        """Serve none of the folder that the kernels start in."""
        return []


class LiveServer(ServerApp):
    """Jupyter's server with kernels and the book, and nothing else of it."""

    name = "live"
    default_services = ("api", "kernels")
    site = SITE

    def load_config_file(self, suppress_errors: bool = True) -> None:
        """Leave the reader's own settings of Jupyter alone."""

    def migrate_config(self) -> None:
        """Leave old ones alone as well."""

    def init_signal(self) -> None:
        """Stop at once, without a question."""

        def stop(*_: object) -> None:
            self.stop(from_signal=True)

        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, stop)

    def init_webapp(self) -> None:
        """Add the book to what is served."""
        super().init_webapp()
        pages = {"path": str(self.site), "default_filename": "index.html"}
        self.web_app.add_handlers(".*$", [(f"{BOOK}(.*)", Page, pages)])


def make_server(site: Path, folder: Path, runtime: Path, port: int = 0) -> LiveServer:
    """Return a server for ``site`` whose kernels start in folders below ``folder``.

    ``runtime`` is a folder for its own files; port 0 takes any free one.
    """
    settings = Config()
    settings.IdentityProvider.token = secrets.token_urlsafe(32)
    settings.MappingKernelManager.update(
        cull_idle_timeout=IDLE,
        cull_interval=60,
        cull_busy=True,  # a loop without end, in a page that is gone
    )
    settings.KernelManager.transport_encryption = "auto"  # no other user listens in
    options: dict[str, Any] = {"config": settings, "log_level": "CRITICAL"}
    options |= {"ip": "127.0.0.1", "port": port, "open_browser": False}
    options |= {"root_dir": str(folder), "runtime_dir": str(runtime)}
    options |= {"default_url": f"{BOOK}index.html", "allow_root": True}
    options["allow_unauthenticated_access"] = False
    options["kernel_spec_manager_class"] = OwnPython
    options["contents_manager_class"] = NoFiles
    options["kernel_manager_class"] = AsyncMappingKernelManager
    server = LiveServer(**options)
    server.site = site
    server.initialize(argv=[], find_extensions=False)
    return server


def address(server: LiveServer) -> str:
    """Return the address to open, with its token."""
    token = server.identity_provider.token
    return f"http://127.0.0.1:{server.port}{server.default_url}?token={token}"


def main() -> int:
    """Serve until interrupted."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--port", type=int, default=0, help="default: any free port")
    parser.add_argument("--no-browser", action="store_true", help="only print where")
    parser.add_argument("--site", type=Path, default=SITE, help="the built pages")
    options = parser.parse_args()
    if not (options.site / "index.html").exists():
        print("There is no built book; run make book first.", file=sys.stderr)
        return 1
    with tempfile.TemporaryDirectory() as runtime:
        own = {"IPYTHONDIR": f"{runtime}/ipython"}  # no start-up files of the reader's
        os.environ.update({**ONE_THREAD, **os.environ, **own})
        server = make_server(options.site.resolve(), ROOT, Path(runtime), options.port)
        print(f"The book runs at {address(server)}")
        print("Ctrl-C stops it and every Python it started.", flush=True)
        if not options.no_browser:
            server.launch_browser()
        server.start()
    return 0


if __name__ == "__main__":
    sys.exit(main())
