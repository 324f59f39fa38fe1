"""A comparison as JSON."""

import json
from typing import Any

import numpy as np

from toolkit.evals.comparison import Comparison
from toolkit.evals.words import verdict
from toolkit.passk import Decomposition

FORMAT = 1  # raised when a key changes its meaning


def to_json(comparison: Comparison) -> str:
    """Return all numbers of a comparison as JSON text.

    RL minus base throughout; ``null`` where there is no number.
    """
    pair, band, changes = comparison.pair, comparison.band, comparison.changes
    curves, past = comparison.curves, comparison.extrapolation
    found: dict[str, Any] = {
        "format": FORMAT,
        "verdict": list(verdict(comparison)),
        "notes": list(comparison.notes),
        "n_problems": pair.n_problems,
        "target": comparison.target,
        "level": band.level,
        "curves": {
            name: getattr(curves, name).tolist()
            for name in ("k", "base_low", "base_high", "rl_low", "rl_high", "n_short")
        },
        "band": {
            name: getattr(band, name).tolist()
            for name in ("k", "low", "high", "point_low", "point_high")
        },
        "first_below": {
            "in_the_curves": curves.first_below,
            "low": comparison.first_below.low,
            "high": comparison.first_below.high,
        },
        "groups": [
            {
                "group": group.name,
                "n_problems": group.n_problems,
                "in_the_curves": group.curves.first_below,
                "low": group.first_below.low,
                "high": group.first_below.high,
            }
            for group in comparison.groups
        ],
        "split": {
            "k": comparison.split.k.tolist(),
            "gained_error": comparison.split.gained_error.tolist(),
            "lost_error": comparison.split.lost_error.tolist(),
            **{
                name: _parts(getattr(comparison.split, name))
                for name in ("corrected", "observed", "floor", "halves")
            },
        },
        "problems": {
            "k": changes.k,
            "margin": changes.margin,
            "most_likely_lost": [
                {
                    "problem": pair.problems[i],
                    "base": [int(pair.base.c[i]), int(pair.base.n[i])],
                    "rl": [int(pair.rl.c[i]), int(pair.rl.n[i])],
                    "probability": float(changes.lost[i]),
                    "expected_change": float(changes.expected[i]),
                }
                for i in changes.most_likely_lost()
            ],
        },
        "extrapolation": None
        if past is None
        else {
            "model": "zero-inflated beta-binomial",
            **{
                name: np.asarray(getattr(past, name)).tolist()
                for name in ("k", "base", "rl", "held_out_k", "held_out_n")
            },
            "held_out_errors": past.held_out_errors.tolist(),
        },
    }
    return json.dumps(found, indent=1, allow_nan=False, ensure_ascii=False) + "\n"


def _parts(parts: Decomposition | None) -> dict[str, list[float]] | None:
    if parts is None:
        return None
    return {"gained": parts.gained.tolist(), "lost": parts.lost.tolist()}
