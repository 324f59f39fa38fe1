"""Recipes of the figures of section 11.2."""

from functools import partial

import numpy as np

from toolkit._checks import as_count, as_float
from toolkit.catalogue.recipes import SAMPLED, Recipe
from toolkit.display import BookFigure
from toolkit.figures import generalization as draw
from toolkit.generalization import recovery as ways
from toolkit.generalization.chain import Chain, expected_errors, slip_at_success
from toolkit.generalization.hands import hands_game
from toolkit.generalization.sweep import sweep_rule_rates
from toolkit.reported import reported

RULE_RATES = (0.003, 0.01, 0.03, 0.1, 0.3, 1.0)
KICKS = (0.0, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3)


def reported_shift() -> BookFigure:
    """Make Figure 11.2.1."""
    return draw.reported_shift_figure(reported("chu2025"))


def kicks(
    horizon: int = 20,
    slip: float = 0.1,
    recovery: float = 0.1,
    kick: tuple[float, ...] = KICKS,
    seeds: int = 64,
    episodes: int = 2000,
    seed: int = 1,
) -> BookFigure:
    """Make Figure 11.2.2."""
    chain = Chain(horizon=horizon, slip=slip, recovery=recovery)
    rng = np.random.default_rng(as_count(seed, "seed", low=0))
    sampled_rl = partial(ways.estimate_success_gradient, group_size=16, rng=rng)
    runs = {
        "SFT": ways.train_chain(chain, ways.demonstration_gradient),
        "RL": ways.train_chain(chain, sampled_rl, n_runs=seeds),
        "DAgger": ways.train_chain(chain, ways.relabelled_gradient),
    }
    at = np.array(kick)
    sampled = {
        name: ways.estimate_success(
            run.logits[0], chain, at, n_episodes=episodes, rng=rng
        )
        for name, run in runs.items()
    }
    q = np.linspace(0.02, 0.7, 35)
    level = (q, slip_at_success(0.95, q, horizon=horizon))
    return draw.kicks_figure(chain, runs, level, at, sampled)


def horizon(
    slip: float = 0.001, recovery: tuple[float, ...] = (0.0, 0.1, 0.5)
) -> BookFigure:
    """Make Figure 11.2.3."""
    e = as_float(slip, "slip", low=0, high=1, open_low=True)
    T = np.unique(np.geomspace(1, 1000, 25).round()).astype(int)
    errors = {f"q = {q:g}": expected_errors(e, q, T) for q in recovery}
    linear = e / (e + max(recovery)) * T
    laws = {"½ e T (T+1)": e * T * (T + 1) / 2, "e T / (e + q)": linear}
    return draw.horizon_figure(T, errors, laws)


def rule_rate(
    rho: tuple[float, ...] = RULE_RATES, draws: int = 6, seed: int = 1
) -> BookFigure:
    """Make Figure 11.2.4."""
    game = hands_game()
    rng = np.random.default_rng(as_count(seed, "seed", low=0))
    sweep = sweep_rule_rates(game, np.array(rho), n_draws=draws, rng=rng)
    base = (game.pi_ref * game.correct_in_test).sum(axis=1)[game.moved].mean()
    return draw.rule_rate_figure(sweep, float(base))


RECIPES = (
    Recipe(
        number="11.2.1",
        title="Six comparisons of SFT and RL out of distribution, as reported",
        page="chapter11/generalization",
        make=reported_shift,
        deviation=(
            "Drawn by us from Chu et al.'s (2025) numbers as two independent sets of "
            "reading notes give them."
        ),
    ),
    Recipe(
        number="11.2.2",
        title="Policies equal without kicks, and what kicks do to them",
        page="chapter11/generalization",
        make=kicks,
        deviation="Ours. SFT and DAgger exact; RL is 64 sampled runs.",
        digits=SAMPLED,
    ),
    Recipe(
        number="11.2.3",
        title="Errors compound with the horizon, or do not",
        page="chapter11/generalization",
        make=horizon,
        deviation="Ours. Exact.",
    ),
    Recipe(
        number="11.2.4",
        title="What is left when the rule changes, against how fast it is learnt",
        page="chapter11/generalization",
        make=rule_rate,
        deviation="Ours. Exact gradients; the labels of SFT on 1 label are drawn.",
        digits=SAMPLED,
    ),
)
