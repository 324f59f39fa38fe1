"""The exact gradient, followed without sampling: what it does to entropy by itself.

One logit per response (a tabular policy), small steps. Two gradients of the same
objective, the expected reward with no KL term, move the logits at different speeds::

    ordinary gradient   d theta / dt = pi * (r - E_pi[r])
    natural gradient    d theta / dt =       r - E_pi[r]

The natural gradient adds the same amount to every right answer's logit, so proportions
stay. The ordinary one adds more to the likelier of two right answers.
"""

import numpy as np
from jaxtyping import Float
from scipy.integrate import solve_ivp
from scipy.special import softmax

from toolkit._checks import (
    as_floats,
    check_distributions,
    check_finite,
    check_same_shape,
)
from toolkit._types import PerPrompt, Policy, Reward


def entropy_velocity(pi: Policy, logit_velocity: Reward) -> PerPrompt:
    """Return how fast a softmax policy's entropy changes as its logits move.

    ``dH/dt = -Cov_pi(log pi, d theta / dt)``

    Entropy falls when the logits of likely responses rise fastest.

    Parameters
    ----------
    pi
        Policy with one logit per response; every response has some probability.
    logit_velocity
        ``d theta / dt`` of each logit.

    Returns
    -------
    PerPrompt
        In nats per unit of time.

    Raises
    ------
    ValueError
        If a row of ``pi`` is not a distribution or holds a zero, ``logit_velocity`` is
        not finite, or the shapes differ.

    Notes
    -----
    Cui et al. (2025) state it for one step of size eta, to first order.

    Examples
    --------
    Moving all logits alike changes nothing; lifting the likelier of two does:

    >>> pi = np.array([[0.75, 0.25]])
    >>> entropy_velocity(pi, np.array([[1.0, 1.0]])).round(12) + 0.0
    array([0.])
    >>> entropy_velocity(pi, np.array([[1.0, 0.0]])) / np.log(3) * 16
    array([-3.])
    """
    pi = as_floats(pi, "pi", ndim=2)
    velocity = as_floats(logit_velocity, "logit_velocity")
    check_same_shape(pi, "pi", velocity, "logit_velocity")
    check_distributions(pi, "pi")
    check_finite(velocity, "logit_velocity")
    _check_positive(pi, "pi")
    surplus = velocity - np.sum(pi * velocity, axis=-1, keepdims=True)
    return -np.sum(pi * np.log(pi) * surplus, axis=-1)


def gradient_velocity(pi: Policy, reward: Reward, *, natural: bool = False) -> Reward:
    """Return the speed of each logit when climbing the expected reward.

    ``pi * (r - E_pi[r])``; for the natural gradient without the factor ``pi``.

    Parameters
    ----------
    pi
        Policy with one logit per response.
    reward
        Finite reward of each response.
    natural
        Whether to follow the natural gradient.

    Returns
    -------
    Reward
        Shape (prompts, responses), in units of reward. A softmax does not notice a
        constant added to a row.

    Raises
    ------
    ValueError
        If a row of ``pi`` is not a distribution, ``reward`` is not finite, or the
        shapes differ.

    Examples
    --------
    >>> pi, reward = np.array([[0.25, 0.75]]), np.array([[1.0, 0.0]])
    >>> gradient_velocity(pi, reward, natural=True)
    array([[ 0.75, -0.25]])
    """
    pi, reward = as_floats(pi, "pi", ndim=2), as_floats(reward, "reward")
    check_same_shape(pi, "pi", reward, "reward")
    check_distributions(pi, "pi")
    check_finite(reward, "reward")
    advantage = reward - np.sum(pi * reward, axis=-1, keepdims=True)
    return advantage if natural else pi * advantage


def ordinary_flow(
    pi_ref: Policy, reward: Reward, times: Float[np.ndarray, " times"]
) -> Float[np.ndarray, "times prompts responses"]:
    """Return the policies along the ordinary gradient of the expected reward, no KL.

    The natural gradient needs no such function: after time t it is at the
    KL-regularised optimum for ``beta = 1/t``, which is ``tilted_policy(pi_ref, reward,
    beta=1/t)``.

    Parameters
    ----------
    pi_ref
        Policy at time 0; every response has some probability.
    reward
        Finite reward of each response.
    times
        Increasing times, 0 or more, in units of 1 / learning rate.

    Returns
    -------
    array
        Shape (times, prompts, responses).

    Raises
    ------
    ValueError
        If a row of ``pi_ref`` is not a distribution or holds a zero, ``reward`` is not
        finite, the shapes differ, or ``times`` does not increase from 0 or later.

    Notes
    -----
    Integrated with SciPy's RK45 to a relative tolerance of 1e-8. Where two responses a
    and b have equal reward, ``d log(pi_a / pi_b) / dt = A (pi_a - pi_b)`` with A the
    advantage: whichever right answer is ahead pulls further ahead.

    Examples
    --------
    Two right answers and a wrong one; 2 to 1 becomes 7 to 1:

    >>> pi_ref, reward = np.array([[0.4, 0.2, 0.4]]), np.array([[1.0, 1.0, 0.0]])
    >>> late = ordinary_flow(pi_ref, reward, np.array([50.0]))[0, 0]
    >>> round(float(late[0] / late[1]), 2)
    7.33
    """
    pi_ref = as_floats(pi_ref, "pi_ref", ndim=2)
    reward = as_floats(reward, "reward")
    check_same_shape(pi_ref, "pi_ref", reward, "reward")
    check_distributions(pi_ref, "pi_ref")
    check_finite(reward, "reward")
    _check_positive(pi_ref, "pi_ref")
    times = as_floats(times, "times", ndim=1)
    if times[0] < 0 or np.any(np.diff(times) <= 0):
        raise ValueError(f"times must increase from 0 or later, but it is {times}")
    flows = [_flow_one(p, r, times) for p, r in zip(pi_ref, reward, strict=True)]
    return np.stack(flows, axis=1)


def _flow_one(p0: np.ndarray, r: np.ndarray, times: np.ndarray) -> np.ndarray:
    if times[-1] == 0:
        return p0[None]

    def ascent(_: float, theta: np.ndarray) -> np.ndarray:
        p = softmax(theta)
        return p * (r - p @ r)

    solution = solve_ivp(
        ascent,
        (0.0, times[-1]),
        np.log(p0),
        method="RK45",
        t_eval=times,
        rtol=1e-8,
        atol=1e-10,
    )
    return softmax(solution.y.T, axis=1)


def _check_positive(pi: np.ndarray, name: str) -> None:
    if np.any(pi == 0):
        x, y = (int(i) for i in np.argwhere(pi == 0)[0])
        raise ValueError(
            f"{name} must be positive everywhere, but entry {(x, y)} is 0: "
            "a softmax of finite logits has no zeros"
        )
