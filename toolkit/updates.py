"""What weighs a sample, and one step of the optimiser.

Every method of the book climbs ``sum_i w_i log pi(y_i|x)``. Methods differ in who draws
the responses y_i and in the weights w_i; a :class:`Method` says both.
"""

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from jaxtyping import Float

from toolkit._checks import (
    as_float,
    as_floats,
    check_choice,
    check_distributions,
    check_finite,
    check_has_axis,
    check_same_shape,
    check_type,
)
from toolkit._types import Policy, SampledValues

BASELINES = ("none", "mean", "leave-one-out")
LARGEST_RATE = 1e100  # larger ones only overflow


def advantages(rewards: SampledValues, baseline: str) -> SampledValues:
    """Return rewards minus a baseline computed within each group (last axis).

    Parameters
    ----------
    rewards
        Reward of each sample, shape (*runs, prompts, group).
    baseline
        ``"none"``: the reward itself; ``"mean"``: minus the group's mean, which shrinks
        the expected gradient by 1 - 1/group; ``"leave-one-out"``: minus the mean of the
        *other* samples, which leaves it unbiased.

    Returns
    -------
    SampledValues
        In the shape of ``rewards``.

    Raises
    ------
    ValueError
        If ``baseline`` is unknown, or a group of one has no other samples.

    Notes
    -----
    Leave-one-out: Kool et al. (2019); RLOO in Ahmadian et al. (2024).

    Examples
    --------
    One right answer of three:

    >>> advantages(np.array([[1.0, 0.0, 0.0]]), "leave-one-out")
    array([[ 1. , -0.5, -0.5]])
    """
    rewards = as_floats(rewards, "rewards")
    check_has_axis(rewards, "rewards")
    check_finite(rewards, "rewards")
    check_choice(baseline, "baseline", BASELINES)
    group = rewards.shape[-1]
    if baseline == "none":
        return rewards
    centred = rewards - rewards.mean(axis=-1, keepdims=True)
    if baseline == "mean":
        return centred
    if group < 2:
        raise ValueError(
            "rewards must hold groups of 2 or more for the leave-one-out baseline, "
            f"but group_size is {group}"
        )
    return centred * (group / (group - 1))


@dataclass(frozen=True, eq=False, kw_only=True)
class Method:
    """A training method: who draws the responses, and what weighs each.

    Attributes
    ----------
    weigh
        Turns the rewards of a group, shape (*runs, prompts, group), into weights of the
        same shape. They are divided by the group size.
    source
        Distribution the responses are drawn from; None for the policy being trained.
    """

    weigh: Callable[[SampledValues], SampledValues]
    source: Policy | None = None

    def __post_init__(self) -> None:
        if not callable(self.weigh):
            raise TypeError(f"weigh must be a function, but it is {self.weigh!r}")
        if self.source is not None:
            source = as_floats(self.source, "source", ndim=2)
            check_distributions(source, "source")
            object.__setattr__(self, "source", source)


def policy_gradient(baseline: str = "leave-one-out") -> Method:
    """Return REINFORCE: own samples, weighed by reward minus ``baseline``.

    See :func:`advantages` for the baselines. ``"leave-one-out"`` is RLOO.
    """
    check_choice(baseline, "baseline", BASELINES)
    return Method(weigh=lambda rewards: advantages(rewards, baseline))


def supervised(target: Policy) -> Method:
    """Return supervised fine-tuning (SFT): samples of ``target``, all of weight 1.

    Raises
    ------
    ValueError
        If a row of ``target`` is not a distribution.
    """
    target = as_floats(target, "target", ndim=2)
    check_distributions(target, "target")
    return Method(weigh=np.ones_like, source=target)


