"""A policy too constrained to hold the target: tokens independent of one another.

The policy is a product, one distribution a position: ``q(y) = prod_t q_t(y_t)``. It can
hold a single answer, or all combinations of some tokens, but not "these answers and no
mixture of them". What a fit makes of that depends on the direction of the KL:

- forward, KL(target || q), punishes leaving out what the target gives: it covers;
- reverse, KL(q || target), punishes giving what the target leaves out: it picks.
"""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float, Int
from scipy.special import softmax

from toolkit._checks import as_count, as_float, as_floats, check_distributions
from toolkit._types import PerPrompt, Policy
from toolkit.divergences import kl
from toolkit.language import ToyLanguage


def product_policy(
    token_probs: Float[np.ndarray, "*starts prompts length tokens"],
    language: ToyLanguage,
) -> Float[np.ndarray, "*starts prompts responses"]:
    """Return the probability of each response when its tokens are independent.

    Parameters
    ----------
    token_probs
        Distribution of the token at each position.
    language
        A toy language whose responses all have the same length.

    Returns
    -------
    array
        Rows sum to 1.

    Raises
    ------
    ValueError
        If a row is not a distribution, the shape does not fit the language, or the
        language has an end token.

    Examples
    --------
    A fair bit, then a sure 1:

    >>> product_policy(
    ...     np.array([[[0.5, 0.5], [0.0, 1.0]]]), ToyLanguage(n_tokens=2, length=2)
    ... )
    array([[0. , 0.5, 0. , 0.5]])
    """
    _check_language(language)
    token_probs = as_floats(token_probs, "token_probs")
    if token_probs.shape[-2:] != (language.length, language.n_tokens):
        raise ValueError(
            "token_probs must have shape (*starts, prompts, "
            f"{language.length}, {language.n_tokens}) for this language, "
            f"but its shape is {token_probs.shape}"
        )
    check_distributions(token_probs, "token_probs")
    chosen = [
        token_probs[..., t, language.tokens[:, t]] for t in range(language.length)
    ]
    return np.prod(chosen, axis=0)


def fit_covering(target: Policy, language: ToyLanguage) -> Policy:
    """Return the product policy with the smallest *forward* KL(target || q).

    It is the one whose tokens have the target's own frequencies at every position,
    ``q_t(v) = P_target(token t is v)``: the moments match, and nothing is searched.

    Parameters
    ----------
    target
        Distribution to fit, one row a prompt. Zeros are allowed.
    language
        A toy language whose responses all have the same length.

    Returns
    -------
    Policy
        The fit, one row per prompt.

    Raises
    ------
    ValueError
        If a row of ``target`` is not a distribution over the language's responses, or
        the language has an end token.

    Notes
    -----
    Any other product policy q is further away by its own distance to the fit:
    ``KL(target || q) = KL(target || fit) + KL(fit || q)``.

    Examples
    --------
    "00 or 11" becomes all four strings: half of what the fit gives is wrong.

    >>> fit_covering(
    ...     np.array([[0.5, 0.0, 0.0, 0.5]]), ToyLanguage(n_tokens=2, length=2)
    ... )
    array([[0.25, 0.25, 0.25, 0.25]])
    """
    target = _as_target(target, language)
    marginals = np.stack(
        [target @ has_token for has_token in _token_masks(language)], axis=1
    )
    return product_policy(marginals, language)


@dataclass(frozen=True, eq=False, kw_only=True)
class PickingFits:
    """Product policies that a search for the smallest reverse KL ended at.

    Attributes
    ----------
    pi
        One policy a start.
    reverse_kl
        KL(pi || target) of each, in nats.
    converged
        Whether no token's probability still moved by more than the tolerance.
    n_sweeps
        Passes over all positions that were made.
    """

    pi: Float[np.ndarray, "starts prompts responses"]
    reverse_kl: Float[np.ndarray, "starts prompts"]
    converged: Bool[np.ndarray, "starts prompts"]
    n_sweeps: int

    @property
    def best(self) -> Policy:
        """The policy with the smallest reverse KL, for each prompt."""
        first: Int[np.ndarray, " prompts"] = self.reverse_kl.argmin(axis=0)
        return self.pi[first, np.arange(len(first))]

    @property
    def best_kl(self) -> PerPrompt:
        """The smallest reverse KL, for each prompt."""
        return self.reverse_kl.min(axis=0)


