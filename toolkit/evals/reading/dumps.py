"""Read the dumps of a trainer: a row a sample, and no id of its problem."""

from collections.abc import Iterable

from toolkit.evals.reading.fields import (
    need_fields,
    need_kind,
    number_fields,
    the_field,
)
from toolkit.evals.reading.head import Head
from toolkit.evals.reading.options import Options
from toolkit.evals.reading.result import Reading
from toolkit.evals.reading.samples import read_samples

HOW = (
    "samples cannot be told apart by problem without it: log the prompt or an id with "
    "every sample"
)


def read_dump(
    head: Head,
    options: Options,
    *,
    tool: str,
    kind: str,
    prompt: str,
    no_score: Iterable[str],
    mixed: Iterable[str],
) -> Reading:
    """Return the counts of a dump, grouped by prompt unless the user named an id.

    Parameters
    ----------
    head
        The file.
    options
        What the user said.
    tool
        Name of the trainer.
    kind
        The kind of file that it writes.
    prompt
        The field with the prompt.
    no_score
        Fields that may hold numbers and are no score.
    mixed
        As for :func:`~toolkit.evals.reading.samples.read_samples`.

    Raises
    ------
    LogError
        If there is no prompt, or of several scores none was named.
    """
    need_kind(head, (kind,), tool)
    problem = options.problem or prompt
    need_fields(head, (problem,), tool, HOW)
    candidates = number_fields(head, leave_out=tuple(no_score))
    says = "says whether a sample is right"
    return read_samples(
        head,
        options,
        format=tool.lower(),
        problem=problem,
        score=the_field(head, options.score, candidates, "--score", says),
        group=options.group,
        mixed=mixed,
        by_prompt=options.problem is None,
    )
