"""A million rows, a chunk at a time: BayesianLinearRegression.partial_fit against scikit-learn, with peak memory.

A process is `python -m benchmarks.linear.bench_stream NAME`, which prints the MiB that it took beyond its imports and
a first chunk.
"""

import sys
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from sklearn.linear_model import BayesianRidge, SGDRegressor

from benchmarks.gp.memory import measured_apart, peak_beyond_now
from benchmarks.race import Race, interleaved
from credo.models import BayesianLinearRegression

ROWS, COLUMNS, CHUNK = 1_000_000, 20, 10_000
NOISE = 1.0
SLOPES = np.linspace(-1.0, 1.0, COLUMNS)


def chunks(rows: int = ROWS) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """The rows as they come; none is kept."""
    for seed in range(rows // CHUNK):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(CHUNK, COLUMNS))
        yield X, 2.0 + X @ SLOPES + NOISE * rng.normal(size=CHUNK)


def together(rows: int = ROWS) -> tuple[np.ndarray, np.ndarray]:
    """All rows at once."""
    parts = list(chunks(rows))
    return np.concatenate([X for X, _ in parts]), np.concatenate([y for _, y in parts])


def streamed(model: Any, parts: Any) -> Any:
    """One pass."""
    for X, y in parts:
        model.partial_fit(X, y)
    return model


def contestants() -> dict[str, Callable[[Any], Any]]:
    """By name, from chunks to a fitted model; who cannot learn from chunks puts them together first."""

    def whole(parts: Any) -> Any:
        held = list(parts)
        return BayesianRidge().fit(np.concatenate([X for X, _ in held]), np.concatenate([y for _, y in held]))

    return {
        "credo": lambda parts: streamed(BayesianLinearRegression(), parts),
        "scikit-learn, SGDRegressor": lambda parts: streamed(SGDRegressor(random_state=0), parts),
        "scikit-learn, BayesianRidge on all rows": whole,
    }


def report_memory(name: str) -> None:
    """Prints the peak of one pass, after a first chunk has loaded and compiled what there is."""
    run = contestants()[name]
    run(chunks(2 * CHUNK))
    print(peak_beyond_now(lambda: run(chunks())))


def race(rows: int = ROWS) -> Race:
    """One row an implementation; rows are drawn before the clock starts."""
    held = list(chunks(rows))
    truth = np.linalg.lstsq(*_with_ones(*together(rows)), rcond=None)[0][1:]
    timings = interleaved({name: lambda run=run: run(held) for name, run in contestants().items()}, repeats=3)
    best_peer = min(timing.best for name, timing in timings.items() if name != "credo")
    lines = [
        {
            "implementation": name,
            "seconds": timing.best,
            "ratio to best peer": timing.best / best_peer,
            "off least squares by": float(np.max(np.abs(timing.value.coef_ - truth))),
            "peak memory, MiB": measured_apart("benchmarks.linear.bench_stream", name),
        }
        for name, timing in timings.items()
    ]
    text = (
        f"{rows:,} rows of {COLUMNS} columns in chunks of {CHUNK:,}, one pass. credo's posterior after each chunk is "
        "exactly that of all rows so far, with the prior scale of maximal evidence; BayesianRidge takes all rows at "
        "once. Slopes are compared with those of least squares, which a million rows leave no prior to change. Memory "
        "is the peak of a process of its own beyond what it held before, and includes the chunk. Best of three "
        "interleaved calls after a first."
    )
    return Race("A million rows in chunks", text, lines)


def _with_ones(X: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    return np.column_stack([np.ones(len(X)), X]), y


if __name__ == "__main__":
    if len(sys.argv) > 1:
        report_memory(sys.argv[1])
    else:
        from benchmarks.race import publish

        publish("stream", race())
