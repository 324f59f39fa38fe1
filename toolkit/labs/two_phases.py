"""Planning and execution under one reward: which is learned first, and why.

A problem is solved by choosing a plan and then carrying out some steps. Each of P types
of problem needs its own choice of plan; the steps are the same for all types. With
``Q = sum_k pi_k q_k`` the chance that the plan works, and ``E = s^n`` that all n steps
are right, the success is ``J = Q E``, and its exact gradient moves::

    plan logits of one type   d theta_k / dt = (1/P) E pi_k (q_k - Q)
    logit of each step        d u / dt       = J (1 - s),      s = sigmoid(u)

All types start alike and stay alike, so that one of them stands for all; so do the
steps.
"""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float
from scipy.integrate import solve_ivp
from scipy.special import entr, expit, log_softmax, logit, softmax

from toolkit._checks import (
    as_count,
    as_float,
    as_floats,
    check_distributions,
    check_probabilities,
    check_same_shape,
)
from toolkit.divergences import entropy


@dataclass(frozen=True, eq=False, kw_only=True)
class Problem:
    """Plans and steps of a problem, and the policy before training.

    Attributes
    ----------
    n_types
        Number P of types of problem, each with plan logits of its own.
    prior
        Probability of each plan before training, all positive.
    quality
        Chance that each plan works if all steps are right.
    step
        Chance that a step is right before training.
    n_steps
        Steps of a plan.
    """

    n_types: int
    prior: Float[np.ndarray, " plans"]
    quality: Float[np.ndarray, " plans"]
    step: float = 0.4
    n_steps: int = 4

    def __post_init__(self) -> None:
        as_count(self.n_types, "n_types", low=1)
        as_count(self.n_steps, "n_steps", low=1)
        as_float(self.step, "step", low=0, high=1, open_low=True, open_high=True)
        prior = as_floats(self.prior, "prior", ndim=1)
        quality = as_floats(self.quality, "quality", ndim=1)
        check_distributions(prior, "prior")
        check_probabilities(quality, "quality")
        check_same_shape(prior, "prior", quality, "quality")
        if not prior.min() > 0:
            raise ValueError(f"prior must be positive, but it is {prior}")


def poor_habit(n_types: int, *, step: float = 0.4) -> Problem:
    """Return the laboratory's problem: a habit that works rarely, five better plans.

    The habit has probability 3/4 and works in 0.3 of the cases; each of the five others
    has 1/20 and works in 0.9.
    """
    return Problem(
        n_types=n_types,
        prior=np.array([0.75, 0.05, 0.05, 0.05, 0.05, 0.05]),
        quality=np.array([0.3, 0.9, 0.9, 0.9, 0.9, 0.9]),
        step=step,
    )


def single_good_plan(n_types: int, *, habit: float) -> Problem:
    """Return a problem of six plans of which one works often, 0.9, and the others 0.3.

    Parameters
    ----------
    n_types
        Number of types of problem.
    habit
        Probability of the first plan, one of the poor ones; the others share the rest.

    Examples
    --------
    >>> problem = single_good_plan(1, habit=0.5)
    >>> round(float(problem.prior @ problem.quality), 6)
    0.36
    """
    habit = as_float(habit, "habit", low=0, high=1, open_low=True, open_high=True)
    return Problem(
        n_types=n_types,
        prior=np.array([habit, *[(1 - habit) / 5] * 5]),
        quality=np.array([0.3, 0.9, 0.3, 0.3, 0.3, 0.3]),
    )


@dataclass(frozen=True, eq=False, kw_only=True)
class Course:
    """Planning and execution along the exact gradient.

    Attributes
    ----------
    problem
        What was trained on.
    times
        In units of 1 / learning rate.
    plans
        Probability of each plan, for one type.
    step
        Chance that one step is right.
    practice
        ``integral of E dt`` up to each time: the clock of planning.
    """

    problem: Problem
    times: Float[np.ndarray, " times"]
    plans: Float[np.ndarray, "times plans"]
    step: Float[np.ndarray, " times"]
    practice: Float[np.ndarray, " times"]

    @property
    def planning(self) -> Float[np.ndarray, " times"]:
        """Q, the chance that the plan works."""
        return self.plans @ self.problem.quality

    @property
    def execution(self) -> Float[np.ndarray, " times"]:
        """E, the chance that all steps are right."""
        return self.step**self.problem.n_steps

    @property
    def success(self) -> Float[np.ndarray, " times"]:
        """J = Q E."""
        return self.planning * self.execution

    @property
    def plan_entropy(self) -> Float[np.ndarray, " times"]:
        """Entropy of the choice of plan, in nats."""
        return entropy(self.plans)

    @property
    def step_entropy(self) -> Float[np.ndarray, " times"]:
        """Entropy of one step, right or wrong, in nats."""
        return entr(self.step) + entr(1 - self.step)

    @property
    def token_entropy(self) -> Float[np.ndarray, " times"]:
        """Mean entropy of a token: one plan token and ``n_steps`` step tokens."""
        n = self.problem.n_steps
        return (self.plan_entropy + n * self.step_entropy) / (n + 1)

    @property
    def planning_gain(self) -> Float[np.ndarray, " times"]:
        """Share of the way from the first Q to the best plan's."""
        best = self.problem.quality.max()
        return (self.planning - self.planning[0]) / (best - self.planning[0])


