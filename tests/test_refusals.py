"""Bad input to every public function: refused by name, never answered with a number.

The type checker of the test run is switched off here: the library must refuse without.
"""

import importlib
import inspect
import math
import re
from collections.abc import Callable
from typing import Any

import hypothesis.extra.numpy as hnp
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings

from tests.strategies import TINY, no_type_checker, st  # noqa: F401
from toolkit.capacity import (
    base_rates,
    flow_pass_at_k_law,
    softmax_flow,
    task_rates,
    tilted_rates,
    train_shared,
)
from toolkit.divergences import chi_square, entropy, kl, total_variation
from toolkit.language import (
    ToyLanguage,
    default_testbed,
    reference_logits,
    shared_testbed,
    sum_reward,
    variable_length_testbed,
)
from toolkit.optima import (
    kl_objective,
    pass_at_k_allocation,
    soft_value,
    tilted_policy,
    tilted_success,
)
from toolkit.passk import (
    decompose_difference,
    estimate_pass_at_k,
    estimate_pass_at_k_curve,
    first_k_below,
    hardest_problem_tail,
    k_grid,
    log_fail_at_k,
    mean_pass_at_k,
    pass_at_k,
)
from toolkit.policies import (
    expected_reward,
    logits_from_probs,
    response_log_probs,
    response_probs,
    sample_responses,
    sampled_score_gradient,
    score_gradient,
)
from toolkit.sampling import SampledTree, look_up, token_weights
from toolkit.training import ascend_exactly, fit_exactly, train
from toolkit.updates import (
    Adam,
    Method,
    PlainAscent,
    advantages,
    policy_gradient,
    supervised,
)

pytestmark = pytest.mark.usefixtures("no_type_checker")

CORE = ["language", "policies", "divergences", "passk", "optima", "updates"]
CORE += ["sampling", "training", "capacity"]
RECORDS = {"Testbed", "SharedTestbed", "Batch", "Trajectory", "CollapseRuns"}
RECORDS |= {"Decomposition"}  # hold what the functions made

TESTBED = shared_testbed()
PI = np.array([[0.5, 0.25, 0.25, 0, 0, 0, 0, 0, 0], [0.2, 0.8, 0, 0, 0, 0, 0, 0, 0]])
REWARD = np.eye(2, 9)
LOGITS = np.zeros((2, 4, 3))
P = np.array([0.1, 0.5, 0.9])
WEIGHTS = np.array([0.2, 0.3, 0.5])
TREE = SampledTree(LOGITS, TINY, n_runs=2)
BATCH = TREE.sample(np.full((2, 2, 2, 4), 0.5))
SAMPLED = np.zeros((2, 5), dtype=np.int64)


def rng() -> np.random.Generator:
    return np.random.default_rng(0)


def ascend(parameters: Any, gradient: Any) -> np.ndarray:
    Adam(learning_rate=0.1).ascend(parameters, gradient)
    return parameters


