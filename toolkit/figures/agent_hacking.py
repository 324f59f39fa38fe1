"""Figures of section 11.5: environment hacking and reflection."""

from collections.abc import Mapping

from matplotlib.axes import Axes

from toolkit.agents.bonus import SideEffect
from toolkit.agents.calibration import Reliability
from toolkit.agents.hacking import ProxyPath
from toolkit.agents.monitoring import MonitoredPath
from toolkit.display import BookFigure, Panel, stack
from toolkit.figures.curves import legend_below
from toolkit.style import COLOUR, DASHES, INK

TRUE, PROXY = COLOUR["KL-regularised"], COLOUR["RL"]
BONUS = {"agreement": (COLOUR["RL"], "s"), "Brier": (COLOUR["SFT"], "o")}
MONITORED = {  # monitor in the reward: its colour and line
    "none": (COLOUR["base"], DASHES[0]),
    "actions": (COLOUR["KL-regularised"], DASHES[1]),
    "actions and thoughts": (COLOUR["RL"], DASHES[2]),
}


def hacking_figure(
    path: ProxyPath, turn: ProxyPath, monitored: Mapping[str, MonitoredPath]
) -> BookFigure:
    """Return Figure 11.5.7: proxy and true reward, the law of the turn, monitors.

    Parameters
    ----------
    path
        The optima for the proxy at increasing ``eta``.
    turn
        The one at which the true reward turns, as predicted.
    monitored
        Training with a monitor in the reward: ``"none"``, ``"actions"``, ``"actions and
        thoughts"``.
    """

    def draw_rewards(ax: Axes) -> None:
        ax.plot(path.kl, path.proxy, color=PROXY, ls="--", label="proxy")
        ax.plot(path.kl, path.true, color=TRUE, label="true")
        ax.plot(turn.kl, turn.true, "o", color=INK, ms=6, label="predicted turn")
        ax.set(xlabel="KL to the reference (nats)", ylabel="reward", ylim=(0, 1.03))
        ax.set_title("(a) along the proxy's path")
        legend_below(ax)

    def draw_covariances(ax: Axes) -> None:
        ax.axhline(0, color=COLOUR["base"], lw=1)
        ax.plot(path.eta, path.episode_covariance, color=INK, ls="--", label="episodes")
        ax.plot(path.eta, path.action_covariance, color=TRUE, label="action advantages")
        ax.plot(turn.eta, turn.action_covariance, "o", color=INK, ms=6)
        ax.set(xlabel="inverse price of KL, η", ylabel="covariance, true and proxy")
        ax.set(xlim=(0, min(15, path.eta[-1])))
        ax.set_title("(b) which covariance is zero")
        legend_below(ax)

    def draw_monitors(ax: Axes) -> None:
        for name, run in monitored.items():
            colour, line = MONITORED[name]
            ax.plot(run.path.eta, missed[name], color=colour, ls=line, label=name)
        ax.set(xlabel="inverse price of KL, η", ylabel="missed exits per episode")
        ax.set(ylim=(0, None))
        ax.set_title("(c) by monitor in the reward")
        legend_below(ax)

    missed = {name: run.exits * (1 - run.caught) for name, run in monitored.items()}
    end = {name: values[-1] for name, values in missed.items()}
    return BookFigure(
        number="11.5.7",
        alt=(
            "Three panels. (a) Against KL, the proxy rises throughout, to "
            f"{path.proxy[-1]:.2f}; the true reward rises from {path.true[0]:.3f} to "
            f"{turn.true[0]:.3f} at {turn.kl[0]:.2f} nats and falls to "
            f"{path.true[-1]:.2f}. (b) The covariance of the action advantages crosses "
            f"zero at eta {turn.eta[0]:.2f}, where the true reward turns; the "
            f"covariance over episodes is {turn.episode_covariance[0]:.3f} there and "
            f"at least {path.episode_covariance.min():.3f} anywhere. (c) Exits per "
            "episode that a reader of thoughts misses, by monitor in the reward: "
            + ", ".join(f"{name} {share:.2f}" for name, share in end.items())
            + f" at eta {path.eta[-1]:g}."
        ),
        panels=tuple(
            Panel(draw=draw) for draw in (draw_rewards, draw_covariances, draw_monitors)
        ),
        table=stack(
            ("panel", "curve"),
            {
                ("a", "true"): {"x": path.kl, "y": path.true},
                ("a", "proxy"): {"x": path.kl, "y": path.proxy},
                ("b", "action advantages"): {
                    "x": path.eta,
                    "y": path.action_covariance,
                },
                ("b", "episodes"): {"x": path.eta, "y": path.episode_covariance},
            }
            | {
                ("c", name): {"x": run.path.eta, "y": missed[name]}
                for name, run in monitored.items()
            },
        ),
        numbers={
            "eta at the turn": turn.eta[0],
            "true reward at the turn": turn.true[0],
            "KL at the turn (nats)": turn.kl[0],
            "episode covariance at the turn": turn.episode_covariance[0],
            "true reward at the end": path.true[-1],
            "proxy at the end": path.proxy[-1],
        }
        | {f"missed at the end, {name}": share for name, share in end.items()},
    )


