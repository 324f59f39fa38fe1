"""Recipes of the figures of section 11.3."""

from functools import cache

import numpy as np

from toolkit._checks import as_count
from toolkit.catalogue.recipes import SAMPLED, Recipe
from toolkit.display import BookFigure
from toolkit.figures import forgetting as draw
from toolkit.figures import forgetting_digits as draw_digits
from toolkit.forgetting.fine_tuning import METHODS, fine_tune, pretrain
from toolkit.forgetting.labels import even_labels
from toolkit.forgetting.pythagoras import sample_splits, sample_surcharges, split_kl
from toolkit.forgetting.shared_parameters import (
    draw_shared_tasks,
    fine_tune_shared,
    shared_methods,
)
from toolkit.forgetting.snapshots import Snapshots, predict_forgetting
from toolkit.forgetting.sweep import load_sweep
from toolkit.language import default_testbed
from toolkit.policies import response_probs
from toolkit.reported import reported

PAGE = "chapter11/forgetting"
SHARED_STEPS = (5, 10, 20, 40, 80, 160, 320)
SHARED_RATES = (0.01, 0.03, 0.1)
COMPARED = ("KL-minimal labels", "one label", "RL", "RL, β = 0.3")
LIVE_STEPS = (10, 20, 30, 45, 70, 100, 150, 220, 330)


def pythagoras(policies: int = 12, draws: int = 200, seed: int = 1) -> BookFigure:
    """Make Figure 11.3.1."""
    testbed = default_testbed()
    pi_ref = response_probs(testbed.ref_logits, testbed.language)
    correct = testbed.reward
    rng = np.random.default_rng(as_count(seed, "seed", low=0))
    splits = sample_splits(pi_ref, correct, n_policies=policies, rng=rng)
    even = split_kl(even_labels(correct), pi_ref, correct).surcharge
    choices = {"KL-minimal": np.zeros(1), "even": even.mean(keepdims=True)}
    for name, n_labels in (("two labels", 2), ("one label", 1)):
        choices[name] = sample_surcharges(
            pi_ref, correct, n_labels, n_draws=draws, rng=rng
        )
    return draw.pythagoras_figure(splits, choices)


def shared(maps: int = 20, rank: int = 20, seed: int = 1) -> BookFigure:
    """Make Figure 11.3.2."""
    results = _shared_results(maps, rank, as_count(seed, "seed", low=0))
    return draw.shared_figure(results, COMPARED, learning_rate=0.03)


def trade_off(
    setting: str = "one layer",
    learning_rate: float = 3e-3,
    seeds: int = 2,
    level: float = 0.95,
) -> BookFigure:
    """Make Figure 11.3.3."""
    plan = load_sweep().plan
    base = pretrain(plan.setting(setting), n_runs=seeds, rng=plan.pretraining_rng())
    results = {
        method: fine_tune(
            base,
            method,
            learning_rate=learning_rate,
            steps=LIVE_STEPS,
            rng=plan.fine_tuning_rng(),
        )
        for method in METHODS
    }
    title = f"{setting}, learning rate {learning_rate:g}"
    return draw_digits.trade_off_figure(results, level, title)


def matched(level: float = 0.95, higher_level: float = 0.97) -> BookFigure:
    """Make Figure 11.3.4."""
    panels = (
        ("one layer", level),
        ("two layers", level),
        ("two layers", higher_level),
    )
    return draw_digits.matched_figure(load_sweep(), panels)


def predictors(setting: str = "one layer", base: int = 0) -> BookFigure:
    """Make Figure 11.3.5."""
    return draw_digits.predictor_figure(load_sweep().all_snapshots(setting), base)


def prediction(maps: int = 20, rank: int = 20, seed: int = 1) -> BookFigure:
    """Make Figure 11.3.6."""
    sweep = load_sweep()
    results = _shared_results(maps, rank, as_count(seed, "seed", low=0))
    ours = {"shared map": predict_forgetting(results.values())}
    for setting in sweep.plan.settings:
        found = sweep.all_snapshots(setting.name).values()
        ours[f"digits, {setting.name}"] = predict_forgetting(found)
    return draw_digits.prediction_figure(reported("shenfeld2026"), ours)


@cache
def _shared_results(
    maps: int, rank: int, seed: int
) -> dict[tuple[str, float], Snapshots]:
    tasks = draw_shared_tasks(n_maps=maps, rank=rank, rng=np.random.default_rng(seed))
    return {
        (name, rate): fine_tune_shared(
            tasks, push, learning_rate=rate, steps=SHARED_STEPS
        )
        for name, push in shared_methods(tasks).items()
        for rate in SHARED_RATES
    }


STORED = "Ours, from the stored sweep; `python -m tools.digits_sweep` makes it anew."

RECIPES = (
    Recipe(
        number="11.3.1",
        title="What being right costs in KL, and what the choice of labels adds",
        page=PAGE,
        make=pythagoras,
        deviation="Ours. The identity is exact; labels and policies are drawn.",
    ),
    Recipe(
        number="11.3.2",
        title="Two tasks that share parameters: forgetting by method and by KL",
        page=PAGE,
        make=shared,
        deviation="Ours. Exact gradients; the maps are drawn.",
        digits=SAMPLED,
    ),
    Recipe(
        number="11.3.3",
        title="Digits: old task against new along fine-tuning, one setting",
        page=PAGE,
        make=trade_off,
        deviation=(
            "Ours, after the design of Shenfeld et al.'s (2026) ParityMNIST, with 8 by "
            "8 digits and turned digits in place of MNIST and FashionMNIST."
        ),
        digits=SAMPLED,
    ),
    Recipe(
        number="11.3.4",
        title="Digits: the order of methods, by learning rate and setting",
        page=PAGE,
        make=matched,
        deviation=STORED,
    ),
    Recipe(
        number="11.3.5",
        title="Digits: old-task accuracy against forward and reverse KL",
        page=PAGE,
        make=predictors,
        deviation=STORED,
    ),
    Recipe(
        number="11.3.6",
        title="How well each KL predicts forgetting: the paper's R² beside ours",
        page=PAGE,
        make=prediction,
        deviation=(
            "The paper's values as sets of reading notes give them (Shenfeld et al. "
            "2026); ours from the toy and the stored sweep."
        ),
        digits=SAMPLED,
    ),
)
