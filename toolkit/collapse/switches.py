"""The causes of collapse as switches: each turned on alone, all measured alike."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from toolkit._checks import as_count, as_float
from toolkit._types import PerPrompt, ResponseValues
from toolkit.collapse.answers import (
    answer_entropy,
    answer_shares,
    coverage_at_k,
    distinct_at_k,
)
from toolkit.collapse.constrained import fit_picking
from toolkit.collapse.filtering import filter_repeatedly
from toolkit.collapse.flow import ordinary_flow
from toolkit.language import Testbed
from toolkit.optima import tilted_policy
from toolkit.passk import pass_at_k
from toolkit.policies import response_probs
from toolkit.training import train
from toolkit.updates import policy_gradient


@dataclass(frozen=True, eq=False, kw_only=True)
class Outcome:
    """What a policy is like: success and three measures of diversity, by prompt.

    Attributes
    ----------
    entropy
        Among the right answers, in nats.
    distinct
        Different right answers in k draws.
    coverage
        How likely k draws contain an answer drawn from the reference's right ones.
    success
        Probability of a right answer.
    pass_at_k
        How likely k draws contain any right answer.
    """

    entropy: PerPrompt
    distinct: PerPrompt
    coverage: PerPrompt
    success: PerPrompt
    pass_at_k: PerPrompt


def measure(pi: ResponseValues, testbed: Testbed, k: int) -> Outcome:
    """Return the outcome of one policy, or the mean over runs of several.

    Parameters
    ----------
    pi
        Probability of each response, shape (*runs, prompts, responses).
    testbed
        Language, reference policy and a reward of 0 or 1.
    k
        Number of draws, 1 or more.

    Returns
    -------
    Outcome
        ``entropy`` is NaN for a prompt where some run gives no right answer any
        probability: see :func:`toolkit.collapse.answers.answer_entropy`.

    Raises
    ------
    ValueError
        If a row of ``pi`` is not a distribution, a prompt has no right answer, or the
        shapes do not fit.
    """
    pi_ref = response_probs(testbed.ref_logits, testbed.language)
    wanted = answer_shares(pi_ref, testbed.reward)
    success = np.clip(np.sum(pi * testbed.reward, axis=-1), 0, 1)

    def mean(values: Float[np.ndarray, "*runs prompts"]) -> PerPrompt:
        return values.reshape(-1, values.shape[-1]).mean(axis=0)

    return Outcome(
        entropy=mean(answer_entropy(pi, testbed.reward)),
        distinct=mean(distinct_at_k(pi, testbed.reward, k)),
        coverage=mean(coverage_at_k(pi, wanted, k)),
        success=mean(success),
        pass_at_k=mean(pass_at_k(success, k)),
    )


@dataclass(frozen=True, eq=False, kw_only=True)
class Switch:
    """One cause of collapse, off and on.

    Attributes
    ----------
    cause
        What is switched.
    off_setting, on_setting
        What was run.
    off, on
        What came of it.
    """

    cause: str
    off_setting: str
    on_setting: str
    off: Outcome
    on: Outcome


def throw_switches(
    testbed: Testbed,
    *,
    beta: float = 0.1,
    weak_beta: float = 0.001,
    steps: int = 1000,
    n_samples: int = 64,
    rounds: int = 10,
    n_runs: int = 32,
    time: float = 1000.0,
    k: int = 256,
    rng: np.random.Generator,
) -> tuple[Switch, ...]:
    """Return every cause of collapse, off and on, on one testbed.

    Parameters
    ----------
    testbed
        Language, reference policy and a reward of 0 or 1.
    beta
        Price of a nat of KL where the KL term binds.
    weak_beta
        A price too small to bind; 0 or more.
    steps
        Steps of RLOO, with eight samples a prompt and Adam at 0.05.
    n_samples, rounds
        Of the filtering loop.
    n_runs
        Runs of everything that samples.
    time
        How long the exact gradients are followed, in units of 1 / learning rate.
    k
        Draws by which support and coverage are measured.
    rng
        Parent of the generators.

    Returns
    -------
    tuple of Switch
        No KL term; a KL term too weak to bind; the ordinary gradient in place of the
        natural one, with no KL term and no sampling in either; filtering over finitely
        many samples in place of all responses; tokens independent of one another, with
        the objective unchanged.

    Raises
    ------
    ValueError
        If a number is out of its range or the reward is not 0 or 1.
    """
    beta = as_float(beta, "beta", low=0, open_low=True)
    weak_beta = as_float(weak_beta, "weak_beta", low=0)
    time = as_float(time, "time", low=0, open_low=True)
    k = as_count(k, "k", low=1)
    n_runs = as_count(n_runs, "n_runs", low=1)
    pi_ref = response_probs(testbed.ref_logits, testbed.language)
    rl_rng, loop_rng, fit_rng = rng.spawn(3)

    def rloo(price: float) -> Outcome:
        run = train(
            testbed.ref_logits,
            testbed.reward,
            testbed.language,
            policy_gradient("leave-one-out"),
            steps=steps,
            group_size=8,
            learning_rate=0.05,
            n_runs=n_runs,
            beta=price,
            rng=rl_rng,
        )
        return measure(run.pi[-1], testbed, k)

    binding = rloo(beta)
    target = tilted_policy(pi_ref, testbed.reward, beta)
    restricted = tilted_policy(pi_ref, testbed.reward, 0.0)
    loop = filter_repeatedly(
        testbed, rounds=rounds, n_samples=n_samples, n_runs=n_runs, rng=loop_rng
    )
    picks = fit_picking(target, testbed.language, n_starts=n_runs, rng=fit_rng)
    natural = tilted_policy(pi_ref, testbed.reward, 1 / time)
    ordinary = ordinary_flow(pi_ref, testbed.reward, np.array([time]))[0]
    return (
        Switch(
            cause="no KL term",
            off_setting=f"RLOO, β = {beta:g}",
            on_setting="RLOO, β = 0",
            off=binding,
            on=rloo(0.0),
        ),
        Switch(
            cause="weak KL term",
            off_setting=f"RLOO, β = {beta:g}",
            on_setting=f"RLOO, β = {weak_beta:g}",
            off=binding,
            on=rloo(weak_beta),
        ),
        Switch(
            cause="ordinary gradient",
            off_setting="natural, exact",
            on_setting="ordinary, exact",
            off=measure(natural, testbed, k),
            on=measure(ordinary, testbed, k),
        ),
        Switch(
            cause="finite samples in a loop",
            off_setting="filter all",
            on_setting=f"filter {n_samples}",
            off=measure(restricted, testbed, k),
            on=measure(loop.pi[-1], testbed, k),
        ),
        Switch(
            cause="constrained policy",
            off_setting="any policy",
            on_setting="tokens apart",
            off=measure(target, testbed, k),
            on=measure(picks.best, testbed, k),
        ),
    )