@dataclass(eq=False, kw_only=True)
class Adam:
    """Adam, climbing: ``parameters += rate * m / (sqrt(v) + epsilon)``, bias-corrected.

    Attributes
    ----------
    learning_rate
        Step size, above 0 and at most 1e100.
    decay_mean, decay_square
        Decay of the running mean of the gradient and of its square, in [0, 1).
    epsilon
        Added to the root, above 0.

    Notes
    -----
    Kingma and Ba (2015), algorithm 1, with the two corrections folded into scalars.
    The first step moves every parameter by the learning rate, whatever the gradient's
    size.

    Examples
    --------
    >>> parameters = np.zeros(2)
    >>> Adam(learning_rate=0.5).ascend(parameters, np.array([3.0, -0.01]))
    >>> parameters.round(3)
    array([ 0.5, -0.5])
    """

    learning_rate: float
    decay_mean: float = 0.9
    decay_square: float = 0.999
    epsilon: float = 1e-8
    n_steps: int = field(default=0, init=False)
    _mean: Float[np.ndarray, "..."] | None = field(default=None, init=False)
    _square: Float[np.ndarray, "..."] | None = field(default=None, init=False)
    _scratch: Float[np.ndarray, "..."] | None = field(default=None, init=False)

    def __post_init__(self) -> None:
        _check_learning_rate(self.learning_rate)
        as_float(self.decay_mean, "decay_mean", low=0, high=1, open_high=True)
        as_float(self.decay_square, "decay_square", low=0, high=1, open_high=True)
        as_float(self.epsilon, "epsilon", low=0, open_low=True)

    def ascend(self, parameters: np.ndarray, gradient: np.ndarray) -> None:
        """Move ``parameters``, in place, up ``gradient``: two float64 arrays."""
        _check_float_array(parameters, "parameters")
        _check_float_array(gradient, "gradient")
        check_same_shape(parameters, "parameters", gradient, "gradient")
        check_finite(gradient, "gradient")
        if self._mean is None or self._square is None or self._scratch is None:
            self._mean = np.zeros_like(parameters)
            self._square = np.zeros_like(parameters)
            self._scratch = np.empty_like(parameters)
        check_same_shape(self._mean, "the first step", parameters, "parameters")
        self.n_steps += 1
        mean, square, scratch = self._mean, self._square, self._scratch
        mean *= self.decay_mean
        mean += gradient
        square *= self.decay_square
        np.multiply(gradient, gradient, out=scratch)
        square += scratch
        mean_scale = (1 - self.decay_mean) / (1 - self.decay_mean**self.n_steps)
        square_scale = (1 - self.decay_square) / (1 - self.decay_square**self.n_steps)
        rate = self.learning_rate * mean_scale
        np.sqrt(square, out=scratch)
        scratch *= np.sqrt(square_scale) / rate
        scratch += self.epsilon / rate
        np.divide(mean, scratch, out=scratch)
        parameters += scratch


@dataclass(eq=False, kw_only=True)
class PlainAscent:
    """Gradient ascent with nothing added: ``parameters += rate * gradient``.

    Attributes
    ----------
    learning_rate
        Step size, above 0 and at most 1e100.

    Examples
    --------
    >>> parameters = np.zeros(2)
    >>> PlainAscent(learning_rate=0.5).ascend(parameters, np.array([4.0, -0.5]))
    >>> parameters
    array([ 2.  , -0.25])
    """

    learning_rate: float

    def __post_init__(self) -> None:
        _check_learning_rate(self.learning_rate)

    def ascend(self, parameters: np.ndarray, gradient: np.ndarray) -> None:
        """Move ``parameters``, in place, up ``gradient``: two float64 arrays."""
        _check_float_array(parameters, "parameters")
        _check_float_array(gradient, "gradient")
        check_same_shape(parameters, "parameters", gradient, "gradient")
        check_finite(gradient, "gradient")
        parameters += self.learning_rate * gradient


Optimiser = type[Adam] | type[PlainAscent]
"""How a gradient becomes a step; made with a ``learning_rate``."""


def _check_learning_rate(value: float) -> None:
    as_float(value, "learning_rate", low=0, high=LARGEST_RATE, open_low=True)


def _check_float_array(array: np.ndarray, name: str) -> None:
    check_type(array, name, np.ndarray)
    if array.dtype != np.float64:
        raise TypeError(f"{name} must hold float64, but its dtype is {array.dtype}")
    if array.size == 0:
        raise ValueError(f"{name} must not be empty, but its shape is {array.shape}")
