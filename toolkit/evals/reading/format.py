"""What a format is: a name, how it is recognised, how it is read."""

from collections.abc import Callable
from dataclasses import dataclass

from toolkit.evals.reading.head import Head
from toolkit.evals.reading.options import Options
from toolkit.evals.reading.result import Reading


@dataclass(frozen=True, kw_only=True)
class Format:
    """One format of evaluation logs.

    Attributes
    ----------
    name
        As given to ``--format``.
    files
        Which files of which tool these are.
    recognises
        Whether a file that begins like this has the format.
    read
        The reader; it may assume nothing that ``recognises`` has checked, because the
        user may name the format.
    is_general
        The format of no tool in particular; considered only if no other fits.
    """

    name: str
    files: str
    recognises: Callable[[Head], bool]
    read: Callable[[Head, Options], Reading]
    is_general: bool = False
