"""BCa intervals of a mean and of a correlation: `bootstrap_interval` against scipy.stats.bootstrap.

SciPy is given its fastest vectorized statistics: `np.mean`, and for the correlation its own `pearsonr` along an axis as
well as plain sums of products, which are quicker.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import stats

from benchmarks.race import Race, compared, interleaved
from credo.validate.estimation import bootstrap_interval

ROWS, RESAMPLES, LEVEL = 1000, 10_000, 0.95
SEED = 0


def data(rows: int) -> tuple[np.ndarray, np.ndarray]:
    """A skewed column, and another that depends on it."""
    rng = np.random.default_rng(SEED)
    x = rng.gamma(2.0, size=rows)
    return x, x + rng.normal(size=rows)


def correlation(x: np.ndarray, y: np.ndarray, axis: int = -1) -> np.ndarray:
    """By sums of products along an axis."""
    x = x - np.mean(x, axis=axis, keepdims=True)
    y = y - np.mean(y, axis=axis, keepdims=True)
    return np.sum(x * y, axis=axis) / np.sqrt(np.sum(x * x, axis=axis) * np.sum(y * y, axis=axis))


def pearson(x: np.ndarray, y: np.ndarray, axis: int = -1) -> np.ndarray:
    """By SciPy's own function."""
    return np.asarray(stats.pearsonr(x, y, axis=axis).statistic)


def runners(x: np.ndarray, y: np.ndarray, resamples: int) -> dict[str, dict[str, Callable[[], tuple[float, float]]]]:
    """The contestants of each statistic, credo first; all return the ends."""

    def credo(columns: Any, statistic: str) -> Callable[[], tuple[float, float]]:
        def run() -> tuple[float, float]:
            found = bootstrap_interval(columns, statistic, level=LEVEL, resamples=resamples, random_state=SEED)
            return found.low, found.high

        return run

    def peer(columns: Any, statistic: Callable[..., Any]) -> Callable[[], tuple[float, float]]:
        def run() -> tuple[float, float]:
            rng = np.random.default_rng(SEED)
            ends = stats.bootstrap(
                columns,
                statistic,
                n_resamples=resamples,
                paired=len(columns) > 1,
                confidence_level=LEVEL,
                method="BCa",
                vectorized=True,
                rng=rng,
            ).confidence_interval
            return float(ends.low), float(ends.high)

        return run

    return {
        "mean": {"credo": credo(x, "mean"), "scipy, np.mean": peer((x,), np.mean)},
        "correlation": {
            "credo": credo((x, y), "correlation"),
            "scipy, sums of products": peer((x, y), correlation),
            "scipy, pearsonr": peer((x, y), pearson),
        },
    }


def reference(x: np.ndarray, y: np.ndarray, statistic: str) -> tuple[float, float]:
    """The ends with fifty times as many resamples, of another seed."""
    columns = x if statistic == "mean" else (x, y)
    found = bootstrap_interval(columns, statistic, level=LEVEL, resamples=50 * RESAMPLES, random_state=SEED + 1)
    return found.low, found.high


def race(rows: int = ROWS, resamples: int = RESAMPLES, repeats: int = 9) -> Race:
    """One row a statistic and implementation."""
    x, y = data(rows)
    lines = []
    for statistic, contestants in runners(x, y, resamples).items():
        timings = interleaved(contestants, repeats=repeats)
        speed = compared(timings)
        truth = np.array(reference(x, y, statistic))
        width = float(truth[1] - truth[0])
        for name, timing in timings.items():
            off = float(np.max(np.abs(np.array(timing.value) - truth))) / width
            lines.append({"statistic": statistic, **speed[name], "error of an end / width": off})
    text = (
        f"95 % BCa intervals of {rows} rows, {resamples} resamples, the jackknife included. credo names the statistic, "
        "so that a block of resamples is a sparse matrix of ones times the features; SciPy gathers the rows and calls "
        "a vectorized function. All start from the same seed and draw the same resamples, so their Monte Carlo error, "
        f"against {50 * RESAMPLES} resamples, is the same. Best of {repeats} interleaved calls after a first."
    )
    return Race("BCa bootstrap intervals", text, lines)


if __name__ == "__main__":
    from benchmarks.race import publish

    publish("bootstrap", race())
