"""Zip archives, those compressed by zstd among them if a package for that is there.

Python reads them from 3.14 on. Before, ``backports.zstd`` of the extra ``evals`` has a
module ``zipfile`` that does; without it other archives are still read.
"""

import json
import struct
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from toolkit.evals.reading.errors import INSTALL, LogError

try:
    from backports.zstd import ZstdError, zipfile
except ImportError:
    import zipfile  # type: ignore[no-redef]

    ZstdError = zlib.error  # type: ignore[misc, assignment]

DAMAGED = (
    zipfile.BadZipFile,
    zlib.error,
    ZstdError,
    struct.error,
    EOFError,
    OSError,
    RuntimeError,  # encrypted
    UnicodeDecodeError,
)


class Archive:
    """A zip archive of JSON files.

    Attributes
    ----------
    names
        Names of the files in it, in their order.
    """

    def __init__(self, file: zipfile.ZipFile) -> None:
        self._file = file
        self.names = tuple(file.namelist())

    def load(self, name: str) -> Any:
        """Return the value of a JSON file in the archive."""
        with _damage_is_ours():
            data = self._file.read(name)
        try:
            return json.loads(data)
        except (ValueError, RecursionError) as error:
            raise LogError(f"{name} in the archive is no whole JSON: {error}") from None


@contextmanager
def open_archive(path: Path) -> Iterator[Archive]:
    """Open an archive; what is wrong with it becomes our error.

    Raises
    ------
    LogError
        If the archive is damaged, encrypted, or compressed in an unknown way.
    """
    with path.open("rb") as raw:
        with _damage_is_ours():
            file = zipfile.ZipFile(raw)
        with file:
            yield Archive(file)


@contextmanager
def _damage_is_ours() -> Iterator[None]:
    try:
        yield
    except NotImplementedError:
        raise LogError(
            f"this Python cannot read how the archive is compressed: {INSTALL}"
        ) from None
    except DAMAGED as error:
        raise LogError(f"the file is no whole zip archive: {error}") from None
