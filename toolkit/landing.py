"""Where each method lands: train several to one success rate, and compare the price."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Int

from toolkit._checks import as_count, as_float
from toolkit.language import Testbed
from toolkit.optima import tilted_policy
from toolkit.policies import expected_reward, response_probs, sample_responses
from toolkit.price import price_of_success
from toolkit.training import train
from toolkit.updates import Adam, Method, Optimiser, policy_gradient, supervised


@dataclass(frozen=True, eq=False, kw_only=True)
class Landing:
    """One method's policies when they first reach a success rate; means over prompts.

    Attributes
    ----------
    steps
        Updates done by then, each run.
    success
        Success rate there, each run.
    forward_surcharge, reverse_surcharge
        KL above the smallest possible at that success, in nats: ``KL(pi_ref || pi)``
        and ``KL(pi || pi_ref)``.
    forward_among_right, reverse_among_right
        The part of each that lies among the right responses.
    pi
        The policies.
    """

    steps: Int[np.ndarray, " runs"]
    success: Float[np.ndarray, " runs"]
    forward_surcharge: Float[np.ndarray, " runs"]
    reverse_surcharge: Float[np.ndarray, " runs"]
    forward_among_right: Float[np.ndarray, " runs"]
    reverse_among_right: Float[np.ndarray, " runs"]
    pi: Float[np.ndarray, "runs prompts responses"]


def usual_methods(
    testbed: Testbed, *, rng: np.random.Generator
) -> dict[str, tuple[Method, float]]:
    """Return the methods that the book compares, by name, each with its ``beta``.

    RL without and with a KL term, and SFT on three kinds of right labels: those of the
    KL-minimal policy, all of them equally often, and one a prompt, drawn by ``rng``
    from the KL-minimal ones.
    """
    pi_ref = response_probs(testbed.ref_logits, testbed.language)
    minimal = tilted_policy(pi_ref, testbed.reward, beta=0.0)
    right = testbed.reward > 0
    even = right / right.sum(axis=1, keepdims=True)
    drawn = sample_responses(minimal, 1, rng=rng)
    single = np.zeros_like(minimal)
    np.put_along_axis(single, drawn, 1.0, axis=1)
    return {
        "RL": (policy_gradient(), 0.0),
        "RL, β = 0.1": (policy_gradient(), 0.1),
        "SFT, KL-minimal labels": (supervised(minimal), 0.0),
        "SFT, even labels": (supervised(even), 0.0),
        "SFT, one label": (supervised(single), 0.0),
    }


@dataclass(frozen=True, eq=False, kw_only=True)
class Stop:
    """Runs of one method, each at the update where it first reached a success rate.

    Attributes
    ----------
    steps
        Updates done by then.
    success
        Success rate there: at or a little above what was asked for.
    pi
        The policies.
    """

    steps: Int[np.ndarray, " runs"]
    success: Float[np.ndarray, " runs"]
    pi: Float[np.ndarray, "runs prompts responses"]


def stop_at(
    testbed: Testbed,
    method: Method,
    *,
    success: Sequence[float],
    max_steps: int,
    every: int = 10,
    beta: float = 0.0,
    group_size: int = 8,
    learning_rate: float = 0.05,
    n_runs: int = 8,
    optimiser: Optimiser = Adam,
    name: str = "the method",
    rng: np.random.Generator,
) -> tuple[Stop, ...]:
    """Train a method once, and stop each run where it first reaches a success rate.

    Parameters
    ----------
    testbed
        Language, reference and reward.
    method
        Who draws the responses and what weighs them.
    success
        Expected rewards, mean over prompts, to stop at; in (0, 1).
    max_steps
        Updates; every run must have got there by then.
    every
        How often to look, in updates.
    beta, group_size, learning_rate, n_runs, optimiser, rng
        As for :func:`toolkit.training.train`.
    name
        What the message calls the method if it does not get there.

    Returns
    -------
    tuple of Stop
        One for each of ``success``.

    Raises
    ------
    ValueError
        If a run does not reach each ``success`` within ``max_steps``, or a number is
        out of its range.
    """
    levels = [as_float(level, "success", low=0, high=1) for level in success]
    every = as_count(every, "every", low=1)
    max_steps = as_count(max_steps, "max_steps", low=every)
    looks = list(range(0, max_steps + 1, every))
    trajectory = train(
        testbed.ref_logits,
        testbed.reward,
        testbed.language,
        method,
        steps=looks,
        group_size=group_size,
        learning_rate=learning_rate,
        n_runs=n_runs,
        beta=beta,
        optimiser=optimiser,
        rng=rng,
    )
    pi = trajectory.pi
    reached = expected_reward(pi, testbed.reward).mean(axis=-1)
    if not np.all(reached.max(axis=0) >= max(levels)):
        raise ValueError(
            f"max_steps must be enough for every run of {name} to reach success "
            f"{max(levels):g}, but after {looks[-1]} one run's best is "
            f"{reached.max(axis=0).min():.3f}"
        )
    runs, stops = np.arange(n_runs), []
    for level in levels:
        first = np.argmax(reached >= level, axis=0)
        stops.append(
            Stop(
                steps=np.array(looks)[first],
                success=reached[first, runs],
                pi=pi[first, runs],
            )
        )
    return tuple(stops)


def land(
    testbed: Testbed,
    methods: Mapping[str, tuple[Method, float]],
    *,
    success: float,
    max_steps: int,
    every: int = 10,
    group_size: int = 8,
    learning_rate: float = 0.05,
    n_runs: int = 8,
    rng: np.random.Generator,
) -> dict[str, Landing]:
    """Train each method until its mean success over prompts reaches ``success``.

    Parameters
    ----------
    testbed
        Language, reference and reward.
    methods
        By name: the method, and the price ``beta`` of its KL term.
    success
        Mean success rate to stop at, in (0, 1).
    max_steps
        Updates after which a method that has not got there is given up.
    every
        How often to look, in updates.
    group_size, learning_rate, n_runs, rng
        As for :func:`toolkit.training.train`.

    Returns
    -------
    dict
        A landing for each method.

    Raises
    ------
    ValueError
        If a run does not reach ``success`` within ``max_steps``, or a number is out of
        its range.
    """
    landings = {}
    for name, (method, beta) in methods.items():
        (stop,) = stop_at(
            testbed,
            method,
            success=[success],
            max_steps=max_steps,
            every=every,
            beta=beta,
            group_size=group_size,
            learning_rate=learning_rate,
            n_runs=n_runs,
            name=repr(name),
            rng=rng,
        )
        landings[name] = _landing(testbed, stop.steps, stop.pi)
    return landings


def _landing(testbed: Testbed, steps: np.ndarray, pi: np.ndarray) -> Landing:
    pi_ref = response_probs(testbed.ref_logits, testbed.language)
    price = price_of_success(
        pi,
        np.broadcast_to(pi_ref, pi.shape),
        np.broadcast_to(testbed.reward, pi.shape),
    )
    return Landing(
        steps=steps,
        success=price.success.mean(axis=-1),
        forward_surcharge=(price.forward - price.forward_floor).mean(axis=-1),
        reverse_surcharge=(price.reverse - price.reverse_floor).mean(axis=-1),
        forward_among_right=price.forward_right.mean(axis=-1),
        reverse_among_right=price.reverse_right.mean(axis=-1),
        pi=pi,
    )
