"""Figures of laboratory 9: one-sided learning, and training on pass@k."""

from collections.abc import Mapping

import numpy as np
from jaxtyping import Float, Int
from matplotlib.axes import Axes

from toolkit.display import BookFigure, Panel, stack
from toolkit.figures.curves import legend_below, plot_pass_at_k, tick_powers_of_two
from toolkit.labs.negatives import Kept
from toolkit.passk import mean_pass_at_k
from toolkit.style import COLOUR, DASHES, INK, SHADES

RULE_MARKS = ("o", "s", "^", "D")
RULE_COLOURS = (COLOUR["RL"], SHADES[0], SHADES[1], COLOUR["base"])


def kept_figure(
    kept: Mapping[str, Mapping[str, Kept]], base: float, draws: int
) -> BookFigure:
    """Return Figure L9.1: different right answers left, at equal success.

    Parameters
    ----------
    kept
        By optimiser (one panel each), then by rule.
    base
        The same count for the reference.
    draws
        Samples a prompt in which answers are counted.
    """

    def panel(letter: str, optimiser: str, rules: Mapping[str, Kept]) -> Panel:
        def draw(ax: Axes) -> None:
            for i, (name, found) in enumerate(rules.items()):
                at = np.arange(len(found.success)) + 0.12 * (i - (len(rules) - 1) / 2)
                low, high = found.kept.min(axis=1), found.kept.max(axis=1)
                ax.vlines(at, low, high, color=RULE_COLOURS[i], lw=1)
                ax.plot(
                    at,
                    found.kept.mean(axis=1),
                    RULE_MARKS[i],
                    color=RULE_COLOURS[i],
                    label=name,
                )
            ax.axhline(base, color=COLOUR["base"], ls="dashed", lw=1)
            ax.set_xticks(range(len(found.success)), [f"{s:g}" for s in found.success])
            ax.set(xlabel="mean success reached", ylim=(0, 1.45 * base))
            ax.set(ylabel=f"right answers in {draws} draws")
            ax.set_title(f"({letter}) {optimiser}")
            legend_below(ax, ncols=2)

        return Panel(draw=draw)

    told = "; ".join(
        f"{optimiser}, {name}: "
        + ", ".join(f"{v:.1f}" for v in found.kept.mean(axis=1))
        for optimiser, rules in kept.items()
        for name, found in rules.items()
    )
    success = next(iter(next(iter(kept.values())).values())).success
    return BookFigure(
        number="L9.1",
        alt=(
            f"{len(kept)} panels: expected number of different right answers in "
            f"{draws} draws a prompt, summed over prompts, when the mean success is "
            f"{', '.join(f'{s:g}' for s in success)}; mean and range of runs. The base "
            f"has {base:.1f} (dashed). {told}."
        ),
        panels=tuple(
            panel(letter, name, rules)
            for letter, (name, rules) in zip("abcd", kept.items(), strict=False)
        ),
        table=stack(
            ("optimiser", "rule"),
            {
                (optimiser, name): {
                    "success": np.array(found.success),
                    "steps": found.steps.mean(axis=1),
                    "kept, mean": found.kept.mean(axis=1),
                    "lowest": found.kept.min(axis=1),
                    "highest": found.kept.max(axis=1),
                }
                for optimiser, rules in kept.items()
                for name, found in rules.items()
            },
        ),
        numbers={
            f"kept at {s:g}, {optimiser}, {name}": float(found.kept[i].mean())
            for optimiser, rules in kept.items()
            for name, found in rules.items()
            for i, s in enumerate(found.success)
        },
    )


def allocation_figure(
    trained_on: Int[np.ndarray, " n"],
    closed: Float[np.ndarray, "n tasks"],
    sampled: Mapping[int, Float[np.ndarray, "runs tasks"]],
    rates: Mapping[str, Float[np.ndarray, " tasks"]],
    frequencies: Float[np.ndarray, " tasks"],
    k: Int[np.ndarray, " n_k"],
) -> BookFigure:
    """Return Figure L9.2: what training on pass@k makes of five tasks.

    Parameters
    ----------
    trained_on
        The k of the training reward, increasing.
    closed
        The best split for each, in closed form.
    sampled
        Success by task of sampled runs, by the k trained on.
    rates
        Success by task of whole policies, by name, ``"base"`` among them.
    frequencies
        How often each task is asked.
    k
        Samples at which these policies are compared.
    """
    curves = {name: mean_pass_at_k(p, k, frequencies) for name, p in rates.items()}

    def draw_split(ax: Axes) -> None:
        for j, share in enumerate(frequencies):
            ax.plot(
                trained_on,
                closed[:, j],
                color=SHADES[j],
                ls=DASHES[j],
                label=f"{share:.0%}",
            )
            for each, runs in sampled.items():
                low, high = runs[:, j].min(), runs[:, j].max()
                ax.vlines(each, low, high, color=INK, lw=0.8)
                ax.plot(each, runs[:, j].mean(), "o", ms=4, color=SHADES[j])
        ax.set_xscale("log", base=2)
        tick_powers_of_two(ax, int(trained_on[-1]))
        ax.set(xlabel="trained on pass@k with k =", ylabel="success on the task")
        ax.set(ylim=(-0.02, 1.02))
        ax.set_title("(a) the split, by share of training")
        legend_below(ax)

    def draw_curves(ax: Axes) -> None:
        plot_pass_at_k(k, curves, ax=ax)
        ax.set_title("(b) what each is worth")

    told = "; ".join(
        f"{name}: {curve[0]:.3f} at k = {k[0]}, {curve[-1]:.3f} at k = {k[-1]}"
        for name, curve in curves.items()
    )
    return BookFigure(
        number="L9.2",
        alt=(
            "Two panels. (a) Success on five tasks against the k whose pass@k is "
            "trained: all on the most frequent at 1, nearly even at "
            f"{trained_on[-1]}; sampled runs lie near the lines. (b) pass@k against k: "
            f"{told}."
        ),
        panels=(Panel(draw=draw_split), Panel(draw=draw_curves)),
        table=stack(
            ("panel", "curve"),
            {
                ("a", f"asked {f:.0%}"): {"k": trained_on, "y": closed[:, j]}
                for j, f in enumerate(frequencies)
            }
            | {
                ("a", f"asked {f:.0%}, sampled"): {
                    "k": np.array(list(sampled)),
                    "y": np.array([runs[:, j].mean() for runs in sampled.values()]),
                }
                for j, f in enumerate(frequencies)
            }
            | {("b", name): {"k": k, "y": curve} for name, curve in curves.items()},
        ),
        numbers={
            f"pass@{k[i]}, {name}": float(curve[i])
            for name, curve in curves.items()
            for i in (0, -1)
        },
    )
