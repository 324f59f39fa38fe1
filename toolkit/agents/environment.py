"""The process as an environment to step through, in the manner of Gymnasium.

``reset(seed=...)`` starts an episode, ``step(action)`` takes one action and returns
what is seen, the reward, whether the episode ended, whether it was cut short, notes.
:func:`as_gymnasium` makes an environment of that library, if it is installed, so that
other tools can be plugged in.
"""

from importlib import import_module
from typing import Any, ClassVar, Protocol, runtime_checkable

import numpy as np
from jaxtyping import Float

from toolkit._checks import as_count, as_float, check_type
from toolkit.agents.mdp import FiniteMDP, TurnPolicy


@runtime_checkable
class Steppable(Protocol):
    """What a learner needs of an environment."""

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Start an episode; return what is seen and notes."""

    def step(self, action: Any) -> tuple[Any, Any, bool, bool, dict[str, Any]]:
        """Act; return what is seen, reward, ended, cut short, notes."""


class AgentEnvironment:
    """A finite process, one action at a time.

    What is seen is one number, ``turn * statuses + status``; :meth:`state` takes it
    apart. At the deadline the episode ends by itself, so it is never cut short.

    Parameters
    ----------
    mdp
        The process.

    Examples
    --------
    >>> from toolkit.agents.coding_agent import coding_agent
    >>> env = AgentEnvironment(coding_agent())
    >>> seen, notes = env.reset(seed=1)
    >>> seen, notes["status"]
    (0, 'none')
    >>> seen, reward, ended, cut_short, notes = env.step(2)
    >>> reward, ended, notes["outcome"]
    (0.0, True, 'wrong')
    """

    def __init__(self, mdp: FiniteMDP) -> None:
        check_type(mdp, "mdp", FiniteMDP)
        self.mdp = mdp
        self.n_actions = len(mdp.actions)
        self.n_states = (mdp.turns + 1) * len(mdp.statuses)
        self._follows = mdp.transitions.cumsum(axis=-1)
        self._forced = mdp.deadline.cumsum(axis=-1)
        self._rng: np.random.Generator | None = None
        self._turn, self._status, self._ended = 0, mdp.start, True

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[int, dict[str, Any]]:
        """Start an episode; with a seed, start the random numbers afresh as well."""
        del options  # there are none
        if seed is not None or self._rng is None:
            self._rng = np.random.default_rng(seed)
        self._turn, self._status, self._ended = 0, self.mdp.start, False
        return self._seen(), self._notes()

    def step(
        self, action: int | np.int64
    ) -> tuple[int, float, bool, bool, dict[str, Any]]:
        """Take an action.

        Raises
        ------
        RuntimeError
            If no episode is running.
        """
        if self._ended or self._rng is None:
            raise RuntimeError("no episode is running: call reset() first")
        mdp, n = self.mdp, len(self.mdp.statuses)
        action = as_count(action, "action", low=0, high=self.n_actions - 1)
        follows = self._draw(self._follows[self._status, action])
        self._turn += 1
        if follows < n:
            self._status = follows
            if self._turn < mdp.turns:
                return self._seen(), 0.0, False, False, self._notes()
            follows = n + self._draw(self._forced[self._status])
        self._ended = True
        reward = float(mdp.reward[self._status, follows - n])
        notes = self._notes() | {"outcome": mdp.outcomes[follows - n]}
        return self._seen(), reward, True, False, notes

    def share_random(self, rng: np.random.Generator) -> None:
        """Draw from this generator from now on."""
        self._rng = rng

    def state(self, seen: int) -> tuple[int, int]:
        """Return the turn and the status of what is seen."""
        turn, status = divmod(int(seen), len(self.mdp.statuses))
        return turn, status

    def _seen(self) -> int:
        return self._turn * len(self.mdp.statuses) + self._status

    def _notes(self) -> dict[str, Any]:
        return {"turn": self._turn, "status": self.mdp.statuses[self._status]}

    def _draw(self, reached: np.ndarray) -> int:
        assert self._rng is not None
        return draw(reached, self._rng)


def as_gymnasium(mdp: FiniteMDP, render_mode: str | None = None) -> Any:
    """Return the process as a Gymnasium environment; needs ``gymnasium`` installed.

    Parameters
    ----------
    mdp
        The process.
    render_mode
        Nothing can be rendered: None.

    Raises
    ------
    ImportError
        If Gymnasium is not installed.
    ValueError
        If ``render_mode`` is not None.
    """
    gymnasium: Any = import_module("gymnasium")  # no runtime dependency
    if render_mode is not None:
        raise ValueError(f"render_mode must be None, but it is {render_mode!r}")

    class GymnasiumAgent(gymnasium.Env):  # type: ignore[misc]
        """The agent's world; see :class:`AgentEnvironment`."""

        metadata: ClassVar[dict[str, Any]] = {"render_modes": []}

        def __init__(self) -> None:
            self.inner = AgentEnvironment(mdp)
            self.render_mode = render_mode
            self.action_space = gymnasium.spaces.Discrete(self.inner.n_actions)
            self.observation_space = gymnasium.spaces.Discrete(self.inner.n_states)

        def reset(
            self, *, seed: int | None = None, options: dict[str, Any] | None = None
        ) -> tuple[int, dict[str, Any]]:
            super().reset(seed=seed)
            self.inner.share_random(self.np_random)
            return self.inner.reset(options=options)

        def step(
            self, action: int | np.int64
        ) -> tuple[int, float, bool, bool, dict[str, Any]]:
            return self.inner.step(action)

    return GymnasiumAgent()


