"""The figures of section 11.5 draw the numbers they are given, and say them."""

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Circle, FancyArrowPatch
from numpy.testing import assert_allclose

from toolkit.agents.coding_agent import PATIENT, REFERENCE, coding_agent
from toolkit.agents.credit import variance_by_horizon
from toolkit.agents.estimates import study_estimators
from toolkit.agents.hacking import follow_proxy, turning_point
from toolkit.agents.learning import LearningCurves
from toolkit.agents.mdp import same_everywhere
from toolkit.agents.monitoring import Monitor, train_against
from toolkit.agents.reflection import BONUSES
from toolkit.agents.staleness import StaleRuns
from toolkit.agents.values import optimal_values
from toolkit.catalogue import agents as recipes
from toolkit.display import BookFigure
from toolkit.figures import agent_hacking, agent_training
from toolkit.figures import agents as draw

AGENT = coding_agent()
PI_REF = same_everywhere(AGENT, REFERENCE)
BEST = optimal_values(AGENT)
QUICK = [r for r in recipes.RECIPES if r.number in ("11.5.1", "11.5.2", "11.5.4")]


def drawn(figure: BookFigure) -> list[Axes]:
    axes = [Figure().subplots() for _ in figure.panels]
    for panel, ax in zip(figure.panels, axes, strict=True):
        panel.draw(ax)
    return axes


def line(ax: Axes, label: str) -> np.ndarray:
    (found,) = [x for x in ax.lines if x.get_label() == label]
    return found.get_ydata()


def words(ax: Axes) -> list[str]:
    return [text.get_text() for text in ax.texts]


def test_the_diagram_has_every_status_and_every_move():
    figure = draw.diagram_figure(AGENT)
    for ax, action in zip(drawn(figure), (0, 1), strict=True):
        circles = [p for p in ax.patches if isinstance(p, Circle) and not p.fill]
        arrows = [p for p in ax.patches if isinstance(p, FancyArrowPatch)]
        moves = AGENT.moves[:, action]
        assert len(circles) == 4
        assert len(arrows) == np.sum(moves > 0)
        probabilities = [float(w) for w in words(ax) if "\n" not in w]
        assert_allclose(sorted(probabilities), sorted(moves[moves > 0]))
        assert {"none\n0.05", "tested\n0.95"} <= set(words(ax))
    assert len(figure.table["probability"]) == np.sum(AGENT.moves[:, :2] > 0)
    assert "rough to tested 0.4" in figure.alt


def test_the_heat_maps_show_the_values_and_frame_the_best_action():
    figure = draw.values_figure(AGENT, BEST)
    axes = drawn(figure)
    assert words(axes[0])[0] == ".76"  # the start
    for ax, action in zip(axes[1:], range(3), strict=True):
        frames = [p for p in ax.patches if not p.fill]
        best = BEST.q[..., action] > BEST.v[:-1] - 1e-9
        assert len(frames) == best.sum()
    shown = figure.table["table"] == "Q, test"
    assert_allclose(
        figure.table["value"][shown].reshape(4, 8).T, BEST.q[..., 1], atol=1e-12
    )


def test_the_two_laws_are_drawn_as_they_are():
    eta = np.array([0.0, 1.0, 2.0])
    success = np.array([0.5, 0.6, 0.7])
    rounds = {"single response": np.array([0.4, 1.0]), "agent": np.array([0.5, 0.6])}
    figure = draw.bandit_figure(eta, success, 0.8, rounds)
    gain, imitated = drawn(figure)
    assert_allclose(line(gain, "agent"), np.log(success / (1 - success)))
    assert_allclose(line(gain, "single response"), eta)
    assert_allclose(line(imitated, "agent"), rounds["agent"])
    assert_allclose(line(imitated, "agent, best policy"), 0.8)


