"""Names for the arrays of the toolkit, and for their axes.

``*runs`` stands for any number of leading axes (one, usually: the seeds that are
trained side by side). Every array holds float64 unless its name says otherwise.
"""

from typing import TypeAlias

import numpy as np
from jaxtyping import Float, Int, Real

Policy: TypeAlias = Real[np.ndarray, "prompts responses"]
"""Probability of each response, one row a prompt. Rows sum to 1."""

Reward: TypeAlias = Real[np.ndarray, "prompts responses"]
"""Reward of each response to each prompt, in any one unit."""

PerPrompt: TypeAlias = Float[np.ndarray, " prompts"]
"""One number a prompt."""

Logits: TypeAlias = Real[np.ndarray, "*runs prompts prefixes tokens"]
"""Unnormalised log-probability of the next token after each prefix."""

ResponseValues: TypeAlias = Real[np.ndarray, "*runs prompts responses"]
"""One number for every response (a log-probability, a probability, a weight)."""

Sampled: TypeAlias = Int[np.ndarray, "*runs prompts group"]
"""Indices of sampled responses, ``group`` of them a prompt."""

SampledValues: TypeAlias = Real[np.ndarray, "*runs prompts group"]
"""One number for every sampled response (a reward, a weight)."""
