"""Three ways to train on the recovery chain, and what each learns off the path.

Two logits make the policy: of staying on the path, and of recovering when off it. The
gradients differ in whose states they see and in what they are told there:

===========================  =====================  ================================
Gradient                     States                 Told
===========================  =====================  ================================
``demonstration_gradient``   the expert's           the expert's decision (SFT)
``relabelled_gradient``      the learner's own      the expert's decision (DAgger)
``success_gradient``         the learner's own      success at the end (RL)
===========================  =====================  ================================
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from jaxtyping import Bool, Float, Int
from scipy.special import expit

from toolkit._checks import as_count, as_float, as_floats, check_finite
from toolkit.generalization.chain import Chain, chain_success, off_path

ChainLogits: TypeAlias = Float[np.ndarray, "*runs 2"]
"""Logit of staying on the path, and logit of recovering; runs in front."""

MOST_STEPS = 20_000  # training longer than this means that the target is out of reach


def rates(logits: ChainLogits) -> tuple[np.ndarray, np.ndarray]:
    """Return slip and recovery probabilities of a policy, shape (*runs,) each."""
    logits = _as_chain_logits(logits)
    return np.asarray(expit(-logits[..., 0])), np.asarray(expit(logits[..., 1]))


def success_gradient(
    logits: ChainLogits, chain: Chain, *, kick: float = 0.0
) -> ChainLogits:
    """Return the exact gradient of success in the two logits: RL without sampling.

    A decision matters by how often its state is met and by what being on the path
    rather than off is worth afterwards, ``(1-kick) lambda^(T-1-t)`` with
    ``lambda = (1-kick)(1-slip-recovery)``::

        d success / d logit_on  = slip (1-slip)         sum_t on(t)  worth(t)
        d success / d logit_off = recovery (1-recovery) sum_t off(t) worth(t)

    Parameters
    ----------
    logits
        Shape (*runs, 2).
    chain
        The task.
    kick
        Probability of a kick, a decision, while training.

    Returns
    -------
    ChainLogits
        In the shape of ``logits``. The second entry is 0 only if the agent is never
        off the path before its last decision.

    Raises
    ------
    ValueError
        If a logit is not finite or ``kick`` is no probability.

    Examples
    --------
    One decision: the start is on the path, so nothing is learnt about recovering.

    >>> success_gradient(np.array([0.0, 0.0]), Chain(horizon=1))
    array([0.25, 0.  ])
    """
    kick = as_float(kick, "kick", low=0, high=1)
    slip, recovery = (rate[..., None] for rate in rates(logits))
    t = np.arange(chain.horizon)
    off = off_path(slip, recovery, t, kick=kick)
    worth = (1 - kick) * ((1 - kick) * (1 - slip - recovery)) ** t[::-1]
    return np.stack(
        [
            (slip * (1 - slip) * (1 - off) * worth).sum(axis=-1),
            (recovery * (1 - recovery) * off * worth).sum(axis=-1),
        ],
        axis=-1,
    )


def imitation_gradient(logits: ChainLogits, visits: ChainLogits) -> ChainLogits:
    """Return the gradient of the log-likelihood of right decisions in visited states.

    ``(visits_on * slip, visits_off * (1 - recovery))``

    Parameters
    ----------
    logits
        Shape (*runs, 2).
    visits
        How often each state is met, on the path and off it; same shape.

    Returns
    -------
    ChainLogits
        In the shape of ``logits``: 0 for a state that is never visited.

    Raises
    ------
    ValueError
        If an entry is not finite, or the shapes differ.

    Examples
    --------
    >>> imitation_gradient(np.array([0.0, 0.0]), visits=np.array([20.0, 0.0]))
    array([10.,  0.])
    """
    slip, recovery = rates(logits)
    visits = _as_chain_logits(visits, "visits")
    return visits * np.stack([slip, 1 - recovery], axis=-1)


def demonstration_gradient(logits: ChainLogits, chain: Chain) -> ChainLogits:
    """Return the SFT gradient on demonstrations, which never leave the path.

    See :func:`imitation_gradient`: all T visits are on the path, so the second entry is
    exactly 0.
    """
    visits = np.zeros_like(_as_chain_logits(logits))
    visits[..., 0] = chain.horizon
    return imitation_gradient(logits, visits)


def relabelled_gradient(logits: ChainLogits, chain: Chain) -> ChainLogits:
    """Return DAgger's gradient: the learner's own states, the expert's decisions.

    See :func:`imitation_gradient`.
    """
    slip, recovery = (rate[..., None] for rate in rates(logits))
    off = off_path(slip, recovery, np.arange(chain.horizon)).sum(axis=-1)
    return imitation_gradient(logits, np.stack([chain.horizon - off, off], axis=-1))


@dataclass(frozen=True, eq=False, kw_only=True)
class Episodes:
    """Sampled runs through the chain.

    Attributes
    ----------
    on
        Whether the agent was on the path before each decision.
    right
        Whether the decision was right: stayed on, or recovered.
    success
        Whether the agent was on the path at the end.
    """

    on: Bool[np.ndarray, "horizon *runs episodes"]
    right: Bool[np.ndarray, "horizon *runs episodes"]
    success: Bool[np.ndarray, "*runs episodes"]


def sample_episodes(
    logits: ChainLogits,
    chain: Chain,
    *,
    n_episodes: int,
    kick: float = 0.0,
    rng: np.random.Generator,
) -> Episodes:
    """Draw episodes of a policy.

    Parameters
    ----------
    logits
        Shape (*runs, 2).
    chain
        The task.
    n_episodes
        Episodes a run.
    kick
        Probability of a kick, a decision.
    rng
        Source of randomness.

    Returns
    -------
    Episodes
        One column an episode.

    Raises
    ------
    ValueError
        If a logit is not finite or a number is out of its range.
    """
    n_episodes = as_count(n_episodes, "n_episodes", low=1)
    kick = as_float(kick, "kick", low=0, high=1)
    slip, recovery = (rate[..., None] for rate in rates(logits))
    shape = (chain.horizon, *slip.shape[:-1], n_episodes)
    decisions, kicks = rng.random(shape), rng.random(shape)
    on, right = np.ones(shape, dtype=bool), np.empty(shape, dtype=bool)
    state = on[0]
    for t in range(chain.horizon):
        on[t] = state
        right[t] = decisions[t] < np.where(state, 1 - slip, recovery)
        state = right[t] & (kicks[t] >= kick)
    return Episodes(on=on, right=right, success=state)


def estimate_success(
    logits: Float[np.ndarray, " 2"],
    chain: Chain,
    kicks: Float[np.ndarray, " kicks"],
    *,
    n_episodes: int,
    rng: np.random.Generator,
) -> Float[np.ndarray, " kicks"]:
    """Return the share of sampled episodes that succeed, at each probability of a kick.

    Parameters
    ----------
    logits
        One policy.
    chain
        The task.
    kicks
        Probabilities of a kick, a decision.
    n_episodes
        Episodes drawn at each.
    rng
        Source of randomness.

    Returns
    -------
    array
        An unbiased estimate of :func:`toolkit.generalization.chain.chain_success`.

    Raises
    ------
    ValueError
        As for :func:`sample_episodes`.
    """
    return np.array(
        [
            sample_episodes(
                logits, chain, n_episodes=n_episodes, kick=float(kick), rng=rng
            ).success.mean()
            for kick in as_floats(kicks, "kicks", ndim=1)
        ]
    )


def estimate_success_gradient(
    logits: ChainLogits,
    chain: Chain,
    *,
    group_size: int,
    kick: float = 0.0,
    rng: np.random.Generator,
) -> ChainLogits:
    """Return REINFORCE's estimate of :func:`success_gradient`, without bias.

    Success minus the mean of the *other* episodes of the group, times the score
    ``sum_t (right_t - P(right_t))`` of the decisions taken in each state.

    Parameters
    ----------
    logits
        Shape (*runs, 2).
    chain
        The task.
    group_size
        Episodes a run, 2 or more.
    kick
        Probability of a kick, a decision, while training.
    rng
        Source of randomness.

    Returns
    -------
    ChainLogits
        In the shape of ``logits``.

    Raises
    ------
    ValueError
        If a logit is not finite or a number is out of its range.
    """
    group_size = as_count(group_size, "group_size", low=2)
    slip, recovery = (rate[..., None] for rate in rates(logits))
    drawn = sample_episodes(logits, chain, n_episodes=group_size, kick=kick, rng=rng)
    success = drawn.success.astype(np.float64)
    centred = success - success.mean(axis=-1, keepdims=True)
    advantage = centred / (group_size - 1)
    score_on = (drawn.on * (drawn.right - (1 - slip))).sum(axis=0)
    score_off = (~drawn.on * (drawn.right - recovery)).sum(axis=0)
    return np.stack(
        [(advantage * score_on).sum(-1), (advantage * score_off).sum(-1)], axis=-1
    )


@dataclass(frozen=True, eq=False, kw_only=True)
class ChainRuns:
    """Policies trained on the chain until they succeed often enough.

    Attributes
    ----------
    logits
        The policies, shape (runs, 2).
    n_steps
        Updates done by each run.
    converged
        Whether each run reached the success asked for.
    """

    logits: Float[np.ndarray, "runs 2"]
    n_steps: Int[np.ndarray, " runs"]
    converged: Bool[np.ndarray, " runs"]

    @property
    def slip(self) -> Float[np.ndarray, " runs"]:
        """Probability of leaving the path, a decision on it."""
        return rates(self.logits)[0]

    @property
    def recovery(self) -> Float[np.ndarray, " runs"]:
        """Probability of returning, a decision off it."""
        return rates(self.logits)[1]

    def success(
        self, chain: Chain, kicks: Float[np.ndarray, " kicks"]
    ) -> Float[np.ndarray, "kicks runs"]:
        """Return the success of every run at every probability of a kick."""
        return chain_success(
            self.slip, self.recovery, horizon=chain.horizon, kick=kicks[:, None]
        )


def train_chain(
    chain: Chain,
    gradient: Callable[[ChainLogits, Chain], ChainLogits],
    *,
    stop_at: float = 0.95,
    learning_rate: float = 0.03,
    n_runs: int = 1,
    max_steps: int = MOST_STEPS,
) -> ChainRuns:
    """Climb a gradient from the base policy; stop each run at a success without kicks.

    Parameters
    ----------
    chain
        The task and the base policy.
    gradient
        One of the gradients of this module, with what it needs beyond logits and chain
        filled in by ``functools.partial``.
    stop_at
        Success without kicks, exact, at which a run stops; below 1.
    learning_rate
        Step size, above 0.
    n_runs
        Number of runs, which differ only if the gradient is sampled.
    max_steps
        Give up after this many updates; ``converged`` then says so.

    Returns
    -------
    ChainRuns
        The policies at the stop.

    Raises
    ------
    ValueError
        If a number is out of its range.

    Examples
    --------
    Imitation leaves the recovery as it was, to the last bit:

    >>> chain = Chain()
    >>> sft = train_chain(chain, demonstration_gradient)
    >>> bool(sft.logits[0, 1] == chain.base_logits[1])
    True
    """
    stop_at = as_float(stop_at, "stop_at", low=0, high=1, open_high=True)
    learning_rate = as_float(learning_rate, "learning_rate", low=0, open_low=True)
    n_runs = as_count(n_runs, "n_runs", low=1)
    max_steps = as_count(max_steps, "max_steps", low=0)
    logits = np.tile(chain.base_logits, (n_runs, 1))
    n_steps = np.zeros(n_runs, dtype=np.int64)
    for _ in range(max_steps):
        going = ~_reached(logits, chain, stop_at)
        if not going.any():
            break
        step = learning_rate * gradient(logits, chain)
        logits = logits + np.where(going[:, None], step, 0.0)
        n_steps += going
    return ChainRuns(
        logits=logits, n_steps=n_steps, converged=_reached(logits, chain, stop_at)
    )


def _reached(logits: np.ndarray, chain: Chain, stop_at: float) -> np.ndarray:
    slip, recovery = rates(logits)
    return chain_success(slip, recovery, horizon=chain.horizon) >= stop_at


def _as_chain_logits(value: ChainLogits, name: str = "logits") -> ChainLogits:
    logits = as_floats(value, name)
    check_finite(logits, name)
    if logits.ndim < 1 or logits.shape[-1] != 2:
        raise ValueError(
            f"{name} must have a last axis of 2, but its shape is {logits.shape}"
        )
    return logits