# Every argument has a kind, below; every function one call that works.
CALLS: list[tuple[Callable[..., Any], dict[str, tuple[str, Any]]]] = [
    (
        ToyLanguage,
        {"n_tokens": ("count", 3), "length": ("count", 2), "has_end": ("flag", False)},
    ),
    (
        sum_reward,
        {
            "language": ("object", TINY),
            "targets": ("counts", np.array([0, 1])),
            "modulus": ("count", 3),
        },
    ),
    (
        reference_logits,
        {
            "language": ("object", TINY),
            "n_prompts": ("count", 2),
            "concentration": ("positive", 0.5),
            "rng": ("object", rng()),
            "corpus_size": ("count", 20),
            "smoothing": ("positive", 0.5),
        },
    ),
    (default_testbed, {"seed": ("count0", 1)}),
    (variable_length_testbed, {"seed": ("count0", 1)}),
    (shared_testbed, {"seed": ("count0", 1)}),
    (response_log_probs, {"logits": ("logits", LOGITS), "language": ("object", TINY)}),
    (response_probs, {"logits": ("logits", LOGITS), "language": ("object", TINY)}),
    (expected_reward, {"pi": ("policy", PI), "reward": ("finite", REWARD)}),
    (logits_from_probs, {"pi": ("policy", PI), "language": ("object", TINY)}),
    (
        score_gradient,
        {
            "logits": ("logits", LOGITS),
            "weights": ("finite", PI),
            "language": ("object", TINY),
        },
    ),
    (
        sampled_score_gradient,
        {
            "logits": ("logits", LOGITS),
            "responses": ("counts", SAMPLED),
            "weights": ("finite", np.ones((2, 5))),
            "language": ("object", TINY),
        },
    ),
    (
        sample_responses,
        {"pi": ("policy", PI), "group_size": ("count", 3), "rng": ("object", rng())},
    ),
    (entropy, {"p": ("policy", PI)}),
    (kl, {"p": ("policy", PI), "q": ("policy", PI)}),
    (chi_square, {"p": ("policy", PI), "q": ("policy", PI)}),
    (total_variation, {"p": ("policy", PI), "q": ("policy", PI)}),
    (
        tilted_policy,
        {
            "pi_ref": ("policy", PI),
            "reward": ("finite", REWARD),
            "beta": ("price", 0.5),
        },
    ),
    (
        soft_value,
        {
            "pi_ref": ("policy", PI),
            "reward": ("finite", REWARD),
            "beta": ("price", 0.5),
        },
    ),
    (
        kl_objective,
        {
            "pi": ("policy", PI),
            "pi_ref": ("policy", PI),
            "reward": ("finite", REWARD),
            "beta": ("finite price", 0.5),
        },
    ),
    (tilted_success, {"p": ("rates", P), "beta": ("price", 0.5)}),
    (pass_at_k_allocation, {"frequencies": ("policy", WEIGHTS), "k": ("count", 4)}),
    (k_grid, {"k_max": ("count", 20), "n_points": ("count", 5)}),
    (log_fail_at_k, {"p": ("rates", np.array([0.1, 0.5])), "k": ("ks", 3)}),
    (pass_at_k, {"p": ("rates", P), "k": ("ks", 3)}),
    (
        mean_pass_at_k,
        {"p": ("rates", P), "k": ("ks", 3), "weights": ("shares", WEIGHTS)},
    ),
    (
        estimate_pass_at_k,
        {
            "n": ("counts", np.array([5, 7])),
            "c": ("counts", np.array([0, 7])),
            "k": ("count", 5),
        },
    ),
    (
        estimate_pass_at_k_curve,
        {
            "n": ("counts", np.array([5, 7])),
            "c": ("counts", np.array([0, 7])),
            "k_max": ("count", 5),
        },
    ),
    (
        decompose_difference,
        {
            "p_base": ("rates", P),
            "p_rl": ("rates", P[::-1]),
            "k": ("ks", np.array([1, 5])),
            "weights": ("shares", WEIGHTS),
        },
    ),
    (
        first_k_below,
        {
            "p_base": ("rates", P),
            "p_rl": ("rates", P[::-1]),
            "k_max": ("count", 5),
            "weights": ("shares", WEIGHTS),
        },
    ),
    (
        hardest_problem_tail,
        {
            "p": ("rates", P),
            "k": ("ks", np.array([1, 5])),
            "weights": ("shares", WEIGHTS),
        },
    ),
    (
        advantages,
        {"rewards": ("finite", np.ones((2, 3))), "baseline": ("choice", "mean")},
    ),
    (policy_gradient, {"baseline": ("choice", "mean")}),
    (supervised, {"target": ("policy", PI)}),
    (Method, {"weigh": ("object", np.ones_like), "source": ("optional policy", PI)}),
    (
        Adam,
        {
            "learning_rate": ("positive", 0.1),
            "decay_mean": ("decay", 0.5),
            "decay_square": ("decay", 0.5),
            "epsilon": ("positive", 1e-8),
        },
    ),
    (PlainAscent, {"learning_rate": ("positive", 0.1)}),
    (
        ascend,
        {"parameters": ("floats", np.zeros(3)), "gradient": ("finite", np.ones(3))},
    ),
    (
        SampledTree,
        {
            "logits": ("logits", LOGITS),
            "language": ("object", TINY),
            "n_runs": ("count", 2),
        },
    ),
    (TREE.sample, {"uniforms": ("uniforms", np.full((2, 2, 2, 4), 0.5))}),
    (
        TREE.sample_from,
        {
            "source": ("policy", PI),
            "uniforms": ("uniforms", np.full((1, 2, 2, 4), 0.5)),
        },
    ),
    (
        token_weights,
        {"batch": ("object", BATCH), "weights": ("finite", np.ones((2, 2, 4)))},
    ),
    (
        lambda weights: TREE.score_gradient(BATCH, weights),
        {"weights": ("finite", np.ones((2, 2, 4)))},
    ),
    (look_up, {"values": ("any numbers", REWARD), "responses": ("counts", SAMPLED)}),
    (
        train,
        {
            "ref_logits": ("logits", LOGITS),
            "reward": ("finite", REWARD),
            "language": ("object", TINY),
            "method": ("object", policy_gradient()),
            "steps": ("steps", 2),
            "group_size": ("count", 3),
            "learning_rate": ("positive", 0.1),
            "n_runs": ("count", 2),
            "beta": ("finite price", 0.1),
            "reset_every": ("optional count", 1),
            "brake": ("optional object", None),
            "updates_per_batch": ("count", 2),
            "optimiser": ("object", PlainAscent),
            "rng": ("object", rng()),
        },
    ),
    (
        ascend_exactly,
        {
            "logits": ("logits", LOGITS),
            "reward": ("finite", REWARD),
            "language": ("object", TINY),
            "steps": ("steps", 2),
            "step_size": ("positive", 0.1),
        },
    ),
    (
        fit_exactly,
        {
            "logits": ("logits", LOGITS),
            "target": ("policy", PI[None]),
            "language": ("object", TINY),
            "steps": ("steps", 2),
            "learning_rate": ("positive", 0.1),
        },
    ),
    (
        task_rates,
        {"pi": ("policy", np.full((1, 625), 1 / 625)), "testbed": ("object", TESTBED)},
    ),
    (base_rates, {"testbed": ("object", TESTBED)}),
    (tilted_rates, {"testbed": ("object", TESTBED), "beta": ("price", 0.5)}),
    (
        train_shared,
        {
            "testbed": ("object", TESTBED),
            "steps": ("steps", 2),
            "n_runs": ("count", 2),
            "group_size": ("count", 3),
            "learning_rate": ("positive", 0.1),
            "beta": ("finite price", 0.1),
            "reset_every": ("optional count", 1),
            "rng": ("object", rng()),
        },
    ),
    (
        softmax_flow,
        {
            "frequencies": ("policy", WEIGHTS),
            "times": ("finite", np.array([0.0, 1.0])),
            "start": ("shares", WEIGHTS),
        },
    ),
    (
        flow_pass_at_k_law,
        {
            "frequencies": ("policy", WEIGHTS),
            "k": ("count", 4),
            "times": ("any numbers", np.array([10.0])),
        },
    ),
]

