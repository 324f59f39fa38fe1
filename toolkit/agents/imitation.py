"""Imitating one's own successes: a conditional distribution, except where luck is."""

import numpy as np
from jaxtyping import Float

from toolkit._checks import as_count
from toolkit.agents.mdp import FiniteMDP, TurnPolicy
from toolkit.agents.values import ValueTable, policy_values


def success_policy(table: ValueTable) -> TurnPolicy:
    """Return what is done in successful episodes, ``pi Q / V``; ``pi`` where V is 0.

    Parameters
    ----------
    table
        Values of a policy for rewards of 0 or more.
    """
    v = table.v[..., :-1, :, None]
    with np.errstate(invalid="ignore", divide="ignore"):
        done = table.policy * table.q / v
    return np.where(v > 0, done, table.policy)


def imitate_successes(
    mdp: FiniteMDP, pi: TurnPolicy, *, rounds: int
) -> Float[np.ndarray, " points"]:
    """Return success after 0, 1, ..., ``rounds`` rounds of imitating successes.

    A round draws endless episodes, keeps each in proportion to its reward and fits the
    policy to what was done in them::

        pi'(a|s) = pi(a|s) Q(s, a) / V(s)

    For a single response one round gives only right answers. Here lucky choices are
    imitated along with good ones.

    Parameters
    ----------
    mdp
        The process; rewards 0 or more.
    pi
        The first policy, one.
    rounds
        Number of rounds, 0 or more.

    Raises
    ------
    ValueError
        If ``pi`` is no policy for this process or a reward is negative.

    Examples
    --------
    >>> from toolkit.agents.coding_agent import REFERENCE, coding_agent
    >>> from toolkit.agents.mdp import same_everywhere
    >>> agent = coding_agent()
    >>> imitate_successes(agent, same_everywhere(agent, REFERENCE), rounds=2).round(3)
    array([0.363, 0.572, 0.627])
    """
    rounds = as_count(rounds, "rounds", low=0)
    check_not_negative(mdp)
    table = policy_values(mdp, pi)
    successes = [table.value]
    for _ in range(rounds):
        table = policy_values(mdp, success_policy(table))
        successes.append(table.value)
    return np.array(successes)


def check_not_negative(mdp: FiniteMDP) -> None:
    """Raise if a reward is negative."""
    if np.any(mdp.reward < 0):
        raise ValueError(
            f"reward must not be negative, but one is {mdp.reward.min():g}"
        )
