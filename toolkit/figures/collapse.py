"""Figures of section 11.4, on diversity collapse."""

from collections.abc import Mapping
from functools import partial
from string import ascii_lowercase

import numpy as np
from jaxtyping import Bool, Float, Int
from matplotlib.axes import Axes

from toolkit.display import BookFigure, Panel, stack
from toolkit.figures.curves import legend_below
from toolkit.style import COLOUR, DASHES, INK, SHADES

SMALLEST_SHOWN = 3e-4  # probability under the reference of the rarest point drawn


def proportions_figure(
    pi_ref: Float[np.ndarray, " responses"],
    reward: Float[np.ndarray, " responses"],
    tilted: Mapping[str, Float[np.ndarray, " responses"]],
) -> BookFigure:
    """Return Figure 11.4.1: the optimum against the reference, response by response.

    Parameters
    ----------
    pi_ref
        Probability of each response to one prompt under the reference.
    reward
        1 where a response is right, else 0.
    tilted
        Probabilities at the optimum, by name of beta.
    """
    shown = pi_ref >= SMALLEST_SHOWN
    right, wrong = shown & (reward == 1), shown & (reward == 0)
    groups: dict[str, tuple[Bool[np.ndarray, " responses"], str, str]] = {
        "right": (right, "o", COLOUR["KL-regularised"]),
        "wrong": (wrong, "x", COLOUR["base"]),
    }
    span = np.array([pi_ref[shown].min(), pi_ref[shown].max()])
    factor = {
        name: {g: pi[m][0] / pi_ref[m][0] for g, (m, _, _) in groups.items()}
        for name, pi in tilted.items()
    }

    def draw(name: str, letter: str, ax: Axes) -> None:
        for group, (members, marker, colour) in groups.items():
            ax.plot(span, factor[name][group] * span, color=INK, lw=0.8, ls="dashed")
            ax.plot(
                pi_ref[members],
                tilted[name][members],
                marker,
                color=colour,
                fillstyle="none",
                label=group,
            )
        ax.set(xscale="log", yscale="log", ylim=(1e-8, 2))
        ax.set(xlabel="probability under the reference", ylabel="at the optimum")
        ax.set_title(f"({letter}) {name}")
        legend_below(ax, ncols=2)

    odds = ", ".join(
        f"{f['right'] / f['wrong']:,.1f} at {n}" for n, f in factor.items()
    )
    return BookFigure(
        number="11.4.1",
        alt=(
            f"{len(tilted)} panels, logarithmic axes: the probability of each response "
            "at the optimum against that under the reference. The right ones lie on "
            "one line of slope one, the wrong ones on another; the lines are a "
            f"factor of {odds} apart."
        ),
        panels=tuple(
            Panel(draw=partial(draw, name, letter))
            for letter, name in zip(ascii_lowercase, tilted, strict=False)
        ),
        table=stack(
            ("beta", "response"),
            {
                (name, group): {"reference": pi_ref[m], "optimum": pi[m]}
                for name, pi in tilted.items()
                for group, (m, _, _) in groups.items()
            },
        ),
        numbers={
            f"odds of right to wrong, times, {name}": f["right"] / f["wrong"]
            for name, f in factor.items()
        },
    )


