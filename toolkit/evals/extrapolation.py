"""pass@k past the samples one has: a model, with its error where it can be checked."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Int
from scipy.optimize import minimize
from scipy.special import betaln, expit, log_expit

from toolkit._checks import as_count, as_counts
from toolkit.evals.counts import Counts
from toolkit.evals.curves import mean_curves
from toolkit.evals.estimates import draw_right, largest_k
from toolkit.evals.pairs import Pair

START = (-2.0, 0.0, 0.0)  # log-odds of never, log a, log b
BOUNDS = [(-15.0, 15.0), (-7.0, 7.0), (-7.0, 7.0)]


@dataclass(frozen=True, kw_only=True)
class ZeroInflatedBeta:
    """A law of success rates: never solved, or a beta-distributed rate.

    Attributes
    ----------
    never
        Share of problems with rate 0.
    a, b
        Parameters of the beta law of the others.
    """

    never: float
    a: float
    b: float

    def pass_at_k(self, k: Int[np.ndarray, " n_k"]) -> Float[np.ndarray, " n_k"]:
        """Return mean pass@k.

        With rates uniform on 0 to 1 it is k / (k + 1):

        >>> law = ZeroInflatedBeta(never=0.0, a=1.0, b=1.0)
        >>> law.pass_at_k(np.array([1, 3])).round(6)
        array([0.5 , 0.75])
        """
        miss = np.exp(betaln(self.a, self.b + k) - betaln(self.a, self.b))
        return (1 - self.never) * (1 - miss)


def fit_zero_inflated_beta(counts: Counts) -> ZeroInflatedBeta:
    """Return the zero-inflated beta law that makes the counts most likely.

    Without a single right sample that is the law that no problem is ever solved.
    """
    if not counts.c.any():
        return ZeroInflatedBeta(never=1.0, a=1.0, b=1.0)
    (n, c), times = np.unique(
        np.stack([counts.n, counts.c]), axis=1, return_counts=True
    )

    def surprise(at: Float[np.ndarray, " 3"]) -> float:
        never, a, b = at[0], np.exp(at[1]), np.exp(at[2])
        log_beta = betaln(a + c, b + n - c) - betaln(a, b) + log_expit(-never)
        log_zero = np.where(c == 0, log_expit(never), -np.inf)
        return -float(times @ np.logaddexp(log_beta, log_zero)) / len(counts.c)

    best = minimize(surprise, START, method="L-BFGS-B", bounds=BOUNDS).x
    return ZeroInflatedBeta(
        never=float(expit(best[0])), a=float(np.exp(best[1])), b=float(np.exp(best[2]))
    )


@dataclass(frozen=True, eq=False, kw_only=True)
class Extrapolation:
    """Both curves past the samples, by a model.

    Attributes
    ----------
    k
        Numbers of samples, all past those one has.
    base, rl
        Mean pass@k of the fitted laws.
    held_out_k
        The largest k that can be checked.
    held_out_n
        Samples of each problem that the checked fits saw.
    held_out_errors
        Errors of RL minus base at ``held_out_k``, one for each random choice of the
        samples shown: what the model says minus the unbiased estimate from all.
    """

    k: Int[np.ndarray, " n_k"]
    base: Float[np.ndarray, " n_k"]
    rl: Float[np.ndarray, " n_k"]
    held_out_k: int
    held_out_n: int
    held_out_errors: Float[np.ndarray, " draws"]


def extrapolate(
    pair: Pair,
    k: Int[np.ndarray, " n_k"],
    *,
    rng: np.random.Generator,
    n_draws: int = 10,
) -> Extrapolation:
    """Return both curves past the samples, and how wrong the model is where known.

    Parameters
    ----------
    pair
        The two tables.
    k
        Numbers of samples past those of nearly every problem.
    rng
        Chooses the samples that the checked fits see: a quarter.
    n_draws
        Number of such choices.

    Raises
    ------
    ValueError
        If a k is within the samples, where no model is needed, or a table has fewer
        than 4 samples of nearly every problem.

    Notes
    -----
    No estimate past the samples is free of assumptions: whether a problem with 0 of 128
    right is solved by 1 in 1,000 or never is not in the data.
    """
    k = as_counts(k, "k", low=1, ndim=1)
    n_draws = as_count(n_draws, "n_draws", low=2)
    reach = largest_k(pair)
    if k.min() <= reach:
        raise ValueError(
            f"k must be past {reach}, the samples of nearly every problem, but one is "
            f"{k.min()}: up to there the estimate needs no model"
        )
    shown = reach // 4
    if not shown:
        raise ValueError(
            "pair must have 4 samples or more of nearly every problem, so that the "
            f"model can be checked, but it has {reach}"
        )
    laws = [fit_zero_inflated_beta(table) for table in (pair.base, pair.rl)]
    truth = mean_curves(pair, reach).difference[-1]
    errors = [_predict(pair, shown, reach, rng) - truth for _ in range(n_draws)]
    return Extrapolation(
        k=k,
        base=laws[0].pass_at_k(k),
        rl=laws[1].pass_at_k(k),
        held_out_k=reach,
        held_out_n=shown,
        held_out_errors=np.array(errors),
    )


def _predict(pair: Pair, shown: int, k: int, rng: np.random.Generator) -> float:
    """Return RL minus base at k, from ``shown`` random samples of each problem."""
    found = []
    for table in (pair.base, pair.rl):
        n = np.minimum(shown, table.n)
        c = draw_right(table.n, table.c, n, rng=rng)
        few = Counts(problems=table.problems, n=n, c=c)
        found.append(fit_zero_inflated_beta(few).pass_at_k(np.array([k]))[0])
    return float(found[1] - found[0])