def reflection_figure(
    reliable: Mapping[str, Reliability], effects: Mapping[str, SideEffect]
) -> BookFigure:
    """Return Figure 11.5.8: what a bonus makes the agent say, and what else it does.

    Parameters
    ----------
    reliable
        Reliability diagram of the reports that each bonus teaches.
    effects
        Success and exits of the best policy by weight of the bonus.
    """

    def draw_reliability(ax: Axes) -> None:
        ax.plot([0, 1], [0, 1], color=INK, ls=":", lw=1, label="calibrated")
        for name, found in reliable.items():
            colour, marker = BONUS[name]
            size = 10 + 120 * found.weight
            ax.scatter(
                found.said,
                found.happened,
                size,
                color=colour,
                marker=marker,
                label=name,
            )
        ax.set(xlabel="probability reported", ylabel="share right")
        ax.set(xlim=(-0.06, 1.06), ylim=(-0.06, 1.06))
        ax.set_title("(a) reliability")
        legend_below(ax)

    def draw_effects(ax: Axes) -> None:
        for name, effect in effects.items():
            colour, _ = BONUS[name]
            line = DASHES[list(BONUS).index(name)]
            ax.plot(effect.weight, effect.success, color=colour, ls=line, label=name)
        ax.set(xlabel="weight of the bonus, λ", ylabel="true success", ylim=(0, 1.03))
        ax.set_title("(b) the best policy's success")
        legend_below(ax)

    told = {
        name: ", ".join(
            f"{said:.2f} said, {share:.2f} right"
            for said, share in zip(found.said, found.happened, strict=True)
        )
        for name, found in reliable.items()
    }
    return BookFigure(
        number="11.5.8",
        alt=(
            "Two panels. (a) Reliability diagram: "
            + "; ".join(f"{name}: {text}" for name, text in told.items())
            + ". (b) True success of the best policy against the weight of the bonus: "
            + "; ".join(
                f"{name} {effect.success[0]:.3f} at {effect.weight[0]:g}, "
                f"{effect.success[-1]:.3f} at {effect.weight[-1]:g}"
                for name, effect in effects.items()
            )
            + "."
        ),
        panels=(Panel(draw=draw_reliability), Panel(draw=draw_effects)),
        table=stack(
            ("panel", "bonus"),
            {
                ("a", name): {"x": found.said, "y": found.happened}
                for name, found in reliable.items()
            }
            | {
                ("b", name): {"x": effect.weight, "y": effect.success}
                for name, effect in effects.items()
            },
        ),
        numbers={
            f"{name}: right where {said:.2f} is said": share
            for name, found in reliable.items()
            for said, share in zip(found.said, found.happened, strict=True)
        }
        | {
            f"{name}: success at weight {weight:g}": effect.success[i]
            for name, effect in effects.items()
            for i, weight in enumerate(effect.weight)
            if weight in (0, 5, 20)
        },
    )
