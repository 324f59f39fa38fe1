"""Run every benchmark: ``python -m benchmarks``."""

from benchmarks import charts, evals, passk, training

if __name__ == "__main__":
    training.main()
    print()
    passk.main()
    print()
    evals.main()
    print()
    charts.main()
