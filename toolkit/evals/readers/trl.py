"""TRL: ``completions_<step>.parquet``; no problem id, so by prompt.

The columns are the step, prompt, completion, one for each reward function, and the
advantage. Of several reward functions the one that says "right" must be named.
"""

from toolkit.evals.reading.dumps import read_dump
from toolkit.evals.reading.format import Format
from toolkit.evals.reading.head import Head
from toolkit.evals.reading.options import Options
from toolkit.evals.reading.result import Reading


def _recognises(head: Head) -> bool:
    return head.kind == "parquet" and head.has("step", "completion", "advantage")


def _read(head: Head, options: Options) -> Reading:
    return read_dump(
        head,
        options,
        tool="TRL",
        kind="parquet",
        prompt="prompt",
        no_score=("step", "advantage"),
        mixed=("step", "mode"),
    )


FORMAT = Format(
    name="trl",
    files="TRL: completions/completions_<step>.parquet",
    recognises=_recognises,
    read=_read,
)