def spread_figure(
    steps: Int[np.ndarray, " steps"],
    spread: Mapping[str, Float[np.ndarray, "steps runs prompts"]],
    restricted: Float[np.ndarray, " prompts"],
) -> BookFigure:
    """Return Figure 11.4.2: entropy among right answers over training, by prompt.

    Parameters
    ----------
    steps
        Numbers of updates.
    spread
        Entropy among the right answers, for ``"SFT"`` and ``"RL"``.
    restricted
        The same under the reference.
    """
    markers = {"SFT": "o", "RL": "s"}

    def draw(x: int, ax: Axes) -> None:
        for name, runs in spread.items():
            here, colour = runs[:, :, x], COLOUR[name]
            ax.fill_between(
                steps, here.min(1), here.max(1), color=colour, alpha=0.2, lw=0
            )
            ax.plot(steps, here.mean(1), f"{markers[name]}-", color=colour, label=name)
        ax.axhline(restricted[x], color=INK, lw=1, ls="dashed", label="reference")
        ax.set(xlabel="steps", ylabel="entropy (nats)")
        ax.set_ylim(0, 1.1 * ax.dataLim.ymax)
        ax.set_title(f"({'abcd'[x]}) prompt {x + 1}")
        legend_below(ax)

    ends = {name: runs[-1].mean(axis=0) for name, runs in spread.items()}
    n_runs = next(iter(spread.values())).shape[1]
    return BookFigure(
        number="11.4.2",
        alt=(
            "Four panels, one a prompt: entropy among the right answers against "
            f"training steps, mean and range of {n_runs} runs. SFT stays near the "
            f"reference's {_list(restricted)} nats and ends at {_list(ends['SFT'])}. "
            f"RL falls steeply and ends at {_list(ends['RL'])}."
        ),
        panels=tuple(Panel(draw=partial(draw, x)) for x in range(len(restricted))),
        table=stack(
            ("method", "prompt"),
            {
                (name, str(x + 1)): {
                    "steps": steps,
                    "mean (nats)": runs[:, :, x].mean(1),
                    "lowest": runs[:, :, x].min(1),
                    "highest": runs[:, :, x].max(1),
                }
                for name, runs in spread.items()
                for x in range(len(restricted))
            },
        ),
        numbers={
            f"entropy, {name}, prompt {x + 1}": end
            for name, means in ({"reference": restricted} | ends).items()
            for x, end in enumerate(means)
        },
    )


def all_right_figure(
    steps: Int[np.ndarray, " steps"],
    spread: Mapping[str, Float[np.ndarray, "steps runs"]],
) -> BookFigure:
    """Return Figure 11.4.3: entropy over training when every answer is already right.

    Parameters
    ----------
    steps
        Numbers of updates.
    spread
        Entropy of each run, by name of the baseline; the first is drawn in RL's colour.
    """
    looks = zip(("RL", None), ("s", "^"), DASHES, strict=False)
    styles = dict(zip(spread, looks, strict=True))

    def draw(ax: Axes) -> None:
        for name, runs in spread.items():
            role, marker, dashes = styles[name]
            colour = COLOUR[role] if role else SHADES[4]
            ax.fill_between(
                steps, runs.min(1), runs.max(1), color=colour, alpha=0.2, lw=0
            )
            ax.plot(steps, runs.mean(1), marker, ls=dashes, color=colour, label=name)
        ax.set(xlabel="steps", ylabel="entropy (nats)", ylim=(0, 1.5))
        legend_below(ax, ncols=1)

    names = list(spread)
    still, drifting = spread[names[0]], spread[names[1]]
    return BookFigure(
        number="11.4.3",
        alt=(
            "Entropy against training steps where all four answers are right. With "
            f"the {names[0]} it stays at {still[-1].mean():.3f} nats in every run; "
            f"with {names[1]} it drifts down to {drifting[-1].mean():.2f} on average "
            f"after {steps[-1]:,} steps, from {drifting[-1].min():.2f} to "
            f"{drifting[-1].max():.2f} in single runs."
        ),
        panels=(Panel(draw=draw),),
        table=stack(
            ("baseline",),
            {
                (name,): {
                    "steps": steps,
                    "mean (nats)": runs.mean(1),
                    "lowest": runs.min(1),
                    "highest": runs.max(1),
                }
                for name, runs in spread.items()
            },
        ),
        numbers={
            f"entropy at the end, {name}": runs[-1].mean()
            for name, runs in spread.items()
        },
    )


