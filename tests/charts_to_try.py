"""Small charts for the tests: a grid, a formula, a band, bars."""

from typing import Any

import numpy as np

from toolkit.charts import collapse, connections, generalization, toy_language
from toolkit.charts.bars import bar_chart
from toolkit.charts.book_chart import BookChart
from toolkit.charts.curves import Axis, Curve
from toolkit.charts.lines import line_chart
from toolkit.charts.slider import Slider
from toolkit.generalization.chain import Chain
from toolkit.generalization.recovery import ChainRuns

A = Slider(name="a", label="speed", values=(1, 2, 3), start=2)
B = Slider(name="b", label="share", values=(0.25, 0.5, 1), start=0.5, shown=".2f")
X = np.array([0, 1, 2])


def a_chart(**change: Any) -> BookChart:
    """Return a chart of one curve; what is named is given to it or to its curve."""
    curve = {"name": "fast", "x": X, "y": lambda a: a * X, "follows": ("a",)}
    curve |= {"role": "RL"}
    curve |= {k: v for k, v in change.items() if k in Curve.__dataclass_fields__}
    curve["name"] = "fast"
    chart = {
        "name": "growth",
        "title": "Growth",
        "x": Axis(title="time"),
        "y": Axis(title="size", high=10),
        "sliders": [A],
        "says": lambda a: f"At speed {a} the end is {2 * a}.",
    }
    kept = ("name", "title", "sliders", "says")
    chart |= {name: change[name] for name in kept if name in change}
    return line_chart(curves=[Curve(**curve)], **chart)


def lines_to_try() -> BookChart:
    """Return a grid with a band, a formula of both sliders, and a curve that stays."""
    return line_chart(
        name="lines",
        title="Lines",
        x=Axis(title="time"),
        y=Axis(title="size"),
        sliders=[A, B],
        curves=[
            Curve(name="it's still", x=X, y=X / 3),
            Curve(
                name="grid",
                x=X,
                y=lambda a: np.sqrt(a) * X,
                low=lambda a: np.sqrt(a) * X - 0.5,
                high=lambda a: np.sqrt(a) * X + 0.5,
                follows=("a",),
                role="RL",
            ),
            Curve(
                name="it's a formula",
                x=X,
                y=lambda a, b: np.exp(-b * X) * a + X[::-1],
                follows=("a", "b"),
                formula="exp(-b * datum.x) * a + datum.more",
                knows={"more": X[::-1]},
                role="theory",
                dash=2,
            ),
        ],
        says=lambda a, b: f"a is {a}, b is {b:.2f}",
    )


def bars_to_try() -> BookChart:
    """Return two groups of bars."""
    return bar_chart(
        name="bars",
        title="Bars",
        x=Axis(title="task"),
        y=Axis(title="success"),
        sliders=[A],
        curves=[
            Curve(name="before", x=["sum 0", "sum 1"], y=np.array([0.2, 0.4])),
            Curve(
                name="after",
                x=["sum 0", "sum 1"],
                y=lambda a: np.array([0.1, 0.3]) * a,
                low=lambda a: np.array([0.05, 0.2]) * a,
                high=lambda a: np.array([0.15, 0.31]) * a,
                follows=("a",),
                role="SFT",
            ),
        ],
        says=lambda a: f"at {a}",
    )


def formulas_of_the_book() -> list[BookChart]:
    """Return the book's charts that let the browser compute, on small results."""
    chain = Chain(horizon=5)
    logits = {"SFT": [[4.0, -2.0]], "RL": [[3.0, 0.0], [2.5, 0.5]]}
    runs = {
        name: ChainRuns(
            logits=np.array(at),
            n_steps=np.ones(len(at), dtype=int),
            converged=np.ones(len(at), dtype=bool),
        )
        for name, at in logits.items()
    }
    return [
        toy_language.optimum_chart(np.array([0.02, 0.5, 0.9]), beta=0.5),
        generalization.kicks_chart(chain, runs, np.array([0.0, 0.1, 0.3]), kick=0.1),
        collapse.drift_chart(np.full(4, 0.25), rounds=6, n=50),
        connections.floor_chart(np.array([0.01, 0.5, 0.99]), p=0.5, success=0.9),
    ]
