"""One large JSON value, walked from its beginning: a piece at a time is in memory.

:class:`Walk` goes into the objects and arrays it is told to and decodes whole what
stands in them, with Python's own decoder: NaN, which Python writes, is read.
``docs/decisions/0016-large-logs.md`` says why no package does this here.
"""

import codecs
import gzip
import io
import json
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeAlias

from toolkit.evals.reading.errors import LogError
from toolkit.evals.reading.progress import progress

File: TypeAlias = io.BufferedReader | gzip.GzipFile | io.BytesIO
"""A file of bytes, perhaps decompressed on the way."""

CHUNK = 2**20  # bytes
LONGEST_VALUE = 2**28  # characters; a sample that is longer is refused
SPACE = " \t\r\n"
AFTER_A_VALUE = tuple(",:]}" + SPACE)  # anything else: a number that goes on
LONGEST_WORD = 16  # characters; an error this near to the end may be a word cut in two


@contextmanager
def open_file(path: Path, *, gzipped: bool, bar: bool = False) -> Iterator[File]:
    """Open a file, decompressed, with a progress bar until it is closed."""
    size = path.stat().st_size or 1
    with path.open("rb") as raw:
        file: File = gzip.GzipFile(fileobj=raw) if gzipped else raw
        try:
            with progress(lambda: raw.tell() / size, wanted=bar):
                yield file
        except (EOFError, gzip.BadGzipFile, zlib.error) as error:
            raise LogError(f"the file is no whole gzip file: {error}") from None


class Walk:
    """A place in a file that holds one JSON value; it only moves forward.

    Parameters
    ----------
    file
        The file, in UTF-8.
    chunk
        Number of bytes to read at a time.

    Examples
    --------
    >>> walk = Walk(io.BytesIO(b'{"version": 2, "samples": [{"id": 1}, {"id": 2}]}'))
    >>> for name in walk.members():
    ...     if name == "samples":
    ...         for _ in walk.items():
    ...             print(walk.value())
    ...     else:
    ...         print(name, walk.value())
    version 2
    {'id': 1}
    {'id': 2}
    """

    def __init__(self, file: File, chunk: int = CHUNK) -> None:
        self._file = file
        self._decoder = codecs.getincrementaldecoder("utf-8-sig")()
        self._chunk = chunk
        self._text = ""
        self._at = 0
        self._ended = False
        self._decode = json.JSONDecoder().raw_decode

    def peek(self) -> str:
        """Return the next character that is no space; nothing at the end."""
        while True:
            while self._at < len(self._text):
                if self._text[self._at] not in SPACE:
                    return self._text[self._at]
                self._at += 1
            if self._ended:
                return ""
            self._more()

    def value(self) -> Any:
        """Return the value at this place and go behind it."""
        self.peek()
        while True:
            try:
                value, end = self._decode(self._text, self._at)
                goes_on = self._text[end : end + 1] not in AFTER_A_VALUE
                if self._ended or not (goes_on and self._is_late(end)):
                    self._at = end
                    return value
            except json.JSONDecodeError as error:
                cut = error.msg.startswith("Unterminated")
                if self._ended or not (cut or self._is_late(error.pos)):
                    raise LogError(f"the file is no whole JSON: {error.msg}") from None
            except RecursionError:
                raise LogError("the file's JSON is nested too deeply") from None
            except ValueError:  # more digits than Python converts
                raise LogError("the file's JSON has a number too large") from None
            if len(self._text) - self._at > LONGEST_VALUE:
                raise LogError(
                    f"the file has a value of more than {LONGEST_VALUE:,} characters, "
                    "or is no JSON"
                )
            self._more()

    def members(self) -> Iterator[str]:
        """Go into an object; yield each name, for the value to be taken."""
        for _ in self._inside("{", "}"):
            name = self.value()
            if not isinstance(name, str):
                raise LogError("the file is no whole JSON: a name must be text")
            self._expect(":")
            yield name

    def items(self) -> Iterator[None]:
        """Go into an array; stop before each value, for it to be taken."""
        yield from self._inside("[", "]")

    def finish(self) -> None:
        """Refuse anything that follows the value."""
        if self.peek():
            raise LogError("the file is no whole JSON: something follows its end")

    def _inside(self, start: str, end: str) -> Iterator[None]:
        self._expect(start)
        if self.peek() == end:
            self._at += 1
            return
        while True:
            yield
            if self._expect(f",{end}") == end:
                return

    def _expect(self, characters: str) -> str:
        found = self.peek()
        if not found or found not in characters:
            wanted = " or ".join(characters)
            shown = repr(found) if found else "the end"
            raise LogError(
                f"the file is no whole JSON: expected {wanted} and found {shown}"
            )
        self._at += 1
        return found

    def _is_late(self, place: int) -> bool:
        return place > len(self._text) - LONGEST_WORD

    def _more(self) -> None:
        """Read on, as much as is there already, and forget what was passed."""
        rest = self._text[self._at :]
        try:
            data = self._file.read(max(self._chunk, len(rest)))
            new = self._decoder.decode(data, final=not data)
        except UnicodeDecodeError:
            raise LogError("the file is not UTF-8 text") from None
        self._ended = not data
        self._text, self._at = rest + new, 0
