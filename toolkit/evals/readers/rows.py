"""A row a sample, of no tool in particular: CSV, JSON lines, a JSON array or parquet.

A row names its problem and says whether the sample is right: true or false, 1 or 0, or
a score, with a threshold that the user names. Where a row stands for a problem, its
score may be a list with an entry for each sample.
"""

from toolkit.evals.reading.fields import need_kind, the_field
from toolkit.evals.reading.format import Format
from toolkit.evals.reading.head import Head
from toolkit.evals.reading.names import GROUPS, KINDS, MIXED, PROBLEMS, SAMPLES
from toolkit.evals.reading.options import Options
from toolkit.evals.reading.result import Reading
from toolkit.evals.reading.samples import read_samples

SCORE = (
    "passed",
    "correct",
    "is_correct",
    "success",
    "resolved",
    "graded_list",
    "acc",
    "score",
    "reward",
)


def _recognises(head: Head) -> bool:
    return head.kind in KINDS and head.has_one(PROBLEMS) and head.has_one(SCORE)


def _read(head: Head, options: Options) -> Reading:
    need_kind(head, KINDS, "rows")
    problem = the_field(
        head, options.problem, PROBLEMS, "--problem", "names the problem of a row"
    )
    says = "says whether a sample is right"
    score = the_field(head, options.score, SCORE, "--score", says)
    return read_samples(
        head,
        options,
        format="rows",
        problem=problem,
        score=score,
        group=options.group or head.only_one(GROUPS),
        sample=head.only_one(name for name in SAMPLES if name != problem),
        mixed=MIXED,
        notes=[f"a sample is right by the field {score!r}, a problem is {problem!r}"],
    )


FORMAT = Format(
    name="rows",
    files="any CSV, JSON or parquet with a row a sample",
    recognises=_recognises,
    read=_read,
    is_general=True,
)