NAN, INF = math.nan, math.inf
NOT_NUMBERS = [True, np.True_, "2", b"2", 2j, {}, [1], None, object(), np.array([2])]
NOT_ARRAYS = [
    np.array([]),
    np.zeros((0, 3)),
    [],
    {},
    "text",
    object(),
    [[0.5, 0.5], [1.0]],
    np.array([[True, False]]),
    np.array([["0.5", "0.5"]]),
    np.array([[0.5 + 0j, 0.5]]),
    np.array([[0.5, None]], dtype=object),
    np.array(["2026-01-01"], dtype="datetime64[D]"),
]


def put(good: Any, value: float) -> np.ndarray:
    """Return the good array with its last entry replaced."""
    bad = np.array(good, dtype=np.float64)
    bad[(-1,) * bad.ndim] = value
    return bad


def bad_values(kind: str, good: Any) -> list[Any]:
    """Return what an argument of this kind must refuse."""
    if kind.startswith("optional ") and kind != "optional policy":
        # None is good; all else as for the kind itself
        bad = bad_values(kind.removeprefix("optional "), good)
        return [value for value in bad if value is not None]
    if kind in ("count", "count0"):
        lowest = -1 if kind == "count0" else 0
        return [*NOT_NUMBERS, lowest, -5, 2.5, 2.0, NAN, INF, 2**31, 10**30]
    if kind in ("price", "finite price", "positive", "decay"):
        bad = [*NOT_NUMBERS, -0.1, NAN, -INF, -(10**400), 10**400]
        bad += [] if kind == "price" else [INF]
        bad += [0.0] if kind == "positive" else []
        return bad + ([1.0, 1.5] if kind == "decay" else [])
    if kind == "flag":
        return [1, 0, "yes", None, np.array([True])]
    if kind == "choice":
        return ["median", "", None, 1, ["mean"], np.array(["mean", "none"]), {}]
    if kind == "object":
        return [None, 0, 1.5, "numpy", {}, np.zeros(3)]
    bad = list(NOT_ARRAYS)
    if kind not in ("shares", "optional policy"):
        bad.append(None)
    if kind in ("counts", "ks", "steps"):
        low = 0 if kind == "ks" else -1
        bad += [np.array([1.5, 2.0]), [True, True], [low, 5], [3, 2**31], [3, 10**30]]
        return (
            bad + [[[[1]]]] + ([NAN, 2.5, low, 2**31, True] if kind != "counts" else [])
        )
    bad += [put(good, NAN)]
    if kind != "any numbers":
        bad += [put(good, INF)]
    if kind != "logits" and kind not in ("finite", "any numbers", "floats"):
        bad += [put(good, -INF), put(good, -0.25), put(good, 1.25)]
    if "policy" in kind or kind == "shares":
        bad += [np.asarray(good) * 0.9, np.asarray(good) * 1.1, np.zeros_like(good)]
    if kind == "logits":
        bad += [np.full_like(good, -INF), good[..., :-1], good[0], good[..., 1:, :]]
    if kind == "floats":
        bad = [
            *NOT_ARRAYS,
            np.zeros(3, dtype=int),
            np.zeros(3, dtype=np.float32),
            [0.0],
        ]
    return bad


