"""Figures of section 11.5: the agent's world, its values, and estimates of them."""

from functools import partial

import numpy as np
from jaxtyping import Float
from matplotlib.axes import Axes
from matplotlib.patches import Circle, FancyArrowPatch, Rectangle
from scipy.special import logit

from toolkit.agents.estimates import EstimatorStudy
from toolkit.agents.mdp import FiniteMDP
from toolkit.agents.values import ValueTable
from toolkit.display import BookFigure, Panel, stack
from toolkit.figures.curves import legend_below
from toolkit.style import COLOUR, INK, SHADES

NODE = 0.31  # radius of a status in the diagram; statuses are 1 apart
FILL = 0.6  # opacity of a value of 1: the ink on it stays legible in any scheme

RULES = {  # rule of an estimator study: its colour, line and marker
    "batch Monte-Carlo": (COLOUR["KL-regularised"], "-", "o"),
    "batch TD": (COLOUR["SFT"], "-", "D"),
    "online Monte-Carlo": (COLOUR["base"], "--", "s"),
    "online TD": (COLOUR["RL"], "--", "^"),
}


def diagram_figure(mdp: FiniteMDP) -> BookFigure:
    """Return Figure 11.5.1: what each tool does to the status of the work.

    Parameters
    ----------
    mdp
        The coding agent's process.
    """
    tools = [i for i, name in enumerate(mdp.actions) if name in ("search", "test")]
    answer = mdp.actions.index("answer")
    right = mdp.ends[:, answer, mdp.outcomes.index("right")]
    moves = {
        (mdp.actions[a], mdp.statuses[i], mdp.statuses[j]): mdp.moves[i, a, j]
        for a in tools
        for i in range(len(mdp.statuses))
        for j in range(len(mdp.statuses))
        if mdp.moves[i, a, j] > 0
    }
    told = "; ".join(
        f"{action}: "
        + ", ".join(
            f"{start} to {end} {p:.1f}"
            for (a, start, end), p in moves.items()
            if a == action and start != end
        )
        for action in ("search", "test")
    )
    return BookFigure(
        number="11.5.1",
        alt=(
            "Two diagrams of four statuses in a row, "
            + ", ".join(
                f"{name} (an answer is right with probability {p:.2f})"
                for name, p in zip(mdp.statuses, right, strict=True)
            )
            + f". Arrows show what a tool does. {told}. Else the status stays."
        ),
        panels=tuple(
            Panel(draw=partial(_draw_tool, mdp, a, right, title), size=(3.4, 2.4))
            for a, title in zip(tools, ("(a) search", "(b) test"), strict=True)
        ),
        table={
            "action": np.array([key[0] for key in moves]),
            "from": np.array([key[1] for key in moves]),
            "to": np.array([key[2] for key in moves]),
            "probability": np.array(list(moves.values())),
        },
        numbers={f"right from {s}": p for s, p in zip(mdp.statuses, right, strict=True)}
        | {f"{a}, {i} to {j}": p for (a, i, j), p in moves.items()},
    )


