"""Bootstrap intervals: how a statistic would vary over other samples, told by resampling the rows of this one."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np
from jaxtyping import Float

from credo.errors import InputError, UndefinedError
from credo.numerics import Certificate, as_seed
from credo.validate.estimation.ends import Ends, basic_ends, bca_ends, percentile_ends, studentized_ends
from credo.validate.estimation.of_means import OfMeans
from credo.validate.estimation.resampling import Replicates, Resampled, replicate, resampled

__all__ = ["BootstrapInterval", "Method", "bootstrap_interval"]

#: The ways from resampled values to an interval.
Method = Literal["bca", "percentile", "basic", "studentized"]

_WHO = "bootstrap_interval"
_FEW = 20  # rows below which resamples are visibly less varied than samples
_ORDER = {
    "bca": "each end misses by O(1/n)",
    "studentized": "each end misses by O(1/n)",
    "percentile": "each end misses by O(1/√n), both together by O(1/n)",
    "basic": "each end misses by O(1/√n), both together by O(1/n)",
}


@dataclass(frozen=True)
class BootstrapInterval:
    """From `low` to `high`, around the `estimate` of all rows.

    `distribution` holds the statistic of each resample, in the order drawn, and `standard_error` is its standard
    deviation. The error of the certificate is the larger of `end_errors`, the Monte Carlo standard errors of the two
    ends: what other resamples of the same rows would change. It says nothing about coverage.
    """

    low: float
    high: float
    estimate: float
    standard_error: float
    level: float
    method: Method
    end_errors: tuple[float, float]
    distribution: Float[np.ndarray, " b"]
    certificate: Certificate

    def __str__(self) -> str:
        return (
            f"{self.estimate:.6g}, {self.level:.0%} {self.method} interval {self.low:.6g} to {self.high:.6g} "
            f"(standard error {self.standard_error:.3g}, {len(self.distribution)} resamples)"
        )


def bootstrap_interval(
    data: Any,
    statistic: str | OfMeans | Callable[..., Any] = "mean",
    *,
    level: float = 0.95,
    method: Method | str = "bca",
    resamples: int = 9999,
    standard_error: Callable[..., Any] | None = None,
    random_state: Any = None,
) -> BootstrapInterval:
    r"""An interval for a statistic of independent rows from one distribution.

    `data` is a column, or a tuple of columns whose rows belong together. `statistic` is "mean", "variance", "std",
    "covariance", "correlation", "slope" or "ratio", an [](#credo.validate.estimation.OfMeans), or a function
    ``statistic(*columns, axis)`` that works along an axis. The first two kinds are products of sparse counts with
    features and gather no rows: O(B n k).

    "percentile" takes quantiles of the resampled values, "basic" mirrors them at the estimate, "bca" corrects their
    probabilities for bias and skewness, and "studentized" takes quantiles of $(\theta^* - \hat\theta)/\sigma^*$. The
    coverage is right as n grows: by Hall (1988) the ends of the last two miss by O(1/n), those of the first two by
    $O(1/\sqrt n)$. All assume a statistic that changes smoothly with the rows: a maximum has no valid one.

    The $\sigma^*$ of "studentized" is ``standard_error(*columns, axis)`` where given, else for functions of averages
    the jackknife of each resample, else the spread of 50 resamples of the resample, at 50 times the cost.

    >>> x = np.random.default_rng(0).exponential(size=200)
    >>> interval = bootstrap_interval(x, "mean", random_state=0)
    >>> bool(interval.low < x.mean() < interval.high)
    True
    >>> bool(interval.high - interval.estimate > interval.estimate - interval.low)  # the data are skewed
    True
    """
    way = _checked_method(method)
    _check_settings(level, resamples)
    columns = _checked_columns(data)
    if standard_error is not None and way != "studentized":
        raise InputError(
            _WHO, f"a standard error with method={method!r}", "Only one method uses it", 'Try method="studentized"'
        )
    plan = resampled(_WHO, columns, statistic, standard_error)
    estimate = plan.estimate()
    if not np.isfinite(estimate):
        raise UndefinedError(
            _WHO,
            f"the statistic of all {plan.rows} rows is {estimate}",
            "A column is constant, or the statistic divides by zero",
            "Check the columns",
        )
    generator = np.random.default_rng(as_seed(random_state))
    drawn = replicate(plan, int(resamples), generator, errors=way == "studentized")
    _check_drawn(drawn, plan)
    return _interval(plan, estimate, drawn, float(level), way)


def _interval(plan: Resampled, estimate: float, drawn: Replicates, level: float, method: Method) -> BootstrapInterval:
    spread = float(np.std(drawn.values, ddof=1))
    ends = _ends(plan, estimate, drawn, spread, level, method)
    few = (f"{plan.rows} rows are few: bootstrap intervals tend to be too narrow",) if plan.rows < _FEW else ()
    certificate = Certificate(
        "estimated",
        error=max(ends.low_error, ends.high_error),
        notes=("error is the Monte Carlo standard error of an end", f"coverage: {_ORDER[method]}", *few, *ends.notes),
    )
    return BootstrapInterval(
        low=ends.low,
        high=ends.high,
        estimate=estimate,
        standard_error=spread,
        level=level,
        method=method,
        end_errors=(ends.low_error, ends.high_error),
        distribution=drawn.values,
        certificate=certificate,
    )


def _ends(plan: Resampled, estimate: float, drawn: Replicates, spread: float, level: float, method: Method) -> Ends:
    if method == "percentile":
        return percentile_ends(drawn.values, level)
    if method == "basic":
        return basic_ends(drawn.values, estimate, level)
    if method == "bca":
        return bca_ends(drawn.values, estimate, plan.without_one(), level)
    assert drawn.errors is not None  # they were asked for
    own = plan.own_error()
    return studentized_ends(drawn.values, drawn.errors, estimate, spread if own is None else own, level)


def _checked_method(method: Any) -> Method:
    for way in get_args(Method):
        if method == way:
            return way
    raise InputError(_WHO, f"method={method!r} is not known", f"It is one of {get_args(Method)}", 'Try "bca"')


def _check_settings(level: float, resamples: int) -> None:
    if not 0.0 < level < 1.0:
        raise InputError(_WHO, f"level is {level}", "It is a probability", "Try level=0.95")
    if isinstance(resamples, bool) or 0.5 * (1.0 - level) * (resamples + 1.0) < 1.0:
        raise InputError(
            _WHO,
            f"{resamples} resamples for level {level}",
            "A tail must hold one resample or more",
            "Try resamples=9999",
        )


def _checked_columns(data: Any) -> list[np.ndarray]:
    """One-dimensional columns of the same two or more finite rows."""
    parts = data if isinstance(data, tuple) else (data,)
    try:
        columns = [np.asarray(part, dtype=np.float64) for part in parts]
    except (TypeError, ValueError) as error:
        raise InputError(_WHO, f"data are no numbers ({error})", "Rows are numbers", "Encode them first") from error
    shapes = [column.shape for column in columns]
    if not columns or len(set(shapes)) > 1 or len(shapes[0]) != 1 or shapes[0][0] < 2:
        raise InputError(
            _WHO,
            f"data have shapes {shapes}",
            "They are a column of two rows or more, or a tuple of columns of the same rows",
            "For a table pass tuple(table.T)",
        )
    if not all(np.all(np.isfinite(column)) for column in columns):
        raise InputError(_WHO, "data have NaN or infinite entries", "Values are missing", "Drop those rows first")
    return columns


def _check_drawn(drawn: Replicates, plan: Resampled) -> None:
    every = drawn.values if drawn.errors is None else drawn.values + drawn.errors
    undefined = int(np.sum(~np.isfinite(every)))
    if undefined:
        raise UndefinedError(
            _WHO,
            f"the statistic is NaN or infinite in {undefined} of {len(every)} resamples",
            f"With {plan.rows} rows some resamples hold too few distinct ones",
            "Try more rows, or a statistic that every resample has",
        )
    if np.ptp(drawn.values) == 0.0:
        raise UndefinedError(
            _WHO,
            f"all {len(every)} resamples have the value {drawn.values[0]:.6g}",
            "The rows are constant, and resampling cannot show a variation that they do not have",
            "Use a model of the rows, such as a conjugate pair of credo.beliefs",
        )
