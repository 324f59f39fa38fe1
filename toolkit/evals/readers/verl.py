"""verl: validation and rollout dumps, ``<step>.jsonl``; no problem id, so by prompt.

Beside ``score`` a dump has a field for each number that the reward function returned,
such as ``acc``. They need not agree, so one of several must be named.
"""

from toolkit.evals.reading.dumps import read_dump
from toolkit.evals.reading.format import Format
from toolkit.evals.reading.head import Head
from toolkit.evals.reading.options import Options
from toolkit.evals.reading.result import Reading


def _recognises(head: Head) -> bool:
    marked = head.has("gts") or head.has("step")
    return head.kind == "jsonl" and head.has("output", "score") and marked


def _read(head: Head, options: Options) -> Reading:
    return read_dump(
        head,
        options,
        tool="verl",
        kind="jsonl",
        prompt="input",
        no_score=("step", "input", "gts"),
        mixed=("step",),
    )


FORMAT = Format(
    name="verl",
    files="verl: trainer.validation_data_dir/<step>.jsonl",
    recognises=_recognises,
    read=_read,
)
