"""Recipes of the figures of section 11.5."""

import numpy as np

from toolkit._checks import as_count
from toolkit.agents import staleness
from toolkit.agents.bandit import single_response
from toolkit.agents.bonus import bonus_side_effect
from toolkit.agents.calibration import reliability
from toolkit.agents.coding_agent import HASTY, PATIENT, REFERENCE, coding_agent
from toolkit.agents.credit import variance_by_horizon
from toolkit.agents.estimates import study_estimators
from toolkit.agents.hacking import follow_proxy, turning_point
from toolkit.agents.imitation import imitate_successes
from toolkit.agents.learning import learn
from toolkit.agents.mdp import same_everywhere
from toolkit.agents.monitoring import Monitor, train_against
from toolkit.agents.reflection import BONUSES, checker_verdicts, train_reports
from toolkit.agents.soft import soft_optimum
from toolkit.agents.values import optimal_values, policy_values
from toolkit.catalogue.recipes import SAMPLED, Recipe
from toolkit.display import BookFigure
from toolkit.figures import agent_hacking, agent_training
from toolkit.figures import agents as draw
from toolkit.language import default_testbed
from toolkit.policies import response_probs

PAGE = "chapter11/agents"
PROMPT = 3  # of the toy language: its success rate is nearest to the agent's
HORIZONS = (2, 4, 8, 16, 32, 64)
COUNTS = (10, 20, 50, 100, 200, 500)


def world(turns: int = 8) -> BookFigure:
    """Make Figure 11.5.1."""
    return draw.diagram_figure(coding_agent(turns))


def laws(turns: int = 8, rounds: int = 30) -> BookFigure:
    """Make Figure 11.5.2."""
    agent, testbed = coding_agent(turns), default_testbed()
    pi_ref = same_everywhere(agent, REFERENCE)
    responses = response_probs(testbed.ref_logits, testbed.language)[PROMPT]
    eta = np.linspace(0, 20, 41)
    success = policy_values(agent, soft_optimum(agent, pi_ref, eta).policy).value
    worlds = {
        "single response": (
            single_response(testbed.reward[PROMPT]),
            responses[None, None],
        ),
        "agent": (agent, pi_ref),
    }
    imitated = {
        name: imitate_successes(mdp, pi, rounds=rounds)
        for name, (mdp, pi) in worlds.items()
    }
    return draw.bandit_figure(
        eta, success, float(optimal_values(agent).value), imitated
    )


def values(turns: int = 8) -> BookFigure:
    """Make Figure 11.5.3."""
    agent = coding_agent(turns)
    return draw.values_figure(agent, optimal_values(agent))


def estimators(
    turns: int = 8,
    episodes: tuple[int, ...] = COUNTS,
    repeats: int = 200,
    seed: int = 1,
) -> BookFigure:
    """Make Figure 11.5.4."""
    agent = coding_agent(turns)
    pi_ref = same_everywhere(agent, REFERENCE)
    rng = _generator(seed)
    return draw.estimators_figure(
        study_estimators(agent, pi_ref, episodes, n_runs=repeats, rng=rng)
    )


def credit(
    turns: int = 8,
    horizon: tuple[int, ...] = HORIZONS,
    seeds: int = 16,
    seed: int = 1,
) -> BookFigure:
    """Make Figure 11.5.5."""
    agent = coding_agent(turns)
    return agent_training.credit_figure(
        variance_by_horizon(agent, PATIENT, horizon),
        learn(
            agent,
            same_everywhere(agent, REFERENCE),
            n_runs=seeds,
            rng=_generator(seed),
        ),
        float(optimal_values(agent).value),
    )


