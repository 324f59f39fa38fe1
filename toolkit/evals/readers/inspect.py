"""inspect_ai: ``.json`` logs and ``.eval`` archives, samples with ``id`` and ``epoch``.

A sample's value is "C" or "I" (correct, incorrect), "N" (no answer: wrong), "P"
(partly: needs a threshold, as 0.5), a number, or an object of values, of which one is
named as ``--score scorer.key``. A sample that stopped with an error, or that the log
announces and does not have, has no score.
"""

from collections.abc import Mapping
from typing import Any

from toolkit.evals.reading.archive import open_archive
from toolkit.evals.reading.errors import LogError
from toolkit.evals.reading.fields import need_kind
from toolkit.evals.reading.format import Format
from toolkit.evals.reading.head import Head
from toolkit.evals.reading.nested import Walk, open_file
from toolkit.evals.reading.options import Options
from toolkit.evals.reading.outcomes import OddScoreError, odd_score_message, outcome
from toolkit.evals.reading.progress import progress
from toolkit.evals.reading.result import Reading, conclude, number
from toolkit.evals.reading.tally import Row, Tally
from toolkit.evals.reading.tasks import refuse_where

LETTERS = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0}
STARTS = ("header.json", "_journal/start.json")  # of a finished log, and of any


def _recognises(head: Head) -> bool:
    if head.kind == "zip":
        return any(head.stands(name) for name in STARTS)
    return head.kind == "json object" and {"version", "eval.task"} <= head.places


def _read(head: Head, options: Options) -> Reading:
    need_kind(head, ("json object", "zip"), "inspect_ai")
    refuse_where(options)
    counted = _Counted(options)
    if head.kind == "zip":
        _read_archive(head, options, counted)
    else:
        _read_json(head, options, counted)
    return conclude(
        counted.tally,
        format="inspect",
        unscored=options.unscored,
        notes=counted.notes(),
    )


class _Counted:
    """The tally of a log's samples, and what was seen of them."""

    def __init__(self, options: Options) -> None:
        self.tally = Tally()
        self._options = options
        self._scorer = ""
        self._failed = 0
        self._absent = 0
        self._epochs: dict[str, set[int]] = {}

    def add(self, sample: Any) -> None:
        """Count one sample of the log."""
        if not isinstance(sample, Mapping) or not isinstance(
            sample.get("id"), (str, int)
        ):
            raise LogError("every sample must have an id, but one does not")
        problem, epoch = str(sample["id"]), sample.get("epoch", 1)
        epochs = self._epochs.setdefault(problem, set())
        if not isinstance(epoch, int) or epoch in epochs:
            raise LogError(
                f"a sample must be there once, but epoch {epoch!r} of {problem!r} "
                "is not a number or is there twice"
            )
        epochs.add(epoch)
        self._failed += bool(sample.get("error"))
        self.tally.add(problem, self._outcome(problem, sample.get("scores") or {}))

    def expect(self, header: Any) -> None:
        """Count samples that the log announces and does not have as unscored."""
        evaluation = header if isinstance(header, Mapping) else {}
        dataset = evaluation.get("dataset") or {}
        config = evaluation.get("config") or {}
        ids, epochs = dataset.get("sample_ids") or [], config.get("epochs") or 1
        if not isinstance(ids, list) or not isinstance(epochs, int):
            raise LogError("the header must list sample_ids and say how many epochs")
        for problem in map(str, ids):
            row = self.tally.problems.setdefault(problem, Row())
            absent = max(epochs - row.rows, 0)
            self._absent += absent
            row.rows += absent
            row.unscored += absent

    def notes(self) -> list[str]:
        """Return what was seen, in words."""
        said = []
        if self._scorer:
            said.append(f"a sample is right by the scorer {self._scorer!r}")
        if self._failed:
            said.append(f"{number(self._failed, 'sample')} stopped with an error")
        if self._absent:
            absent = number(self._absent, "sample")
            said.append(f"the log announces {absent} that it does not have")
        return said

    def _outcome(self, problem: str, scores: Any) -> bool | None:
        if not isinstance(scores, Mapping):
            raise LogError(f"scores must be an object, but for {problem!r} it is not")
        if not scores:
            return None
        scorer, _, key = (self._options.score or "").partition(".")
        if not scorer:
            scorer = self._only(scores)
        if scorer not in scores:
            raise LogError(
                f"--score {scorer}: there is no such scorer, only {', '.join(scores)}"
            )
        self._scorer = f"{scorer}.{key}" if key else scorer
        score = scores[scorer]
        value = score.get("value") if isinstance(score, Mapping) else score
        if isinstance(value, Mapping):
            value = self._part(scorer, key, value)
        value = LETTERS.get(value, value) if isinstance(value, str) else value
        try:
            return outcome(value, self._options.threshold)
        except OddScoreError as error:
            raise LogError(odd_score_message(error.args[0], self._scorer)) from None

    def _only(self, scores: Mapping[str, Any]) -> str:
        if len(scores) > 1:
            raise LogError(
                f"the samples have several scorers ({', '.join(scores)}): name one "
                f"with --score"
            )
        return next(iter(scores))

    def _part(self, scorer: str, key: str, value: Mapping[str, Any]) -> Any:
        if key not in value:
            names = ", ".join(f"{scorer}.{name}" for name in value)
            raise LogError(
                f"the scorer {scorer!r} gives several values ({names}): name one with "
                "--score"
            )
        return value[key]


def _read_json(head: Head, options: Options, counted: _Counted) -> None:
    with open_file(head.path, gzipped=head.gzipped, bar=options.progress) as file:
        walk, header = Walk(file), {}
        for name in walk.members():
            if name == "samples" and walk.peek() == "[":
                for _ in walk.items():
                    counted.add(walk.value())
            elif name == "eval":
                header = walk.value()
            else:
                walk.value()
        walk.finish()
    counted.expect(header)


def _read_archive(head: Head, options: Options, counted: _Counted) -> None:
    with open_archive(head.path) as archive:
        names = [name for name in archive.names if name.startswith("samples/")]
        done = 0
        with progress(lambda: done / len(names), wanted=options.progress):
            for name in names:
                counted.add(archive.load(name))
                done += 1
        start = next((name for name in STARTS if name in archive.names), None)
        if start is None:
            raise LogError(f"the archive must hold {STARTS[0]}, but does not")
        header = archive.load(start)
    counted.expect(header.get("eval") if isinstance(header, Mapping) else {})


FORMAT = Format(
    name="inspect",
    files="inspect_ai: <task>.json and <task>.eval",
    recognises=_recognises,
    read=_read,
)