def name(function: Callable[..., Any]) -> str:
    return function.__qualname__.replace("<lambda>", "SampledTree.score_gradient")


def called(function: Callable[..., Any], arguments: dict[str, Any]) -> Any:
    copies = {
        k: v.copy() if isinstance(v, np.ndarray) else v for k, v in arguments.items()
    }
    return function(**copies)


SLOTS = [
    pytest.param(function, arguments, argument, id=f"{name(function)}-{argument}")
    for function, arguments in CALLS
    for argument in arguments
]


def answer(function, arguments) -> tuple[Any, str | None]:
    """Return the result, or the message of the refusal; other exceptions go through."""
    try:
        return called(function, arguments), None
    except (ValueError, TypeError) as error:
        if type(error) not in (ValueError, TypeError):
            raise
        return None, str(error)


def assert_refused(function, good, argument, value) -> None:
    """Check the refusal's type, and that it names the argument first."""
    result, refusal = answer(function, good | {argument: value})
    assert refusal is not None, f"{argument} = {value!r} gave {result!r}"
    named = re.match(r"(method\.)?(\w+)", refusal)
    assert named is not None
    assert named[2] == argument, f"{value!r}: {refusal}"


@pytest.mark.parametrize(
    ("function", "arguments"), CALLS, ids=lambda c: getattr(c, "__name__", "")
)
def test_the_good_call_works(function, arguments):
    called(function, {k: good for k, (_, good) in arguments.items()})


@pytest.mark.parametrize(("function", "arguments", "argument"), SLOTS)
def test_bad_input_is_refused_by_the_arguments_name(function, arguments, argument):
    good = {k: value for k, (_, value) in arguments.items()}
    for value in bad_values(*arguments[argument]):
        assert_refused(function, good, argument, value)


def test_every_public_function_is_in_the_table():
    listed = {name(function).split(".")[0] for function, _ in CALLS}
    for module_name in CORE:
        module = importlib.import_module(f"toolkit.{module_name}")
        for public, value in vars(module).items():
            made_here = getattr(value, "__module__", "") == module.__name__
            if made_here and not public.startswith("_") and callable(value):
                assert public in listed | RECORDS, f"{module_name}.{public}"


def test_every_argument_is_in_the_table():
    for function, arguments in CALLS:
        if function.__name__ not in ("<lambda>", "ascend"):
            assert arguments.keys() == inspect.signature(function).parameters.keys()


