"""Recipes of the figures of laboratory 4."""

from functools import cache

import numpy as np

from toolkit._checks import as_count
from toolkit._types import Policy, ResponseValues
from toolkit.catalogue.recipes import SAMPLED, Recipe
from toolkit.collapse.answers import distinct_at_k
from toolkit.display import BookFigure
from toolkit.figures.labs import squeeze as draw
from toolkit.labs.squeeze import (
    count_answers,
    expected_found,
    other_teacher,
    sample_labels,
    visit_decay,
)
from toolkit.language import Testbed, default_testbed
from toolkit.optima import tilted_policy
from toolkit.policies import response_probs
from toolkit.training import fit_exactly, train
from toolkit.updates import policy_gradient

PAGE = "chapter11/labs/squeeze"
OWN, OTHER = "SFT, base's own right answers", "SFT, another teacher"
STOPS = (30, 100, 300)


def answers(
    labels: tuple[int, ...] = (16, 64, 256), seeds: int = 8, seed: int = 1, k: int = 256
) -> BookFigure:
    """Make Figure L4.1."""
    testbed, pi_ref, teachers = _setting()
    routes = {
        "RL, no KL term": {
            f"{stop} steps": count_answers(pi, testbed, k)
            for stop, pi in zip(STOPS, _rl(0.0, seeds, seed), strict=True)
        },
        "RL, with KL price": {
            "300, β = 0.15": count_answers(_rl(0.15, seeds, seed)[-1], testbed, k)
        },
    }
    for name in teachers:
        routes[name] = {
            f"n = {n}": count_answers(pi, testbed, k)
            for n, pi in _fitted(name, labels, seed).items()
        }
    return draw.answers_figure(
        count_answers(pi_ref[None], testbed, k),
        routes,
        count_answers(teachers[OWN][None], testbed, k),
    )


def laws(
    labels: tuple[int, ...] = (16, 64, 256), seeds: int = 8, seed: int = 1, k: int = 256
) -> BookFigure:
    """Make Figure L4.2."""
    testbed, pi_ref, teachers = _setting()
    n_labels = np.array([8, 16, 32, 64, 128, 256])
    expected = {
        name: np.array(
            [
                (
                    distinct_at_k(target, testbed.reward, int(n)).sum(),
                    expected_found(target, testbed.reward, int(n), k),
                )
                for n in n_labels
            ]
        )
        for name, target in teachers.items()
    }
    fitted = {name: _fitted(name, labels, seed) for name in teachers}
    found = {
        name: {n: count_answers(pi, testbed, k).right for n, pi in by_n.items()}
        for name, by_n in fitted.items()
    }
    stops = [f"RL, {stop} steps" for stop in STOPS]
    runs = dict(zip(stops, _rl(0.0, seeds, seed), strict=True))
    shown = {name: runs[name] for name in list(runs)[:2]}
    shown |= {f"another teacher, n = {n}": fitted[OTHER][n] for n in labels if n == 64}
    decay = {"base": visit_decay(pi_ref, testbed.language, k)}
    for name, policies in shown.items():
        each = [visit_decay(pi, testbed.language, k) for pi in policies]
        decay[name] = float(np.mean(each))
    return draw.labels_figure(n_labels, expected, found, decay)


@cache
def _setting() -> tuple[Testbed, Policy, dict[str, Policy]]:
    testbed = default_testbed()
    pi_ref = response_probs(testbed.ref_logits, testbed.language)
    own = tilted_policy(pi_ref, testbed.reward, beta=0.0)
    return testbed, pi_ref, {OWN: own, OTHER: other_teacher(testbed)}


@cache
def _rl(beta: float, seeds: int, seed: int) -> ResponseValues:
    testbed, _, _ = _setting()
    return train(
        testbed.ref_logits,
        testbed.reward,
        testbed.language,
        policy_gradient(),
        steps=STOPS,
        group_size=16,
        learning_rate=0.05,
        n_runs=seeds,
        beta=beta,
        rng=np.random.default_rng(as_count(seed, "seed", low=0)),
    ).pi


@cache
def _fitted(name: str, labels: tuple[int, ...], seed: int) -> dict[int, ResponseValues]:
    testbed, _, teachers = _setting()
    rng = np.random.default_rng(as_count(seed, "seed", low=0))
    return {
        n: fit_exactly(
            testbed.ref_logits,
            sample_labels(teachers[name], n, n_runs=4, rng=rng),
            testbed.language,
            steps=300,
            learning_rate=0.05,
        ).pi[-1]
        for n in labels
    }


RECIPES = (
    Recipe(
        number="L4.1",
        title="Different right and wrong answers left, by way of training",
        page=PAGE,
        make=answers,
        deviation=(
            "Ours. Counts are exact for each policy; policies are sampled: 8 runs of "
            "RL, 4 of fine-tuning."
        ),
        digits=SAMPLED,
    ),
    Recipe(
        number="L4.2",
        title="Right answers by number of labels, and the decay of visits",
        page=PAGE,
        make=laws,
        deviation="Ours. Lines exact, points and bars sampled as in Figure L4.1.",
        digits=SAMPLED,
    ),
)
