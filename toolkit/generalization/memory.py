"""A policy with a rule and a table, and which of the two learns the hands game.

The rule is one number that lifts every answer that is right under the rule written in
the prompt. The table has an entry for every hand and answer and cannot see the rule::

    log pi(y | hand, rule) = log pi_ref(y) + w * 1[y right under rule] + M[hand, y]
                             - log Z

Both are learnt by the same gradient ascent, averaged over hands, each with a learning
rate of its own. What the rule has learnt carries over when the rule changes; what the
table has learnt is then wrong.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from jaxtyping import Float, Int

from toolkit._checks import (
    as_count,
    as_float,
    as_floats,
    check_distributions,
    check_finite,
    check_probabilities,
    check_same_shape,
)
from toolkit._types import PerPrompt, Policy, Reward
from toolkit.generalization.hands import HandsGame, answers_in_play

MOST_STEPS = 50_000  # training longer than this means that the target is out of reach

Weigh: TypeAlias = Callable[[Policy], Reward]
"""Weights of the score: from the policy to one number for every hand and response."""


@dataclass(frozen=True, eq=False, kw_only=True)
class HandsRun:
    """A trained policy, and how well it plays.

    Attributes
    ----------
    game
        The game it was trained on.
    rule_weight
        The weight w of the rule.
    table
        The table M.
    n_steps
        Updates done.
    converged
        Whether the success asked for was reached.
    """

    game: HandsGame
    rule_weight: float
    table: Float[np.ndarray, "hands responses"]
    n_steps: int
    converged: bool

    @property
    def pi(self) -> Float[np.ndarray, "hands responses"]:
        """The policy under the training rule."""
        return hands_policy(
            self.game.pi_ref, self.game.correct, self.rule_weight, self.table
        )

    @property
    def in_distribution(self) -> float:
        """Mean success over all hands under the training rule."""
        return float(_success(self.pi, self.game.correct).mean())

    @property
    def out_of_distribution(self) -> float:
        """Mean success under the test rule, over the hands whose answers move."""
        return self._moved_success(self.table)

    @property
    def out_of_distribution_own_rows(self) -> float:
        """The same, had the table one row for every hand *and* rule.

        The rows of the test prompts are then never trained: they are still zero.
        """
        return self._moved_success(np.zeros_like(self.table))

    @property
    def answers_in_play(self) -> float:
        """Effective number of right answers, mean over hands, training rule."""
        return float(answers_in_play(self.pi, self.game.correct).mean())

    def _moved_success(self, table: Reward) -> float:
        correct = self.game.correct_in_test
        pi = hands_policy(self.game.pi_ref, correct, self.rule_weight, table)
        return float(_success(pi, correct)[self.game.moved].mean())


def hands_policy(
    pi_ref: Policy, correct: Reward, rule_weight: float, table: Reward
) -> Policy:
    """Return ``pi(y|hand)`` proportional to ``pi_ref exp(w correct + M)``.

    Parameters
    ----------
    pi_ref
        Base policy, one row a hand; zeros stay zero.
    correct
        1 where a response is right under the rule in the prompt, else 0.
    rule_weight
        The weight w of the rule.
    table
        The table M.

    Returns
    -------
    Policy
        One row a hand.

    Raises
    ------
    ValueError
        If a row of ``pi_ref`` is not a distribution, ``correct`` holds no numbers from
        0 to 1, the weights are not finite, or the shapes differ.

    Examples
    --------
    A rule weight of log 3 triples the odds of being right:

    >>> coin, correct = np.array([[0.5, 0.5]]), np.array([[1.0, 0.0]])
    >>> hands_policy(coin, correct, np.log(3), np.zeros((1, 2)))
    array([[0.75, 0.25]])
    """
    pi_ref = as_floats(pi_ref, "pi_ref", ndim=2)
    check_distributions(pi_ref, "pi_ref")
    correct = as_floats(correct, "correct")
    check_same_shape(pi_ref, "pi_ref", correct, "correct")
    check_probabilities(correct, "correct")
    rule_weight = as_float(rule_weight, "rule_weight")
    table = as_floats(table, "table")
    check_same_shape(pi_ref, "pi_ref", table, "table")
    check_finite(table, "table")
    with np.errstate(divide="ignore"):  # log 0 = -inf keeps a response at 0
        log_ref = np.log(pi_ref)
    return _softmax(log_ref + rule_weight * correct + table)


def parameter_gradient(
    pi: Policy, weights: Reward, correct: Reward
) -> tuple[float, Reward]:
    """Return the gradient of ``mean_hands sum_y weights(y) log pi(y)`` in w and M.

    The same score as everywhere in the book: SFT has the labels as weights, policy
    gradient ``pi * (reward - E[reward])``.

    Parameters
    ----------
    pi
        The policy.
    weights
        Weight of every response, held fixed.
    correct
        1 where a response is right, else 0.

    Returns
    -------
    float, array
        The gradient in the rule weight, and in the table.

    Raises
    ------
    ValueError
        If a row of ``pi`` is not a distribution, a weight is not finite, ``correct``
        holds no numbers from 0 to 1, or the shapes differ.

    Examples
    --------
    One hand, two responses, the first labelled: up by 1/2, down by 1/2.

    >>> coin, label = np.array([[0.5, 0.5]]), np.array([[1.0, 0.0]])
    >>> parameter_gradient(coin, label, correct=label)
    (0.5, array([[ 0.5, -0.5]]))
    """
    pi, weights = as_floats(pi, "pi", ndim=2), as_floats(weights, "weights")
    check_distributions(pi, "pi")
    check_same_shape(pi, "pi", weights, "weights")
    check_finite(weights, "weights")
    correct = as_floats(correct, "correct")
    check_same_shape(pi, "pi", correct, "correct")
    check_probabilities(correct, "correct")
    table = _score(pi, weights) / len(pi)
    return float((table * correct).sum()), table


def fine_tune(
    game: HandsGame,
    labels: Policy,
    *,
    rule_rate: float,
    table_rate: float = 10.0,
    stop_at: float = 0.95,
    max_steps: int = MOST_STEPS,
) -> HandsRun:
    """Fine-tune on labels (SFT) until success in distribution reaches ``stop_at``.

    Exact gradient ascent on ``mean_hands sum_y labels(y) log pi(y)`` from the base.

    Parameters
    ----------
    game
        The hands game.
    labels
        Share of each response among the labels of each hand: right ones, or success
        never gets there.
    rule_rate
        Learning rate rho of the rule weight, 0 or more.
    table_rate
        Learning rate of the table, 0 or more. The gradient is a mean over hands and a
        row hears only of its own hand, so a row's own rate is this over 91.
    stop_at
        Mean success over all hands under the training rule at which to stop; below 1.
    max_steps
        Give up after this many updates; ``converged`` then says so.

    Returns
    -------
    HandsRun
        The policy at the stop.

    Raises
    ------
    ValueError
        If ``labels`` is no distribution over the game's responses, or a number is out
        of its range.
    """
    labels = as_floats(labels, "labels", ndim=2)
    check_same_shape(game.pi_ref, "game.pi_ref", labels, "labels")
    check_distributions(labels, "labels")
    rows, of_hand, counts = _distinct(game, labels)
    shown = labels[rows]
    return _climb(
        game,
        lambda _: shown,
        (rows, of_hand, counts),
        rates=(rule_rate, table_rate),
        stop_at=stop_at,
        max_steps=max_steps,
    )


def reinforce(
    game: HandsGame,
    *,
    rule_rate: float,
    table_rate: float = 10.0,
    beta: float = 0.0,
    stop_at: float = 0.95,
    max_steps: int = MOST_STEPS,
) -> HandsRun:
    """Train by RL, on the exact gradient of success, until it reaches ``stop_at``.

    Parameters
    ----------
    game, rule_rate, table_rate, stop_at, max_steps
        As for :func:`fine_tune`.
    beta
        Price of one nat of KL to the base, 0 or more.

    Returns
    -------
    HandsRun
        The policy at the stop.

    Raises
    ------
    ValueError
        If a number is out of its range.
    """
    beta = as_float(beta, "beta", low=0)
    rows, of_hand, counts = _distinct(game, game.correct)
    correct, log_ref = game.correct[rows], np.log(game.pi_ref[rows])

    def weigh(pi: Policy) -> Reward:
        reward = correct - beta * (np.log(pi) - log_ref) if beta > 0 else correct
        return pi * (reward - (pi * reward).sum(axis=1, keepdims=True))

    return _climb(
        game,
        weigh,
        (rows, of_hand, counts),
        rates=(rule_rate, table_rate),
        stop_at=stop_at,
        max_steps=max_steps,
    )


def balancing_rule_rate(
    pi: Policy, correct: Reward, *, table_rate: float = 10.0
) -> PerPrompt:
    """Return the rule rate at which rule and table push a hand's log-odds equally fast.

    For RL, and for SFT on labels in the policy's own proportions, a step moves the
    log-odds of success of hand h by ``rule_rate * mean(1 - s)`` through the rule and by
    ``table_rate / hands * (1 - s_h) (1/N_right + 1/N_wrong)`` through the table, where
    s is success and N the effective number of right (wrong) answers. (RL: both times
    s, where hands are equally good.) With more answers in play the table is slower.

    Parameters
    ----------
    pi
        The policy, equally good on all hands or nearly so.
    correct
        1 where a response is right, else 0.
    table_rate
        Learning rate of the table, 0 or more.

    Returns
    -------
    PerPrompt
        One rate a hand.

    Raises
    ------
    ValueError
        As for :func:`toolkit.generalization.hands.answers_in_play`, for right and for
        wrong answers.

    Examples
    --------
    One hand, one right answer and one wrong one: both push with N = 1.

    >>> balancing_rule_rate(
    ...     np.array([[0.2, 0.8]]), np.array([[1.0, 0.0]]), table_rate=1.0
    ... )
    array([2.])
    """
    table_rate = as_float(table_rate, "table_rate", low=0)
    right, wrong = answers_in_play(pi, correct), answers_in_play(pi, 1 - correct)
    failure = 1 - _success(pi, correct)
    push = table_rate / len(pi) * failure * (1 / right + 1 / wrong)
    return push / failure.mean()


def _climb(
    game: HandsGame,
    weigh: Weigh,
    groups: tuple[np.ndarray, np.ndarray, np.ndarray],
    *,
    rates: tuple[float, float],
    stop_at: float,
    max_steps: int,
) -> HandsRun:
    """Climb from the base; hands that learn alike share one row until the end."""
    rule_rate = as_float(rates[0], "rule_rate", low=0)
    table_rate = as_float(rates[1], "table_rate", low=0)
    stop_at = as_float(stop_at, "stop_at", low=0, high=1, open_high=True)
    max_steps = as_count(max_steps, "max_steps", low=0)
    rows, of_hand, counts = groups
    correct, log_ref = game.correct[rows], np.log(game.pi_ref[rows])
    share = counts / counts.sum()
    rule_weight, table, n_steps = 0.0, np.zeros_like(log_ref), 0
    while True:
        pi = _softmax(log_ref + rule_weight * correct + table)
        reached = bool(share @ _success(pi, correct) >= stop_at)
        if reached or n_steps == max_steps:
            break
        step = _score(pi, weigh(pi))
        rule_weight += rule_rate * float(share @ _success(step, correct))
        step *= table_rate / len(of_hand)
        table += step
        n_steps += 1
    check_finite(table, "table")
    return HandsRun(
        game=game,
        rule_weight=rule_weight,
        table=table[of_hand],
        n_steps=n_steps,
        converged=reached,
    )


def _distinct(
    game: HandsGame, labels: Policy
) -> tuple[
    Int[np.ndarray, " rows"], Int[np.ndarray, " hands"], Int[np.ndarray, " rows"]
]:
    """Return a hand for each distinct lesson, each hand's lesson, and their numbers.

    Hands with the same right answers and the same labels have the same row of the
    table at every step.
    """
    lessons = np.hstack([game.correct, labels])
    _, rows, of_hand, counts = np.unique(
        lessons, axis=0, return_index=True, return_inverse=True, return_counts=True
    )
    return rows, of_hand.reshape(-1), counts


def _success(pi: Policy, correct: Reward) -> PerPrompt:
    return np.einsum("hy,hy->h", pi, correct)


def _score(pi: Policy, weights: Reward) -> Reward:
    """Return the gradient of ``sum_y weights(y) log pi(y)`` in a row's logits."""
    return weights - pi * weights.sum(axis=1, keepdims=True)


def _softmax(logits: Reward) -> Policy:
    """Return what SciPy's softmax does, in the time that a small array takes."""
    logits -= logits.max(axis=1, keepdims=True)
    pi = np.exp(logits, out=logits)
    pi /= pi.sum(axis=1, keepdims=True)
    return pi
