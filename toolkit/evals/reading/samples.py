"""Read a file with a row for each sample: open, choose rows, group, conclude."""

from collections.abc import Iterable

from toolkit.evals.reading.engine import TEXT, open_table
from toolkit.evals.reading.fields import check_conditions
from toolkit.evals.reading.grouping import keep_where, refuse_none_left, tally_table
from toolkit.evals.reading.head import Head
from toolkit.evals.reading.options import Options
from toolkit.evals.reading.result import Reading, conclude

LIST = f"{TEXT}[]"


def read_samples(
    head: Head,
    options: Options,
    *,
    format: str,
    problem: str,
    score: str,
    group: str | None = None,
    sample: str | None = None,
    mixed: Iterable[str] = (),
    notes: Iterable[str] = (),
    by_prompt: bool = False,
) -> Reading:
    """Return the counts of a file whose rows are samples.

    Parameters
    ----------
    head
        The file.
    options
        What the user said; its ``problem`` and ``score`` have been seen to already.
    format
        Name of the format.
    problem, score, group, sample
        Fields, as in :func:`~toolkit.evals.reading.grouping.count_samples`. A score
        may be a list, with an entry for each sample.
    mixed
        Fields of which a file must have one value only, if it has them at all.
    notes
        What was assumed.
    by_prompt
        ``problem`` is the text of the prompt.

    Raises
    ------
    LogError
        If the file is malformed or does not say what is needed.
    """
    asked = check_conditions(head, options)
    one_value = tuple(name for name in mixed if head.has(name))
    fields = [problem, score, *asked, *one_value]
    fields += [name for name in (group, sample) if name is not None]
    is_list = any(isinstance(value, list) for value in head.values(score))
    types = {score: LIST} if is_list else {}
    with open_table(head, fields, bar=options.progress, types=types) as table:
        kept = keep_where(table, options.where)
        tally = tally_table(
            kept.unnest(score, keep_empty=True) if is_list else kept,
            problem=problem,
            score=score,
            threshold=options.threshold,
            group=group,
            sample=sample,
            constant=one_value,
        )
        if not tally.problems:
            refuse_none_left(table, options.where)
    return conclude(
        tally,
        format=format,
        unscored=options.unscored,
        notes=notes,
        by_prompt=by_prompt,
    )
