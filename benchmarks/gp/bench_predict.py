"""Mean and variance at 100 000 new rows from 2000, parameters given: credo, scikit-learn, GPyTorch.

Peak memory is measured in a process for each, so that what one leaves behind is not counted to another; a process is
`python -m benchmarks.gp.bench_predict NAME ROWS NEW_ROWS`, which prints its MiB.
"""

import sys
from collections.abc import Callable

import numpy as np

from benchmarks.gp.memory import measured_apart, peak_beyond_now
from benchmarks.gp.problem import Moments, data
from benchmarks.race import Race, interleaved

ROWS, NEW_ROWS, COLUMNS = 2000, 100_000, 8
VARIANCE, NOISE = 4.0, 0.04
LENGTHSCALE = np.linspace(2.0, 6.0, COLUMNS)
BLOCK = 2048
MODULE = "benchmarks.gp.bench_predict"

Predict = Callable[[np.ndarray], Moments]


def credo(x: np.ndarray, y: np.ndarray) -> Predict:
    from credo.kernels import Matern52
    from credo.models import GPRegressor

    kernel = Matern52(variance=VARIANCE, lengthscale=LENGTHSCALE)
    model = GPRegressor(kernel=kernel, noise_variance=NOISE, inference=None, standardize=False).fit(x, y)

    def predict(new: np.ndarray) -> Moments:
        belief = model.predict_dist(new)
        return np.asarray(belief.mean), np.asarray(belief.std)

    return predict


def scikit_learn(x: np.ndarray, y: np.ndarray) -> Predict:
    from sklearn.gaussian_process import GaussianProcessRegressor
    from sklearn.gaussian_process.kernels import ConstantKernel, Matern, WhiteKernel

    kernel = ConstantKernel(VARIANCE) * Matern(LENGTHSCALE, nu=2.5) + WhiteKernel(NOISE)
    model = GaussianProcessRegressor(kernel, alpha=0.0, optimizer=None).fit(x, y)
    return lambda new: model.predict(new, return_std=True)


def scikit_learn_in_blocks(x: np.ndarray, y: np.ndarray) -> Predict:
    """As a user with little memory writes it."""
    whole = scikit_learn(x, y)

    def predict(new: np.ndarray) -> Moments:
        parts = [whole(new[i : i + BLOCK]) for i in range(0, len(new), BLOCK)]
        return np.concatenate([mean for mean, _ in parts]), np.concatenate([std for _, std in parts])

    return predict


def gpytorch(x: np.ndarray, y: np.ndarray) -> Predict:
    """In blocks, since in one call it would form the covariance of all new rows, and from its cached inverse root."""
    from gpytorch.settings import fast_pred_var

    from benchmarks.gp import with_gpytorch

    model = with_gpytorch.model_at(x, y, np.array([VARIANCE, *LENGTHSCALE, NOISE]))

    def predict(new: np.ndarray) -> Moments:
        with fast_pred_var():
            return with_gpytorch.predict(model, new)

    return predict


CONTESTANTS: dict[str, Callable[[np.ndarray, np.ndarray], Predict]] = {
    "credo": credo,
    "scikit-learn": scikit_learn,
    "scikit-learn, in blocks": scikit_learn_in_blocks,
    "GPyTorch, in blocks": gpytorch,
}


def peak(name: str, rows: int, new_rows: int) -> float:
    """MiB that predicting takes at its peak, compilation included, beyond the fitted model and the new rows."""
    predict = CONTESTANTS[name](*data(rows, COLUMNS))
    new, _ = data(new_rows, COLUMNS, seed=1)
    return peak_beyond_now(lambda: predict(new))


def difference(answer: np.ndarray, other: np.ndarray) -> float:
    """The largest, relative to the scale of the process."""
    return float(np.max(np.abs(answer - other)) / VARIANCE**0.5)


def race(rows: int = ROWS, new_rows: int = NEW_ROWS) -> Race:
    """One row an implementation."""
    x, y = data(rows, COLUMNS)
    new, _ = data(new_rows, COLUMNS, seed=1)
    runners = {name: lambda predict=build(x, y): predict(new) for name, build in CONTESTANTS.items()}
    timings = interleaved(runners, repeats=5, seconds=120.0)
    best_peer = min(timing.best for name, timing in timings.items() if name != "credo")
    mean, std = timings["credo"].value
    lines = [
        {
            "implementation": name,
            "seconds": timing.best,
            "ratio to best peer": timing.best / best_peer,
            "times credo's": timing.best / timings["credo"].best,
            "first call, seconds": timing.first,
            "peak memory, MiB": measured_apart(MODULE, name, str(rows), str(new_rows)),
            "mean differs by": difference(timing.value[0], mean) if name != "credo" else None,
            "deviation differs by": difference(timing.value[1], std) if name != "credo" else None,
        }
        for name, timing in timings.items()
    ]
    text = (
        f"Mean and standard deviation of a new observation at {new_rows} rows of {COLUMNS} columns, from a Gaussian "
        f"process on {rows} rows with given parameters (Matérn-5/2, float64). Best of up to five interleaved calls. "
        "Peak memory is what predicting adds to the process that holds the fitted model, measured in a process of its "
        f"own. Blocks have {BLOCK} rows. Differences are from credo's answer, relative to the deviation of the process."
    )
    return Race("Predictions of a Gaussian process", text, lines)


if __name__ == "__main__":
    if len(sys.argv) > 1:
        print(peak(sys.argv[1], int(sys.argv[2]), int(sys.argv[3])))
    else:
        from benchmarks.race import publish

        publish("predict", race())
