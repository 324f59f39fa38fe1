"""EvalPlus: ``*_eval_results.json``, one JSON object, tasks with a list of samples.

A sample has a ``base_status`` (the original tests) and a ``plus_status`` (the added
ones). It is right by ``plus`` if both are passed, as EvalPlus counts it.
"""

from functools import partial
from typing import Any

from toolkit.evals.reading.errors import LogError
from toolkit.evals.reading.fields import need_kind
from toolkit.evals.reading.format import Format
from toolkit.evals.reading.head import Head
from toolkit.evals.reading.options import Options
from toolkit.evals.reading.result import Reading, conclude
from toolkit.evals.reading.tasks import tally_tasks

TESTS = {"base": "of the original set", "plus": "of both sets"}
STATUSES = {"pass": True, "fail": False, "timeout": False, None: None}


def _recognises(head: Head) -> bool:
    return head.kind == "json object" and head.stands("eval.", ".item.base_status")


def _read(head: Head, options: Options) -> Reading:
    need_kind(head, ("json object",), "EvalPlus")
    if options.score is not None and options.score not in TESTS:
        raise LogError(f"--score must be base or plus, but it is {options.score!r}")
    tally = tally_tasks(head, options, partial(_outcome, score=options.score))
    note = (
        "the log has no added tests: a sample is right by the original ones"
        if options.score is None
        else f"a sample is right by the tests {TESTS[options.score]}"
    )
    return conclude(tally, format="evalplus", unscored=options.unscored, notes=[note])


def _outcome(sample: dict[str, Any], *, score: str | None) -> bool | None:
    base, plus = _status(sample, "base_status"), _status(sample, "plus_status")
    if score is None and plus is not None:
        raise LogError(
            "a sample has two results, base_status and plus_status: name one with "
            "--score base or --score plus"
        )
    if score != "plus":
        return base
    if base is False or plus is False:
        return False
    return None if base is None or plus is None else True


def _status(sample: dict[str, Any], name: str) -> bool | None:
    status = sample.get(name)
    if not isinstance(status, (str, type(None))) or status not in STATUSES:
        raise LogError(f"{name} must be pass, fail or timeout, not {status!r:.60}")
    return STATUSES[status]


FORMAT = Format(
    name="evalplus",
    files="EvalPlus: *_eval_results.json",
    recognises=_recognises,
    read=_read,
)
