"""What the property tests draw from: distributions, policies, rewards, logits."""

from collections.abc import Iterator

import jaxtyping
import numpy as np
import pytest
from hypothesis import settings
from hypothesis import strategies as st

from toolkit.language import ToyLanguage

settings.register_profile("book", deadline=None, max_examples=60)
settings.load_profile("book")

TINY = ToyLanguage(n_tokens=3, length=2)
TINY_ENDED = ToyLanguage(n_tokens=3, length=3, has_end=True)
TABULAR = ToyLanguage(n_tokens=4, length=1)
LANGUAGES = st.sampled_from([TINY, TINY_ENDED, TABULAR])
for _language in (TINY, TINY_ENDED, TABULAR):
    # the type checker draws random numbers when this is computed first, and Hypothesis
    # would not have that in the middle of a strategy
    assert _language.level_starts
    assert _language.n_responses

BETAS = st.floats(0.02, 50.0)
PROBABILITIES = st.floats(0.0, 1.0)
KS = st.integers(1, 10_000)


@pytest.fixture
def no_type_checker() -> Iterator[None]:
    """Switch the tests' type checker off: the library must stand without it."""
    jaxtyping.config.update("jaxtyping_disable", True)
    yield
    jaxtyping.config.update("jaxtyping_disable", False)


def arrays(shape: tuple[int, ...], elements: st.SearchStrategy[float]):
    """Draw float arrays of one shape."""
    size = int(np.prod(shape))
    return st.lists(elements, min_size=size, max_size=size).map(
        lambda values: np.array(values, dtype=np.float64).reshape(shape)
    )


def policies(n_prompts: int = 2, n_responses: int = 4, *, zeros: bool = True):
    """Draw policies; with ``zeros`` some responses may have probability zero."""
    weight = st.floats(1e-4, 1.0)
    if zeros:
        weight = st.one_of(st.just(0.0), weight)
    rows = arrays((n_prompts, n_responses), weight)
    return rows.filter(lambda w: np.all(w.sum(axis=1) > 0)).map(
        lambda w: w / w.sum(axis=1, keepdims=True)
    )


def distributions(n: int, *, zeros: bool = True):
    """Draw one distribution over ``n`` outcomes."""
    return policies(1, n, zeros=zeros).map(lambda pi: pi[0])


def rewards(n_prompts: int = 2, n_responses: int = 4):
    """Draw rewards, some of them equal."""
    value = st.one_of(st.sampled_from([0.0, 1.0]), st.floats(-3.0, 3.0))
    return arrays((n_prompts, n_responses), value)


def success_rates(n: int = 4):
    """Draw success probabilities of ``n`` problems."""
    return arrays((n,), PROBABILITIES)


@st.composite
def languages_with_logits(draw, *, n_prompts: int = 2, runs: tuple[int, ...] = ()):
    """Draw a small language and logits for it."""
    language = draw(LANGUAGES)
    shape = (*runs, n_prompts, language.n_prefixes, language.n_tokens)
    return language, draw(arrays(shape, st.floats(-8.0, 8.0)))


def random_logits(language: ToyLanguage, *, n_prompts: int = 2, seed: int = 0):
    """Return logits of moderate size from a fixed generator."""
    shape = (n_prompts, language.n_prefixes, language.n_tokens)
    return np.random.default_rng(seed).normal(size=shape)
