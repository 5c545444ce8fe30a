"""Linear models on large tables: a fit, intervals, a wide ridge, a perceptron, kernel ridge; credo and its peers."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from scipy import special

from benchmarks.race import Race, Row, compared, interleaved

SEED = 0
TALL, INTERVALS, WIDE, SIDES, CURVE = (1_000_000, 20), (100_000, 20), (500, 10_000), (100_000, 10), (3000, 5)
COLLINEAR = 1e-3  # of a column that is not in the next one, in the adverse case
PASSES = 100
GRID = np.geomspace(1e-6, 1e3, 10)
PENALTY = 0.1


def linear(rows: int, columns: int, own: float = 1.0) -> tuple[np.ndarray, np.ndarray]:
    """Columns of which each is nearly the one before for small `own`, slopes from −1 to 1, and noise of one."""
    rng = np.random.default_rng(SEED)
    X = rng.normal(size=(rows, columns))
    if own < 1.0:
        X = X[:, :1] + own * X
    return X, 1.0 + X @ np.linspace(-1.0, 1.0, columns) + rng.normal(size=rows)


def raced(case: str, runners: Mapping[str, Callable[[], Any]], accuracy: Callable[[Any], float], of: str) -> list[Row]:
    """One row an implementation, with what `accuracy` makes of its answer."""
    timings = interleaved(runners, repeats=3)
    speed = compared(timings)
    return [
        {"case": case, **speed[name], "accuracy": accuracy(timing.value), "of": of} for name, timing in timings.items()
    ]


def fits(own: float, name: str) -> list[Row]:
    """Least squares, with what standard errors need where the implementation has them."""
    import statsmodels.api as sm
    from sklearn import linear_model

    from credo.models import LinearRegression

    X, y = linear(*TALL, own)
    design = np.column_stack([np.ones(len(X)), X])
    exact, long = np.zeros(design.shape[1], dtype=np.longdouble), design.astype(np.longdouble)
    for _ in range(4):  # refined with long residuals
        left = long.T @ (y - long @ exact)
        exact = exact + np.linalg.solve(design.T @ design, left.astype(float))
    del long
    runners = {
        "credo": lambda: LinearRegression().fit(X, y).coef_,
        "scikit-learn": lambda: linear_model.LinearRegression().fit(X, y).coef_,
        "statsmodels": lambda: sm.OLS(y, design).fit().params[1:],
    }
    off = "largest error of a slope"
    return raced(f"least squares, {name}", runners, lambda found: float(np.max(np.abs(found - exact[1:]))), off)


def intervals() -> list[Row]:
    """Prediction intervals at many rows."""
    import statsmodels.api as sm

    from credo.models import LinearRegression

    X, y = linear(*INTERVALS)
    few = slice(0, 1000)
    model = LinearRegression().fit(X[few], y[few])
    peer = sm.OLS(y[few], sm.add_constant(X[few])).fit()

    def formula() -> np.ndarray:
        offsets = X - np.mean(X[few], axis=0)
        centered = X[few] - np.mean(X[few], axis=0)
        spread = np.sum(offsets @ np.linalg.inv(centered.T @ centered) * offsets, axis=1) + 1.0 / 1000
        degrees = 1000 - X.shape[1] - 1
        noise = np.sum((y[few] - model.predict(X[few])) ** 2) / degrees
        reach = special.stdtrit(degrees, 0.95) * np.sqrt(noise * (1.0 + spread))
        location = X @ model.coef_ + model.intercept_
        return np.stack([location - reach, location + reach], axis=1)

    expected = formula()
    runners = {
        "credo": lambda: np.stack(model.predict_interval(X, level=0.9), axis=1),
        "statsmodels": lambda: peer.get_prediction(sm.add_constant(X)).conf_int(obs=True, alpha=0.1),
        "NumPy": formula,
    }
    off = "largest difference from the formula"
    return raced("prediction intervals", runners, lambda found: float(np.max(np.abs(found - expected))), off)


def wide_ridge() -> list[Row]:
    """More columns than rows, the penalty chosen by leave-one-out."""
    from sklearn.linear_model import RidgeCV

    from credo.models import Ridge

    X, y = linear(*WIDE)
    centered, targets = X - X.mean(axis=0), y - y.mean()
    kernel = centered @ centered.T

    def held_out(alpha: float) -> float:
        hat = np.linalg.solve(kernel + alpha * np.eye(len(y)), kernel) + 1.0 / len(y)
        return float(np.mean(((targets - hat @ targets) / (1.0 - np.diagonal(hat))) ** 2))

    grid = np.geomspace(1e-2, 1e8, 100)
    runners = {
        "credo": lambda: Ridge().fit(X, y).alpha_,
        "scikit-learn, RidgeCV of 100 penalties": lambda: RidgeCV(alphas=grid).fit(X, y).alpha_,
    }
    return raced("ridge, penalty by leave-one-out", runners, held_out, "leave-one-out error")


def perceptrons() -> list[Row]:
    """Classes that overlap: every pass is made, in the order of the rows."""
    from sklearn import linear_model

    from credo.models import Perceptron

    X, y = linear(*SIDES)
    sides = y > 1.0

    def credo() -> np.ndarray:
        import warnings

        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # that no plane separates them
            return Perceptron(max_passes=PASSES).fit(X, sides).coef_

    def peer() -> np.ndarray:
        return linear_model.Perceptron(max_iter=PASSES, tol=None, shuffle=False).fit(X, sides).coef_.ravel()

    expected = peer()
    off = "largest difference from scikit-learn's plane"
    runners = {"credo": credo, "scikit-learn": peer}
    return raced("perceptron", runners, lambda found: float(np.max(np.abs(found - expected))), off)


def kernel_ridges() -> list[Row]:
    """The penalty chosen, by leave-one-out or a grid; and one that is given."""
    from scipy.spatial.distance import pdist
    from sklearn import kernel_ridge
    from sklearn.model_selection import GridSearchCV

    from credo.kernels import RBF
    from credo.models import KernelRidge

    rng = np.random.default_rng(SEED)
    X = rng.normal(size=(CURVE[0] + 500, CURVE[1]))
    truth = np.sin(X[:, 0]) + X[:, 1] * X[:, 2]
    y = truth + 0.1 * rng.normal(size=len(X))
    held = slice(CURVE[0], None)
    X, new, y, truth = X[: CURVE[0]], X[held], y[: CURVE[0]], truth[held]
    length = float(np.median(pdist(X[:500])))
    plain = kernel_ridge.KernelRidge(kernel="rbf", gamma=0.5 / length**2, alpha=PENALTY)

    def credo(alpha: float | str, intercept: bool) -> Callable[[], np.ndarray]:
        kernel = RBF(lengthscale=length)
        return lambda: KernelRidge(kernel=kernel, alpha=alpha, fit_intercept=intercept).fit(X, y).predict(new)

    def off(found: np.ndarray) -> float:
        return float(np.sqrt(np.mean((found - truth) ** 2)))

    chosen = {
        "credo": credo("loo", True),
        "scikit-learn, 10 penalties and 5 folds": lambda: (
            GridSearchCV(plain, {"alpha": GRID}, cv=5).fit(X, y).predict(new)
        ),
    }
    given = {"credo": credo(PENALTY, False), "scikit-learn": lambda: plain.fit(X, y).predict(new)}
    error = "held-out error"
    return [
        *raced("kernel ridge, penalty chosen", chosen, off, error),
        *raced("kernel ridge, penalty given", given, off, error),
    ]


def race() -> Race:
    """One row a case and implementation."""
    lines = [
        *fits(1.0, "independent columns"),
        *fits(COLLINEAR, "nearly collinear columns"),
        *intervals(),
        *wide_ridge(),
        *perceptrons(),
        *kernel_ridges(),
    ]
    text = (
        f"Least squares of {TALL[0]:,} × {TALL[1]} entries, 90 % intervals at {INTERVALS[0]:,} rows, a ridge of "
        f"{WIDE[0]} × {WIDE[1]:,}, {PASSES} passes of a perceptron through {SIDES[0]:,} rows whose classes overlap, "
        f"and kernel ridge of {CURVE[0]:,} rows. The nearly collinear columns of the adverse case share all but "
        f"{COLLINEAR:g} of a standard deviation. credo's fits include what its intervals and certificates need: "
        "standard errors, leave-one-out errors and degrees of freedom, and for the perceptron the decision that no "
        "plane separates the classes. Kernel ridge with a given penalty computes them when they are first used. Best "
        "of three interleaved calls after a first."
    )
    return Race("Linear models on large tables", text, lines)


if __name__ == "__main__":
    from benchmarks.race import publish

    publish("linear", race())