def fit_picking(
    target: Policy,
    language: ToyLanguage,
    *,
    n_starts: int,
    max_sweeps: int = 2000,
    tolerance: float = 1e-10,
    rng: np.random.Generator,
) -> PickingFits:
    """Search for product policies with a small *reverse* KL(q || target).

    One position at a time is set to its best value given the others,
    ``q_t(v) proportional to exp(E_q[log target(y) | y_t = v])``, which never raises the
    KL. There are several resting places; where a search ends depends on its start.

    Parameters
    ----------
    target
        Distribution to fit, one row a prompt; positive everywhere.
    language
        A toy language whose responses all have the same length.
    n_starts
        Searches a prompt. Each starts from tokens drawn evenly from the simplex.
    max_sweeps
        Passes over all positions, at most.
    tolerance
        Stop once no probability moves by more than this in a pass.
    rng
        Source of the starts.

    Returns
    -------
    PickingFits
        Where each search ended.

    Raises
    ------
    ValueError
        If a row of ``target`` is not a distribution or holds a zero (reverse KL is then
        infinite from every start), the language has an end token, or a number is out of
        its range.

    Examples
    --------
    "00 or 11", each wrong string 99 times less likely: a search ends near one of them.

    >>> target = np.array([[0.495, 0.005, 0.005, 0.495]])
    >>> fits = fit_picking(
    ...     target, ToyLanguage(n_tokens=2, length=2), n_starts=4,
    ...     rng=np.random.default_rng(0),
    ... )
    >>> fits.pi.max(axis=-1).round(2).ravel()
    array([0.98, 0.98, 0.98, 0.98])
    """
    target = _as_target(target, language)
    if np.any(target == 0):
        x, y = (int(i) for i in np.argwhere(target == 0)[0])
        raise ValueError(
            f"target must be positive everywhere, but entry {(x, y)} is 0: reverse KL "
            "is infinite for a policy that gives it any probability"
        )
    n_starts = as_count(n_starts, "n_starts", low=1)
    max_sweeps = as_count(max_sweeps, "max_sweeps", low=1)
    tolerance = as_float(tolerance, "tolerance", low=0, open_low=True)
    shape = (n_starts, len(target), language.length)
    q = rng.dirichlet(np.ones(language.n_tokens), size=shape)
    log_target, masks = np.log(target), _token_masks(language)
    moved = np.full(shape[:2], np.inf)
    n_sweeps = 0
    while n_sweeps < max_sweeps and np.any(moved > tolerance):
        before = q.copy()
        for t, has_token in enumerate(masks):
            free = q.copy()
            free[:, :, t] = 1  # the other positions' probability of each response
            others = np.prod(
                [free[..., s, language.tokens[:, s]] for s in range(language.length)],
                axis=0,
            )
            q[:, :, t] = softmax((others * log_target) @ has_token, axis=-1)
        moved = np.abs(q - before).max(axis=(2, 3))
        n_sweeps += 1
    pi = product_policy(q, language)
    return PickingFits(
        pi=pi,
        reverse_kl=kl(pi, np.broadcast_to(target, pi.shape)),
        converged=moved <= tolerance,
        n_sweeps=n_sweeps,
    )


def _as_target(target: Policy, language: ToyLanguage) -> Policy:
    _check_language(language)
    target = as_floats(target, "target", ndim=2)
    check_distributions(target, "target")
    if target.shape[1] != language.n_responses:
        raise ValueError(
            f"target must have one column for each of the {language.n_responses} "
            f"responses, but its shape is {target.shape}"
        )
    return target


def _check_language(language: ToyLanguage) -> None:
    if language.has_end:
        raise ValueError(
            "language must have responses of one length, but it has an end token"
        )


def _token_masks(
    language: ToyLanguage,
) -> list[Float[np.ndarray, "responses tokens"]]:
    """Return, for each position, 1 where a response has a token there."""
    every = np.arange(language.n_tokens)
    return [(column[:, None] == every).astype(float) for column in language.tokens.T]
