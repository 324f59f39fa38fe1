"""Shared-capacity collapse: one distribution that must serve several tasks.

Each response solves exactly one task, so success on one is bought with success on
another. Training on the average reward moves everything to the task asked most often;
pass@1 rises while pass@k at large k falls.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Int
from scipy.integrate import solve_ivp
from scipy.special import log_softmax, softmax

from toolkit._checks import (
    as_count,
    as_floats,
    check_distributions,
    check_same_shape,
    check_type,
)
from toolkit._types import ResponseValues
from toolkit.language import SharedTestbed
from toolkit.optima import tilted_policy
from toolkit.passk import mean_pass_at_k
from toolkit.policies import response_probs
from toolkit.training import train
from toolkit.updates import policy_gradient

LATEST = 1e12  # time up to which the flow keeps six digits of the fading rates


def task_rates(
    pi: ResponseValues, testbed: SharedTestbed
) -> Float[np.ndarray, "*runs tasks"]:
    """Return each task's success probability, ``p_j = sum of pi(y) over y solving j``.

    Parameters
    ----------
    pi
        Probabilities of the responses to the one prompt, shape (*runs, 1, responses).
    testbed
        The shared testbed.

    Returns
    -------
    array
        Shape (*runs, tasks). Every response solves one task, so the rates sum to 1.

    Raises
    ------
    ValueError
        If ``pi`` is no distribution over the testbed's responses to one prompt.

    Examples
    --------
    >>> from toolkit.language import shared_testbed
    >>> testbed = shared_testbed()
    >>> uniform = np.full((1, 625), 1 / 625)
    >>> task_rates(uniform, testbed)
    array([0.2, 0.2, 0.2, 0.2, 0.2])
    """
    check_type(testbed, "testbed", SharedTestbed)
    pi = as_floats(pi, "pi")
    n_responses = testbed.solves.shape[1]
    if pi.ndim < 2 or pi.shape[-2:] != (1, n_responses):
        raise ValueError(
            f"pi must have shape (*runs, 1, {n_responses}), but its shape is {pi.shape}"
        )
    check_distributions(pi, "pi")
    return pi[..., 0, :] @ testbed.solves.T


def base_rates(testbed: SharedTestbed) -> Float[np.ndarray, " tasks"]:
    """Return each task's success probability under the reference policy."""
    check_type(testbed, "testbed", SharedTestbed)
    return task_rates(response_probs(testbed.ref_logits, testbed.language), testbed)


def tilted_rates(testbed: SharedTestbed, beta: float) -> Float[np.ndarray, " tasks"]:
    """Return each task's success probability at the KL-regularised optimum.

    See :func:`toolkit.optima.tilted_policy` for ``beta``.
    """
    check_type(testbed, "testbed", SharedTestbed)
    pi_ref = response_probs(testbed.ref_logits, testbed.language)
    return task_rates(tilted_policy(pi_ref, testbed.reward, beta), testbed)


@dataclass(frozen=True, eq=False, kw_only=True)
class CollapseRuns:
    """Success by task along RL runs on the shared testbed.

    Attributes
    ----------
    steps
        Numbers of updates done.
    rates
        Success probability of each task, shape (steps, runs, tasks).
    frequencies
        How often each task is asked.
    """

    steps: Int[np.ndarray, " steps"]
    rates: Float[np.ndarray, "steps runs tasks"]
    frequencies: Float[np.ndarray, " tasks"]

    def pass_at_k(
        self, k: int | Int[np.ndarray, " n_k"]
    ) -> Float[np.ndarray, "steps runs *n_k"]:
        """Return mean pass@k of every run at every kept step, weighed by frequency."""
        return mean_pass_at_k(self.rates, k, self.frequencies)


def train_shared(
    testbed: SharedTestbed,
    *,
    steps: int | Sequence[int] = 1500,
    n_runs: int = 64,
    group_size: int = 16,
    learning_rate: float = 0.05,
    beta: float = 0.0,
    reset_every: int | None = None,
    rng: np.random.Generator,
) -> CollapseRuns:
    """Train the shared policy by RLOO, ``n_runs`` times, with the chapter's settings.

    Parameters
    ----------
    testbed
        The shared testbed.
    steps
        Number of updates; or several increasing numbers, to keep the rates there.
    n_runs
        Number of independent runs.
    group_size
        Samples a step.
    learning_rate
        Of Adam.
    beta
        Price of one nat of KL to the reference.
    reset_every
        After every so many updates the policy becomes its reference; never by default.
    rng
        Parent of one generator a run.

    Returns
    -------
    CollapseRuns
        Success by task at each of ``steps``.

    Raises
    ------
    ValueError
        If a number is out of its range.
    """
    check_type(testbed, "testbed", SharedTestbed)
    trajectory = train(
        testbed.ref_logits,
        testbed.reward,
        testbed.language,
        policy_gradient("leave-one-out"),
        steps=steps,
        group_size=group_size,
        learning_rate=learning_rate,
        n_runs=n_runs,
        beta=beta,
        reset_every=reset_every,
        rng=rng,
    )
    return CollapseRuns(
        steps=trajectory.steps,
        rates=task_rates(trajectory.pi, testbed),
        frequencies=testbed.frequencies,
    )