def filtering_figure(
    spread: Float[np.ndarray, "runs prompts"],
    mean_kl: Float[np.ndarray, " runs"],
    restricted: Float[np.ndarray, " prompts"],
    minimal_kl: float,
    published: Float[np.ndarray, " prompts"],
    published_kl: float,
) -> BookFigure:
    """Return Figure 11.4.4: where runs of iterated filtering end.

    Parameters
    ----------
    spread
        Entropy among the right answers at the end of each run.
    mean_kl
        KL to the reference at the end of each run, mean over prompts.
    restricted, minimal_kl
        The same two for the reference restricted to right answers.
    published, published_kl
        The same two in the chapter's log, which is one run.
    """
    n_runs, n_prompts = spread.shape
    at = np.arange(1, n_prompts + 1)
    offsets = np.linspace(-0.28, 0.28, n_runs)
    ranked = np.sort(mean_kl)
    order = np.arange(1, n_runs + 1)

    def draw_spread(ax: Axes) -> None:
        for x in range(n_prompts):
            ends = np.sort(spread[:, x])
            ax.plot(at[x] + offsets, ends, "o", ms=2.5, color=COLOUR["RL"])
        ax.hlines(restricted, at - 0.36, at + 0.36, color=INK, ls="dashed", lw=1.2)
        ax.plot(at, published, "D", color=INK, fillstyle="none", ms=6)
        ax.set(xlabel="prompt", ylabel="final entropy (nats)", xticks=at)
        ax.set_ylim(-0.1, None)
        ax.grid(visible=False, axis="x")
        ax.set_title("(a) spread of every run")

    def draw_kl(ax: Axes) -> None:
        ax.plot(ranked, order, "o", ms=2.5, color=COLOUR["RL"])
        ax.axvline(minimal_kl, color=INK, ls="dashed", lw=1.2)
        ax.plot(published_kl, np.searchsorted(ranked, published_kl), "D", color=INK)
        ax.lines[-1].set(fillstyle="none", markersize=6)
        ax.set(xlabel="KL to the reference (nats)", ylabel="runs at or below")
        ax.set_title("(b) distance of every run")

    return BookFigure(
        number="11.4.4",
        alt=(
            "Two panels; the dashed line is the reference restricted to right answers, "
            "the diamond the chapter's published run. (a) Final entropy among right "
            f"answers of {n_runs} runs, by prompt: mean {_list(spread.mean(0))}, "
            f"highest {_list(spread.max(0))} nats, against {_list(restricted)} for the "
            f"dashed line and {_list(published)} published. (b) KL to the reference "
            f"goes from {ranked[0]:.2f} to {ranked[-1]:.2f} nats, mean "
            f"{ranked.mean():.2f}; dashed line {minimal_kl:.2f}, published "
            f"{published_kl:.2f}."
        ),
        panels=(Panel(draw=draw_spread), Panel(draw=draw_kl)),
        table=stack(
            ("panel",),
            {
                (f"a, prompt {x + 1}",): {"run": order, "nats": np.sort(spread[:, x])}
                for x in range(n_prompts)
            }
            | {("b",): {"run": order, "nats": ranked}},
        ),
        numbers={
            f"entropy, mean of runs, prompt {x + 1}": spread[:, x].mean()
            for x in range(n_prompts)
        }
        | {
            "KL, mean of runs": ranked.mean(),
            "KL, lowest": ranked[0],
            "KL, highest": ranked[-1],
        },
    )


