"""The toy language: few enough responses to list, so that every claim can be checked.

A response is a short string of tokens; a prompt asks for a response whose tokens have
a given sum; a checker gives reward 1 or 0. Listing all responses makes probabilities,
optima and gradients exact. The recipe is the one of the chapter's own code
(Antoniadis 2026, chapter 4), rebuilt from its description.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from jaxtyping import Bool, Float, Int

from toolkit._checks import as_count, as_counts, as_float, check_type
from toolkit._types import Logits, Reward

LONGEST = 32  # positions; far more than a listable language needs
NO_TOKEN = -1  # fills a row of ``ToyLanguage.tokens`` after the response has ended


@dataclass(frozen=True)
class ToyLanguage:
    """All strings over a few tokens, of one length or up to an end token.

    Parameters
    ----------
    n_tokens
        Size V of the vocabulary, 2 or more.
    length
        Number L of positions, 1 to 32.
    has_end
        Whether the last token, V - 1, ends the response. Without an end token every
        response has exactly L tokens.

    Notes
    -----
    Prefixes are numbered by length, then lexicographically: 0 is the empty prefix,
    1 to V the single tokens, and so on. Responses of equal length are in lexicographic
    order; with an end token, shorter ones come first. A language with ``length=1`` has
    one prefix and one logit per response: its policies are *tabular*.

    Examples
    --------
    Two tokens in two positions make four responses over three prefixes ("", "0", "1"):

    >>> language = ToyLanguage(n_tokens=2, length=2)
    >>> language.tokens.tolist()
    [[0, 0], [0, 1], [1, 0], [1, 1]]
    >>> language.prefixes.tolist()
    [[0, 1], [0, 1], [0, 2], [0, 2]]
    """

    n_tokens: int = 5
    length: int = 4
    has_end: bool = False

    def __post_init__(self) -> None:
        as_count(self.n_tokens, "n_tokens", low=2)
        as_count(self.length, "length", low=1, high=LONGEST)
        check_type(self.has_end, "has_end", bool)
        if self.n_content**self.length > 10**6:
            raise ValueError(
                "a toy language must have at most 10**6 responses to be listed, but "
                f"{self.n_tokens} tokens in {self.length} positions make more"
            )

    @property
    def n_content(self) -> int:
        """Number of tokens that do not end the response."""
        return self.n_tokens - self.has_end

    @cached_property
    def level_starts(self) -> tuple[int, ...]:
        """Number of the first prefix of each length 0 to L - 1, and of all prefixes."""
        sizes = [self.n_content**t for t in range(self.length)]
        return (0, *(int(end) for end in np.cumsum(sizes)))

    @property
    def n_prefixes(self) -> int:
        """Number of prefixes a policy needs a row of logits for."""
        return self.level_starts[-1]

    @property
    def n_responses(self) -> int:
        """Number of responses."""
        return len(self.tokens)

    @cached_property
    def tokens(self) -> Int[np.ndarray, "responses length"]:
        """Tokens of each response; -1 after its end."""
        ended = [self._strings(t, end=True) for t in range(self.length * self.has_end)]
        return np.concatenate([*ended, self._strings(self.length, end=False)])

    @cached_property
    def prefixes(self) -> Int[np.ndarray, "responses length"]:
        """Number of the prefix before each token of each response; -1 after its end."""
        numbers = np.empty_like(self.tokens)
        within = np.zeros(self.n_responses, dtype=np.intp)
        for t in range(self.length):
            numbers[:, t] = self.level_starts[t] + within
            within = within * self.n_content + self.tokens[:, t]
        return np.where(self.tokens == NO_TOKEN, NO_TOKEN, numbers)

    @cached_property
    def lengths(self) -> Int[np.ndarray, " responses"]:
        """Number of tokens of each response, the end token included."""
        return np.sum(self.tokens != NO_TOKEN, axis=1)

    @cached_property
    def content(self) -> Bool[np.ndarray, "responses length"]:
        """Where a response has a token that counts: not the end, not after it."""
        return (self.tokens >= 0) & (self.tokens < self.n_content)

    @cached_property
    def sums(self) -> Int[np.ndarray, " responses"]:
        """Sum of the content tokens of each response."""
        return np.sum(self.tokens * self.content, axis=1)

    def _strings(self, n: int, *, end: bool) -> np.ndarray:
        """Return all strings of ``n`` content tokens, ended and padded to L."""
        strings = np.indices((self.n_content,) * n).reshape(n, self.n_content**n).T
        padded = np.full((self.n_content**n, self.length), NO_TOKEN, dtype=np.intp)
        padded[:, :n] = strings
        if end:
            padded[:, n] = self.n_tokens - 1
        return padded


def sum_reward(
    language: ToyLanguage, targets: Int[np.ndarray, " prompts"], modulus: int
) -> Reward:
    """Return 1 where the content tokens sum to the prompt's target, else 0.

    ``reward[x, y] = 1[sum(y) mod modulus == targets[x] and y has content]``

    Parameters
    ----------
    language
        The toy language.
    targets
        Target of each prompt, from 0 to ``modulus - 1``.
    modulus
        2 or more.

    Returns
    -------
    Reward
        One row per prompt, one column per response.

    Raises
    ------
    ValueError
        If a target is not below ``modulus``.

    Examples
    --------
    Strings of two bits, even sum wanted: 00 and 11.

    >>> sum_reward(ToyLanguage(n_tokens=2, length=2), np.array([0]), modulus=2)
    array([[1., 0., 0., 1.]])
    """
    check_type(language, "language", ToyLanguage)
    modulus = as_count(modulus, "modulus", low=2)
    targets = as_counts(targets, "targets", low=0, ndim=1)
    if np.any(targets >= modulus):
        raise ValueError(
            f"targets must be below modulus = {modulus}, but {targets.max()} is not"
        )
    has_content = language.content.any(axis=1)
    hits = (language.sums % modulus == targets[:, None]) & has_content
    return hits.astype(np.float64)


def reference_logits(
    language: ToyLanguage,
    *,
    n_prompts: int,
    concentration: float,
    rng: np.random.Generator,
    corpus_size: int = 4000,
    smoothing: float = 0.5,
) -> Logits:
    """Return the logits of a reference policy, "pretrained" on random Markov chains.

    Each prompt gets a chain with start and transition probabilities drawn from
    Dirichlet(concentration); ``corpus_size`` strings are drawn from it, and the logits
    are ``log(count of token after prefix + smoothing)``. A small concentration makes a
    peaked policy. The smoothing leaves every response some probability.

    Parameters
    ----------
    language
        The toy language.
    n_prompts
        Number of prompts, 1 or more.
    concentration
        Dirichlet parameter, above 0.
    rng
        One stream for everything, prompt after prompt.
    corpus_size
        Strings drawn per prompt.
    smoothing
        Added to every count, above 0.

    Returns
    -------
    Logits
        Shape (prompts, prefixes, tokens).
    """
    check_type(language, "language", ToyLanguage)
    check_type(rng, "rng", np.random.Generator)
    n_prompts = as_count(n_prompts, "n_prompts", low=1)
    concentration = as_float(concentration, "concentration", low=0, open_low=True)
    corpus_size = as_count(corpus_size, "corpus_size", low=1)
    smoothing = as_float(smoothing, "smoothing", low=0, open_low=True)
    counts = np.empty((n_prompts, language.n_prefixes, language.n_tokens))
    for prompt_counts in counts:
        corpus = _markov_corpus(language, concentration, corpus_size, rng)
        prompt_counts[...] = _prefix_counts(language, corpus)
    return np.log(counts + smoothing)


def _markov_corpus(
    language: ToyLanguage, concentration: float, size: int, rng: np.random.Generator
) -> Int[np.ndarray, "length size"]:
    """Draw ``size`` strings of full length from one random chain (ends not applied)."""
    v = language.n_tokens
    start = rng.dirichlet(np.full(v, concentration))
    transitions = rng.dirichlet(np.full(v, concentration), size=v)
    cumulative = np.cumsum(transitions, axis=1)
    corpus = np.empty((language.length, size), dtype=np.intp)
    corpus[0] = rng.choice(v, size, p=start)
    for t in range(1, language.length):
        u = rng.random(size)
        below = u[:, None] >= cumulative[corpus[t - 1], : v - 1]
        corpus[t] = below.sum(axis=1)
    return corpus


def _prefix_counts(
    language: ToyLanguage, corpus: Int[np.ndarray, "length size"]
) -> Float[np.ndarray, "prefixes tokens"]:
    """Count the tokens that follow each prefix, up to each string's end."""
    counts = np.zeros((language.n_prefixes, language.n_tokens))
    running = np.ones(corpus.shape[1], dtype=bool)
    within = np.zeros(corpus.shape[1], dtype=np.intp)
    for t, tokens in enumerate(corpus):
        rows = language.level_starts[t] + within[running]
        np.add.at(counts, (rows, tokens[running]), 1)
        running &= tokens < language.n_content
        within = within * language.n_content + tokens
    return counts