def bandit_figure(
    eta: Float[np.ndarray, " etas"],
    success: Float[np.ndarray, " etas"],
    ceiling: float,
    imitated: dict[str, Float[np.ndarray, " rounds"]],
) -> BookFigure:
    """Return Figure 11.5.2: two laws of the single response that the agent breaks.

    Parameters
    ----------
    eta
        Inverse prices of KL, from 0 on.
    success
        Success of the agent's best policy at each.
    ceiling
        Success of its best policy at no price.
    imitated
        Success after 0, 1, ... rounds of imitating successes: ``"single response"`` and
        ``"agent"``.
    """
    gain = logit(success) - logit(success[0])
    limit = float(logit(ceiling) - logit(success[0]))
    looks = {
        "single response": (COLOUR["base"], "s"),
        "agent": (COLOUR["KL-regularised"], "o"),
    }

    def draw_gain(ax: Axes) -> None:
        ax.plot(eta, eta, color=COLOUR["base"], ls="--", label="single response")
        ax.plot(eta, gain, color=COLOUR["KL-regularised"], label="agent")
        ax.axhline(limit, color=INK, ls=":", lw=1, label="no price at all")
        ax.set(xlabel="inverse price of KL, η", ylabel="log-odds gained")
        ax.set(ylim=(0, 3 * limit))
        ax.set_title("(a) the best policy")
        legend_below(ax, ncols=2)

    def draw_rounds(ax: Axes) -> None:
        for name, (colour, marker) in looks.items():
            rounds = np.arange(len(imitated[name]))
            ax.plot(rounds, imitated[name], color=colour, label=name)
            shown = rounds[:: max(1, len(rounds) // 10)]
            ax.plot(shown, imitated[name][shown], marker, color=colour)
        ax.axhline(ceiling, color=INK, ls=":", lw=1, label="agent, best policy")
        ax.set(xlabel="rounds of imitating successes", ylabel="success", ylim=(0, 1.03))
        ax.set_title("(b) imitating successes")
        legend_below(ax, ncols=2)

    agent, single = imitated["agent"], imitated["single response"]
    return BookFigure(
        number="11.5.2",
        alt=(
            "Two panels. (a) Log-odds of success gained by the best policy against "
            "the inverse price of KL: a single response gains as much as the price "
            f"allows, the agent {gain[-1]:.2f} at {eta[-1]:g}, and never more than "
            f"{limit:.2f}. (b) Success over rounds of imitating successes: the single "
            f"response jumps from {single[0]:.2f} to {single[1]:.2f} in one round, the "
            f"agent goes from {agent[0]:.3f} to {agent[1]:.3f} and to {agent[-1]:.3f} "
            f"after {len(agent) - 1}."
        ),
        panels=(Panel(draw=draw_gain), Panel(draw=draw_rounds)),
        table=stack(
            ("panel", "curve"),
            {
                ("a", "agent"): {"x": eta, "y": gain},
                ("a", "single response"): {"x": eta, "y": eta},
            }
            | {
                ("b", name): {"x": np.arange(len(y), dtype=np.float64), "y": y}
                for name, y in imitated.items()
            },
        ),
        numbers={
            f"gained at {eta[-1]:g}": gain[-1],
            "gained at no price": limit,
            "agent, 1 round": agent[1],
            f"agent, {len(agent) - 1} rounds": agent[-1],
            "single response, 1 round": single[1],
        },
    )


def values_figure(mdp: FiniteMDP, best: ValueTable) -> BookFigure:
    """Return Figure 11.5.3: values of states and of actions under the best policy.

    Parameters
    ----------
    mdp
        The coding agent's process.
    best
        Values of its best policy.
    """
    shown = {"V, the best action": best.v[:-1]}
    shown |= {
        f"Q, {name}": best.q[..., a]
        for a, name in enumerate(mdp.actions)
        if name != "exit"
    }
    is_best = best.q > best.v[:-1, :, None] - 1e-9  # several, where they tie
    chosen = {f"Q, {name}": is_best[..., a] for a, name in enumerate(mdp.actions)}

    def draw(letter: str, name: str, ax: Axes) -> None:
        _draw_heat_map(mdp, shown[name], chosen.get(name), ax)
        ax.set_title(f"({letter}) {name}")

    first = {name: values[0, 2] for name, values in shown.items()}
    told = ", ".join(
        f"{s}: {' or '.join(np.array(mdp.actions)[is_best[0, i]])}"
        for i, s in enumerate(mdp.statuses)
    )
    return BookFigure(
        number="11.5.3",
        alt=(
            "Four heat maps over turns and statuses. The value of the best action is "
            f"{best.value:.3f} at the start and {best.v[-2, 0]:.3f} from the same "
            "status in the last turn. In the first turn, from a good patch: "
            + ", ".join(f"{name} {value:.3f}" for name, value in first.items())
            + f". Best actions in the first turn: {told}."
        ),
        panels=tuple(
            Panel(draw=partial(draw, letter, name), size=(3.4, 2.2))
            for letter, name in zip("abcd", shown, strict=True)
        ),
        table=stack(
            ("table", "status"),
            {
                (name, status): {
                    "turns left": np.arange(mdp.turns, 0, -1),
                    "value": values[:, s],
                }
                for name, values in shown.items()
                for s, status in enumerate(mdp.statuses)
            },
        ),
        numbers={"value at the start": float(best.value)}
        | {f"{name}, good patch, first turn": value for name, value in first.items()},
    )


def estimators_figure(study: EstimatorStudy) -> BookFigure:
    """Return Figure 11.5.4: bias and spread of value estimates by number of episodes.

    Parameters
    ----------
    study
        Estimates by four rules.
    """
    n = study.n_episodes
    drawn = [name for name in RULES if name != "batch TD"]  # there it equals the other

    def draw_start(ax: Axes) -> None:
        ax.axhline(study.truth, color=INK, ls=":", lw=1, label="exact")
        for name in drawn:
            colour, line, marker = RULES[name]
            mean = study.start[name].mean(axis=1)
            spread = study.spread(name)
            ax.fill_between(n, mean - spread, mean + spread, color=colour, alpha=0.15)
            label = "batch, both" if name == "batch Monte-Carlo" else name
            ax.plot(n, mean, line, color=colour, marker=marker, label=label)
        ax.set_xscale("log")
        ax.set(xlabel="episodes", ylabel="estimate at the start", ylim=(-0.03, 0.6))
        ax.xaxis.set_major_formatter("{x:,.0f}")
        ax.set_title("(a) start state: mean, ± 1 sd")
        legend_below(ax, ncols=2)

    def draw_rmse(ax: Axes) -> None:
        for method, error in study.rmse.items():
            colour, line, marker = RULES[f"batch {method}"]
            ax.loglog(n, error, line, color=colour, marker=marker, label=method)
        ax.set(xlabel="episodes", ylabel="rms error")
        ax.set_yticks([0.05, 0.1, 0.2, 0.3], ["0.05", "0.1", "0.2", "0.3"])
        ax.xaxis.set_major_formatter("{x:,.0f}")
        ax.minorticks_off()
        ax.set_title("(b) all states visited, batch rules")
        legend_below(ax)

    i = len(n) // 2
    monte_carlo, td = study.rmse["Monte-Carlo"], study.rmse["TD"]
    return BookFigure(
        number="11.5.4",
        alt=(
            "Two panels against the number of episodes. (a) Estimates of the start "
            f"state's value, exactly {study.truth:.3f}. After {n[i]} episodes, mean "
            "error and standard deviation: "
            + "; ".join(
                f"{name} {study.bias(name)[i]:+.3f} and {study.spread(name)[i]:.3f}"
                for name in drawn
            )
            + ". (b) Root mean square error over visited states: batch TD "
            f"{td[i]:.3f}, Monte-Carlo {monte_carlo[i]:.3f} after {n[i]} episodes; TD "
            "is below at every number."
        ),
        panels=(Panel(draw=draw_start), Panel(draw=draw_rmse)),
        table=stack(
            ("panel", "rule"),
            {
                ("a", f"{name}, {kind}"): {"episodes": n, "value": value}
                for name in RULES
                for kind, value in (
                    ("mean error", study.bias(name)),
                    ("sd", study.spread(name)),
                )
            }
            | {
                ("b", f"{method}, rms error"): {"episodes": n, "value": error}
                for method, error in study.rmse.items()
            },
        ),
        numbers={"exact value": study.truth}
        | {
            f"mean, {name}, {n[i]} episodes": study.start[name][i].mean()
            for name in RULES
        }
        | {f"sd, {name}, {n[i]} episodes": study.spread(name)[i] for name in RULES}
        | {f"rms error, {m}, {n[i]} episodes": e[i] for m, e in study.rmse.items()},
    )


def _draw_tool(
    mdp: FiniteMDP, action: int, right: np.ndarray, title: str, ax: Axes
) -> None:
    for i, (name, p) in enumerate(zip(mdp.statuses, right, strict=True)):
        disc = Circle((i, 0), NODE, lw=0, alpha=FILL * p)
        disc.set_facecolor(SHADES[0])
        ax.add_patch(disc)
        ax.add_patch(Circle((i, 0), NODE, fill=False, edgecolor=INK, lw=1))
        text = f"{name}\n{p:.2f}"
        ax.text(i, 0, text, ha="center", va="center", fontsize=8, linespacing=1.1)
    for i, j in np.argwhere(mdp.moves[:, action] > 0):
        _draw_move(int(i), int(j), mdp.moves[i, action, j], ax)
    ax.set(xlim=(-0.4, len(mdp.statuses) - 0.6), ylim=(-1.2, 1.15), aspect="equal")
    ax.set_title(title)
    ax.axis("off")


def _draw_move(start: int, end: int, p: float, ax: Axes) -> None:
    """Draw an arrow: forward above the statuses, back below, staying as a loop."""
    side = 1 if end > start else -1
    if start == end:
        tail, head, bend = (start - 0.02, 0.32), (start + 0.22, 0.24), -1.7
    elif abs(end - start) == 1:
        tail, head = (
            (start + 0.21 * side, 0.24 * side),
            (end - 0.21 * side, 0.24 * side),
        )
        bend = -0.35
    else:  # a wide arc, which leaves and arrives steeply
        tail, head = (start + 0.08 * side, 0.31 * side), (end - 0.1 * side, 0.31 * side)
        bend = -0.7
    arrow = FancyArrowPatch(
        tail,
        head,
        connectionstyle=f"arc3,rad={bend}",
        arrowstyle="-|>",
        mutation_scale=8,
        color=INK,
        lw=0.5 + 1.5 * p,
    )
    ax.add_patch(arrow)
    # the middle of the arc is half as far out as its control point
    reach = -bend * (head[0] - tail[0]) / 2
    y = (tail[1] + head[1]) / 2 + reach + (0.11 if reach > 0 else -0.12)
    ax.text(
        (tail[0] + head[0]) / 2, y, f"{p:.1f}", ha="center", va="center", fontsize=8
    )


def _draw_heat_map(
    mdp: FiniteMDP, values: np.ndarray, chosen: np.ndarray | None, ax: Axes
) -> None:
    turns, n, _ = mdp.shape
    for t in range(turns):
        for s in range(n):
            shade = Rectangle((t, s), 1, 1, lw=0, alpha=FILL * values[t, s])
            shade.set_facecolor(SHADES[0])
            ax.add_patch(shade)
            text = f"{values[t, s]:.2f}".removeprefix("0")
            ax.text(t + 0.5, s + 0.5, text, ha="center", va="center", fontsize=8)
            if chosen is not None and chosen[t, s]:
                frame = Rectangle((t + 0.06, s + 0.06), 0.88, 0.88, lw=1.2, fill=False)
                frame.set_edgecolor(INK)
                ax.add_patch(frame)
    ax.set(xlim=(0, turns), ylim=(0, n), xlabel="turns left")
    ax.set_xticks(np.arange(turns) + 0.5, [f"{turns - t}" for t in range(turns)])
    ax.set_yticks(np.arange(n) + 0.5, mdp.statuses)
    ax.grid(visible=False)
    ax.tick_params(length=0)
    ax.spines[:].set_visible(False)
