"""human-eval: ``*_results.jsonl``, a line a sample with ``task_id`` and ``passed``."""

from toolkit.evals.reading.fields import need_fields, need_kind
from toolkit.evals.reading.format import Format
from toolkit.evals.reading.head import Head
from toolkit.evals.reading.options import Options
from toolkit.evals.reading.result import Reading
from toolkit.evals.reading.samples import read_samples

HOW = "evaluate the samples first: evaluate_functional_correctness samples.jsonl"


def _recognises(head: Head) -> bool:
    return head.kind == "jsonl" and head.has("task_id", "completion", "passed")


def _read(head: Head, options: Options) -> Reading:
    need_kind(head, ("jsonl",), "human-eval")
    need_fields(head, ("task_id", "passed"), "human-eval", HOW)
    sample = "completion_id" if head.has("completion_id") else None
    return read_samples(
        head,
        options,
        format="human-eval",
        problem=options.problem or "task_id",
        score=options.score or "passed",
        group=options.group,
        sample=sample,
    )


FORMAT = Format(
    name="human-eval",
    files="human-eval: samples.jsonl_results.jsonl",
    recognises=_recognises,
    read=_read,
)
