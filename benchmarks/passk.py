"""Time pass@k for every k = 1..256 from the counts of a million problems.

The yardstick is the usual product, one problem and one k at a time. A million problems
that way would take minutes, so it is timed on a sample of problems and multiplied up.
"""

import time

import numpy as np

from toolkit.passk import estimate_pass_at_k_curve

PROBLEMS, SAMPLES, TIMED = 10**6, 256, 100


def usual_pass_at_k(n: int, c: int, k: int) -> float:
    """Return one problem's estimate as a product (Chen et al. 2021, figure 3)."""
    if n - c < k:
        return 1.0
    return float(1 - np.prod(1 - k / np.arange(n - c + 1, n + 1)))


def counts(rng: np.random.Generator) -> np.ndarray:
    """Return how many of 256 samples were right, for problems from easy to hopeless."""
    return rng.binomial(SAMPLES, rng.beta(0.3, 1.0, size=PROBLEMS))


def main() -> None:
    """Print both times and their ratio."""
    c = counts(np.random.default_rng(0))
    n = np.full(PROBLEMS, SAMPLES)
    times = []
    for _ in range(5):
        start = time.perf_counter()
        curve = estimate_pass_at_k_curve(n, c, SAMPLES)
        times.append(time.perf_counter() - start)
    ours = min(times)
    start = time.perf_counter()
    usual = [
        np.mean([usual_pass_at_k(SAMPLES, int(i), k) for i in c[:TIMED]])
        for k in range(1, SAMPLES + 1)
    ]
    one_by_one = (time.perf_counter() - start) * PROBLEMS / TIMED
    same = np.abs(usual - estimate_pass_at_k_curve(n[:TIMED], c[:TIMED], SAMPLES))
    print(
        f"mean pass@k, k = 1..{SAMPLES}, of {PROBLEMS:,} problems x {SAMPLES} samples"
    )
    print(f"  a problem and a k at a time   {one_by_one:9.1f} s, from {TIMED} problems")
    print(f"  all at once                   {ours:9.3f} s")
    print(f"  ratio                         {one_by_one / ours:9.0f}")
    print(f"  largest difference            {same.max():9.0e}")
    print(f"  pass@1, pass@{SAMPLES}               {curve[0]:9.3f}, {curve[-1]:.3f}")


if __name__ == "__main__":
    main()