def stale(turns: int = 8, seeds: int = 16, seed: int = 1) -> BookFigure:
    """Make Figure 11.5.6."""
    agent, rng = coding_agent(turns), _generator(seed)
    pi_ref, hasty = (same_everywhere(agent, p) for p in (REFERENCE, HASTY))
    path = staleness.ascend_exactly(agent, pi_ref, steps=64, learning_rate=4.0)
    lags, now = 2 ** np.arange(7), path[64]
    sampled = {
        lag: staleness.estimate_second_moment(
            agent, now, path[64 - lag], n_episodes=1000, n_runs=8, rng=rng
        )
        for lag in lags.tolist()
    }
    able = staleness.train_on_stale(
        agent, pi_ref, staleness.RULES, [0, 16, 64], n_runs=max(1, seeds // 2), rng=rng
    )
    misled = staleness.train_on_stale(
        agent,
        hasty,
        ["uncorrected", "turn ratio", "preference pairs"],
        [0, 16, 64, 1000],
        steps=100,
        learning_rate=16.0,
        n_runs=seeds,
        rng=rng,
    )
    moment = staleness.weight_second_moment(agent, now, path[64 - lags])
    return agent_training.staleness_figure(lags, moment, sampled, able, misled)


def hacking(
    turns: int = 8, actions: float = 0.3, thoughts: float = 0.9, unsaid: float = 0.1
) -> BookFigure:
    """Make Figure 11.5.7."""
    agent, fooled = coding_agent(turns), coding_agent(turns, exit_pays=1.0)
    pi_ref, eta = same_everywhere(agent, REFERENCE), np.linspace(0, 30, 121)
    turn = np.array([turning_point(agent, fooled, pi_ref)])
    judge = Monitor(said=thoughts, unsaid=actions)
    in_reward = {
        "none": Monitor(said=0.0, unsaid=0.0),
        "actions": Monitor(said=actions, unsaid=actions),
        "actions and thoughts": judge,
    }
    monitored = {
        name: train_against(
            monitor, judge=judge, eta=eta, unsaid_share=unsaid, turns=turns
        )
        for name, monitor in in_reward.items()
    }
    return agent_hacking.hacking_figure(
        follow_proxy(agent, fooled, pi_ref, eta),
        follow_proxy(agent, fooled, pi_ref, turn),
        monitored,
    )


def reflection(
    turns: int = 8, pass_right: float = 0.9, pass_wrong: float = 0.2
) -> BookFigure:
    """Make Figure 11.5.8."""
    agent = coding_agent(turns)
    pi_ref = same_everywhere(agent, REFERENCE)
    said = checker_verdicts(
        agent.ends[:, 2, 0], pass_right=pass_right, pass_wrong=pass_wrong
    )
    weights = np.linspace(0, 25, 251)
    return agent_hacking.reflection_figure(
        {
            b: reliability(agent, pi_ref, said, train_reports(said.right, b))
            for b in BONUSES
        },
        {b: bonus_side_effect(agent, said, b, weights) for b in BONUSES},
    )


def _generator(seed: int) -> np.random.Generator:
    return np.random.default_rng(as_count(seed, "seed", low=0))


RECIPES = (
    Recipe(
        number="11.5.1",
        title="The agent's world",
        page=PAGE,
        make=world,
        deviation="Ours.",
    ),
    Recipe(
        number="11.5.2",
        title="Two laws of the single response that an agent breaks",
        page=PAGE,
        make=laws,
        deviation="Ours. Exact.",
    ),
    Recipe(
        number="11.5.3",
        title="Values of states and actions under the best policy",
        page=PAGE,
        make=values,
        deviation="Ours. Exact.",
    ),
    Recipe(
        number="11.5.4",
        title="Monte-Carlo and TD estimates against exact values",
        page=PAGE,
        make=estimators,
        deviation="Ours. Sampled repeats, compared with exact values.",
        digits=SAMPLED,
    ),
    Recipe(
        number="11.5.5",
        title="Credit for turns: gradient variance by horizon, and learning curves",
        page=PAGE,
        make=credit,
        deviation="Ours. Variances exact, learning curves sampled.",
        digits=SAMPLED,
    ),
    Recipe(
        number="11.5.6",
        title="Learning from episodes that are some updates old",
        page=PAGE,
        make=stale,
        deviation="Ours. The second moment exact, training sampled.",
        digits=SAMPLED,
    ),
    Recipe(
        number="11.5.7",
        title="Proxy and true reward, the turning point, and monitors in the reward",
        page=PAGE,
        make=hacking,
        deviation="Ours. Exact; the monitors' rates of detection are chosen.",
    ),
    Recipe(
        number="11.5.8",
        title="Reports that two bonuses teach, and their side effect",
        page=PAGE,
        make=reflection,
        deviation="Ours. Exact gradients and values.",
    ),
)