def softmax_flow(
    frequencies: Float[np.ndarray, " tasks"],
    times: Float[np.ndarray, " times"],
    start: Float[np.ndarray, " tasks"] | None = None,
) -> Float[np.ndarray, "times tasks"]:
    """Return the success rates along the exact policy gradient, with no sampling.

    One logit per task, reward f_j for choosing task j, infinitesimal steps::

        d theta_j / dt = p_j (f_j - sum_i p_i f_i),    p = softmax(theta)

    Parameters
    ----------
    frequencies
        How often each task is asked.
    times
        Increasing times from 0 to 1e12, in units of 1 / learning rate.
    start
        Rates at time 0, all positive; even by default.

    Returns
    -------
    array
        Shape (times, tasks).

    Raises
    ------
    ValueError
        If ``frequencies`` or ``start`` is no distribution, ``start`` has a zero, or
        ``times`` does not increase from 0 or later.

    Notes
    -----
    Integrated with SciPy's LSODA to a relative tolerance of 1e-10.

    Examples
    --------
    Tasks asked equally often stay equal:

    >>> softmax_flow(np.array([0.5, 0.5]), np.array([0.0, 10.0]))
    array([[0.5, 0.5],
           [0.5, 0.5]])
    """
    f = as_floats(frequencies, "frequencies", ndim=1)
    check_distributions(f, "frequencies")
    times = as_floats(times, "times", ndim=1)
    if not (times[0] >= 0 and times[-1] <= LATEST and np.all(np.diff(times) > 0)):
        raise ValueError(
            f"times must increase from 0 or later to at most {LATEST:g}, where "
            f"the digits end, but it is {times}"
        )
    p0 = np.full(len(f), 1 / len(f)) if start is None else as_floats(start, "start")
    check_same_shape(f, "frequencies", p0, "start")
    check_distributions(p0, "start")
    if np.any(p0 == 0):
        raise ValueError(f"start must give each task a positive rate, but it is {p0}")

    def ascent(_: float, theta: np.ndarray) -> np.ndarray:
        p = softmax(theta)
        return p * (f - p @ f)

    if times[-1] == 0:
        return p0[None]
    solution = solve_ivp(
        ascent,
        (0.0, times[-1]),
        np.log(p0),
        method="LSODA",
        t_eval=times,
        rtol=1e-10,
        atol=1e-12,
    )
    if not solution.success:
        raise ValueError(
            f"times must be within the solver's reach, but at {times[-1]:g} it said: "
            f"{solution.message}"
        )
    return np.exp(log_softmax(solution.y.T, axis=1))


def flow_pass_at_k_law(
    frequencies: Float[np.ndarray, " tasks"],
    k: int,
    times: Float[np.ndarray, " times"],
) -> Float[np.ndarray, " times"]:
    """Return the law that mean pass@k follows late along :func:`softmax_flow`.

    Each abandoned task fades like ``p_j(t) ~ 1 / (n t (f_1 - f_j))``, so with n tasks::

        pass@k(t) ~ f_1 + k / (n t) * sum_{j >= 2} f_j / (f_1 - f_j)

    Parameters
    ----------
    frequencies
        How often each task is asked; one of them most often.
    k
        Number of samples, 1 or more.
    times
        Times since an even start, in units of 1 / learning rate; above 0.

    Returns
    -------
    array
        One value per time. It is meant for ``k p_j`` well below 1; earlier it is no
        probability.

    Raises
    ------
    ValueError
        If two tasks tie for the most frequent, or a time is not positive.

    Examples
    --------
    >>> f = np.array([0.40, 0.30, 0.15, 0.10, 0.05])
    >>> flow_pass_at_k_law(f, k=256, times=np.array([1e4])).round(4)
    array([0.4209])
    """
    f = as_floats(frequencies, "frequencies", ndim=1)
    check_distributions(f, "frequencies")
    k = as_count(k, "k", low=1)
    times = as_floats(times, "times", ndim=1)
    if not np.all(times > 0):
        raise ValueError(f"times must be above 0, but one is {times.min()}")
    top = f.max()
    others = f[f < top]
    if len(others) != len(f) - 1:
        raise ValueError(f"frequencies must have a single largest entry, but it is {f}")
    with np.errstate(over="ignore"):  # the law is infinite at time 0 and at a tie
        return top + k / (len(f) * times) * np.sum(others / (top - others))
