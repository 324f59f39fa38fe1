"""What fields are called in files that no tool in particular wrote."""

KINDS = ("csv", "jsonl", "json array", "parquet")
PROBLEMS = ("problem", "problem_id", "task_id", "question_id", "id")
GROUPS = ("group", "source", "benchmark", "dataset")
SAMPLES = ("sample", "sample_id", "sample_index", "completion_id", "trial")
MIXED = ("model", "role", "checkpoint", "step", "filter", "scorer")
"""Fields of which rows that are counted together may have one value only."""
