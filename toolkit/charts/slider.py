"""A number that the reader can turn."""

import itertools
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

Number = int | float
Setting = dict[str, Number]
"""The value of every slider, by name."""

NAME = re.compile(r"[a-z][a-z0-9_]*")
TAKEN = frozenset({"curve", "x", "y", "low", "high", "table", "width", "height"})


@dataclass(frozen=True, kw_only=True)
class Slider:
    """A number that the reader can turn through listed values.

    Attributes
    ----------
    name
        Its name in formulas and in the arguments of functions, e.g. ``"beta"``.
    label
        What stands beside it, e.g. ``"price of a nat of KL, β"``.
    values
        The values it takes, from left to right; two or more, all different.
    start
        Where it stands at first: one of them. Choose what the page prints.
    shown
        Format of a value, as in ``format(value, shown)``.

    Examples
    --------
    >>> Slider(name="beta", label="price, β", values=(0.1, 0.25), start=0.1).texts()
    ['0.1', '0.25']
    """

    name: str
    label: str
    values: Sequence[Number]
    start: Number
    shown: str = "g"

    def __post_init__(self) -> None:
        if not NAME.fullmatch(self.name) or self.name in TAKEN:
            raise ValueError(
                "name must be a lower-case word, no part of a chart's table "
                f"({', '.join(sorted(TAKEN))}), but it is {self.name!r}"
            )
        # Plain numbers, which JSON writes the same here and in the table.
        object.__setattr__(self, "values", tuple(map(plain, self.values)))
        object.__setattr__(self, "start", plain(self.start))
        if len(set(self.values)) != len(self.values) or len(self.values) < 2:
            raise ValueError(
                f"values must be two or more different numbers, but {self.name} has "
                f"{list(self.values)}"
            )
        if self.start not in self.values:
            raise ValueError(
                f"start must be one of {list(self.values)}, but {self.name} starts at "
                f"{self.start}"
            )

    def texts(self) -> list[str]:
        """Return every value as it is shown."""
        return [format(value, self.shown) for value in self.values]


def plain(value: Any) -> Number:
    """Return a number of Python for one of NumPy."""
    number: Number = np.asarray(value).item()
    return number


def settings(sliders: Sequence[Slider]) -> Iterator[Setting]:
    """Yield every combination of values; the last slider turns fastest.

    Examples
    --------
    >>> a = Slider(name="a", label="a", values=(1, 2), start=1)
    >>> b = Slider(name="b", label="b", values=(3, 4), start=4)
    >>> list(settings([a, b]))[1]
    {'a': 1, 'b': 4}
    """
    names = [slider.name for slider in sliders]
    for values in itertools.product(*(slider.values for slider in sliders)):
        yield dict(zip(names, values, strict=True))


def start_of(sliders: Sequence[Slider]) -> Setting:
    """Return where all sliders stand at first."""
    return {slider.name: slider.start for slider in sliders}
