"""Samples out of one JSON object: ``{"eval": {task: [sample, ...], ...}}``."""

from collections.abc import Callable
from typing import Any, TypeAlias

from toolkit.evals.reading.errors import LogError
from toolkit.evals.reading.head import Head
from toolkit.evals.reading.nested import Walk, open_file
from toolkit.evals.reading.options import Options
from toolkit.evals.reading.tally import Row, Tally

Outcome: TypeAlias = Callable[[dict[str, Any]], bool | None]
SHAPE = 'the file must hold {"eval": {task: [sample, ...]}}'


def tally_tasks(head: Head, options: Options, outcome: Outcome) -> Tally:
    """Return the tally of such a file; memory grows with the tasks.

    Parameters
    ----------
    head
        The file.
    options
        What the user said.
    outcome
        Whether a sample is right, or None if it has no score.

    Raises
    ------
    LogError
        If the file has another shape or is not whole, a task is there twice, or rows
        are to be chosen by a field, which the format has not.
    """
    refuse_where(options)
    tally = Tally()
    with open_file(head.path, gzipped=head.gzipped, bar=options.progress) as file:
        walk = Walk(file)
        for name in walk.members():
            if name == "eval":
                _add_tasks(walk, tally, outcome)
            else:
                walk.value()
        walk.finish()
    return tally


def _add_tasks(walk: Walk, tally: Tally, outcome: Outcome) -> None:
    for task in walk.members():
        if task in tally.problems:
            raise LogError(f"a task must be there once, but not {task!r}")
        if walk.peek() != "[":
            raise LogError(f"{SHAPE}, but {task!r} has {walk.value()!r:.60}")
        tally.problems[task] = Row()
        for _ in walk.items():
            sample = walk.value()
            if not isinstance(sample, dict):
                raise LogError(f"{SHAPE}, but {task!r} has {sample!r:.60}")
            tally.add(task, outcome(sample))


def refuse_where(options: Options) -> None:
    """Refuse options that need fields, in a format that has none of its own."""
    for name, given in (
        ("--where", options.where),
        ("--problem", options.problem),
        ("--group", options.group),
    ):
        if given:
            raise LogError(f"{name} has no meaning for this format")
