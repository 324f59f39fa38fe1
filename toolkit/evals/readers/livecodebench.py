"""LiveCodeBench: ``*_eval_all.json``, problems with a ``graded_list`` each."""

from toolkit.evals.reading.fields import need_fields, need_kind
from toolkit.evals.reading.format import Format
from toolkit.evals.reading.head import Head
from toolkit.evals.reading.options import Options
from toolkit.evals.reading.result import Reading
from toolkit.evals.reading.samples import read_samples

HOW = "run the evaluation with --evaluate and take the file *_eval_all.json"


def _recognises(head: Head) -> bool:
    return head.kind == "json array" and head.has("question_id", "graded_list")


def _read(head: Head, options: Options) -> Reading:
    need_kind(head, ("json array",), "LiveCodeBench")
    need_fields(head, ("question_id", "graded_list"), "LiveCodeBench", HOW)
    return read_samples(
        head,
        options,
        format="livecodebench",
        problem=options.problem or "question_id",
        score=options.score or "graded_list",
        group=options.group,
    )


FORMAT = Format(
    name="livecodebench",
    files="LiveCodeBench: *_eval_all.json",
    recognises=_recognises,
    read=_read,
)
