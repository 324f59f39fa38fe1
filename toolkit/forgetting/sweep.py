"""The whole experiment on digits: two networks, five methods, learning rates, seeds.

It takes some minutes, so its results are stored in ``toolkit/data/digits_sweep.csv``
with the settings beside them; ``python -m tools.digits_sweep`` makes both anew.
"""

import csv
import io
import json
from collections.abc import Callable
from dataclasses import asdict, dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
from jaxtyping import Float

from toolkit._checks import check_choice
from toolkit.forgetting.fine_tuning import METHODS, Setting, fine_tune, pretrain
from toolkit.forgetting.snapshots import Snapshots

STEM = "digits_sweep"
HEADER = (
    "setting",
    "method",
    "learning_rate",
    "seed",
    "step",
    "new_accuracy",
    "old_accuracy",
    "forward_kl",
    "reverse_kl",
)
MEASURES = ("new", "old", "forward_kl", "reverse_kl")


@dataclass(frozen=True, kw_only=True)
class SweepPlan:
    """Everything that decides the results of a sweep.

    Attributes
    ----------
    settings
        What is pretrained.
    learning_rates
        Of fine-tuning.
    steps
        Numbers of updates at which results are kept; 0 is added.
    n_runs
        Seeds of each combination. All methods start from the same base networks.
    seed
        Of the two generators: one for pretraining, one for fine-tuning.
    """

    settings: tuple[Setting, ...] = (
        Setting(name="one layer", hidden=(128,), n_parity_images=60),
        Setting(name="two layers", hidden=(128, 64), n_parity_images=40),
    )
    learning_rates: tuple[float, ...] = (1e-4, 3e-4, 1e-3, 3e-3, 1e-2)
    steps: tuple[int, ...] = (10, 20, 30, 45, 70, 100, 150, 220, 330, 500, 800, 1200)
    n_runs: int = 8
    seed: int = 2026

    def setting(self, name: str) -> Setting:
        """Return the setting of that name."""
        names = tuple(setting.name for setting in self.settings)
        check_choice(name, "name", names)
        return self.settings[names.index(name)]

    def pretraining_rng(self) -> np.random.Generator:
        """Return a fresh generator for :func:`pretrain`."""
        return np.random.default_rng([self.seed, 0])

    def fine_tuning_rng(self) -> np.random.Generator:
        """Return a fresh generator for :func:`fine_tune`, the same for every method."""
        return np.random.default_rng([self.seed, 1])


@dataclass(frozen=True, eq=False, kw_only=True)
class Sweep:
    """Results of a sweep.

    Attributes
    ----------
    plan
        What was run.
    values
        New and old accuracy, forward and reverse KL, in this order on the last axis.
    """

    plan: SweepPlan
    values: Float[np.ndarray, "settings methods rates runs steps 4"]

    def snapshots(self, setting: str, method: str, learning_rate: float) -> Snapshots:
        """Return the results of one combination."""
        names = tuple(s.name for s in self.plan.settings)
        check_choice(setting, "setting", names)
        check_choice(method, "method", METHODS)
        if learning_rate not in self.plan.learning_rates:
            raise ValueError(
                f"learning_rate must be one of {self.plan.learning_rates}, "
                f"but it is {learning_rate:g}"
            )
        rate = self.plan.learning_rates.index(learning_rate)
        found = self.values[names.index(setting), METHODS.index(method), rate]
        columns = dict(zip(MEASURES, found.transpose(2, 1, 0), strict=True))
        return Snapshots(steps=np.array([0, *self.plan.steps]), **columns)

    def all_snapshots(self, setting: str) -> dict[tuple[str, float], Snapshots]:
        """Return the results of every method and learning rate in one setting."""
        return {
            (method, rate): self.snapshots(setting, method, rate)
            for method in METHODS
            for rate in self.plan.learning_rates
        }


def run_sweep(plan: SweepPlan, report: Callable[[int, int, str], None]) -> Sweep:
    """Run every combination of a plan.

    Parameters
    ----------
    plan
        What to run.
    report
        Is told, before each combination, how many are done, of how many, and which
        comes next.
    """
    shape = (len(plan.settings), len(METHODS), len(plan.learning_rates), plan.n_runs)
    values = np.empty((*shape, len(plan.steps) + 1, len(MEASURES)))
    total = int(np.prod(shape[:3]))
    done = 0
    for i, setting in enumerate(plan.settings):
        report(done, total, f"{setting.name}: pretraining")
        base = pretrain(setting, n_runs=plan.n_runs, rng=plan.pretraining_rng())
        for j, method in enumerate(METHODS):
            for k, rate in enumerate(plan.learning_rates):
                report(done, total, f"{setting.name}: {method}, learning rate {rate:g}")
                result = fine_tune(
                    base,
                    method,
                    learning_rate=rate,
                    steps=plan.steps,
                    rng=plan.fine_tuning_rng(),
                )
                columns = [getattr(result, name) for name in MEASURES]
                values[i, j, k] = np.array(columns).transpose(2, 1, 0)
                done += 1
    report(done, total, "done")
    return Sweep(plan=plan, values=values)


def write_sweep(sweep: Sweep, folder: Path) -> None:
    """Write a sweep as ``digits_sweep.csv``, with its plan in ``digits_sweep.json``."""
    plan = sweep.plan
    plan_text = json.dumps(asdict(plan) | {"methods": METHODS}, indent=2)
    (folder / f"{STEM}.json").write_text(plan_text + "\n", encoding="utf-8")
    with (folder / f"{STEM}.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(HEADER)
        for index in np.ndindex(*sweep.values.shape[:-1]):
            i, j, k, run, step = index
            writer.writerow(
                (
                    plan.settings[i].name,
                    METHODS[j],
                    f"{plan.learning_rates[k]:g}",
                    run,
                    [0, *plan.steps][step],
                    *(f"{value:.4g}" for value in sweep.values[index]),
                )
            )


def load_sweep(folder: Path | None = None) -> Sweep:
    """Return the stored sweep.

    Parameters
    ----------
    folder
        Where it lies; the one shipped with the toolkit by default.

    Raises
    ------
    ValueError
        If the file's rows are not those of the plan beside it.
    """
    place = files("toolkit").joinpath("data") if folder is None else folder
    plan = _plan(json.loads(place.joinpath(f"{STEM}.json").read_text("utf-8")))
    text = place.joinpath(f"{STEM}.csv").read_text("utf-8")
    header, *rows = csv.reader(io.StringIO(text))
    shape = (
        len(plan.settings),
        len(METHODS),
        len(plan.learning_rates),
        plan.n_runs,
        len(plan.steps) + 1,
    )
    if tuple(header) != HEADER or len(rows) != np.prod(shape):
        raise ValueError(
            f"{STEM}.csv must have the columns {HEADER} and {np.prod(shape)} rows, as "
            f"{STEM}.json says, but it has {tuple(header)} and {len(rows)} rows"
        )
    values = np.array([row[-len(MEASURES) :] for row in rows], dtype=np.float64)
    return Sweep(plan=plan, values=values.reshape(*shape, len(MEASURES)))


def _plan(stored: dict[str, Any]) -> SweepPlan:
    if tuple(stored.pop("methods")) != METHODS:
        raise ValueError(f"{STEM}.json must hold the methods {METHODS}, in this order")
    settings = tuple(
        Setting(**(setting | {"hidden": tuple(setting["hidden"])}))
        for setting in stored.pop("settings")
    )
    return SweepPlan(
        settings=settings,
        learning_rates=tuple(stored.pop("learning_rates")),
        steps=tuple(stored.pop("steps")),
        **stored,
    )
