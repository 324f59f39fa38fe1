"""BigCodeBench: ``*_eval_results.json``, one JSON object, lists of samples."""

from typing import Any

from toolkit.evals.reading.errors import LogError
from toolkit.evals.reading.fields import need_kind
from toolkit.evals.reading.format import Format
from toolkit.evals.reading.head import Head
from toolkit.evals.reading.options import Options
from toolkit.evals.reading.result import Reading, conclude
from toolkit.evals.reading.tasks import tally_tasks


def _recognises(head: Head) -> bool:
    return head.kind == "json object" and head.stands("eval.", ".item.status")


def _read(head: Head, options: Options) -> Reading:
    need_kind(head, ("json object",), "BigCodeBench")
    tally = tally_tasks(head, options, _outcome)
    return conclude(tally, format="bigcodebench", unscored=options.unscored)


def _outcome(sample: dict[str, Any]) -> bool | None:
    status = sample.get("status")
    if status is None:
        return None
    if not isinstance(status, str):
        raise LogError(f"status must be a word, but it is {status!r:.60}")
    return status == "pass"


FORMAT = Format(
    name="bigcodebench",
    files="BigCodeBench: *_eval_results.json",
    recognises=_recognises,
    read=_read,
)
