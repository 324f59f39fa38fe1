"""Two tasks on real images: 1,797 handwritten digits of 8 by 8 pixels.

The *new* task asks for the parity: every digit of the right parity is a right answer,
five of ten. The *old* task shows the same images turned by a quarter, and has one right
answer each: the digit plus 3, modulo 10. A last input, 1 or -1, says which task it is.
"""

from dataclasses import dataclass
from functools import cache
from importlib.resources import files

import numpy as np
from jaxtyping import Float, Int

from toolkit._checks import as_count

N_DIGITS = 10
N_TRAIN = 1200  # of the 1,797 images; the others are for testing
OLD_SHIFT = 3
BRIGHTEST = 16  # pixels are whole numbers from 0 to 16


@dataclass(frozen=True, eq=False, kw_only=True)
class Digits:
    """Every image as it is asked about in both tasks, with the right answers.

    Attributes
    ----------
    new_inputs, old_inputs
        64 pixels in [0, 1] and the task's sign.
    correct
        The new task: 1 for the five digits of the right parity.
    old_answers
        The old task: the one right answer.
    """

    new_inputs: Float[np.ndarray, "images 65"]
    old_inputs: Float[np.ndarray, "images 65"]
    correct: Float[np.ndarray, "images 10"]
    old_answers: Int[np.ndarray, " images"]


@cache
def load_digits() -> Digits:
    """Return both tasks on all images, read from the file shipped with the toolkit.

    Notes
    -----
    The test part of the UCI set "Optical Recognition of Handwritten Digits" (Alpaydin
    and Kaynak 1998), as scikit-learn distributes it; see ``toolkit/data/digits.txt``.
    """
    with (
        files("toolkit").joinpath("data", "digits.npz").open("rb") as file,
        np.load(file) as stored,
    ):
        images = stored["images"] / BRIGHTEST
        labels = stored["labels"].astype(np.intp)
    turned = np.rot90(images, axes=(1, 2))
    return Digits(
        new_inputs=_with_sign(images, 1.0),
        old_inputs=_with_sign(turned, -1.0),
        correct=(np.arange(N_DIGITS) % 2 == labels[:, None] % 2).astype(np.float64),
        old_answers=(labels + OLD_SHIFT) % N_DIGITS,
    )


@dataclass(frozen=True, eq=False, kw_only=True)
class Split:
    """Which images train and which test, run by run.

    Attributes
    ----------
    train, test
        Numbers of the images.
    """

    train: Int[np.ndarray, "runs train"]
    test: Int[np.ndarray, "runs test"]


def draw_split(rngs: list[np.random.Generator], n_train: int = N_TRAIN) -> Split:
    """Shuffle the images once for each generator and cut the deck."""
    n_images = len(load_digits().old_answers)
    n_train = as_count(n_train, "n_train", low=1, high=n_images - 1)
    order = np.array([rng.permutation(n_images) for rng in rngs])
    return Split(train=order[:, :n_train], test=order[:, n_train:])


def _with_sign(images: np.ndarray, sign: float) -> Float[np.ndarray, "images 65"]:
    pixels = images.reshape(len(images), -1)
    return np.column_stack([pixels, np.full(len(images), sign)])
