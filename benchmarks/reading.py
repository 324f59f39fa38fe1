"""Peak memory and time of ``counts`` on large logs, each in a process of its own.

The logs are made up: 200 problems whose samples have long texts. What is constant must
not grow from the first size to the second, ten times as large.
"""

import json
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

PROBLEMS = 200
TEXT = "def solve(x):\n    return [x, {'x': \"x\"}]\n" * 50  # some 2 kB
PEAK_UNIT = 1 if sys.platform == "darwin" else 1024  # bytes, or kilobytes
SIZES = (10**8, 10**9)  # bytes
MEASURED = (
    "import resource, sys, time\n"
    "from toolkit.evals.readers import read\n"
    "start = time.perf_counter()\n"
    "counts = read(sys.argv[1], **dict(a.split('=') for a in sys.argv[2:])).counts\n"
    "peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\n"
    "print(time.perf_counter() - start, peak, int(counts.n.sum()))\n"
)


def human_eval(n_bytes: int) -> Iterator[str]:
    """Yield lines, the samples of a problem far from one another."""
    line = '{{"task_id": "t/{}", "completion": {}, "passed": {}}}\n'
    text = json.dumps(TEXT)
    for i in range(n_bytes // (len(text) + 60)):
        yield line.format(i % PROBLEMS, text, "true" if i % 3 else "false")


def evalplus(n_bytes: int) -> Iterator[str]:
    """Yield one JSON object, the samples of a problem together."""
    sample = {"solution": TEXT, "base_status": "pass", "plus_status": "fail"}
    piece = json.dumps(sample)
    n_samples = n_bytes // PROBLEMS // (len(piece) + 2)
    yield '{"hash": "0", "eval": {'
    for problem in range(PROBLEMS):
        yield f'{", " if problem else ""}"t/{problem}": [{piece}'
        yield from (f", {piece}" for _ in range(n_samples - 1))
        yield "]"
    yield "}}"


def inspect(n_bytes: int) -> Iterator[str]:
    """Yield one JSON object, all samples in one array."""
    yield '{"version": 2, "eval": {"task": "t"}, "samples": ['
    text = json.dumps([{"role": "assistant", "content": TEXT}])
    score = '{"match": {"value": "C"}}'
    for i in range(n_bytes // (len(text) + 90)):
        epoch, problem = divmod(i, PROBLEMS)
        comma = ", " if i else ""
        yield f'{comma}{{"id": {problem}, "epoch": {epoch}, "messages": {text}, '
        yield f'"scores": {score}}}'
    yield "]}"


LOGS: dict[str, tuple[Callable[[int], Iterator[str]], list[str]]] = {
    "human-eval": (human_eval, []),
    "evalplus": (evalplus, ["score=plus"]),
    "inspect": (inspect, []),
}


def main() -> None:
    """Print time and peak memory of each log, small and large."""
    print("reading a log                  size      time   peak memory")
    with tempfile.TemporaryDirectory() as folder:
        for name, (write, options) in LOGS.items():
            for size in SIZES:
                path = Path(folder, "log")
                with path.open("w") as file:
                    file.writelines(write(size))
                command = [sys.executable, "-c", MEASURED, str(path), *options]
                printed = subprocess.check_output(command, text=True)
                seconds, peak, samples = map(float, printed.split())
                print(
                    f"  {name:12} {samples:11,.0f} rows "
                    f"{path.stat().st_size / 1e9:5.2f} GB {seconds:6.1f} s "
                    f"{peak * PEAK_UNIT / 1e6:9.0f} MB"
                )


if __name__ == "__main__":
    main()