@dataclass(frozen=True, eq=False, kw_only=True)
class Testbed:
    """A language, a reference policy and a reward: what one experiment stands on.

    Attributes
    ----------
    language
        The toy language.
    ref_logits
        Logits of the reference policy, shape (prompts, prefixes, tokens).
    reward
        Reward of each response to each prompt.
    """

    __test__ = False  # the name starts like a test's; tell pytest it is none

    language: ToyLanguage
    ref_logits: Float[np.ndarray, "prompts prefixes tokens"]
    reward: Float[np.ndarray, "prompts responses"]


@dataclass(frozen=True, eq=False, kw_only=True)
class SharedTestbed(Testbed):
    """One prompt that must serve several tasks whose right answers exclude each other.

    Attributes
    ----------
    frequencies
        How often each task is asked; sums to 1.
    solves
        1 where a response solves a task, else 0. ``reward`` is the average over tasks,
        ``frequencies @ solves``: training never sees which task it is in.
    """

    frequencies: Float[np.ndarray, " tasks"]
    solves: Float[np.ndarray, "tasks responses"]


def default_testbed(seed: int = 1) -> Testbed:
    """Return four prompts over 625 responses: tokens must sum to 1, 2, 0, 0 (mod 5).

    The reference policy answers them with probability .017, .187, .707 and .439: from
    nearly hopeless to mostly right.
    """
    language = ToyLanguage(n_tokens=5, length=4)
    return Testbed(
        language=language,
        ref_logits=reference_logits(
            language, n_prompts=4, concentration=0.3, rng=_stream(seed)
        ),
        reward=sum_reward(language, np.array([1, 2, 0, 0]), modulus=5),
    )