COUNT_PAIRS = {"n": np.array([5, 7]), "c": np.array([0, 7])}
MISFITS = [
    (
        sum_reward,
        {"language": TINY, "targets": np.array([0, 3]), "modulus": 3},
        "targets",
    ),
    (kl, {"p": PI, "q": PI[:, :4] * 2}, "q"),
    (kl, {"p": PI, "q": PI[:1]}, "q"),
    (chi_square, {"p": PI, "q": PI[0]}, "q"),
    (total_variation, {"p": PI, "q": PI[:1]}, "q"),
    (tilted_policy, {"pi_ref": PI, "reward": REWARD[:1], "beta": 1.0}, "reward"),
    (tilted_policy, {"pi_ref": PI[0], "reward": REWARD[0], "beta": 1.0}, "pi_ref"),
    (soft_value, {"pi_ref": PI, "reward": REWARD[:, :1], "beta": 1.0}, "reward"),
    (kl_objective, {"pi": PI[:1], "pi_ref": PI, "reward": REWARD, "beta": 1.0}, "pi"),
    (expected_reward, {"pi": PI, "reward": REWARD[:1]}, "reward"),
    (expected_reward, {"pi": PI[0], "reward": REWARD}, "reward"),
    (logits_from_probs, {"pi": PI[:, :3], "language": TINY}, "pi"),
    (logits_from_probs, {"pi": PI[0], "language": TINY}, "pi"),
    (
        score_gradient,
        {"logits": LOGITS, "weights": PI[:1], "language": TINY},
        "weights",
    ),
    (
        score_gradient,
        {"logits": LOGITS, "weights": PI[:, :8], "language": TINY},
        "weights",
    ),
    (
        sampled_score_gradient,
        {
            "logits": LOGITS,
            "responses": SAMPLED,
            "weights": np.ones((2, 4)),
            "language": TINY,
        },
        "weights",
    ),
    (
        sampled_score_gradient,
        {
            "logits": LOGITS,
            "responses": SAMPLED + 9,
            "weights": np.ones((2, 5)),
            "language": TINY,
        },
        "responses",
    ),
    (pass_at_k_allocation, {"frequencies": PI, "k": 2}, "frequencies"),
    (mean_pass_at_k, {"p": P, "k": 2, "weights": WEIGHTS[:2] * 2}, "weights"),
    (mean_pass_at_k, {"p": 0.5, "k": 2}, "p"),
    (
        estimate_pass_at_k,
        {"n": np.array([5]), "c": np.array([1, 2]), "k": 1},
        "c",
    ),
    (estimate_pass_at_k, COUNT_PAIRS | {"k": 6}, "k"),
    (estimate_pass_at_k_curve, COUNT_PAIRS | {"k_max": 8}, "k_max"),
    (estimate_pass_at_k, COUNT_PAIRS | {"c": np.array([0, 8]), "k": 1}, "c"),
    (
        decompose_difference,
        {"p_base": P, "p_rl": P[:2], "k": np.array([1])},
        "p_rl",
    ),
    (first_k_below, {"p_base": P, "p_rl": P[:2], "k_max": 3}, "p_rl"),
    (hardest_problem_tail, {"p": P, "k": 1, "weights": np.array([1.0])}, "weights"),
    (look_up, {"values": REWARD, "responses": SAMPLED[:1]}, "responses"),
    (look_up, {"values": REWARD, "responses": SAMPLED + 9}, "responses"),
    (task_rates, {"pi": np.full((2, 625), 1 / 625), "testbed": TESTBED}, "pi"),
    (
        softmax_flow,
        {"frequencies": WEIGHTS, "times": np.array([1.0]), "start": np.array([1.0])},
        "start",
    ),
    (softmax_flow, {"frequencies": WEIGHTS, "times": np.array([2.0, 1.0])}, "times"),
    (softmax_flow, {"frequencies": WEIGHTS, "times": np.array([-1.0, 1.0])}, "times"),
    (
        flow_pass_at_k_law,
        {"frequencies": WEIGHTS, "k": 1, "times": np.array([0.0])},
        "times",
    ),
    (ascend, {"parameters": np.zeros(3), "gradient": np.ones(2)}, "gradient"),
]


@pytest.mark.parametrize(("function", "arguments", "argument"), MISFITS)
def test_arguments_that_do_not_fit_each_other_are_refused(
    function, arguments, argument
):
    assert_refused(function, arguments, argument, arguments.get(argument, 8))


@pytest.mark.parametrize(
    "changed",
    [
        {"reward": REWARD[:1]},
        {"ref_logits": LOGITS[:1]},
        {"ref_logits": np.zeros((1, 2, 4, 3))},
        {"method": supervised(PI[:1]), "beta": 0.0},
        {"method": supervised(PI)},  # with beta above 0
        {"steps": [3, 3]},
        {"steps": [5, 2]},
        {"method": policy_gradient("leave-one-out"), "group_size": 1},
        {"method": Method(weigh=lambda r: r[..., :1])},
        {"method": Method(weigh=lambda r: r * math.nan)},
    ],
    ids=[
        "reward",
        "ref_logits",
        "language",
        "beta",
        "source",
        "equal steps",
        "falling steps",
        "group of one",
        "weights' shape",
        "weights' values",
    ],
)
def test_a_training_run_that_does_not_fit_is_refused(changed):
    arguments = {k: good for f, a in CALLS if f is train for k, (_, good) in a.items()}
    with pytest.raises(ValueError, match=r"\bmust\b"):
        called(train, arguments | changed)