def play(
    env: Steppable, pi: TurnPolicy, n_episodes: int, *, rng: np.random.Generator
) -> Float[np.ndarray, " episodes"]:
    """Return the rewards of a policy, by stepping through an environment.

    Parameters
    ----------
    env
        An environment of a finite process, this one's or Gymnasium's. It keeps its own
        random numbers: seed it with ``env.reset(seed=...)`` first.
    pi
        The policy, shape (turns, statuses, actions).
    n_episodes
        Number of episodes, 1 or more.
    rng
        Source of the actions' randomness.
    """
    n_episodes = as_count(n_episodes, "n_episodes", low=1)
    reached = pi.cumsum(axis=-1).reshape(-1, pi.shape[-1])
    rewards = np.zeros(n_episodes)
    for i in range(n_episodes):
        seen, _ = env.reset()
        over = False
        while not over:
            action = draw(reached[seen], rng)
            seen, reward, ended, cut_short, _ = env.step(action)
            rewards[i] += reward
            over = ended or cut_short
    return rewards


def draw(reached: Float[np.ndarray, " outcomes"], rng: np.random.Generator) -> int:
    """Draw an outcome, given the cumulative probabilities, which end near 1."""
    return int(np.searchsorted(reached, rng.random() * reached[-1], side="right"))


def q_learning(
    env: Steppable,
    *,
    n_states: int,
    n_actions: int,
    n_episodes: int,
    explore: float = 0.2,
    discount: float = 1.0,
    step_power: float = 0.7,
    rng: np.random.Generator,
) -> Float[np.ndarray, "states actions"]:
    """Return action values learned by stepping alone, with no look at the process.

    With n(s, a) the number of visits so far::

        Q(s, a) <- Q(s, a) + n(s, a)^-power (reward + discount max Q(next) - Q(s, a))

    Works with any environment whose states and actions are numbered from 0.

    Parameters
    ----------
    env
        The environment; see :func:`play`.
    n_states, n_actions
        Number of states and actions.
    n_episodes
        Number of episodes, 1 or more.
    explore
        Probability to act at random, from 0 to 1.
    discount
        What a reward is worth one step later, above 0 and at most 1. A deadline needs
        none; a world in which one can go round in circles does.
    step_power
        How fast steps shrink with visits, above 0.5 and at most 1.
    rng
        Source of the actions' randomness.
    """
    n_episodes = as_count(n_episodes, "n_episodes", low=1)
    explore = as_float(explore, "explore", low=0, high=1)
    gamma = as_float(discount, "discount", low=0, high=1, open_low=True)
    power = as_float(step_power, "step_power", low=0.5, high=1, open_low=True)
    q, visits = np.zeros((n_states, n_actions)), np.zeros((n_states, n_actions))
    for _ in range(n_episodes):
        seen, _ = env.reset()
        over = False
        while not over:
            action = int(q[seen].argmax())
            if rng.random() < explore:
                action = int(rng.integers(n_actions))
            following, reward, ended, cut_short, _ = env.step(action)
            target = reward if ended else reward + gamma * q[following].max()
            visits[seen, action] += 1
            step = visits[seen, action] ** -power
            q[seen, action] += step * (target - q[seen, action])
            seen, over = following, ended or cut_short
    return q
