"""Real counts that ship with the toolkit: one base model and one after RL.

DeepSeek-R1-Distill-Qwen-1.5B and DeepScaleR-1.5B-Preview on 1,060 problems of
mathematics, 128 samples each. ``toolkit/data/deepscaler.txt`` says where they come from
and under which licence.
"""

from importlib.resources import files
from pathlib import Path

from toolkit._checks import check_choice
from toolkit.evals.counts import Counts
from toolkit.evals.pairs import Pair, align
from toolkit.evals.plain import read_csv

MODELS = ("base", "rl")


def shipped_path(model: str) -> Path:
    """Return the path of the counts of ``"base"`` or ``"rl"``, a CSV file.

    Raises
    ------
    ValueError
        If the model is neither.

    Examples
    --------
    >>> shipped_path("rl").name
    'deepscaler-rl.csv'
    """
    check_choice(model, "model", MODELS)
    return Path(str(files("toolkit").joinpath("data", f"deepscaler-{model}.csv")))


def shipped_counts(model: str) -> Counts:
    """Return the counts of ``"base"`` or ``"rl"``.

    Raises
    ------
    ValueError
        If the model is neither.

    Examples
    --------
    >>> base = shipped_counts("base")
    >>> base.n_problems, int(base.n.min()), int(base.n.max())
    (1060, 128, 128)
    """
    return read_csv(shipped_path(model))


def shipped_pair() -> Pair:
    """Return the counts of both models, side by side.

    Examples
    --------
    >>> sorted(set(shipped_pair().groups))
    ['aime24', 'amc23', 'gaokao2023en', 'olympiadbench']
    """
    return align(shipped_counts("base"), shipped_counts("rl"))