def drift_figure(
    laws: Mapping[str, Float[np.ndarray, " points"]],
    sampled: Mapping[str, Float[np.ndarray, "points runs"]],
    singled: str,
) -> BookFigure:
    """Return Figure 11.4.5: diversity under repeated refits, by law and sampled.

    Parameters
    ----------
    laws
        Expected diversity after each round, by name of the number of draws.
    sampled
        Diversity of each run after each round, by the same names.
    singled
        The name whose single runs are drawn too.
    """
    rounds = np.arange(len(next(iter(laws.values()))))
    shown = np.unique(np.linspace(0, len(rounds) - 1, 11).astype(int))

    def draw_law(ax: Axes) -> None:
        for i, (name, law) in enumerate(laws.items()):
            ax.plot(rounds, law, color=INK, lw=1, ls=DASHES[i % 5])
            mean = sampled[name].mean(axis=1)
            ax.plot(shown, mean[shown], "os^Dv"[i % 5], color=SHADES[i % 5], label=name)
        ax.set(xlabel="rounds", ylabel="P(two draws differ)", ylim=(0, 0.8))
        ax.set_title("(a) mean of all runs, and the law")
        legend_below(ax)

    def draw_runs(ax: Axes) -> None:
        for i, run in enumerate(sampled[singled].T[:8]):
            ax.plot(rounds, run, lw=0.9, color=SHADES[1], ls=DASHES[i % 4])
        ax.plot(rounds, laws[singled], color=INK, lw=1.2)
        ax.set(xlabel="rounds", ylabel="P(two draws differ)", ylim=(0, 0.8))
        ax.set_title(f"(b) eight single runs, {singled}")

    ends = ", ".join(
        f"{law[-1]:.3f} ({sampled[n][-1].mean():.3f} sampled) for {n}"
        for n, law in laws.items()
    )
    return BookFigure(
        number="11.4.5",
        alt=(
            "Two panels: the probability that two draws are different answers, against "
            f"rounds of refitting. (a) The mean of the runs lies on the law, after "
            f"{rounds[-1]} rounds {ends}. (b) Single runs scatter widely around it."
        ),
        panels=(Panel(draw=draw_law), Panel(draw=draw_runs)),
        table=stack(
            ("curve",),
            {
                (f"{kind}, {name}",): {"rounds": rounds, "diversity": values}
                for name in laws
                for kind, values in (
                    ("law", laws[name]),
                    ("sampled", sampled[name].mean(axis=1)),
                )
            },
        ),
        numbers={
            f"P(two draws differ) at the end, {kind}, {name}": float(value)
            for name in laws
            for kind, value in (
                ("law", laws[name][-1]),
                ("sampled", sampled[name][-1].mean()),
            )
        },
    )


def constrained_figure(
    policies: Mapping[str, Float[np.ndarray, " responses"]],
    reward: Float[np.ndarray, " responses"],
    n_tokens: int,
) -> BookFigure:
    """Return Figure 11.4.6: a target over two tokens, and what independent tokens make.

    Parameters
    ----------
    policies
        Probabilities of the two-token responses, by name.
    reward
        1 where a response is right, else 0.
    n_tokens
        Size of the vocabulary.
    """
    first, second = np.divmod(np.arange(n_tokens**2), n_tokens)
    right = reward == 1

    def draw(name: str, letter: str, ax: Axes) -> None:
        pi = policies[name]
        ax.scatter(
            second,
            first,
            s=620 * pi / max(p.max() for p in policies.values()),
            marker="s",
            color=COLOUR["KL-regularised"],
            lw=0,
        )
        ax.plot(
            second[right],
            first[right],
            "o",
            color=INK,
            fillstyle="none",
            ms=15,
            mew=0.8,
        )
        ax.set(xlim=(-0.6, n_tokens - 0.4), ylim=(n_tokens - 0.4, -0.6))
        ax.set(xlabel="second token", ylabel="first token", aspect="equal")
        ax.set(xticks=range(n_tokens), yticks=range(n_tokens))
        ax.grid(visible=False)
        ax.set_title(f"({letter}) {name}")

    told = "; ".join(
        f"{name}: {pi[right].sum():.2f} right, largest {pi.max():.2f}"
        for name, pi in policies.items()
    )
    return BookFigure(
        number="11.4.6",
        alt=(
            f"{len(policies)} grids of first against second token; the area of a "
            "square is the response's probability, a circle marks a right response. "
            f"Probability of a right response and of the likeliest one: {told}."
        ),
        panels=tuple(
            Panel(draw=partial(draw, name, letter), size=(3.0, 3.0))
            for letter, name in zip(ascii_lowercase, policies, strict=False)
        ),
        table=stack(
            ("policy",),
            {
                (name,): {"first token": first, "second token": second, "pi": pi}
                for name, pi in policies.items()
            },
        ),
        numbers={f"P(right), {name}": pi[right].sum() for name, pi in policies.items()},
    )


def _list(values: Float[np.ndarray, " n"]) -> str:
    return ", ".join(f"{value:.2f}" for value in values)
