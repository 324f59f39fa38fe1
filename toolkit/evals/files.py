"""The two tables of two files, or of the shipped pair."""

from toolkit.evals.pairs import Pair, align
from toolkit.evals.readers import read
from toolkit.evals.shipped import shipped_pair


def pair_of_files(base: str, rl: str) -> Pair:
    """Return the counts of two files side by side, the shipped ones for empty names.

    Parameters
    ----------
    base, rl
        Paths of the two files, or two empty texts.

    Raises
    ------
    ValueError
        If one name is empty and the other is not, or a file is no log that
        :func:`~toolkit.evals.readers.read` can read without being told more.
    OSError
        If a file cannot be read.

    Examples
    --------
    >>> pair_of_files("", "").n_problems
    1060
    """
    if bool(base) != bool(rl):
        raise ValueError(
            "base and rl must both be files, or both be empty for the shipped pair, "
            f"but they are {base!r} and {rl!r}"
        )
    if not base:
        return shipped_pair()
    return align(read(base).counts, read(rl).counts)
