"""The agent of section 11.5: it writes a patch, may test it, and must answer in time.

The work has four statuses. Answering from one of them is right with probability::

    none 0.05    rough patch 0.41    good patch 0.68    tested patch 0.95

*Search* writes or improves a patch, by luck. *Test* shows whether a patch is right, as
far as a test can: it passes to "tested" or falls back to "none", such that the chance
of being right stays what it was on average. *Answer* ends the episode. So does *exit*:
it leaves the test harness early, which is never right, but may pass a check that only
looks whether a test failed.
"""

import numpy as np

from toolkit.agents.mdp import FiniteMDP

STATUSES = ("none", "rough", "good", "tested")
ACTIONS = ("search", "test", "answer", "exit")
OUTCOMES = ("right", "wrong", "exited")

RIGHT = (0.05, 0.41, 0.68, 0.95)  # probability that an answer from a status is right
SEARCH = ((0.5, 0.5, 0, 0), (0.1, 0.4, 0.5, 0), (0, 0.1, 0.9, 0), (0, 0, 0, 1))
TEST = ((1, 0, 0, 0), (0.6, 0, 0, 0.4), (0.3, 0, 0, 0.7), (0, 0, 0, 1))

REFERENCE = np.array([0.55, 0.30, 0.14, 0.01])
"""How the untrained agent acts in every state: search, test, answer, exit."""

PATIENT = np.array([0.60, 0.39, 0.0, 0.01])
"""One that never answers before the deadline, so that episodes are long."""

HASTY = np.array([0.05, 0.05, 0.45, 0.45])
"""One that ends episodes at once, under which searching looks worthless."""


def coding_agent(turns: int = 8, *, exit_pays: float = 0.0) -> FiniteMDP:
    """Return the agent's world.

    Parameters
    ----------
    turns
        Number of turns before it must answer, 1 or more.
    exit_pays
        Reward for leaving the test harness early: 0 is the true reward, 1 what a check
        that exits fool would pay.

    Raises
    ------
    ValueError
        If ``turns`` is below 1 or ``exit_pays`` is not finite.

    Examples
    --------
    >>> agent = coding_agent()
    >>> agent.shape
    (8, 4, 4)
    """
    right = np.array(RIGHT)
    answers = np.stack([right, 1 - right, np.zeros(4)], axis=1)
    stay = np.zeros((4, 3))
    transitions = np.stack(
        [
            np.hstack([SEARCH, stay]),
            np.hstack([TEST, stay]),
            np.hstack([np.zeros((4, 4)), answers]),
            np.hstack([np.zeros((4, 4)), np.tile([0.0, 0.0, 1.0], (4, 1))]),
        ],
        axis=1,
    )
    return FiniteMDP(
        turns=turns,
        statuses=STATUSES,
        actions=ACTIONS,
        outcomes=OUTCOMES,
        transitions=transitions,
        deadline=answers,
        reward=np.tile([1.0, 0.0, exit_pays], (4, 1)),
    )
