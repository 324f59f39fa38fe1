"""lm-evaluation-harness: ``samples_<task>_<date>.jsonl``, a line a document and filter.

With ``repeats`` above 1 a line has several responses and one number for all of them:
how many were right is not in the file, and it is refused. What can be read are runs
with one response a document, put one after another into one file.
"""

from toolkit.evals.reading.engine import open_table
from toolkit.evals.reading.errors import LogError
from toolkit.evals.reading.fields import (
    check_conditions,
    need_fields,
    need_kind,
    the_field,
)
from toolkit.evals.reading.format import Format
from toolkit.evals.reading.grouping import keep_where
from toolkit.evals.reading.head import Head
from toolkit.evals.reading.options import Options
from toolkit.evals.reading.result import Reading
from toolkit.evals.reading.samples import read_samples

HOW = "run lm_eval with --log_samples and take the file samples_<task>_<date>.jsonl"
SEVERAL_RUNS = "lines with the same doc_id were taken as separate samples"


def _recognises(head: Head) -> bool:
    return head.kind == "jsonl" and head.has("doc_id", "resps", "filtered_resps")


def _read(head: Head, options: Options) -> Reading:
    need_kind(head, ("jsonl",), "lm-eval")
    need_fields(head, ("doc_id", "resps"), "lm-eval", HOW)
    metrics = [m for listed in head.values("metrics") for m in listed]
    score = the_field(
        head,
        options.score,
        dict.fromkeys(map(str, metrics)),
        "--score",
        "says whether a sample is right",
    )
    _refuse_repeats(head, options, score)
    return read_samples(
        head,
        options,
        format="lm-eval",
        problem=options.problem or "doc_id",
        score=score,
        group=options.group,
        mixed=("filter",),
        notes=[f"a sample is right by the metric {score!r}", SEVERAL_RUNS],
    )


def _refuse_repeats(head: Head, options: Options, score: str) -> None:
    """Refuse several responses a line, or lines that are no samples of a document."""
    named = check_conditions(head, options)
    types = {"resps": "VARCHAR[][]"}
    with open_table(
        head, ["doc_id", "doc_hash", "resps", *named], bar=options.progress, types=types
    ) as table:
        kept = keep_where(table, options.where)
        counted = kept.agg(
            most=kept.resps[0].length().max(),
            lines=kept.count(),
            ids=kept.doc_id.nunique(),
            documents=(kept.doc_id + " " + kept.doc_hash.fill_null("")).nunique(),
        )
        (row,) = counted.to_pyarrow().to_pylist()
    if (row["most"] or 0) > 1:
        raise LogError(
            f"c is not in the file: a document has {row['most']} responses but one "
            f"{score}; run lm_eval once for each sample (repeats: 1, another --seed) "
            "with --log_samples, and put the files one after another"
        )
    if row["documents"] > row["ids"]:
        raise LogError(
            f"the same doc_id stands for several documents: {row['ids']:,} ids have "
            f"{row['documents']:,} different doc_hash; read each task's log by itself"
        )
    if not head.has("filter") and row["lines"] > row["documents"]:
        raise LogError(
            f"{row['lines']:,} lines are about {row['documents']:,} documents, and no "
            "field says whether they are of several filters or of several samples: "
            "log with a version of lm_eval that writes 'filter'"
        )


FORMAT = Format(
    name="lm-eval",
    files="lm-evaluation-harness: samples_<task>_<date>.jsonl",
    recognises=_recognises,
    read=_read,
)
