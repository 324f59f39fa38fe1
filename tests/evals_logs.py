"""Small logs of the shape that each tool writes, and what was read from them."""

from hypothesis import strategies as st

from toolkit.evals.reading.errors import LogError


def table(reading):
    """Return n and c by problem."""
    counts = reading.counts
    return {
        name: (int(n), int(c))
        for name, n, c in zip(counts.problems, counts.n, counts.c, strict=True)
    }


def notes(reading):
    return " | ".join(reading.notes)


HUMAN_EVAL = [
    {"task_id": f"test/{task}", "completion": "return 1", "passed": passed}
    for task, passed in [(2, True), (10, False), (2, False), (10, False), (2, True)]
]


def evalplus(*statuses):
    samples = [
        {"task_id": "HumanEval/0", "solution": "x", "base_status": b, "plus_status": p}
        for b, p in statuses
    ]
    return {"date": "2026-11-30", "hash": "0", "eval": {"HumanEval/0": samples}}


def lm_eval(doc, responses, right, filter="strict-match"):
    return {
        "doc_id": doc,
        "doc": {"question": "2+2?"},
        "resps": [responses],
        "filtered_resps": responses[:1],
        "filter": filter,
        "metrics": ["exact_match"],
        "exact_match": right,
    }


VERL = [
    {"input": f"user\nQ{q}", "output": "4", "gts": "4", "score": score, "step": 20}
    for q, score in [(1, 1.0), (2, 0.0), (1, 0.0), (2, 0.0), (1, 1.0)]
]


def sample(id, epoch, value, **more):
    scores = {} if value is None else {"match": {"value": value}}
    return {"id": id, "epoch": epoch, "input": "?", "scores": scores, **more}


def inspect_log(*samples, ids=None, epochs=2):
    ids = sorted({s["id"] for s in samples}) if ids is None else ids
    return {
        "version": 2,
        "status": "success",
        "eval": {
            "task": "add",
            "dataset": {"samples": len(ids), "sample_ids": ids},
            "config": {"epochs": epochs},
        },
        "samples": list(samples),
    }


LETTERS = [sample("a", 1, "C"), sample("a", 2, "I"), sample(7, 1, "N"), sample(7, 2, 1)]


UNSCORED = st.sampled_from([None, "drop", "wrong"])


def outcome_of(call):
    try:
        reading = call()
    except LogError as error:
        return str(error)
    return table(reading), reading.notes
