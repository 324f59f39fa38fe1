"""Laboratory 4: how many different answers RL and supervised fine-tuning leave."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float
from scipy.special import gammaln, xlog1py, xlogy

from toolkit._checks import as_count, as_floats, check_distributions, check_type
from toolkit._types import Policy, ResponseValues, Reward
from toolkit.collapse.answers import check_right_or_wrong, distinct_at_k
from toolkit.language import Testbed, ToyLanguage, reference_logits
from toolkit.optima import tilted_policy
from toolkit.policies import logits_from_probs, response_probs, sample_responses


@dataclass(frozen=True, eq=False, kw_only=True)
class AnswerCounts:
    """Different answers expected in k samples a prompt, summed over prompts.

    Attributes
    ----------
    right, wrong
        One number for every run.
    """

    right: Float[np.ndarray, "*runs"]
    wrong: Float[np.ndarray, "*runs"]


def count_answers(pi: ResponseValues, testbed: Testbed, k: int = 256) -> AnswerCounts:
    """Return how many different right and wrong answers ``k`` samples contain.

    Exact given the policy: ``sum_y 1 - (1 - pi(y))^k`` over right or wrong responses.

    Parameters
    ----------
    pi
        Probability of each response, shape (*runs, prompts, responses), with one run
        or more.
    testbed
        Its reward, 0 or 1, says which are right.
    k
        Samples a prompt, 1 or more.
    """
    check_type(testbed, "testbed", Testbed)
    reward = testbed.reward
    return AnswerCounts(
        right=distinct_at_k(pi, reward, k).sum(axis=-1),
        wrong=distinct_at_k(pi, 1 - reward, k).sum(axis=-1),
    )


def other_teacher(
    testbed: Testbed, seed: int = 7, concentration: float = 1.0
) -> Policy:
    """Return another reference of the testbed's language, restricted to right answers.

    Parameters
    ----------
    testbed
        Language and reward.
    seed
        Of the teacher's own corpus.
    concentration
        Of its chains; larger ones make a flatter teacher.
    """
    check_type(testbed, "testbed", Testbed)
    logits = reference_logits(
        testbed.language,
        n_prompts=len(testbed.reward),
        concentration=concentration,
        rng=np.random.default_rng(as_count(seed, "seed", low=0)),
    )
    pi = response_probs(logits, testbed.language)
    return tilted_policy(pi, testbed.reward, beta=0.0)


def sample_labels(
    target: Policy, n_labels: int, *, n_runs: int, rng: np.random.Generator
) -> Float[np.ndarray, "runs prompts responses"]:
    """Return the shares of labels drawn from ``target``, by run and prompt.

    Examples
    --------
    >>> sure = np.array([[0.0, 1.0]])
    >>> sample_labels(sure, 3, n_runs=1, rng=np.random.default_rng(0))
    array([[[0., 1.]]])
    """
    target = as_floats(target, "target", ndim=2)
    n_runs = as_count(n_runs, "n_runs", low=1)
    copies = np.broadcast_to(target, (n_runs, *target.shape))
    drawn = sample_responses(copies, n_labels, rng=rng)
    shares = np.zeros(copies.shape)
    run, prompt, _ = np.indices(drawn.shape)
    np.add.at(shares, (run, prompt, drawn), 1 / n_labels)
    return shares


def expected_found(target: Policy, reward: Reward, n_labels: int, k: int) -> float:
    """Return how many right answers ``k`` samples of a perfect fit to labels show.

    Both draws are random: each label set, and the samples of the policy that copies its
    shares. With C ~ Binomial(n, target(y)) copies of y among the labels::

        sum_y E[1 - (1 - C / n)^k]

    It is at most the expected number of different labels, which is at most n a prompt.

    Parameters
    ----------
    target
        What the labels are drawn from.
    reward
        1 for a right response, 0 for a wrong one.
    n_labels
        Labels a prompt, 1 or more.
    k
        Samples a prompt, 1 or more.

    Examples
    --------
    One label is one answer, however many samples are drawn:

    >>> expected_found(np.array([[0.5, 0.5]]), np.array([[1.0, 1.0]]), 1, k=9)
    1.0
    """
    target, reward = as_floats(target, "target", ndim=2), as_floats(reward, "reward")
    check_distributions(target, "target")
    check_right_or_wrong(reward)
    n_labels = as_count(n_labels, "n_labels", low=1)
    k = as_count(k, "k", low=1)
    copies = np.arange(n_labels + 1)
    wanted = target[reward == 1][:, None]
    rest = n_labels - copies
    ways = gammaln(n_labels + 1) - gammaln(copies + 1) - gammaln(rest + 1)
    chance = np.exp(ways + xlogy(copies, wanted) + xlog1py(rest, -wanted))
    return float(np.sum(chance @ (1 - (1 - copies / n_labels) ** k)))


def visit_decay(pi: Policy, language: ToyLanguage, k: int = 256) -> float:
    """Return how steeply visits to the steps of a response fall with their rank.

    A step is a prefix with its next token. Of the steps whose probability of being
    visited is above 1/k, log probability is fitted by a line in the rank; its downward
    slope is averaged over prompts. A steeper one means fewer, more travelled paths.

    Parameters
    ----------
    pi
        Probability of each response, shape (prompts, responses).
    language
        The toy language.
    k
        Steps rarer than 1/k are left out.

    Returns
    -------
    float
        NaN where fewer than two steps are left on every prompt.
    """
    k = as_count(k, "k", low=1)
    visits = np.exp(logits_from_probs(pi, language)).reshape(len(pi), -1)
    slopes = []
    for row in visits:
        often = np.sort(row[row > 1 / k])[::-1]
        if len(often) > 1:
            slopes.append(-np.polyfit(np.arange(len(often)), np.log(often), 1)[0])
    return float(np.mean(slopes)) if slopes else float("nan")
