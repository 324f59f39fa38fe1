"""Temperature: flatten a policy token by token, until its entropy is what one wants."""

import numpy as np
from jaxtyping import Float
from scipy.special import entr

from toolkit._checks import as_floats
from toolkit._types import Logits
from toolkit.language import ToyLanguage
from toolkit.policies import response_probs

HALVINGS = 60  # of an interval of ten units of log-temperature: to the last digit
LOG_RANGE = 5.0  # temperatures from exp(-5) to exp(5) are searched


def tempered(logits: Logits, temperature: Float[np.ndarray, "..."]) -> Logits:
    """Return the logits divided by a temperature, as a sampler does.

    Parameters
    ----------
    logits
        Shape (*runs, prompts, prefixes, tokens).
    temperature
        Above 0; one for each (*runs, prompts). Above 1 flattens, below 1 sharpens.

    Raises
    ------
    ValueError
        If a temperature is not positive or the shape is not that of the leading axes.

    Examples
    --------
    >>> tempered(np.array([[[2.0, 0.0]]]), np.array([2.0]))
    array([[[1., 0.]]])
    """
    logits = as_floats(logits, "logits")
    temperature = as_floats(temperature, "temperature")
    if temperature.shape != logits.shape[:-2]:
        raise ValueError(
            f"temperature must have the leading axes of logits, {logits.shape[:-2]}, "
            f"but its shape is {temperature.shape}"
        )
    if not np.all(temperature > 0):
        raise ValueError(f"temperature must be above 0, but one is {temperature.min()}")
    return logits / temperature[..., None, None]


def temperature_for_entropy(
    logits: Logits, language: ToyLanguage, wanted: Float[np.ndarray, "..."]
) -> Float[np.ndarray, "..."]:
    """Return the temperature at which the policy over responses has a wanted entropy.

    Parameters
    ----------
    logits
        Finite, shape (*runs, prompts, prefixes, tokens).
    language
        The toy language.
    wanted
        Entropy in nats, one for each (*runs, prompts).

    Returns
    -------
    array
        One temperature for each, found by halving between exp(-5) and exp(5).

    Raises
    ------
    ValueError
        If the shape is not that of the leading axes, or no temperature in the range
        gives the entropy.

    Examples
    --------
    Logits of a policy whose entropy at temperature 3 is known:

    >>> language = ToyLanguage(n_tokens=2, length=1)
    >>> hot = response_probs(np.array([[[1.0, 0.0]]]), language)
    >>> temperature_for_entropy(np.array([[[3.0, 0.0]]]), language, entr(hot).sum(-1))
    array([3.])
    """
    logits = as_floats(logits, "logits")
    wanted = as_floats(wanted, "wanted")
    if wanted.shape != logits.shape[:-2]:
        raise ValueError(
            f"wanted must have the leading axes of logits, {logits.shape[:-2]}, "
            f"but its shape is {wanted.shape}"
        )

    def entropy_at(log_temperature: np.ndarray) -> np.ndarray:
        hot = tempered(logits, np.exp(log_temperature))
        return entr(response_probs(hot, language)).sum(axis=-1)

    low = np.full(wanted.shape, -LOG_RANGE)
    high = np.full(wanted.shape, LOG_RANGE)
    unreached = ~((entropy_at(low) <= wanted) & (wanted <= entropy_at(high)))
    if np.any(unreached):
        raise ValueError(
            "wanted must be an entropy some temperature from exp(-5) to exp(5) gives, "
            f"but {wanted[unreached][0]:.6g} is not"
        )
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        short = entropy_at(middle) < wanted
        low, high = np.where(short, middle, low), np.where(short, high, middle)
    return np.exp((low + high) / 2)
