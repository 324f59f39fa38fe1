"""The world as an environment to step through."""

import subprocess
import sys

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from numpy.testing import assert_allclose, assert_array_equal
from strategies import no_type_checker  # noqa: F401

from toolkit.agents.coding_agent import REFERENCE, coding_agent
from toolkit.agents.environment import (
    AgentEnvironment,
    as_gymnasium,
    play,
    q_learning,
)
from toolkit.agents.mdp import same_everywhere
from toolkit.agents.values import optimal_values, policy_values

AGENT = coding_agent()
PI_REF = same_everywhere(AGENT, REFERENCE)


@pytest.fixture
def registered():
    """Register the environment, so that its checker can make another one."""
    name = "WhatRLDoes/CodingAgent-v0"
    gymnasium.register(name, entry_point=lambda **how: as_gymnasium(AGENT, **how))
    yield name
    gymnasium.registry.pop(name)


def test_gymnasium_s_own_checker_finds_nothing(registered):
    check_env(gymnasium.make(registered).unwrapped)  # a warning would be an error


def test_a_random_episode_through_gymnasium_s_wrappers(registered):
    env = gymnasium.make(registered)
    seen, _ = env.reset(seed=3)
    env.action_space.seed(3)
    ended = False
    while not ended:
        assert env.observation_space.contains(seen)
        seen, reward, ended, cut_short, notes = env.step(env.action_space.sample())
        assert not cut_short
    assert reward in (0, 1)
    assert notes["outcome"] in AGENT.outcomes


def steps(env, seed, actions):
    found = [env.reset(seed=seed)]
    for action in actions:
        found.append(env.step(action))
        if found[-1][2]:
            break
    return found


def test_a_seed_fixes_what_the_world_does():
    env = AgentEnvironment(AGENT)
    actions = [0, 0, 1, 0, 1, 0, 1, 0]
    first, again = (steps(env, 5, actions) for _ in range(2))
    assert first == again
    others = [steps(env, seed, actions) for seed in range(6, 16)]
    assert any(other != first for other in others)


def test_without_a_seed_the_next_episode_goes_on_with_the_same_random_numbers():
    env = AgentEnvironment(AGENT)
    env.reset(seed=5)
    rewards = play(env, PI_REF, 20, rng=np.random.default_rng(0))
    env.reset(seed=5)
    again = play(env, PI_REF, 20, rng=np.random.default_rng(0))
    more = play(env, PI_REF, 20, rng=np.random.default_rng(0))
    assert_array_equal(rewards, again)
    assert np.any(rewards != more)


def test_the_deadline_ends_the_episode_with_an_answer():
    env = AgentEnvironment(AGENT)
    env.reset(seed=0)
    for turn in range(1, AGENT.turns):
        seen, _, ended, _, notes = env.step(0)
        assert not ended
        assert env.state(seen)[0] == turn == notes["turn"]
    seen, _, ended, cut_short, notes = env.step(0)
    assert ended
    assert not cut_short
    assert env.state(seen)[0] == AGENT.turns
    assert notes["outcome"] in ("right", "wrong")


def test_stepping_gives_the_exact_value_on_average():
    env = AgentEnvironment(AGENT)
    env.reset(seed=1)
    rewards = play(env, PI_REF, 4000, rng=np.random.default_rng(1))
    margin = 5 * rewards.std() / np.sqrt(len(rewards))
    assert abs(rewards.mean() - policy_values(AGENT, PI_REF).value) < margin


def test_the_next_status_comes_as_often_as_it_should():
    env = AgentEnvironment(AGENT)
    env.reset(seed=2)
    counts = np.zeros(4)
    for _ in range(2000):
        env.reset()
        seen, *_ = env.step(0)
        counts[env.state(seen)[1]] += 1
    assert_allclose(counts / counts.sum(), [0.5, 0.5, 0, 0], atol=0.06)


def test_a_learner_that_only_steps_finds_a_good_policy():
    env = AgentEnvironment(AGENT)
    env.reset(seed=3)
    q = q_learning(
        env,
        n_states=env.n_states,
        n_actions=env.n_actions,
        n_episodes=6000,
        rng=np.random.default_rng(3),
    )
    best = q.reshape(AGENT.turns + 1, 4, 4)[:-1].argmax(axis=-1)
    learned = policy_values(AGENT, np.eye(4)[best]).value
    assert learned > 0.9 * optimal_values(AGENT).value


def test_the_learner_works_on_another_library_s_environment():
    env = gymnasium.make("FrozenLake-v1", is_slippery=False)
    env.reset(seed=0)
    q = q_learning(
        env,
        n_states=16,
        n_actions=4,
        n_episodes=2000,
        explore=0.9,
        discount=0.95,
        rng=np.random.default_rng(0),
    )
    seen, _ = env.reset(seed=0)
    reward = ended = cut_short = 0
    while not (ended or cut_short):
        seen, reward, ended, cut_short, _ = env.step(int(q[seen].argmax()))
    assert reward == 1


def test_the_toolkit_needs_no_gymnasium_to_step():
    code = (
        "import sys; from toolkit.agents.environment import AgentEnvironment\n"
        "from toolkit.agents.coding_agent import coding_agent\n"
        "AgentEnvironment(coding_agent()).reset(seed=0)\n"
        "assert 'gymnasium' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.usefixtures("no_type_checker")
def test_misuse_is_refused():
    env = AgentEnvironment(AGENT)
    with pytest.raises(RuntimeError, match="call reset"):
        env.step(0)
    env.reset(seed=0)
    with pytest.raises(ValueError, match="action must be from 0 to 3, but it is 4"):
        env.step(4)
    env.step(2)
    with pytest.raises(RuntimeError, match="no episode is running"):
        env.step(0)
    with pytest.raises(ValueError, match="render_mode must be None"):
        as_gymnasium(AGENT, render_mode="human")
