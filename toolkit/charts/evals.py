"""Charts of the page on evaluation logs."""

from collections.abc import Mapping, Sequence

import numpy as np
from jaxtyping import Float

from toolkit.charts.bars import bar_chart
from toolkit.charts.book_chart import BookChart
from toolkit.charts.curves import Axis, Curve
from toolkit.charts.lines import line_chart
from toolkit.charts.slider import Slider
from toolkit.evals.bands import Band, difference_band
from toolkit.evals.comparison import Split
from toolkit.evals.counts import Counts
from toolkit.evals.curves import Curves, mean_curves
from toolkit.evals.pairs import Pair
from toolkit.passk import Decomposition


def fewer_samples(
    pair: Pair, shown: int, *, rng: np.random.Generator
) -> tuple[Curves, Band]:
    """Return curves and band for new problems from some of the samples.

    Parameters
    ----------
    pair
        The two tables.
    shown
        Samples of each problem, drawn from those there are.
    rng
        Draws them.
    """
    tables = []
    for table in (pair.base, pair.rl):
        n = np.minimum(shown, table.n)
        c = rng.hypergeometric(table.c, table.n - table.c, n)
        tables.append(Counts(problems=table.problems, n=n, c=c))
    fewer = Pair(base=tables[0], rl=tables[1])
    return mean_curves(fewer), difference_band(fewer, "new", rng=rng)


def fewer_samples_chart(
    pair: Pair, sizes: Sequence[int], *, rng: np.random.Generator
) -> BookChart:
    """Return RL minus base from fewer samples of each problem.

    Parameters
    ----------
    pair
        The two tables.
    sizes
        Numbers of samples to choose from; the largest is all there are, and stands
        still behind the others.
    rng
        Draws the samples.
    """
    found = {m: fewer_samples(pair, m, rng=rng) for m in sizes}
    most = max(sizes)
    k = np.arange(1, most + 1)

    def padded(values: np.ndarray) -> np.ndarray:
        return np.append(values, np.full(most - len(values), np.nan))

    def says(shown: int) -> str:
        curves, band = found[shown]
        first = curves.first_below
        seen = f"RL is below from k = {first}" if first else "RL is never below"
        return (
            f"From {shown} samples of each problem: {seen}. At k = {shown} RL minus "
            f"base is {curves.difference[-1]:+.4f}, band {band.low[-1]:+.3f} to "
            f"{band.high[-1]:+.3f}."
        )

    return line_chart(
        name="fewer_samples",
        title="RL minus base from fewer samples",
        x=Axis(title="samples per problem, k", log=2),
        y=Axis(title="RL minus base"),
        sliders=[
            Slider(name="shown", label="samples of each problem", values=list(sizes),
                   start=most)
        ],
        curves=[
            Curve(name="all samples", x=k, y=found[most][0].difference, role="base"),
            Curve(
                name="these samples (band: 95%, new problems)",
                x=k,
                y=lambda shown: padded(found[shown][0].difference),
                low=lambda shown: padded(found[shown][1].low),
                high=lambda shown: padded(found[shown][1].high),
                follows=("shown",),
                role="RL",
            ),
        ],
        says=says,
    )  # fmt: skip


def split_chart(split: Split) -> BookChart:
    """Return gained and lost in four ways, with k to choose.

    Parameters
    ----------
    split
        All four; the observed one must be there.
    """
    ways = {
        "observed": split.observed,
        "by chance": split.floor,
        "halves": split.halves,
        "corrected": split.corrected,
    }
    ks = split.k.tolist()
    gained = {k: _at(ways, ks.index(k), "gained") for k in ks}
    lost = {k: _at(ways, ks.index(k), "lost") for k in ks}
    names = list(ways)

    def says(k: int) -> str:
        parts = [
            f"{name} {g:.3f} and {x:.3f}"
            for name, g, x in zip(names, gained[k], lost[k], strict=True)
            if np.isfinite(g)
        ]
        return f"At k = {k}, gained and lost: {'; '.join(parts)}."

    return bar_chart(
        name="gained_and_lost",
        title="What RL gained and lost",
        x=Axis(title=""),
        y=Axis(title="pass@k"),
        sliders=[Slider(name="k", label="samples, k", values=ks, start=ks[-1])],
        curves=[
            Curve(name="gained", x=names, y=lambda k: gained[k], follows=("k",),
                  role="gained"),
            Curve(name="lost", x=names, y=lambda k: lost[k], follows=("k",),
                  role="lost"),
        ],
        says=says,
    )  # fmt: skip


def _at(
    ways: Mapping[str, Decomposition | None], i: int, part: str
) -> Float[np.ndarray, " ways"]:
    """Return the size of one part at one k in every way, NaN where a way ends."""
    sizes = []
    for parts in ways.values():
        values = [] if parts is None else np.abs(getattr(parts, part)).tolist()
        sizes.append(values[i] if i < len(values) else np.nan)
    return np.array(sizes)
