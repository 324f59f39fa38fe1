"""Which field names the problem, which says whether a sample is right."""

from collections.abc import Iterable

from toolkit.evals.reading.errors import LogError
from toolkit.evals.reading.head import Head
from toolkit.evals.reading.options import Options


def the_field(
    head: Head, named: str | None, candidates: Iterable[str], option: str, what: str
) -> str:
    """Return the one field that is meant, or refuse and list the candidates.

    Parameters
    ----------
    head
        The file.
    named
        The field the user named, or None.
    candidates
        Fields that may be meant.
    option
        How the user names one: ``"--score"``.
    what
        What the field does: ``"says whether a sample is right"``.

    Raises
    ------
    LogError
        If the named field is not there, or not exactly one candidate is.
    """
    listed = ", ".join(head.fields)
    if named is not None:
        if named not in head.fields:
            raise LogError(f"{option} {named}: there is no such field, only {listed}")
        return named
    found = [name for name in candidates if name in head.fields]
    if not found:
        raise LogError(
            f"no field {what}: name it with {option}, or log one; there are: {listed}"
        )
    if len(found) > 1:
        raise LogError(
            f"more than one field {what} ({', '.join(found)}): name it with {option}"
        )
    return found[0]


def need_fields(head: Head, needed: Iterable[str], tool: str, how: str) -> None:
    """Refuse a file without the fields that a format has."""
    missing = [name for name in needed if name not in head.fields]
    if missing:
        raise LogError(
            f"a log of {tool} must have the field {missing[0]!r}, but it has only "
            f"{', '.join(head.fields) or 'none'}; {how}"
        )


def check_conditions(head: Head, options: Options) -> list[str]:
    """Return the fields of ``--where``; refuse them and ``--group`` if not there."""
    asked = [name for name, _ in options.where]
    for option, names in (("--where", asked), ("--group", [options.group])):
        for name in names:
            if name is not None and name not in head.fields:
                raise LogError(
                    f"{option} {name}: there is no such field, only "
                    f"{', '.join(head.fields)}"
                )
    return asked


def need_kind(head: Head, kinds: tuple[str, ...], tool: str) -> None:
    """Refuse a file of another kind than a format has."""
    if head.kind not in kinds:
        raise LogError(
            f"a log of {tool} must be {' or '.join(kinds)}, but the file is {head.kind}"
        )


def number_fields(head: Head, leave_out: Iterable[str]) -> list[str]:
    """Return the fields whose first values are all numbers, true or false."""
    skipped = set(leave_out)
    return [
        name
        for name in head.fields
        if name not in skipped
        and (values := head.values(name))
        and all(isinstance(value, (bool, int, float)) for value in values)
    ]
