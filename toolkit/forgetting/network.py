"""A small ReLU network in NumPy, many copies trained side by side.

All weights of a copy stand in one row of one array, so that one optimiser step moves
everything; the layers are views into it.
"""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from toolkit._checks import as_count

Weights = Float[np.ndarray, "runs weights"]
Activations = list[np.ndarray]
"""Inputs, then each layer's output, each (runs, images, units); logits come last."""


@dataclass(frozen=True)
class Network:
    """Sizes of the layers, from the inputs to the logits.

    Examples
    --------
    Two inputs, one hidden layer of three units, two answers: 3 * 3 + 4 * 2 weights.

    >>> Network(sizes=(2, 3, 2)).n_weights
    17
    """

    sizes: tuple[int, ...]

    def __post_init__(self) -> None:
        if len(self.sizes) < 2:
            raise ValueError(
                f"sizes must name two layers or more, but it is {self.sizes}"
            )
        for size in self.sizes:
            as_count(size, "sizes", low=1)

    @property
    def n_weights(self) -> int:
        """Number of weights and biases of one copy."""
        return sum((a + 1) * b for a, b in self._pairs)

    @property
    def _pairs(self) -> list[tuple[int, int]]:
        return list(zip(self.sizes[:-1], self.sizes[1:], strict=True))

    def layers(self, weights: Weights) -> list[tuple[np.ndarray, np.ndarray]]:
        """Return views of each layer: matrix (runs, in, out), bias (runs, 1, out)."""
        views, start = [], 0
        for a, b in self._pairs:
            matrix = weights[:, start : start + a * b].reshape(-1, a, b)
            bias = weights[:, start + a * b : start + (a + 1) * b]
            views.append((matrix, bias[:, None]))
            start += (a + 1) * b
        return views

    def initial_weights(self, rngs: list[np.random.Generator]) -> Weights:
        """Draw one copy from each generator: normal, variance 2 / inputs; biases 0.

        Notes
        -----
        He et al. (2015): it keeps the size of the activations from layer to layer.
        """
        weights = np.zeros((len(rngs), self.n_weights))
        for i, rng in enumerate(rngs):
            for matrix, _ in self.layers(weights[i : i + 1]):
                matrix[:] = rng.normal(size=matrix.shape) * np.sqrt(2 / matrix.shape[1])
        return weights

    def activations(
        self, weights: Weights, inputs: Float[np.ndarray, "*runs images inputs"]
    ) -> Activations:
        """Return the inputs and every layer's output."""
        outputs = [inputs]
        layers = self.layers(weights)
        for i, (matrix, bias) in enumerate(layers):
            z = outputs[-1] @ matrix
            z += bias
            if i < len(layers) - 1:
                np.maximum(z, 0, out=z)
            outputs.append(z)
        return outputs

    def logits(
        self, weights: Weights, inputs: Float[np.ndarray, "*runs images inputs"]
    ) -> Float[np.ndarray, "runs images answers"]:
        """Return the logits of every image."""
        return self.activations(weights, inputs)[-1]

    def gradient(
        self,
        weights: Weights,
        activations: Activations,
        push: Float[np.ndarray, "runs images answers"],
    ) -> Weights:
        """Return the gradient of ``sum push * logits`` in the weights (chain rule)."""
        gradient = np.empty_like(weights)
        layers, slots = self.layers(weights), self.layers(gradient)
        for i in reversed(range(len(layers))):
            matrix_slot, bias_slot = slots[i]
            np.matmul(activations[i].swapaxes(-1, -2), push, out=matrix_slot)
            np.sum(push, axis=1, keepdims=True, out=bias_slot)
            if i:
                push = push @ layers[i][0].swapaxes(-1, -2)
                push *= activations[i] > 0
        return gradient
