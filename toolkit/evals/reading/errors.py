"""The one error that a file can cause."""

INSTALL = "pip install 'what-rl-does-toolkit[evals]'"


class LogError(ValueError):
    """A log cannot be read, or does not say what is needed; the message says why."""


def missing_package(error: ImportError, purpose: str) -> LogError:
    """Return the error to raise when a package of the extra ``evals`` is missing.

    >>> print(missing_package(ImportError(name="ibis"), "to group"))
    the package 'ibis' is needed to group: pip install 'what-rl-does-toolkit[evals]'
    """
    return LogError(f"the package {error.name!r} is needed {purpose}: {INSTALL}")