def test_the_estimates_are_drawn_with_their_spread():
    study = study_estimators(
        AGENT, PI_REF, [5, 10, 20], n_runs=10, rng=np.random.default_rng(0)
    )
    start, error = drawn(draw.estimators_figure(study))
    assert_allclose(line(start, "online TD"), study.start["online TD"].mean(axis=1))
    assert_allclose(line(start, "exact"), study.truth)
    assert len(start.collections) == 3
    assert_allclose(line(error, "TD"), study.rmse["TD"])


def test_learning_curves_are_drawn_with_their_range():
    curves = LearningCurves(
        n_episodes=np.array([0, 80]),
        values={
            "whole episode": np.array([[0.3, 0.3], [0.5, 0.7]]),
            "exact critic": np.array([[0.3, 0.3], [0.7, 0.72]]),
        },
    )
    by_horizon = variance_by_horizon(AGENT, PATIENT, [2, 4])
    variance, training = drawn(agent_training.credit_figure(by_horizon, curves, 0.76))
    assert_allclose(line(variance, "advantage"), by_horizon.advantage)
    assert_allclose(line(training, "whole episode"), [0.3, 0.6])
    heights = training.collections[0].get_paths()[0].vertices[:, 1]
    assert_allclose([heights.min(), heights.max()], [0.3, 0.7])


def test_stale_runs_are_drawn_by_lag_with_their_range():
    able = StaleRuns(
        lags=np.array([0, 64]),
        values={"uncorrected": np.array([[0.7, 0.72], [0.6, 0.7]])},
    )
    misled = StaleRuns(
        lags=np.array([0, 1000]), values={"turn ratio": np.array([[0.3], [0.2]])}
    )
    moment = np.array([1.0, 9.4])
    sampled = {64: np.array([9.0, 10.0])}
    figure = agent_training.staleness_figure(
        np.array([1, 64]), moment, sampled, able, misled
    )
    second, middle, last = drawn(figure)
    assert_allclose(line(second, "exact"), moment)
    assert_allclose(line(second, "sampled"), [9, 10])
    assert_allclose(line(middle, "uncorrected"), [0.71, 0.65])
    ends = [path.vertices[:, 1] for path in middle.collections[0].get_paths()]
    assert_allclose(ends, [[0.7, 0.72], [0.6, 0.7]])
    assert [t.get_text() for t in last.get_xticklabels()] == ["0", "never"]
    assert "uncorrected 0.710 to 0.650" in figure.alt


def test_the_predicted_turn_is_drawn_on_the_path():
    fooled, eta = coding_agent(exit_pays=1.0), np.linspace(0, 10, 11)
    path = follow_proxy(AGENT, fooled, PI_REF, eta)
    at = turning_point(AGENT, fooled, PI_REF)
    turn = follow_proxy(AGENT, fooled, PI_REF, np.array([at]))
    none = Monitor(said=0.0, unsaid=0.0)
    judge = Monitor(said=0.9, unsaid=0.3)
    run = train_against(none, judge=judge, eta=eta, unsaid_share=0.1)
    figure = agent_hacking.hacking_figure(path, turn, {"none": run})
    rewards, covariances, monitors = drawn(figure)
    assert_allclose(line(rewards, "true"), path.true)
    assert_allclose(line(rewards, "predicted turn"), turn.true)
    assert_allclose(line(covariances, "action advantages"), path.action_covariance)
    assert_allclose(line(monitors, "none"), run.exits * (1 - run.caught))
    assert f"crosses zero at eta {at:.2f}" in figure.alt


def test_the_reliability_diagram_has_a_mark_for_each_report():
    figure = recipes.reflection()
    reliable, effects = drawn(figure)
    marks = {c.get_label(): c.get_offsets() for c in reliable.collections}
    assert set(marks) == set(BONUSES)
    assert_allclose(marks["Brier"][:, 0], marks["Brier"][:, 1], atol=0.02)
    assert len(marks["agreement"]) == 2
    assert line(effects, "agreement")[-1] == 0


@pytest.mark.parametrize("recipe", QUICK, ids=lambda r: r.number)
def test_a_figure_s_text_is_the_same_twice(recipe):
    assert recipe.figure().text() == recipe.figure().text()