def train_exactly(
    problem: Problem, times: Float[np.ndarray, " times"], *, bonus: float = 0.0
) -> Course:
    """Follow the exact gradient of the success.

    Parameters
    ----------
    problem
        Plans and steps.
    times
        Increasing times from 0, in units of 1 / learning rate.
    bonus
        Weight alpha of a bonus on plan tokens, whose advantage A = r - J becomes
        ``A + alpha |A|``. In expectation it multiplies the speed of planning by
        ``1 + alpha (1 - 2 J)``.

    Raises
    ------
    ValueError
        If ``times`` does not increase from 0, or ``bonus`` is not from 0 to 1.

    Notes
    -----
    SciPy's LSODA, relative tolerance 1e-8.

    Examples
    --------
    One plan only, and it always works; one step, right half of the time. Its log-odds
    u rise at speed s (1 - s), so ``2 u + exp(u) - exp(-u) = t``:

    >>> sure = Problem(n_types=1, prior=np.array([1.0]), quality=np.array([1.0]),
    ...                step=0.5, n_steps=1)
    >>> t = 2 * np.log(3) + 3 - 1 / 3
    >>> train_exactly(sure, np.array([0.0, t])).step.round(6)
    array([0.5 , 0.75])
    """
    times = as_floats(times, "times", ndim=1)
    if times[0] != 0 or np.any(np.diff(times) <= 0):
        raise ValueError(f"times must increase from 0, but it is {times}")
    bonus = as_float(bonus, "bonus", low=0, high=1)
    quality = as_floats(problem.quality, "quality")
    n_plans = len(quality)

    def ascent(_: float, state: np.ndarray) -> np.ndarray:
        pi, step = softmax(state[:n_plans]), expit(state[n_plans])
        planning, execution = pi @ quality, step**problem.n_steps
        success = planning * execution
        speed = execution / problem.n_types * (1 + bonus * (1 - 2 * success))
        return np.concatenate(
            [
                speed * pi * (quality - planning),
                [success * (1 - step), execution],
            ]
        )

    start = np.concatenate([np.log(problem.prior), [logit(problem.step), 0.0]])
    solution = solve_ivp(
        ascent,
        (0.0, times[-1]),
        start,
        method="LSODA",
        t_eval=times,
        rtol=1e-8,
        atol=1e-10,
    )
    state = solution.y.T
    return Course(
        problem=problem,
        times=times,
        plans=np.exp(log_softmax(state[:, :n_plans], axis=1)),
        step=expit(state[:, n_plans]),
        practice=state[:, n_plans + 1],
    )


def practice_needed(problem: Problem, planning: float) -> float:
    """Return how much practice, ``integral of E dt``, brings Q to ``planning``.

    For one poor plan and m equally good and equally likely others, with ``gap`` between
    their qualities and ``l`` the log-odds of not choosing the poor one::

        practice = P [2 l + exp(l) - exp(-l)] / ((1 + 1/m) gap),  between the two ends

    Execution is in it only as the clock, and the number of types only as a factor.

    Parameters
    ----------
    problem
        Its first plan is the poor one.
    planning
        Chance that the plan works, from the first Q to below the good plans' quality.

    Raises
    ------
    ValueError
        If the other plans are not all alike and better, or ``planning`` is out of its
        range.

    Notes
    -----
    ``d l / d practice = (1/P) (1 + 1/m) gap b (1 - b)`` with b the poor plan's
    probability: the gradient of a coin, sped up by 1 + 1/m.

    Examples
    --------
    One good plan and log-odds from 0 to log 2: 2 log 2 + 3/2, over twice the gap, is
    log 2 + 3/4.

    >>> two = Problem(
    ...     n_types=1, prior=np.array([0.5, 0.5]), quality=np.array([0.0, 1.0])
    ... )
    >>> round(practice_needed(two, 2 / 3) - float(np.log(2)), 9)
    0.75
    """
    prior, quality = as_floats(problem.prior, "prior"), as_floats(problem.quality, "q")
    gap = float(quality[-1] - quality[0])
    if np.ptp(prior[1:]) > 0 or np.ptp(quality[1:]) > 0 or not gap > 0:
        raise ValueError(
            "problem must have a poor plan first and others that are alike and better, "
            f"but its prior is {prior} and its quality {quality}"
        )
    first = float(prior @ quality)
    planning = as_float(
        planning, "planning", low=first, high=float(quality[-1]), open_high=True
    )

    def passed(log_odds: float) -> float:
        return float(2 * log_odds + np.exp(log_odds) - np.exp(-log_odds))

    poor = (quality[-1] - planning) / gap
    way = passed(-logit(poor)) - passed(-logit(prior[0]))
    return float(problem.n_types * way / ((1 + 1 / (len(prior) - 1)) * gap))


def first_time(
    times: Float[np.ndarray, " times"],
    values: Float[np.ndarray, " times"],
    level: float,
) -> float:
    """Return when a curve first reaches ``level``, on a straight line between points.

    Parameters
    ----------
    times, values
        The curve.
    level
        What to reach.

    Raises
    ------
    ValueError
        If the curve stays below.

    Examples
    --------
    >>> first_time(np.array([0.0, 10.0]), np.array([0.0, 1.0]), level=0.25)
    2.5
    """
    values = as_floats(values, "values", ndim=1)
    reached = np.flatnonzero(values >= level)
    if not len(reached):
        raise ValueError(
            f"values must reach level = {level:g}, but the highest is {values.max():g}"
        )
    i = int(reached[0])
    if i == 0:
        return float(times[0])
    share = (level - values[i - 1]) / (values[i] - values[i - 1])
    return float(times[i - 1] + share * (times[i] - times[i - 1]))
