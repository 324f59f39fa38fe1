"""Run every benchmark: ``python -m benchmarks``."""

from benchmarks import charts, passk, training

if __name__ == "__main__":
    training.main()
    print()
    passk.main()
    print()
    charts.main()
