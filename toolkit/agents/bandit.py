"""The single response as a one-turn process, so that one measure fits both worlds.

A response to a prompt is one action, and what it earns is certain. Every quantity of
:func:`measure` can therefore be computed for the toy language and for the agent by the
same code.
"""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Real
from scipy.special import logit

from toolkit._checks import as_floats
from toolkit.agents.imitation import imitate_successes
from toolkit.agents.luck import reward_variance, success_divergence, success_kl
from toolkit.agents.mdp import FiniteMDP, TurnPolicy
from toolkit.agents.soft import soft_optimum
from toolkit.agents.values import expected_turns, policy_values, visit_probabilities


def single_response(right: Real[np.ndarray, " responses"]) -> FiniteMDP:
    """Return a prompt as a process: one turn, one action per response, no luck.

    Parameters
    ----------
    right
        1 for each right response, 0 for each wrong one.

    Raises
    ------
    ValueError
        If an entry is neither 0 nor 1.

    Examples
    --------
    >>> prompt = single_response(np.array([1.0, 0.0, 0.0]))
    >>> policy_values(prompt, np.array([[[0.2, 0.5, 0.3]]])).value
    array(0.2)
    """
    right = as_floats(right, "right", ndim=1)
    if not np.all((right == 0) | (right == 1)):
        raise ValueError(f"right must hold 0 and 1, but holds {np.unique(right)}")
    never_on = np.zeros(len(right))
    return FiniteMDP(
        turns=1,
        statuses=("prompt",),
        actions=tuple(f"response {y}" for y in range(len(right))),
        outcomes=("right", "wrong"),
        transitions=np.stack([never_on, right, 1 - right], axis=1)[None],
        deadline=np.array([[0.0, 1.0]]),
        reward=np.array([[1.0, 0.0]]),
    )


@dataclass(frozen=True, eq=False, kw_only=True)
class BanditMeasures:
    """What a process has of the properties that the bandit view takes for granted.

    Attributes
    ----------
    n_decisions
        Mean number of decisions before the reward.
    value_spread
        Standard deviation of the value of the states an episode passes through.
    choices_share
        Share of the reward's variance that the policy's own choices make.
    buyable_share
        Share of ``-log p`` that a policy can buy by acting differently.
    log_odds_gain
        Log-odds of success that the best policy at ``eta`` adds.
    imitated
        Success after one round of imitating one's own successes.
    successes_moved
        KL from the first policy's successes to the best policy's, in nats.
    """

    n_decisions: float
    value_spread: float
    choices_share: float
    buyable_share: float
    log_odds_gain: float
    imitated: float
    successes_moved: float

    def rows(self) -> dict[str, float]:
        """Return the measures by what they say, for a table."""
        return {
            "decisions before the reward": self.n_decisions,
            "sd of the value along the way": self.value_spread,
            "share of the variance that is chosen": self.choices_share,
            "share of −log p that can be bought": self.buyable_share,
            "log-odds gained by the best policy": self.log_odds_gain,
            "KL between successes before and after": self.successes_moved,
            "success after imitating successes once": self.imitated,
        }


def measure(mdp: FiniteMDP, pi: TurnPolicy, *, eta: float) -> BanditMeasures:
    """Return the measures of a process and a policy.

    Parameters
    ----------
    mdp
        The process; rewards 0 or 1.
    pi
        The policy; it must succeed sometimes.
    eta
        Inverse price of KL at which the best policy is taken.

    Raises
    ------
    ValueError
        If ``pi`` is no policy for this process or never succeeds, or ``eta`` is
        negative.

    Examples
    --------
    One prompt, right with probability 0.2: everything is the policy's own doing.

    >>> prompt, pi = single_response(np.array([1.0, 0.0])), np.array([[[0.2, 0.8]]])
    >>> of = measure(prompt, pi, eta=3.0)
    >>> [round(x, 9) for x in (of.choices_share, of.log_odds_gain, of.imitated)]
    [1.0, 3.0, 1.0]
    """
    p = policy_values(mdp, pi)
    best = soft_optimum(mdp, pi, eta).policy
    best_p = policy_values(mdp, best).value
    visits = visit_probabilities(mdp, pi)[:-1]
    mean = np.sum(visits * p.v[:-1]) / visits.sum()
    spread = np.sqrt(np.sum(visits * (p.v[:-1] - mean) ** 2) / visits.sum())
    nats = success_divergence(mdp, pi)
    return BanditMeasures(
        n_decisions=float(expected_turns(mdp, pi)),
        value_spread=float(spread),
        choices_share=reward_variance(mdp, pi).share,
        buyable_share=nats.actions / nats.total,
        log_odds_gain=float(logit(best_p) - logit(p.value)),
        imitated=float(imitate_successes(mdp, pi, rounds=1)[-1]),
        successes_moved=success_kl(mdp, pi, best),
    )
