"""A support vector machine with an RBF kernel: credo's SVC to a stated duality gap against scikit-learn's libsvm."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from sklearn import svm
from sklearn.metrics.pairwise import rbf_kernel

from benchmarks.linear.referee import loosest, margin_gap
from benchmarks.race import Race, compared, interleaved
from credo.kernels import RBF
from credo.models import SVC

ROWS, COLUMNS = 5000, 10
COSTS = (0.1, 1.0, 10.0, 100.0)
LENGTHSCALE = 3.0
GAP = TOLERANCE = 1e-3
SEED = 0


class Machine(NamedTuple):
    """Support vectors, their coefficients with the sign of the class, and the intercept."""

    vectors: np.ndarray
    coefficients: np.ndarray
    intercept: float


def data(rows: int, columns: int) -> tuple[np.ndarray, np.ndarray]:
    """Two classes with a curved border and noise."""
    rng = np.random.default_rng(SEED)
    X = rng.normal(size=(rows, columns))
    score = np.sum(np.sin(1.5 * X[:, :3]), axis=1) + X[:, 3] * X[:, 4] + 0.5 * rng.normal(size=rows)
    return X, np.where(score > 0.0, 1, -1)


def credo(X: np.ndarray, y: np.ndarray, cost: float) -> Machine:
    machine = SVC(kernel=RBF(lengthscale=LENGTHSCALE), C=cost, gap=GAP).fit(X, y).machines_[0]
    return Machine(machine.vectors, machine.coefficients, float(machine.offset))


def scikit_learn(X: np.ndarray, y: np.ndarray, cost: float, tolerance: float) -> Machine:
    model = svm.SVC(C=cost, gamma=0.5 / LENGTHSCALE**2, tol=tolerance, cache_size=1000).fit(X, y)
    return Machine(model.support_vectors_, model.dual_coef_[0], float(model.intercept_[0]))


def gap(X: np.ndarray, y: np.ndarray, cost: float, machine: Machine) -> float:
    """Relative, over all rows."""
    row_of = {row.tobytes(): i for i, row in enumerate(X)}
    theta = np.zeros(len(X))
    theta[[row_of[np.ascontiguousarray(row).tobytes()] for row in machine.vectors]] = machine.coefficients
    return margin_gap(rbf_kernel(X, gamma=0.5 / LENGTHSCALE**2), y, cost, theta, machine.intercept)


def race(rows: int = ROWS, costs: tuple[float, ...] = COSTS) -> Race:
    """One row a cost and implementation."""
    X, y = data(rows, COLUMNS)
    lines = []
    for cost in costs:
        enough = loosest(
            lambda tolerance, cost=cost: scikit_learn(X, y, cost, tolerance),
            lambda machine, cost=cost: gap(X, y, cost, machine),
            GAP,
        )
        runners: dict[str, Callable[[], Machine]] = {"credo": lambda cost=cost: credo(X, y, cost)} | {
            f"scikit-learn, tol={tolerance:g}": lambda cost=cost, tolerance=tolerance: scikit_learn(
                X, y, cost, tolerance
            )
            for tolerance in (TOLERANCE, enough)
        }
        timings = interleaved(runners, repeats=3)
        speed = compared(timings)
        for name, timing in timings.items():
            lines.append(
                {
                    "C": cost,
                    **speed[name],
                    "duality gap": gap(X, y, cost, timing.value),
                    "support vectors": len(timing.value.coefficients),
                }
            )
    text = (
        f"Two classes, {rows} rows of {COLUMNS} columns, an RBF kernel of length-scale {LENGTHSCALE:g}. credo stops at "
        f"a relative duality gap of {GAP:g}; libsvm, with a cache of 1000 MB, at its usual tolerance of {TOLERANCE:g} "
        "on the violation of the conditions, and at the loosest power of ten with which it has that gap. The gap of "
        "all is computed alike, from coefficients and intercept. Best of three interleaved calls after a first."
    )
    return Race("A support vector machine", text, lines)


if __name__ == "__main__":
    from benchmarks.race import publish

    publish("svc", race())
