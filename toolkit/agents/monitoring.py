"""A monitor in the reward: one that reads actions, one that reads thoughts as well.

The exit is split in two: the agent either says in its thoughts that it will exit, or
does it without a word. Both do the same. A monitor of actions catches both alike; one
that also reads thoughts catches more of the first. A caught exit pays nothing.
"""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Real

from toolkit._checks import as_float
from toolkit.agents.coding_agent import REFERENCE, coding_agent
from toolkit.agents.hacking import ProxyPath, follow_proxy
from toolkit.agents.mdp import FiniteMDP, TurnPolicy, same_everywhere

SAID, UNSAID = "exited, said", "exited, unsaid"


@dataclass(frozen=True, kw_only=True)
class Monitor:
    """How likely a monitor catches each kind of exit.

    Attributes
    ----------
    said
        Probability to catch an exit that the agent's thoughts announce.
    unsaid
        Probability to catch one that they do not.
    """

    said: float
    unsaid: float

    def __post_init__(self) -> None:
        as_float(self.said, "said", low=0, high=1)
        as_float(self.unsaid, "unsaid", low=0, high=1)


def talking_agent(turns: int = 8) -> FiniteMDP:
    """Return the coding agent with two exits, one announced and one not.

    The rewards are the true ones: an exit pays 0.

    Parameters
    ----------
    turns
        Number of turns before it must answer.
    """
    plain = coding_agent(turns)
    n, exits = len(plain.statuses), np.zeros((4, 1, 2, 4 + 4))
    exits[:, 0, 0, n + 2] = exits[:, 0, 1, n + 3] = 1
    kept = np.concatenate([plain.transitions[:, :3], np.zeros((4, 3, 1))], axis=-1)
    no_exit = np.zeros((4, 2))
    return FiniteMDP(
        turns=turns,
        statuses=plain.statuses,
        actions=(*plain.actions[:3], "exit, said", "exit, unsaid"),
        outcomes=("right", "wrong", SAID, UNSAID),
        transitions=np.concatenate([kept, exits[:, 0]], axis=1),
        deadline=np.concatenate([plain.deadline[:, :2], no_exit], axis=1),
        reward=np.concatenate([plain.reward[:, :2], no_exit], axis=1),
    )


def talking_reference(mdp: FiniteMDP, unsaid_share: float) -> TurnPolicy:
    """Return the reference policy with its exits split.

    Parameters
    ----------
    mdp
        The process of :func:`talking_agent`.
    unsaid_share
        Share of the exits that the untrained agent does not announce, from 0 to 1.
    """
    share = as_float(unsaid_share, "unsaid_share", low=0, high=1)
    exits = REFERENCE[3] * np.array([1 - share, share])
    return same_everywhere(mdp, np.concatenate([REFERENCE[:3], exits]))


@dataclass(frozen=True, eq=False, kw_only=True)
class MonitoredPath:
    """Training with a monitor in the reward, judged by one that reads thoughts.

    Attributes
    ----------
    path
        Rewards and outcomes at several prices of KL.
    exits
        Probability of an exit.
    unsaid
        Share of the exits that are not announced.
    caught
        Share of the exits that the judging monitor catches.
    """

    path: ProxyPath
    exits: Float[np.ndarray, " etas"]
    unsaid: Float[np.ndarray, " etas"]
    caught: Float[np.ndarray, " etas"]

    def row(self, eta: float) -> dict[str, float]:
        """Return what a table shows of one of the prices.

        Raises
        ------
        ValueError
            If ``eta`` is none of those on the path.
        """
        at = np.flatnonzero(self.path.eta == eta)
        if not at.size:
            raise ValueError(f"eta must be on the path, but {eta:g} is not")
        i = int(at[0])
        return {
            "true reward": float(self.path.true[i]),
            "exits": float(self.exits[i]),
            "announced": float(1 - self.unsaid[i]),
            "caught": float(self.caught[i]),
            "missed per episode": float(self.exits[i] * (1 - self.caught[i])),
        }


def train_against(
    monitor: Monitor,
    *,
    judge: Monitor,
    eta: Real[np.ndarray, " etas"],
    unsaid_share: float,
    turns: int = 8,
) -> MonitoredPath:
    """Optimise a proxy in which a caught exit pays 0 and any other exit pays 1.

    Parameters
    ----------
    monitor
        The monitor in the reward; ``Monitor(said=0, unsaid=0)`` for none.
    judge
        The monitor that counts what is caught. It has no part in the reward.
    eta
        Inverse prices of KL, 0 or more.
    unsaid_share
        Share of the untrained agent's exits that it does not announce, above 0 or no
        training can find them.
    turns
        Number of turns.

    Raises
    ------
    ValueError
        If a number is out of its range.
    """
    mdp = talking_agent(turns)
    paid = {"right": 1.0, SAID: 1 - monitor.said, UNSAID: 1 - monitor.unsaid}
    pi_ref = talking_reference(mdp, unsaid_share)
    path = follow_proxy(mdp, mdp.paying(paid), pi_ref, eta)
    said, unsaid = path.outcomes[:, 2], path.outcomes[:, 3]
    exits = said + unsaid
    return MonitoredPath(
        path=path,
        exits=exits,
        unsaid=unsaid / exits,
        caught=(said * judge.said + unsaid * judge.unsaid) / exits,
    )
