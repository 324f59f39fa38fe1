"""The best policy for reward minus a price on KL, when the world answers back.

With eta = 1 / beta, the inverse price of a nat, one backward pass gives it::

    W_t(s, a) = eta * E[reward if it ends here] + E[U_{t+1}(next)]
    U_t(s)    = log sum_a pi_ref(a|s) exp W_t(s, a)
    pi*(a|s)  = pi_ref(a|s) exp(W_t(s, a) - U_t(s))

The expectations stand inside the exponent: the agent can tilt its own choices, not the
world's. With one turn and no luck this is the tilted policy of the single response.
"""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Real
from scipy.special import rel_entr

from toolkit._checks import as_floats, check_finite
from toolkit.agents.mdp import FiniteMDP, OtherPolicy, TurnPolicy, as_turn_policy
from toolkit.agents.values import backup, policy_values, visit_probabilities


@dataclass(frozen=True, eq=False, kw_only=True)
class SoftOptimum:
    """The best policy at a price of KL, or at several.

    Attributes
    ----------
    policy
        Shape (*etas, turns, statuses, actions).
    u
        ``U`` of each state, shape (*etas, turns + 1, statuses): soft values times eta.
    eta
        Inverse price of a nat of KL, 1 / beta.
    start
        Status in turn 0.
    """

    policy: Float[np.ndarray, "*etas turns statuses actions"]
    u: Float[np.ndarray, "*etas states statuses"]
    eta: Float[np.ndarray, "*etas"]
    start: int

    @property
    def soft_value(self) -> Float[np.ndarray, "*etas"]:
        """``max_pi E[reward] - KL / eta``, in the unit of reward; needs eta above 0."""
        return np.asarray(self.u[..., 0, self.start] / self.eta)


def soft_optimum(
    mdp: FiniteMDP, pi_ref: TurnPolicy, eta: float | Real[np.ndarray, "*etas"]
) -> SoftOptimum:
    """Return the policy with the highest reward minus ``1 / eta`` times KL to a policy.

    KL is summed over the turns of an episode, in nats.

    Parameters
    ----------
    mdp
        The process.
    pi_ref
        Reference policy, one. Actions it never takes stay at probability 0.
    eta
        Inverse price of one nat of KL, in 1 / unit of reward: 0 or more, finite; one or
        an array of them. At 0 the result is ``pi_ref``.

    Raises
    ------
    ValueError
        If ``pi_ref`` is no policy for this process or ``eta`` is negative.

    Examples
    --------
    One turn, no luck, one action of two is right. At eta = log 3 even odds triple:

    >>> mdp = FiniteMDP(
    ...     turns=1, statuses=("s",), actions=("a", "b"), outcomes=("good", "bad"),
    ...     transitions=np.array([[[0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]]),
    ...     deadline=np.array([[0.0, 1.0]]), reward=np.array([[1.0, 0.0]]),
    ... )
    >>> soft_optimum(mdp, np.full((1, 1, 2), 0.5), eta=np.log(3)).policy[0, 0].round(12)
    array([0.75, 0.25])
    """
    pi_ref = as_turn_policy(pi_ref, "pi_ref", mdp)
    if pi_ref.ndim != 3:
        raise ValueError(f"pi_ref must be one policy, but its shape is {pi_ref.shape}")
    eta = as_floats(eta, "eta")
    check_finite(eta, "eta")
    if np.any(eta < 0):
        raise ValueError(f"eta must not be negative, but one is {eta.min():g}")
    u = np.empty((*eta.shape, mdp.turns + 1, len(mdp.statuses)))
    u[..., -1, :] = eta[..., None] * mdp.deadline_reward
    policy = np.empty((*eta.shape, *mdp.shape))
    with np.errstate(divide="ignore"):  # log 0 = -inf: an action never taken
        log_ref = np.log(pi_ref)
    for t in reversed(range(mdp.turns)):
        w = backup(mdp, np.zeros(mdp.shape[1:]), u[..., t + 1, :])
        tilted = log_ref[t] + w + eta[..., None, None] * mdp.end_reward
        top = tilted.max(axis=-1, keepdims=True)
        u[..., t, :] = top[..., 0] + np.log(np.sum(np.exp(tilted - top), axis=-1))
        policy[..., t, :, :] = np.exp(tilted - u[..., t, :, None])
    return SoftOptimum(policy=policy, u=u, eta=eta, start=mdp.start)


def episode_kl(
    mdp: FiniteMDP, p: TurnPolicy, q: OtherPolicy
) -> Float[np.ndarray, "*both"]:
    """Return ``E_p[sum_t KL(p(.|s_t) || q(.|s_t))]``, in nats.

    It is the KL divergence of whole episodes: the world's part is the same under both.

    Parameters
    ----------
    mdp
        The process.
    p
        The policy that acts, or several.
    q
        The policy it is compared with.

    Raises
    ------
    ValueError
        If one of them is no policy for this process.
    """
    p, q = as_turn_policy(p, "p", mdp), as_turn_policy(q, "q", mdp)
    visits = visit_probabilities(mdp, p)[..., :-1, :]
    per_state = rel_entr(p, q).sum(axis=-1)
    with np.errstate(invalid="ignore"):  # 0 * inf: a state never visited
        terms = np.where(visits > 0, visits * per_state, 0.0)
    return np.asarray(terms.sum(axis=(-1, -2)))


def advantage_covariance(
    mdp: FiniteMDP, other: FiniteMDP, pi: TurnPolicy
) -> Float[np.ndarray, "*runs"]:
    """Return ``E_pi[sum_t A_g(s_t, a_t) A_r(s_t, a_t)]`` for two rewards g and r.

    Along the path of optima for r, as eta grows, this is how fast the mean of g moves:
    ``d E[g] / d eta``. With g = r it is the part of the reward's variance that the
    agent's own choices make.

    Parameters
    ----------
    mdp
        The process with reward g.
    other
        The same world with reward r.
    pi
        The policy.

    Raises
    ------
    ValueError
        If the two worlds differ in more than their rewards, or ``pi`` is no policy.

    Notes
    -----
    Along the path ``d log pi*(a|s) / d eta = A_r(s, a)``, the advantage of the current
    policy for the plain reward, with no KL in it.
    """
    check_same_world(mdp, other)
    g, r = policy_values(mdp, pi), policy_values(other, pi)
    visits = visit_probabilities(mdp, pi)[..., :-1, :, None]
    terms = visits * pi * g.advantage * r.advantage
    return np.asarray(terms.sum(axis=(-1, -2, -3)))


def check_same_world(mdp: FiniteMDP, other: FiniteMDP) -> None:
    """Raise unless two processes differ in their rewards only."""
    same = (
        mdp.shape == other.shape
        and mdp.start == other.start
        and np.array_equal(mdp.transitions, other.transitions)
        and np.array_equal(mdp.deadline, other.deadline)
    )
    if not same:
        raise ValueError("the two processes must be one world with two rewards")
