"""TRL: ``completions_<step>.parquet``; no problem id, so by prompt.

The columns are the step, prompt, completion, one for each reward function, and the
advantage. Of several reward functions the one that says "right" must be named.
"""

from toolkit.evals.reading.fields import (
    need_fields,
    need_kind,
    number_fields,
    the_field,
)
from toolkit.evals.reading.format import Format
from toolkit.evals.reading.head import Head
from toolkit.evals.reading.options import Options
from toolkit.evals.reading.result import Reading
from toolkit.evals.reading.samples import read_samples

HOW = (
    "samples cannot be told apart by problem without it: log the prompt or an id with "
    "every sample"
)


def _recognises(head: Head) -> bool:
    return head.kind == "parquet" and head.has("step", "completion", "advantage")


def _read(head: Head, options: Options) -> Reading:
    need_kind(head, ("parquet",), "TRL")
    problem = options.problem or "prompt"
    need_fields(head, (problem,), "TRL", HOW)
    candidates = number_fields(head, leave_out=("step", "advantage"))
    says = "says whether a sample is right"
    return read_samples(
        head,
        options,
        format="trl",
        problem=problem,
        score=the_field(head, options.score, candidates, "--score", says),
        group=options.group,
        mixed=("step", "mode"),
        by_prompt=options.problem is None,
    )


FORMAT = Format(
    name="trl",
    files="TRL: completions/completions_<step>.parquet",
    recognises=_recognises,
    read=_read,
)
