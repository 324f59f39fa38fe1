"""The inner loop of training: sample token by token, and add up the gradient.

Listing all responses at every step is exact but slow. Here only the prefixes that a
sample passes through are touched, for all runs and prompts at once. Logits are kept
token first, so that a softmax is five sums over long rows.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np
from jaxtyping import Bool, Float, Int

from toolkit._checks import (
    as_count,
    as_counts,
    as_floats,
    as_logits,
    check_distributions,
    check_finite,
    check_ndim,
    check_same_shape,
    check_type,
)
from toolkit._types import Logits, Policy, Sampled, SampledValues
from toolkit.language import ToyLanguage


@dataclass(frozen=True, eq=False, kw_only=True)
class Batch:
    """Sampled responses, and the policy at the prefixes they passed through.

    Attributes
    ----------
    responses
        Indices of the responses, shape (runs, prompts, group).
    rows
        Row of the prefix before each token, shape (length, samples); 0 after the end.
    tokens
        The token that followed.
    probs
        Probability of every token there.
    running
        Whether the response had not ended there.
    """

    responses: Int[np.ndarray, "runs prompts group"]
    rows: Int[np.ndarray, "length samples"]
    tokens: Int[np.ndarray, "length samples"]
    probs: Float[np.ndarray, "tokens length samples"]
    running: Bool[np.ndarray, "length samples"]

    @property
    def token_log_probs(self) -> Float[np.ndarray, "length samples"]:
        """``log pi`` of each token after its prefix; 0 after the end."""
        chosen = np.take_along_axis(self.probs, self.tokens[None], axis=0)[0]
        return np.log(chosen) * self.running

    @property
    def log_probs(self) -> Float[np.ndarray, "runs prompts group"]:
        """``log pi`` of each sample under the policy that drew it."""
        return self.token_log_probs.sum(axis=0).reshape(self.responses.shape)


TokenWeights: TypeAlias = Float[np.ndarray, "length samples"]
"""One number for every token of a batch."""

Brake: TypeAlias = Callable[[Batch, Batch, SampledValues], TokenWeights]
"""From a batch as drawn, the batch under the policy of now, and the weights of its
samples, to a weight for every token: see :mod:`toolkit.brakes`."""


def token_weights(batch: Batch, weights: SampledValues) -> TokenWeights:
    """Return the weight of its sample for every token; 0 after the end."""
    check_type(batch, "batch", Batch)
    weights = as_floats(weights, "weights")
    check_same_shape(batch.responses, "the batch", weights, "weights")
    check_finite(weights, "weights")
    return weights.ravel() * batch.running


class SampledTree:
    """Policies of many runs, sampled and updated together.

    Parameters
    ----------
    logits
        Logits every run starts from, shape (prompts, prefixes, tokens); copied.
    language
        The toy language.
    n_runs
        Number of runs.
    """

    def __init__(self, logits: Logits, language: ToyLanguage, *, n_runs: int) -> None:
        check_type(language, "language", ToyLanguage)
        logits = as_logits(
            logits, "logits", n_prefixes=language.n_prefixes, n_tokens=language.n_tokens
        )
        check_ndim(logits, "logits", 3)
        n_runs = as_count(n_runs, "n_runs", low=1)
        self._language = language
        self._n_runs, self._n_prompts = n_runs, len(logits)
        copies = np.broadcast_to(logits, (n_runs, *logits.shape))
        self.flat_logits: Float[np.ndarray, "tokens rows"] = np.array(
            copies.reshape(-1, language.n_tokens).T, order="C"
        )

    @property
    def logits(self) -> Float[np.ndarray, "runs prompts prefixes tokens"]:
        """The logits as everyone else writes them."""
        shape = (self._n_runs, self._n_prompts, self._language.n_prefixes, -1)
        return self.flat_logits.T.reshape(shape)

    def sample(self, uniforms: Float[np.ndarray, "length runs prompts group"]) -> Batch:
        """Draw responses from the policies, one uniform number in [0, 1) a token."""
        language = self._language
        uniforms = self._as_uniforms(uniforms, n_draws=language.length)
        group_shape = uniforms.shape[1:]
        uniforms = uniforms.reshape(language.length, -1)
        first = self._first_rows(group_shape[-1])
        rows = np.empty(uniforms.shape, dtype=np.intp)
        tokens = np.empty(uniforms.shape, dtype=np.intp)
        probs = np.empty((language.n_tokens, *uniforms.shape))
        running = np.empty(uniforms.shape, dtype=bool)
        alive = np.ones(uniforms.shape[1], dtype=bool)
        prefixes = np.zeros(uniforms.shape[1], dtype=np.intp)
        responses = np.zeros(uniforms.shape[1], dtype=np.intp)
        for t, u in enumerate(uniforms):
            rows[t], running[t] = first + prefixes, alive
            probs[:, t] = self._token_probs(rows[t])
            tokens[t] = _invert(probs[:, t], u)
            following = (prefixes - language.level_starts[t]) * language.n_content
            following += tokens[t] + language.level_starts[t + 1]
            if language.has_end:  # a response that ends has the number of its prefix
                ends = alive & (tokens[t] == language.n_content)
                responses[ends] = prefixes[ends]
                alive = alive & ~ends
                following[~alive] = 0
            prefixes = following
        n_shorter = language.n_prefixes * language.has_end
        responses[alive] = prefixes[alive] - language.n_prefixes + n_shorter
        return Batch(
            responses=responses.reshape(group_shape),
            rows=rows,
            tokens=tokens,
            probs=probs,
            running=running,
        )

    def sample_from(
        self, source: Policy, uniforms: Float[np.ndarray, "1 runs prompts group"]
    ) -> Batch:
        """Draw responses from listed probabilities, one uniform number each."""
        source = as_floats(source, "source", ndim=2)
        if source.shape != (self._n_prompts, self._language.n_responses):
            raise ValueError(
                f"source must have shape ({self._n_prompts}, "
                f"{self._language.n_responses}), but its shape is {source.shape}"
            )
        check_distributions(source, "source")
        uniforms = self._as_uniforms(uniforms, n_draws=1)
        responses = np.empty(uniforms.shape[1:], dtype=np.intp)
        cumulative = np.cumsum(source, axis=1)
        for x, row in enumerate(cumulative):
            thresholds = uniforms[0, :, x] * cumulative[x, -1]
            responses[:, x] = np.searchsorted(row, thresholds, side="right")
        flat = responses.ravel()
        running = (self._language.prefixes[flat] >= 0).T
        prefixes = np.where(running, self._language.prefixes[flat].T, 0)
        rows = self._first_rows(uniforms.shape[-1]) + prefixes
        return Batch(
            responses=responses,
            rows=rows,
            tokens=np.where(running, self._language.tokens[flat].T, 0),
            probs=self._token_probs(rows.ravel()).reshape(-1, *rows.shape),
            running=running,
        )

    def revisit(self, batch: Batch) -> Batch:
        """Return the same samples with the probabilities that they have now."""
        probs = self._token_probs(batch.rows.ravel())
        return replace(batch, probs=probs.reshape(batch.probs.shape))

    def score_gradient(
        self, batch: Batch, weights: SampledValues
    ) -> Float[np.ndarray, "tokens rows"]:
        """Return the gradient of ``sum_i weights_i log pi(y_i|x)``, token first."""
        return self.token_gradient(batch, token_weights(batch, weights))

    def token_gradient(
        self, batch: Batch, weights: TokenWeights
    ) -> Float[np.ndarray, "tokens rows"]:
        """Return the gradient of the weighted sum of all tokens' ``log pi``."""
        weights = as_floats(weights, "weights")
        check_same_shape(batch.running, "the batch's tokens", weights, "weights")
        check_finite(weights, "weights")
        counts = weights.ravel()
        moved = np.flatnonzero(counts)  # late in a run most weights are 0
        counts = counts[moved]
        rows = batch.rows.ravel()[moved]
        pushes = batch.probs.reshape(len(batch.probs), -1)[:, moved] * -counts
        pushes[batch.tokens.ravel()[moved], np.arange(len(moved))] += counts
        n_rows = self.flat_logits.shape[1]
        slots = rows + n_rows * np.arange(len(batch.probs))[:, None]
        gradient = np.bincount(slots.ravel(), pushes.ravel(), self.flat_logits.size)
        # of nothing at all NumPy counts integers
        return gradient.astype(np.float64, copy=False).reshape(self.flat_logits.shape)

    def _as_uniforms(self, uniforms: np.ndarray, *, n_draws: int) -> np.ndarray:
        uniforms = as_floats(uniforms, "uniforms", ndim=4)
        expected = (n_draws, self._n_runs, self._n_prompts)
        if uniforms.shape[:-1] != expected:
            raise ValueError(
                f"uniforms must have shape {expected} and a last axis for the group, "
                f"but its shape is {uniforms.shape}"
            )
        if not (uniforms.min() >= 0 and uniforms.max() < 1):
            raise ValueError(
                "uniforms must be in [0, 1), but they reach from "
                f"{uniforms.min():g} to {uniforms.max():g}"
            )
        return uniforms

    def _first_rows(self, group_size: int) -> Int[np.ndarray, " samples"]:
        """Return the row of the empty prefix for every sample."""
        starts = np.arange(self._n_runs * self._n_prompts) * self._language.n_prefixes
        return starts.repeat(group_size)

    def _token_probs(
        self, rows: Int[np.ndarray, " samples"]
    ) -> Float[np.ndarray, "tokens samples"]:
        logits = self.flat_logits.take(rows, axis=1)
        logits -= logits.max(axis=0)
        weights = np.exp(logits, out=logits)
        weights /= weights.sum(axis=0)
        return weights


def look_up(
    values: Float[np.ndarray, "prompts responses"], responses: Sampled
) -> SampledValues:
    """Return the value of each sampled response to its prompt."""
    values = as_floats(values, "values", ndim=2)
    responses = as_counts(responses, "responses", low=0)
    if responses.shape[-2:-1] != values.shape[:1]:
        raise ValueError(
            f"responses must have shape (*runs, {len(values)}, group), for a row of "
            f"values a prompt, but its shape is {responses.shape}"
        )
    if responses.max() >= values.shape[1]:
        raise ValueError(
            f"responses must be below {values.shape[1]}, the number of responses, "
            f"but {responses.max()} is not"
        )
    return values[np.arange(len(values))[:, None], responses]


def _invert(
    probs: Float[np.ndarray, "tokens samples"], u: Float[np.ndarray, " samples"]
) -> Int[np.ndarray, " samples"]:
    """Return the token whose share of [0, 1) holds u: the inverse of the CDF."""
    passed = probs[0].copy()
    token = (u >= passed).astype(np.intp)
    for share in probs[1:-1]:
        passed += share
        token += u >= passed
    return token