def variable_length_testbed(seed: int = 4) -> Testbed:
    """Return four prompts over responses that end themselves, after at most six tokens.

    The last token ends a response; the others must sum to 0, 1, 2, 3 (mod 4), and there
    must be at least one of them.
    """
    language = ToyLanguage(n_tokens=5, length=6, has_end=True)
    return Testbed(
        language=language,
        ref_logits=reference_logits(
            language, n_prompts=4, concentration=0.6, rng=_stream(seed)
        ),
        reward=sum_reward(language, np.arange(4), modulus=4),
    )


def shared_testbed(seed: int = 1) -> SharedTestbed:
    """Return one prompt for five tasks, asked with frequency .40, .30, .15, .10, .05.

    Task j is solved by the responses whose tokens sum to j (mod 5), so every response
    solves exactly one task, and a policy that serves one well serves another badly.
    """
    language = ToyLanguage(n_tokens=5, length=4)
    frequencies = np.array([0.40, 0.30, 0.15, 0.10, 0.05])
    solves = sum_reward(language, np.arange(5), modulus=5)
    return SharedTestbed(
        language=language,
        ref_logits=reference_logits(
            language, n_prompts=1, concentration=0.6, rng=_stream(seed)
        ),
        reward=frequencies[None, :] @ solves,
        frequencies=frequencies,
        solves=solves,
    )


def _stream(seed: int) -> np.random.Generator:
    return np.random.default_rng(as_count(seed, "seed", low=0))
