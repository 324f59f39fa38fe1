"""verl: validation and rollout dumps, ``<step>.jsonl``; no problem id, so by prompt.

Beside ``score`` a dump has a field for each number that the reward function returned,
such as ``acc``. They need not agree, so one of several must be named.
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
    marked = head.has("gts") or head.has("step")
    return head.kind == "jsonl" and head.has("output", "score") and marked


def _read(head: Head, options: Options) -> Reading:
    need_kind(head, ("jsonl",), "verl")
    problem = options.problem or "input"
    need_fields(head, (problem,), "verl", HOW)
    candidates = number_fields(head, leave_out=("step", "input", "gts"))
    says = "says whether a sample is right"
    return read_samples(
        head,
        options,
        format="verl",
        problem=problem,
        score=the_field(head, options.score, candidates, "--score", says),
        group=options.group,
        mixed=("step",),
        by_prompt=options.problem is None,
    )


FORMAT = Format(
    name="verl",
    files="verl: trainer.validation_data_dir/<step>.jsonl",
    recognises=_recognises,
    read=_read,
)
