"""The few models that are tried, from the simplest, and why one is not."""

from typing import Any, NamedTuple

from credo.decide.learning.question import Kind
from credo.models import (
    BayesianLinearRegression,
    GPClassifier,
    GPRegressor,
    GradientBoostingClassifier,
    GradientBoostingRegressor,
    LogisticRegression,
    LogRegressor,
    MeanRegressor,
    PoissonRegression,
    PriorClassifier,
    SoftmaxRegression,
)

__all__ = ["BASELINE", "OF_LOGARITHMS", "Candidates", "candidates_for"]

#: The name of what knows no column: it is never taken, and says what the columns are worth.
BASELINE = "no columns"

#: What follows the name of a model in that of the same model of the logarithm.
OF_LOGARITHMS = " of logarithms"

_RIDGE = 1.0  # of columns that are scaled: classes that a column tells apart have finite slopes, too
_GP_ROWS = 1000  # of numbers, at which a fit takes some seconds
_GP_CLASS_ROWS = 400
_GP_COLUMNS = 60  # each has a length-scale to find


class Candidates(NamedTuple):
    """Estimators by name, from the simplest, the baseline first; and the names of those left out, with the reason."""

    estimators: dict[str, Any]
    left_out: dict[str, str]


def candidates_for(kind: Kind, rows: int, columns: int, classes: int = 0, *, by_factors: bool = False) -> Candidates:
    """What is tried on a table of so many rows and columns of numbers; `by_factors` also of the logarithm.

    >>> list(candidates_for("number", 300, 8).estimators)
    ['no columns', 'linear', 'Gaussian process', 'boosted trees']
    >>> candidates_for("number", 20_000, 8).left_out
    {'Gaussian process': 'an exact one takes too long for 20000 rows'}
    """
    if kind == "class":
        linear: Any = LogisticRegression(ridge=_RIDGE) if classes == 2 else SoftmaxRegression(ridge=_RIDGE)
        made: dict[str, Any] = {
            BASELINE: PriorClassifier(),
            "linear": linear,
            "Gaussian process": GPClassifier(n_restarts=0),
            "boosted trees": GradientBoostingClassifier(),
        }
        most = _GP_CLASS_ROWS
    else:
        made = {
            BASELINE: MeanRegressor(),
            "counts": PoissonRegression(ridge=_RIDGE),  # the family of counts, before one that knows nothing of them
            "linear": BayesianLinearRegression(),
            "Gaussian process": GPRegressor(n_restarts=0),
            "boosted trees": GradientBoostingRegressor(),
        }
        most = _GP_ROWS
        if kind == "number":
            del made["counts"]
    reason = _too_large(rows, columns, most)
    if reason is not None:
        del made["Gaussian process"]
    left_out = {} if reason is None else {"Gaussian process": reason}
    return Candidates(_with_logarithms(made) if by_factors else made, left_out)


def _with_logarithms(made: dict[str, Any]) -> dict[str, Any]:
    """Each model, and behind it the same one of the logarithm."""
    found: dict[str, Any] = {}
    for name, each in made.items():
        found[name] = each
        if name != BASELINE:
            found[name + OF_LOGARITHMS] = LogRegressor(estimator=each)
    return found


def _too_large(rows: int, columns: int, most: int) -> str | None:
    if rows > most:
        return f"an exact one takes too long for {rows} rows"
    if columns > _GP_COLUMNS:
        return f"it has a length-scale for each of {columns} columns of numbers"
    return None
