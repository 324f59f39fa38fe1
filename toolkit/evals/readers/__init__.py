"""Readers of what evaluation tools write, one file a format.

:func:`read` looks at a file, finds out which tool wrote it, and returns its counts and
what had to be assumed. What it cannot know it refuses to guess.
"""

import importlib
import pkgutil
from pathlib import Path

from toolkit.evals.reading.errors import LogError
from toolkit.evals.reading.format import Format
from toolkit.evals.reading.head import Head, look_at
from toolkit.evals.reading.options import Options
from toolkit.evals.reading.result import Reading


def formats() -> dict[str, Format]:
    """Return every format by its name: each module of this package has one.

    Examples
    --------
    >>> print(*formats())
    bigcodebench counts evalplus human-eval inspect livecodebench lm-eval rows trl verl
    """
    modules = [
        importlib.import_module(f"{__name__}.{found.name}")
        for found in pkgutil.iter_modules(__path__)
    ]
    found = sorted((module.FORMAT for module in modules), key=lambda f: f.name)
    return {format.name: format for format in found}


def detect(head: Head) -> Format:
    """Return the one format that a file has.

    Parameters
    ----------
    head
        Its beginning.

    Raises
    ------
    LogError
        If no format fits, or several do; the message lists them.
    """
    fitting = [format for format in formats().values() if format.recognises(head)]
    special = [format for format in fitting if not format.is_general]
    found = special or fitting
    if len(found) == 1:
        return found[0]
    if found:
        names = ", ".join(format.name for format in found)
        raise LogError(f"the file may be {names}: name one with --format")
    seen = f"; its fields are {', '.join(head.fields)}" if head.fields else ""
    raise LogError(
        f"the file ({head.kind}) is of no known format{seen}; known are "
        f"{', '.join(formats())}"
    )


def read(
    path: Path | str,
    *,
    format: str | None = None,
    problem: str | None = None,
    score: str | None = None,
    threshold: float | None = None,
    where: tuple[tuple[str, str], ...] = (),
    group: str | None = None,
    unscored: str | None = None,
    progress: bool = False,
) -> Reading:
    """Return the counts of an evaluation log, and what had to be assumed.

    Parameters
    ----------
    path
        The log. Memory grows with the number of problems, not with the file.
    format
        Name of its format; found out from the content by default.
    problem, score, threshold, where, group, unscored, progress
        What the file does not say: see :class:`~toolkit.evals.reading.options.Options`.

    Returns
    -------
    Reading
        Counts and notes.

    Raises
    ------
    LogError
        If the file is malformed, of no known format or of several, or does not say
        what is needed; the message names the file and what is missing.
    OSError
        If the file cannot be opened.

    Examples
    --------
    >>> from toolkit.evals.shipped import shipped_path
    >>> reading = read(shipped_path("base"))
    >>> reading.format, reading.counts.n_problems
    ('counts', 1060)
    """
    options = Options(
        problem=problem,
        score=score,
        threshold=threshold,
        where=where,
        group=group,
        unscored=unscored,
        progress=progress,
    )
    known = formats()
    if format is not None and format not in known:
        raise LogError(f"format must be one of {', '.join(known)}, not {format!r}")
    try:
        head = look_at(path)
        reader = detect(head) if format is None else known[format]
        return reader.read(head, options)
    except LogError as error:
        raise LogError(f"{path}: {error}") from None