@pytest.mark.parametrize("optimiser", [Adam, PlainAscent])
def test_a_step_that_would_overflow_is_refused_by_its_name(optimiser):
    with pytest.raises(ValueError, match=r"^learning_rate must be .*1e\+100"):
        optimiser(learning_rate=1e308)


def test_adam_refuses_parameters_of_another_shape_than_its_first_steps():
    adam = Adam(learning_rate=0.1)
    adam.ascend(np.zeros(3), np.ones(3))
    with pytest.raises(ValueError, match="parameters must have the shape"):
        adam.ascend(np.zeros(2), np.ones(2))


def test_a_message_says_argument_requirement_place_and_value():
    pi = np.array([[0.5, 0.5], [0.5, 0.4]])
    with pytest.raises(
        ValueError, match=r"^p must have rows that sum to 1, but row 1 sums to 0\.9$"
    ):
        entropy(pi)
    with pytest.raises(
        ValueError, match=r"^c must be from 0 to 2147483647, but entry 1 is -3$"
    ):
        estimate_pass_at_k(np.array([4, 4]), np.array([1, -3]), 1)
    with pytest.raises(
        TypeError, match=r"^c must hold integers, but its dtype is float64$"
    ):
        estimate_pass_at_k(np.array([4]), np.array([2.5]), 1)
    with pytest.raises(TypeError, match=r"^k must be an integer, but it is True$"):
        estimate_pass_at_k(np.array([4]), np.array([2]), True)


# --- anything at all

SIZES = {"count", "count0", "steps"}  # a large valid one would only take long
NUMBERS = st.one_of(
    st.integers(-3, 12),
    st.sampled_from([2**31 - 1, 2**31, -(2**31), 2**63, 2**64, 10**30, 10**400]),
    st.floats(),
    st.booleans(),
    st.complex_numbers(),
)
SMALL = st.one_of(
    st.integers(-3, 12), st.sampled_from([2**31, 2**64, 10**400]), st.floats()
)
DTYPES = st.sampled_from(
    ["f8", "f4", "f2", "i8", "i1", "u1", "u8", "?", "c16", "U3", "M8[D]", "g"]
)
ARRAYS = hnp.arrays(
    dtype=DTYPES, shape=hnp.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=4)
)
JUNK = st.one_of(
    st.none(),
    st.text(max_size=3),
    st.binary(max_size=3),
    st.dictionaries(st.integers(), st.integers(), max_size=2),
    st.recursive(NUMBERS, lambda inner: st.lists(inner, max_size=3), max_leaves=8),
    ARRAYS,
)


def near(good: Any) -> st.SearchStrategy[Any]:
    """Draw arrays of the right shape with anything in them."""
    if not isinstance(good, np.ndarray) or good.size > 100:
        return JUNK
    elements = st.one_of(
        st.floats(), st.sampled_from([0.0, 1.0, 0.5, 5e-324, 1e308, -1e308])
    )
    return st.one_of(JUNK, hnp.arrays(np.float64, good.shape, elements=elements))


def holds_nan(result: Any) -> bool:
    parts = vars(result).values() if hasattr(result, "__dict__") else [result]
    return any(
        isinstance(part, (float, np.ndarray))
        and np.asarray(part).dtype.kind == "f"
        and bool(np.isnan(part).any())
        for part in parts
    )


@pytest.mark.parametrize(("function", "arguments", "argument"), SLOTS)
@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_anything_at_all_is_refused_by_name_or_answered(
    function, arguments, argument, data
):
    kind, good = arguments[argument]
    junk = SMALL if kind in SIZES else near(good)
    value = data.draw(junk)
    values = {k: v for k, (_, v) in arguments.items()} | {argument: value}
    result, refusal = answer(function, values)
    if refusal is not None:
        assert argument in refusal, f"{value!r}: {refusal}"
    assert not holds_nan(result), f"{value!r} gave {result!r}"
