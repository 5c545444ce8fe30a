"""What is left of each held-out row once what was said of it is taken away, on a scale that is the same for all."""

from typing import NamedTuple

import numpy as np
from jaxtyping import Bool, Float, Int
from scipy import special

from credo.errors import InputError
from credo.validate.evaluation import Evaluation
from credo.validate.honesty import clopper_pearson

__all__ = ["Residuals", "residuals"]

_FARTHEST = 8.0  # standard deviations: beyond, a distribution function in double precision is 0 or 1


class Residuals(NamedTuple):
    r"""Of each held-out row: the number that was said, what came out, and how far out that is, in standard units.

    `standardized` is $\Phi^{-1}(F(y))$ with F the distribution function that was stated (Dunn and Smyth 1996): for a
    normal belief $(y - \mu)/\sigma$, and standard normal for every belief that is right, skewed and discrete ones
    included. It ends at 8 to both sides.
    """

    name: str
    rows: Int[np.ndarray, " m"]
    said: Float[np.ndarray, " m"]
    observed: Float[np.ndarray, " m"]
    standardized: Float[np.ndarray, " m"]

    def reach(self, level: float = 0.95) -> float:
        """How far from zero this share of them should lie at most."""
        if not 0.0 < level < 1.0:
            raise InputError("residuals", f"level is {level}", "It is a probability", "Try level=0.95")
        return float(special.ndtri(0.5 + 0.5 * level))

    def inside(self, level: float = 0.95) -> Bool[np.ndarray, " m"]:
        """Which of them do."""
        return np.abs(self.standardized) <= self.reach(level)

    def share(self, level: float = 0.95) -> tuple[float, float, float]:
        """The share that does, and its exact 95 % band, rows being independent: ``(share, low, high)``."""
        count, n = int(np.sum(self.inside(level))), len(self.rows)
        low, high = clopper_pearson(np.asarray(count), n)
        return count / n, float(low), float(high)


def residuals(evaluation: Evaluation, name: str | None = None) -> Residuals:
    """The residuals of an estimator of numbers (the first, unless `name` says another) on rows its refits held out.

    Every row counts once, by the first refit that held it out. An estimator that states no distribution has no
    standard units, and classes have no distance: both are refused.

    >>> from credo.models import LinearRegression
    >>> from credo.validate import evaluate
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(200, 1))
    >>> found = residuals(evaluate(LinearRegression(), X, X[:, 0] + rng.normal(size=200), random_state=0))
    >>> round(found.share(0.95)[0], 2), bool(abs(found.standardized.std() - 1.0) < 0.1)
    (0.95, True)
    """
    result = evaluation.one(name)
    if evaluation.targets.classes is not None:
        raise InputError(
            "residuals",
            f"{result.name} says classes",
            "Between classes there is no distance",
            "Look at calibration(evaluation), which holds what was stated against what happened",
        )
    held = result.held
    if not held.has_belief:
        raise InputError(
            "residuals",
            f"{result.name} stated no distribution",
            "It has no predict_dist, so that nothing says how far a row may lie from what was said",
            "Try an estimator of credo.models",
        )
    rows = np.flatnonzero(held.there)
    far = np.clip(special.ndtri(held.pit[rows]), -_FARTHEST, _FARTHEST)
    observed = np.asarray(evaluation.targets.values[rows], dtype=np.float64)
    return Residuals(result.name, rows, np.asarray(held.point[rows], dtype=np.float64), observed, far)
