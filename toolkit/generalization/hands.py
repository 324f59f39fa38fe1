"""The hands game: many right answers to every prompt, and a rule that changes.

A miniature of GeneralPoints (Chu et al. 2025). A prompt is a hand of two cards and a
rule for what the jack, queen and king count: 10 each in training, 11, 12 and 13 in the
test. A response is a string of the toy language; it is right if its tokens have the
sum of the cards, modulo 5. About one string in five is right, so there are many ways
to answer well, and what a label shows is one of them.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from jaxtyping import Bool, Float, Int

from toolkit._checks import as_count, as_floats, check_distributions, check_same_shape
from toolkit._types import PerPrompt, Policy
from toolkit.language import SharedTestbed, shared_testbed, sum_reward
from toolkit.optima import tilted_policy
from toolkit.policies import response_probs, sample_responses

HIGHEST_CARD = 13  # the king
FACE_VALUE = 10  # what jack, queen and king count in training
MODULUS = 5


@dataclass(frozen=True, eq=False, kw_only=True)
class HandsGame:
    """Hands, the base policy, and the right answers under both rules.

    Attributes
    ----------
    cards
        The two cards of each hand, 1 (ace) to 13 (king), in increasing order.
    pi_ref
        Base policy: the same distribution over responses whatever the hand.
    correct
        1 where a response is right under the training rule, else 0.
    correct_in_test
        1 where a response is right under the test rule, else 0.
    """

    cards: Int[np.ndarray, "hands 2"]
    pi_ref: Float[np.ndarray, "hands responses"]
    correct: Float[np.ndarray, "hands responses"]
    correct_in_test: Float[np.ndarray, "hands responses"]

    @cached_property
    def moved(self) -> Bool[np.ndarray, " hands"]:
        """Whether the right answers of a hand differ between the two rules."""
        return np.any(self.correct != self.correct_in_test, axis=1)


def hands_game(testbed: SharedTestbed | None = None) -> HandsGame:
    """Return the game over all 91 hands, with the shared testbed's base policy.

    Parameters
    ----------
    testbed
        Where the base policy comes from; the default one if None.

    Returns
    -------
    HandsGame
        The right answers of 35 of the 91 hands move with the rule.

    Examples
    --------
    >>> game = hands_game()
    >>> len(game.cards), int(game.moved.sum())
    (91, 35)
    """
    testbed = testbed or shared_testbed()
    ace_to_king = range(1, HIGHEST_CARD + 1)
    cards = np.array([(a, b) for a in ace_to_king for b in range(a, HIGHEST_CARD + 1)])
    in_training = np.minimum(cards, FACE_VALUE).sum(axis=1) % MODULUS
    in_test = cards.sum(axis=1) % MODULUS
    pi_ref = response_probs(testbed.ref_logits, testbed.language)
    return HandsGame(
        cards=cards,
        pi_ref=np.repeat(pi_ref, len(cards), axis=0),
        correct=sum_reward(testbed.language, in_training, MODULUS),
        correct_in_test=sum_reward(testbed.language, in_test, MODULUS),
    )


def kl_minimal_labels(game: HandsGame) -> Policy:
    """Return labels in the base policy's own proportions: ``pi_ref`` given right.

    Of all policies that are always right, it is the one with the smallest KL to the
    base: see :func:`toolkit.optima.tilted_policy` at ``beta = 0``.
    """
    return tilted_policy(game.pi_ref, game.correct, beta=0.0)


def sampled_labels(
    game: HandsGame, n_labels: int, *, rng: np.random.Generator
) -> Policy:
    """Return a data set of right answers, drawn from the base's own, as frequencies.

    Parameters
    ----------
    game
        The hands game.
    n_labels
        Labels a hand, 1 or more, drawn independently. One label makes an arbitrary
        choice among the right answers; many approach :func:`kl_minimal_labels`.
    rng
        Source of randomness.

    Returns
    -------
    Policy
        Share of each response among the labels of each hand.

    Raises
    ------
    ValueError
        If ``n_labels`` is below 1.
    """
    n_labels = as_count(n_labels, "n_labels", low=1)
    drawn = sample_responses(kl_minimal_labels(game), n_labels, rng=rng)
    labels = np.zeros_like(game.pi_ref)
    np.add.at(labels, (np.arange(len(labels))[:, None], drawn), 1 / n_labels)
    return labels


def answers_in_play(
    pi: Policy, correct: Float[np.ndarray, "prompts responses"]
) -> PerPrompt:
    """Return the effective number of right answers: 1 over the chance that two agree.

    ``N = 1 / sum_y q(y)^2`` with q the policy given that it is right.

    Parameters
    ----------
    pi
        Probability of each response; some right one has some in each row.
    correct
        1 where a response is right, else 0.

    Returns
    -------
    PerPrompt
        From 1 (always the same right answer) to the number of right answers.

    Raises
    ------
    ValueError
        If a row of ``pi`` is not a distribution or gives right answers no probability,
        or the shapes differ.

    Examples
    --------
    >>> pi = np.array([[0.1, 0.1, 0.8]])
    >>> answers_in_play(pi, np.array([[1.0, 1.0, 0.0]]))
    array([2.])
    """
    pi, correct = as_floats(pi, "pi", ndim=2), as_floats(correct, "correct")
    check_same_shape(pi, "pi", correct, "correct")
    check_distributions(pi, "pi")
    right = pi * correct
    total = right.sum(axis=1)
    if np.any(total == 0):
        raise ValueError(
            "pi must give some right answer some probability in every row, but row "
            f"{int(np.flatnonzero(total == 0)[0])} gives none"
        )
    return total**2 / (right**2).sum(axis=1)
